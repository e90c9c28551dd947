"""The lock says exactly what is installed: every direct pin, one version, hashes, no addresses."""

import re
from pathlib import Path
from typing import Any

import pytest

PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)")


def pins(lock: Path) -> dict[str, set[str]]:
    """The versions of each package (several when they hang on the platform or on Python)."""
    found: dict[str, set[str]] = {}
    for line in lock.read_text().splitlines():
        if match := PIN.match(line):
            found.setdefault(match[1], set()).add(match[2])
    return found


def entries(lock: Path) -> list[str]:
    """One string for each package, its hashes included."""
    return lock.read_text().replace("\\\n", " ").splitlines()


def without_marker(entry: str) -> str:
    """Binder may want a package on fewer platforms; it is the same package."""
    return re.sub(r" ;.*?(?= +--hash)", "", entry)


FRAMEWORKS = "course/lab/frameworks/requirements.lock"


@pytest.fixture(params=["requirements.lock", "binder/requirements.txt", FRAMEWORKS])
def lock(request: pytest.FixtureRequest, root: Path) -> Path:
    return root / str(request.param)


def test_every_package_has_a_version_and_hashes(lock: Path) -> None:
    bare = [
        entry for entry in entries(lock) if not (PIN.match(entry) and "--hash=sha256:" in entry)
    ]
    assert len(entries(lock)) > 50
    assert bare == []


def test_a_lock_holds_no_address(lock: Path) -> None:
    assert re.findall(r"\S*(?:://|--index|--find-links|@ ?file)\S*", lock.read_text()) == []


def test_direct_dependencies_are_pinned_exactly(direct: dict[str, str]) -> None:
    assert len(direct) > 20
    assert {n: v for n, v in direct.items() if not re.fullmatch(r"\d+(\.\w+)+", v)} == {}


def test_the_lock_holds_every_direct_pin(direct: dict[str, str], root: Path) -> None:
    locked = pins(root / "requirements.lock")
    assert {name: locked.get(name) for name in direct} == {n: {v} for n, v in direct.items()}


def test_the_frameworks_lock_holds_theirs_and_agrees_with_the_other(
    frameworks: dict[str, str], root: Path
) -> None:
    theirs, ours = pins(root / FRAMEWORKS), pins(root / "requirements.lock")
    named = {name.partition("[")[0]: version for name, version in frameworks.items()}
    assert {name: theirs.get(name) for name in named} == {n: {v} for n, v in named.items()}
    assert {name: v for name, v in theirs.items() if name in ours and not v <= ours[name]} == {}


def test_the_build_backend_is_the_locked_one(
    project: dict[str, Any], direct: dict[str, str]
) -> None:
    assert project["build-system"]["requires"] == [f"hatchling=={direct['hatchling']}"]


def test_binder_installs_what_the_lock_holds(root: Path) -> None:
    locked = {without_marker(entry) for entry in entries(root / "requirements.lock")}
    here = {without_marker(entry) for entry in entries(root / "binder/requirements.txt")}
    assert here <= locked
