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
    here = Path.cwd()
    # A chapter lies two folders below the root. Further up the folder would be somebody else's.
    places = (here, *here.parents[:2], REPOSITORY)
    return next((place / name for place in places if (place / name).is_dir()), None)


def exercises(notebooks: Path) -> list[Exercise]:
    """List the exercises of all chapters under ``notebooks``; unreadable files are skipped."""
    found = [
        exercise for path in sorted(notebooks.glob("*/*.ipynb")) for exercise in _of_chapter(path)
    ]
    return sorted(found, key=lambda exercise: _order(exercise.number))


def solution(exercise: str, solutions: Path) -> str | None:
    """Return the code between the solution marks of ``exercise``, or None when there is none.

    An exercise without a solution cell of its own is solved by those that its chapter's share.
    """
    wanted = f"ex_{exercise.replace('.', '_')}"
    for path in sorted(solutions.glob("*/*.ipynb")):
        cells = {_grade_id(cell): cell for cell in _cells(path)}
        if wanted in cells:
            return _region(_source(cells[wanted]))
        if f"{wanted}_check" in cells:
            shared = [cell for cell in cells.values() if _is_answer(cell)]
            return "\n\n\n".join(_region(_source(cell)) for cell in shared) or None
    return None


def _is_answer(cell: Any) -> bool:
    about = cell.get("metadata", {}).get("nbgrader", {})
    return cell.get("cell_type") == "code" and bool(about.get("solution"))


def _of_chapter(path: Path) -> Iterator[Exercise]:
    for cell in _cells(path):
        found = CHECK_ID.match(_grade_id(cell))
        if found:
            number = f"{int(found[1])}.{int(found[2])}"
            titles = tuple(t for _, n, t in TITLE.findall(_source(cell)) if n == number)
            points = float(cell["metadata"]["nbgrader"].get("points", 0))
            yield Exercise(number, path.parent.name, points, titles)


def _cells(path: Path) -> list[Any]:
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
        return list(book["cells"])
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _grade_id(cell: Any) -> str:
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def _source(cell: Any) -> str:
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
