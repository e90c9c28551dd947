"""The chapters that can be judged: their released notebooks and their exercises."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from graders.judge.scenario import Exercise
from graders.judge.submission import Unreadable
from graders.release import ROOT


@dataclass(frozen=True)
class Chapter:
    """One chapter: its name, its notebook as students got it, and its exercises."""

    name: str
    released: NotebookNode
    exercises: tuple[Exercise, ...]

    @property
    def grade_ids(self) -> frozenset[str]:
        """Names of its solution cells."""
        marks = (cell.metadata.get("nbgrader", {}) for cell in self.released.cells)
        return frozenset(str(mark["grade_id"]) for mark in marks if mark.get("solution"))


def exercises_of(number: str) -> tuple[Exercise, ...]:
    """The exercises of a chapter ("01"); none when it has not been moved to the judge."""
    name = f"graders.exercises.ch{number}"
    if importlib.util.find_spec("graders.exercises") is None:
        return ()
    if importlib.util.find_spec(name) is None:
        return ()
    return tuple(importlib.import_module(name).EXERCISES)


@cache
def released(root: Path = ROOT) -> tuple[Chapter, ...]:
    """Every chapter of `notebooks/`, in order."""
    return tuple(_chapter(path) for path in sorted((root / "notebooks").glob("*/*.ipynb")))


def _chapter(path: Path) -> Chapter:
    book: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return Chapter(path.stem, book, exercises_of(path.stem[:2]))


def chapter_of(book: NotebookNode, name: str, chapters: Sequence[Chapter]) -> Chapter:
    """The chapter that a submission is of: by its marked cells, else by its file's name.

    Raises:
        Unreadable: it is of none.
    """
    marks = {str(cell.metadata.get("nbgrader", {}).get("grade_id", "")) for cell in book.cells}
    best = max(chapters, key=lambda each: len(each.grade_ids & marks), default=None)
    if best is not None and best.grade_ids & marks:
        return best
    named = next((each for each in chapters if name.startswith(each.name)), None)
    if named is not None:
        return named
    raise Unreadable(
        "notebook.other_release",
        "none of its cells is an exercise of this course: is it another course's or an old one?",
    )
