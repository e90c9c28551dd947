"""A copy of the course to give to students: what git tracks, without solutions and tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from course.errors import ConfigurationError
from graders.classroom.saying import tell
from graders.release import ROOT

KEPT_BACK = ("solutions/", "tests/", ".ci/", "graders/former/", "graders/seeds.toml")
"""Answers, wrong answers and their reasons, what runs them, and what only judging needs."""


def copy_for_students(folder: Path, root: Path = ROOT) -> int:
    """Copy the course's tracked files but those that are kept back; returns 0.

    Raises:
        ConfigurationError: the folder is not empty, or lies in the course, or git does not answer.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigurationError(f"{folder} is not empty: name a new folder")
    if folder.resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(f"{folder} lies in the course itself: name one outside of it")
    try:
        asked = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        raise ConfigurationError(f"{root} is no git checkout: nobody knows its files") from None
    names = [name for name in asked.stdout.split("\0") if name and not name.startswith(KEPT_BACK)]
    for name in names:
        source = root / name
        if source.is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    tell(f"{len(names)} files in {folder}: git init there, and push it where students find it")
    return 0
