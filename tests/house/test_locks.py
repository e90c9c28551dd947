"""The lock says exactly what is installed: every direct pin, one version, hashes, no addresses."""

import re
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.house.conftest import OWN_LOCKS

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


@pytest.fixture(params=["requirements.lock", "binder/requirements.txt", *OWN_LOCKS.values()])
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


def test_what_a_program_needs_is_a_range_and_an_extra_is_exact(
    project: dict[str, Any], direct: dict[str, SpecifierSet]
) -> None:
    core = {Requirement(line).name for line in project["project"]["dependencies"]}
    signs = {name: sorted(each.operator for each in asked) for name, asked in direct.items()}
    assert len(core) > 5
    assert {name for name, each in signs.items() if each == ["<", ">="]} == core
    assert {name for name, each in signs.items() if each == ["=="]} == set(direct) - core


def outside(asked: dict[str, SpecifierSet], locked: dict[str, set[str]]) -> set[str]:
    """The packages of which the lock has no version, several, or one that is not asked for."""
    return {
        name
        for name, versions in asked.items()
        if len(locked.get(name, ())) != 1 or not all(map(versions.contains, locked[name]))
    }


def test_the_lock_holds_every_direct_dependency(
    direct: dict[str, SpecifierSet], root: Path
) -> None:
    assert outside(direct, pins(root / "requirements.lock")) == set()


@pytest.mark.parametrize("extra", OWN_LOCKS)
def test_a_lock_of_its_own_holds_its_extra_and_agrees_with_the_other(
    apart: dict[str, dict[str, SpecifierSet]], root: Path, extra: str
) -> None:
    theirs, ours = pins(root / OWN_LOCKS[extra]), pins(root / "requirements.lock")
    named = {name.partition("[")[0]: asked for name, asked in apart[extra].items()}
    assert outside(named, theirs) == set()
    assert {name: v for name, v in theirs.items() if name in ours and not v <= ours[name]} == {}


def test_the_build_backend_is_the_locked_one(
    project: dict[str, Any], direct: dict[str, SpecifierSet]
) -> None:
    assert project["build-system"]["requires"] == [f"hatchling{direct['hatchling']}"]


def test_binder_installs_what_the_lock_holds(root: Path) -> None:
    locked = {without_marker(entry) for entry in entries(root / "requirements.lock")}
    here = {without_marker(entry) for entry in entries(root / "binder/requirements.txt")}
    assert here <= locked
