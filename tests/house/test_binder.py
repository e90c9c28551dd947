"""Binder can build this repository: repo2docker reads it and prints its Dockerfile."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def dockerfile(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    # A copy of binder/ and the package's own files: what is not tracked must not matter.
    copy = tmp_path_factory.mktemp("binder")
    for name in (
        "binder/runtime.txt",
        "binder/requirements.txt",
        "binder/postBuild",
        "pyproject.toml",
    ):
        target = copy / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((root / name).read_bytes())
        target.chmod((root / name).stat().st_mode)
    reading = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--debug", "--no-build", "--no-run", str(copy)],
        cwd=copy.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert reading.returncode == 0, reading.stderr
    return reading.stdout


def test_the_python_is_pinned_and_supported(
    dockerfile: str, project: dict[str, Any], root: Path
) -> None:
    pinned = (root / "binder/runtime.txt").read_text().strip()
    assert pinned == "python-" + project["project"]["requires-python"].removeprefix(">=")
    assert f"environment-2epy-2d{pinned.removeprefix('python-').replace('.', '-2e')}" in dockerfile


def test_the_pinned_requirements_are_installed_before_the_course(dockerfile: str) -> None:
    requirements = dockerfile.index('pip install --no-cache-dir -r "binder/requirements.txt"')
    assert requirements < dockerfile.index("RUN ./binder/postBuild")


def test_post_build_installs_the_course_and_nothing_else(root: Path) -> None:
    script = root / "binder/postBuild"
    installs = [line for line in script.read_text().splitlines() if "pip install" in line]
    assert os.access(script, os.X_OK)
    assert len(installs) == 1
    assert {"--no-deps", "--no-build-isolation", "-e", "."} <= set(installs[0].split())
