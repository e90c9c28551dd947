"""A class made for tests: one student for each thing that is handed in, on purpose or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.classroom.kinds import Handed, kinds
from tests.classroom.kinds import right as solved_but_for
from tests.notebooks import kit

CHAPTER = "00_start_here"
Json = dict[str, Any]


KINDS: Mapping[str, Handed] = {
    student: handed for student, handed in kinds(CHAPTER).items() if handed.make
}


def right(**answers: str) -> bytes:
    """The solved chapter, but for these solution cells."""
    return solved_but_for(CHAPTER, answers)


def hand_in(folder: Path, kinds: Mapping[str, Handed] = KINDS) -> Path:
    """Put a class into a folder, and a student who handed in nothing."""
    for student, handed in kinds.items():
        place = folder / student / CHAPTER
        place.mkdir(parents=True)
        assert handed.make is not None
        (place / (handed.file or f"{CHAPTER}.ipynb")).write_bytes(handed.make())
    (folder / "nothing" / CHAPTER).mkdir(parents=True)
    return folder


def graders(
    *arguments: object, where: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m graders` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "graders", *map(str, arguments)],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(kit.ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def lines(folder: Path) -> dict[str, Json]:
    """The results of a class by student, without what may differ from run to run."""
    text = (folder / "results.jsonl").read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    return {
        each["student"]: {k: v for k, v in each.items() if "seconds" not in k} for each in found
    }
