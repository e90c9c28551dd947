"""A class made for tests: one student for each thing that is handed in, on purpose or not."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.grading.odd import MANGLED, is_answer, solved, stub
from tests.notebooks import kit

CHAPTER = "00_start_here"
Json = dict[str, Any]


@dataclass(frozen=True)
class Handed:
    """What one student hands in, and what has to come of it.

    Attributes:
        make: gives the file's bytes.
        score: points; None where it cannot be graded.
        code: why not.
        file: its name.
    """

    make: Callable[[], bytes]
    score: float | None = 5.0
    code: str = ""
    file: str = f"{CHAPTER}.ipynb"


def book(**answers: str) -> Json:
    """The solved chapter, but for these solution cells."""
    made = copy.deepcopy(solved(CHAPTER))
    for cell in made["cells"]:
        name = (cell["metadata"].get("nbgrader") or {}).get("grade_id")
        if name in answers:
            cell["source"] = answers[name]
    return made


def right(**answers: str) -> bytes:
    return json.dumps(book(**answers)).encode()


def empty() -> bytes:
    made = book()
    for cell in filter(is_answer, made["cells"]):
        cell["source"] = stub(cell)
    return json.dumps(made).encode()


def mangled(way: str) -> bytes:
    made = book()
    said = MANGLED[way](made)
    text = json.dumps(made) if said is None else said
    return text if isinstance(text, bytes) else text.encode()


def without_checks() -> bytes:
    made = book()
    made["cells"] = [
        cell for cell in made["cells"] if not (cell["metadata"].get("nbgrader") or {}).get("grade")
    ]
    return json.dumps(made).encode()


def other_kernel() -> bytes:
    made = book()
    made["metadata"]["kernelspec"] = {"name": "ir", "display_name": "R", "language": "R"}
    return json.dumps(made).encode()


GREETING = "def greeting(name):\n"
THROUGH = "async def put_all_through(callers, put_through):\n"
KINDS: Mapping[str, Handed] = {
    "right": Handed(right),
    "renamed": Handed(right, file="Kopie von final (2).ipynb"),
    "partly right": Handed(lambda: right(ex_0_1=f"{GREETING}    return 'Hello'"), 4.0),
    "empty": Handed(empty, 0.0),
    "syntax error": Handed(lambda: right(ex_0_1="def greeting(:"), 4.0),
    "spin": Handed(lambda: right(ex_0_2=f"{THROUGH}    while True: pass"), 3.0),
    "awaits for ever": Handed(
        lambda: right(ex_0_2=f"{THROUGH}    await asyncio.Event().wait()"), 3.0
    ),
    "exits": Handed(lambda: right(ex_0_1=f"{GREETING}    import sys\n    sys.exit(0)"), 4.0),
    "prints": Handed(
        lambda: right(ex_0_1=f"{GREETING}    for _ in range(60):\n        print('x' * 1_000_000)"),
        4.0,
    ),
    "no checks": Handed(without_checks),
    "copied cells": Handed(lambda: mangled("every cell twice")),
    "other kernel": Handed(other_kernel),
    "no marks": Handed(lambda: mangled("no metadata")),
    "utf-16": Handed(lambda: mangled("in UTF-16")),
    "cut": Handed(lambda: right()[:3000], None, "notebook.not_json"),
    "no json": Handed(lambda: b"\x89PNG\r\n", None, "notebook.not_json"),
    "huge": Handed(lambda: b" " * 41_000_000, None, "notebook.too_large"),
    "Zoë O'Neil; drop": Handed(right),
}


def hand_in(folder: Path, kinds: Mapping[str, Handed] = KINDS) -> Path:
    """Put a class into a folder, and a student who handed in nothing."""
    for student, handed in kinds.items():
        place = folder / student / CHAPTER
        place.mkdir(parents=True)
        (place / handed.file).write_bytes(handed.make())
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
