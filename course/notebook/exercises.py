"""The exercises of the course, read from the notebooks themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECK_ID = re.compile(r"ex_(\d+)_(\d+)_check$")
TITLE = re.compile(r"""check\(\s*(["'])(\d+\.\d+)\s+(.*?)\1""")
BEGIN, END = "BEGIN SOLUTION", "END SOLUTION"
REPOSITORY = Path(__file__).resolve().parents[2]
_INSTALLED = REPOSITORY / "course" / "notebooks"
RELEASED = _INSTALLED if _INSTALLED.is_dir() else REPOSITORY / "notebooks"
"""The released chapters of this version, in an installed package or in the repository."""


@dataclass(frozen=True)
class Exercise:
    """One exercise as its check cell describes it.

    Attributes:
        number: such as ``"1.2"``.
        chapter: the folder of its notebook, such as ``"01_one_agent"``.
        points: what it is worth.
        titles: the visible checks, without the number.
    """

    number: str
    chapter: str
    points: float
    titles: tuple[str, ...]


def folder(name: str) -> Path | None:
    """Find ``notebooks`` or ``solutions``: above the notebook that runs, or in the repository."""
    if found := folder_above(name):
        return found
    places = (REPOSITORY / "course", REPOSITORY)
    return next((place / name for place in places if (place / name).is_dir()), None)


def folder_above(name: str) -> Path | None:
    """The same above the notebook that runs only: what is written goes nowhere else."""
    here = Path.cwd()
    # A chapter lies two folders below the root. Further up the folder would be somebody else's.
    places = (here, *here.parents[:2])
    return next((place / name for place in places if (place / name).is_dir()), None)


def exercises(notebooks: Path) -> list[Exercise]:
    """List the exercises of all chapters under ``notebooks``; unreadable files are skipped."""
    found = [
        exercise for path in sorted(notebooks.glob("*/*.ipynb")) for exercise in _of_chapter(path)
    ]
    return sorted(found, key=lambda exercise: _order(exercise.number))


def solution(exercise: str, solutions: Path) -> str | None:
    """Return the code between the solution marks of ``exercise``, or None when there is none."""
    for path in sorted(solutions.glob("*/*.ipynb")):
        if answers := answers_to(exercise, cells_of(path)):
            return "\n\n\n".join(_region(source_of(cell)) for cell in answers)
    return None


def answers_to(exercise: str, cells: list[Any]) -> list[Any]:
    """The cells of a notebook that answer ``exercise``.

    An exercise without a solution cell of its own is answered by those that its chapter's share.
    """
    wanted = f"ex_{exercise.replace('.', '_')}"
    by_id = {grade_id_of(cell): cell for cell in cells}
    if wanted in by_id:
        return [by_id[wanted]]
    if f"{wanted}_check" in by_id:
        numbered = {each.removesuffix("_check") for each in by_id if CHECK_ID.match(each)}
        return [cell for name, cell in by_id.items() if _is_answer(cell) and name not in numbered]
    return []


def _is_answer(cell: Any) -> bool:
    about = cell.get("metadata", {}).get("nbgrader", {})
    return cell.get("cell_type") == "code" and bool(about.get("solution"))


def _of_chapter(path: Path) -> Iterator[Exercise]:
    for cell in cells_of(path):
        found = CHECK_ID.match(grade_id_of(cell))
        if found:
            number = f"{int(found[1])}.{int(found[2])}"
            titles = tuple(t for _, n, t in TITLE.findall(source_of(cell)) if n == number)
            points = float(cell["metadata"]["nbgrader"].get("points", 0))
            yield Exercise(number, path.parent.name, points, titles)


def cells_of(path: Path) -> list[Any]:
    """The cells of a notebook; none where it is unreadable or cut in half."""
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
        return [cell for cell in book["cells"] if isinstance(cell, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def grade_id_of(cell: Any) -> str:
    """The name that nbgrader knows a cell by; empty for others."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def source_of(cell: Any) -> str:
    """A cell's text."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def _region(source: str) -> str:
    """Keep the lines between the marks, and what stands around them, without the marks."""
    return "\n".join(
        line for line in source.splitlines() if BEGIN not in line and END not in line
    ).strip("\n")


def _order(number: str) -> tuple[int, int]:
    chapter, place = number.split(".")
    return int(chapter), int(place)
