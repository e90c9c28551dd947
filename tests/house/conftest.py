"""What the tests of the house share: where it stands, and which files belong to it."""

import re
import subprocess
import tomllib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
OWN_LOCKS = {
    "frameworks": "course/lab/frameworks/requirements.lock",
    "web": "web/requirements.lock",
}


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """The files that git knows or would take, so that a new file is judged before it is added."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name in listing.stdout.split("\0") if name]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="session")
def direct(project: dict[str, Any]) -> dict[str, SpecifierSet]:
    """Each direct dependency, extras included, and what versions are asked for; but those of
    extras that have a lock of their own.
    """
    table = project["project"]
    extras = {k: v for k, v in table["optional-dependencies"].items() if k not in OWN_LOCKS}
    return _asked(chain(table["dependencies"], *extras.values()))


@pytest.fixture(scope="session")
def apart(project: dict[str, Any]) -> dict[str, dict[str, SpecifierSet]]:
    """What the extras with locks of their own ask for, by extra."""
    extras = project["project"]["optional-dependencies"]
    return {extra: _asked(extras[extra]) for extra in OWN_LOCKS}


def _asked(lines: Iterable[str]) -> dict[str, SpecifierSet]:
    return {re.split("[<=>]", line)[0]: Requirement(line).specifier for line in lines}
