"""Begin anew: the stub of an exercise comes back, and its progress is forgotten."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course.errors import ConfigurationError
from course.notebook import ledger
from course.notebook.exercises import answers_to, cells_of, exercises, folder_above, grade_id_of
from course.notebook.folding import RELOAD, put_back

STUB = "stub"
"""The key of a released answer cell's metadata that holds how it was released."""


def reset(what: str) -> None:
    """Put the stub of an exercise, of a chapter's, or all of them back, and forget the progress.

    The notebook beside you is changed if it has the exercise (a copy of a chapter), or else the
    one in ``notebooks`` above it. How it was before is kept beside it.

    Args:
        what: an exercise's number, such as ``"3.2"``; a chapter's, such as ``"03"``; or ``"all"``.

    Raises:
        ConfigurationError: it is none of these.
    """
    notebooks = folder_above("notebooks")
    here = sorted(Path.cwd().glob("*.ipynb"))
    there = sorted(notebooks.glob("*/*.ipynb")) if notebooks else []
    known = {each.number for each in exercises(notebooks)} if notebooks else set()
    known |= {number for path in here for number in _numbers(path)}
    wanted = {number for number in known if _is_meant(number, what)}
    if not wanted:
        raise ConfigurationError(
            f'there is nothing to reset in {what!r}: write "3.2", "03" or "all"'
        )
    ledger.forget(wanted)
    left = set(wanted)
    for path in (*here, *there):
        mine = left & _numbers(path)
        if mine:
            left -= mine
            print(_put_stubs_back(path, mine))
    print(f"The progress of {_listed(wanted)} is forgotten. {RELOAD}")


def _is_meant(number: str, what: str) -> bool:
    chapter = number.partition(".")[0]
    return what in (number, "all") or (what.isdigit() and int(what) == int(chapter))


def _numbers(path: Path) -> set[str]:
    """The exercises that a notebook checks."""
    found = (re.fullmatch(r"ex_(\d+)_(\d+)_check", grade_id_of(cell)) for cell in cells_of(path))
    return {f"{int(each[1])}.{int(each[2])}" for each in found if each}


def _put_stubs_back(path: Path, numbers: set[str]) -> str:
    """Change the answer cells of these exercises in a notebook; what was done, in a line."""
    book = json.loads(path.read_text(encoding="utf-8"))
    lacking = [n for n in numbers if not list(_with_stub(book["cells"], n))]
    found = [cell for n in numbers for cell in _with_stub(book["cells"], n)]
    for cell in found:
        cell["source"] = cell["metadata"][STUB].splitlines(keepends=True)
        cell["outputs"], cell["execution_count"] = [], None
    said = []
    if found:
        before = path.with_name(f"{path.name}.before")
        shutil.copyfile(path, before)
        put_back(path, book)
        done = _listed(numbers - set(lacking))
        said.append(f"{path.name}: the stub of {done} is back; how it was: {before.name}.")
    if lacking:
        said.append(f"{path.name}: the answer cell of {_listed(set(lacking))} is missing.")
    return " ".join(said)


def _with_stub(cells: list[Any], number: str) -> Iterator[Any]:
    yield from (cell for cell in answers_to(number, cells) if STUB in cell["metadata"])


def _listed(numbers: set[str]) -> str:
    ordered = sorted(numbers, key=lambda number: tuple(map(int, number.split("."))))
    return ", ".join(ordered) if len(ordered) <= 8 else f"{len(ordered)} exercises"
