"""No tracked file names this machine, a package registry, or an address where none belongs."""

import re
from pathlib import Path

# Letters in brackets, so that this file passes its own test.
REGISTRIES = re.compile(
    r"py[p]i\.org|pythonh[o]sted|registry\.n[p]mjs|crates\.i[o]|proxy\.gola[n]g"
)
MACHINE = re.compile(r"(?:^|[^A-Za-z0-9_.])/(?:work|farm|root)/", re.MULTILINE)
ADDRESS = re.compile(r"https?://\S+")
BUILD = ("Makefile", "pyproject.toml", "requirements.lock", "binder/", ".ci/")
LOCKS = ("requirements.lock", "requirements.txt")  # a hash for every file of every package
LARGEST = 400_000  # bytes; a release of a chapter stays far below, the lock is the largest file


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="ignore")


def found(pattern: re.Pattern[str], files: list[Path]) -> dict[str, list[str]]:
    hits = {str(path): pattern.findall(text(path)) for path in files}
    return {name: matches for name, matches in hits.items() if matches}


def test_no_path_of_one_machine(tracked: list[Path]) -> None:
    assert found(MACHINE, tracked) == {}


def test_no_registry_is_named(tracked: list[Path]) -> None:
    assert found(REGISTRIES, tracked) == {}


def test_build_and_lock_files_hold_no_address(tracked: list[Path], root: Path) -> None:
    build = [p for p in tracked if p.relative_to(root).as_posix().startswith(BUILD)]
    assert len(build) >= 7
    assert found(ADDRESS, build) == {}


def test_no_file_is_large(tracked: list[Path]) -> None:
    sizes = {path.name: path.stat().st_size for path in tracked if path.name not in LOCKS}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
