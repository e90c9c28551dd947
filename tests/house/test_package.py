"""What is installed is whole: the wheel holds the code, its data and the licences."""

import subprocess
import sys
import zipfile
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=root,
        check=True,
        capture_output=True,
        timeout=60,
    )
    return zipfile.ZipFile(next(target.glob("*.whl")))


def test_the_wheel_holds_every_file_of_both_packages(
    wheel: zipfile.ZipFile, root: Path, tracked: list[Path]
) -> None:
    names = {path.relative_to(root).as_posix() for path in tracked}
    packaged = {name for name in names if name.startswith(("course/", "graders/"))}
    packaged |= {
        name.replace("docs/", "graders/") for name in names if name.startswith("docs/contracts/")
    }
    packaged |= {f"course/{name}" for name in names if name.startswith("notebooks/")}
    assert {"course/py.typed", "course/__init__.py", "graders/__init__.py"} <= packaged
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == packaged


def test_the_wheel_carries_both_licences(wheel: zipfile.ZipFile) -> None:
    held = {name.rpartition("/")[2] for name in wheel.namelist() if "/licenses/" in name}
    assert held == {"LICENSE", "LICENSE-text.md"}


def test_the_citation_can_be_read_and_names_this_version(
    root: Path, project: dict[str, Any]
) -> None:
    # The fields that the Citation File Format 1.2.0 requires, and those this project states.
    citation = yaml.safe_load((root / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert {"message", "title", "authors", "license", "date-released"} <= set(citation)
    assert all({"name"} == set(author) for author in citation["authors"])
    assert str(citation["version"]) == project["project"]["version"]
    assert citation["license"] in project["project"]["license"]


def test_the_change_log_begins_with_what_is_to_come_or_this_version(
    root: Path, project: dict[str, Any]
) -> None:
    headings = [
        line for line in (root / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")
    ]
    [newest, *_] = [each.split()[1] for each in headings if each != "## Unreleased"]
    assert newest == project["project"]["version"]
    assert "## Unreleased" not in headings[1:]


def test_every_direct_dependency_is_explained(
    root: Path, direct: dict[str, SpecifierSet], apart: dict[str, dict[str, SpecifierSet]]
) -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (root / "docs/dependencies.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    assert sorted(row[0].strip("`") for row in rows) == sorted(
        {*direct, *chain.from_iterable(apart.values())}
    )
    assert [row for row in rows if len(row) != 5 or not all(row)] == []
