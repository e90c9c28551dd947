"""The chapters that can be judged: their released notebooks and their exercises."""

from __future__ import annotations

import importlib
import importlib.util
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from graders.judge.reading import form, read_code, statements
from graders.judge.submission import Unreadable
from graders.records.scenario import Exercise
from graders.release import ROOT


@dataclass(frozen=True)
class Chapter:
    """One chapter: its name, its notebook as students got it, and its exercises."""

    name: str
    released: NotebookNode
    exercises: Sequence[Exercise]

    @property
    def grade_ids(self) -> frozenset[str]:
        """Names of its solution cells."""
        marks = (cell.metadata.get("nbgrader", {}) for cell in self.released.cells)
        return frozenset(str(mark["grade_id"]) for mark in marks if mark.get("solution"))


class _Later(Sequence[Exercise]):
    """The exercises of a chapter, loaded when somebody wants to see one."""

    def __init__(self, number: str) -> None:
        self._number = number

    @cached_property
    def _all(self) -> tuple[Exercise, ...]:
        return exercises_of(self._number)

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    def __len__(self) -> int:
        return len(self._all)


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
    return Chapter(path.stem, book, _Later(path.stem[:2]))


def chapter_of(book: NotebookNode, name: str, chapters: Sequence[Chapter]) -> Chapter:
    """The chapter that a submission is of: by its cells, else by its file's name.

    By the first of these that it shares with a chapter: marks, ids, texts, names of functions.

    Raises:
        Unreadable: it is of none.
    """
    for keys, least in ((_marks, 1), (_ids, 1), (_texts, 2), (_names, 2)):
        own = keys(book)
        if len(own) < least:
            continue
        found = {each.name: keys(each.released) for each in chapters}
        several = Counter(key for each in found.values() for key in each)
        best = max(chapters, key=lambda each: _shared(own, found[each.name], several), default=None)
        if best is not None and _shared(own, found[best.name], several) >= least:
            return best
    named = named_like(name, chapters)
    if named is not None:
        return named
    raise Unreadable(
        "notebook.other_release",
        "none of its cells is an exercise of this course: is it another course's or an old one?",
    )


def named_like(name: str, chapters: Iterable[Chapter]) -> Chapter | None:
    """The chapter that a file's name speaks of."""
    return next((each for each in chapters if each.name in name), None)


def _shared(own: frozenset[str], keys: frozenset[str], several: Counter[str]) -> int:
    """How many keys they share that no other chapter has."""
    return sum(several[key] == 1 for key in own & keys)


def _marks(book: NotebookNode) -> frozenset[str]:
    names = (cell.metadata.get("nbgrader", {}).get("grade_id") for cell in book.cells)
    return frozenset(str(name) for name in names if name)


def _ids(book: NotebookNode) -> frozenset[str]:
    return frozenset(cell.id for cell in book.cells if cell.get("id"))


def _texts(book: NotebookNode) -> frozenset[str]:
    code = (cell.source for cell in book.cells if cell.cell_type == "code")
    return frozenset(form(source) for source in code if source.strip())


def _names(book: NotebookNode) -> frozenset[str]:
    code = (cell.source for cell in book.cells if cell.cell_type == "code")
    parts = (each for source in code for each in statements(source))
    return frozenset(name for each in parts for name in read_code(each).defines)
