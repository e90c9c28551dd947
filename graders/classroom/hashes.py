"""What a verdict depends on, as hashes: the same three, the same verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from course.notebook.exercises import RELEASED
from graders.chapters import former
from graders.classroom.results import Hashes
from graders.judge.chapters import Chapter
from graders.release import ROOT

JUDGES = ("graders/box", "graders/checks", "graders/child", "graders/judge", "graders/records")
"""Besides `course`, which answers are played on."""


def hashes_of(notebook: Path, chapter: Chapter | None) -> Hashes:
    """The hashes for one file. Raises OSError when it cannot be read."""
    with notebook.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Hashes(digest, _exercises(chapter.name) if chapter else "", kit())


@cache
def kit() -> str:
    """The version of the kit, and a hash of the code that judges: "0.5.0+1a2b3c4d5e6f"."""
    try:
        named = version("switchboard-course")
    except PackageNotFoundError:  # a copy that runs from its folder
        named = "0"
    folders = [ROOT / "course", *(ROOT / name for name in JUDGES)]
    paths = [path for folder in folders for path in folder.rglob("*")]
    return f"{named}+{_of(paths)[:12]}"


@cache
def _exercises(chapter: str) -> str:
    """Of a chapter's data, of what chapters share, of its notebooks, and of its seeds."""
    home = ROOT / "graders/exercises"
    paths = [*home.glob("*.py"), *(home / f"ch{chapter[:2]}").rglob("*.py")]
    paths += [*(RELEASED / chapter).glob("*.ipynb"), ROOT / "graders/seeds.toml"]
    paths += former(chapter).values()
    return _of(paths)


def _of(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
