"""A chapter that can be judged, and which one a submission is of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from graders.judge.reading import form, read_code, statements
from graders.judge.submission import Unreadable
from graders.records.scenario import Exercise


@dataclass(frozen=True)
class Chapter:
    """One chapter: its name, its notebook as students got it, and its exercises.

    Attributes:
        former: by the number of a former release the notebook that was given out then.
        reference: its notebook with the solutions, where it is here.
    """

    name: str
    released: NotebookNode
    exercises: Sequence[Exercise]
    former: Mapping[str, Path] = field(default_factory=dict)
    reference: Path | None = None

    @property
    def grade_ids(self) -> frozenset[str]:
        """Names of its solution cells."""
        marks = (cell.metadata.get("nbgrader", {}) for cell in self.released.cells)
        return frozenset(str(mark["grade_id"]) for mark in marks if mark.get("solution"))


def read_chapter(
    path: Path,
    exercises: Sequence[Exercise],
    former: Mapping[str, Path] | None = None,
    reference: Path | None = None,
) -> Chapter:
    """The chapter whose released notebook lies there."""
    return Chapter(path.stem, _read(path), exercises, former or {}, reference)


@cache
def _read(path: Path) -> NotebookNode:
    book: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return book


def number_of(book: NotebookNode) -> str:
    """The number of the release that a notebook is of; empty where it says none."""
    about = book.metadata.get("switchboard") if "metadata" in book else None
    number = about.get("release") if isinstance(about, dict) else None
    return number if isinstance(number, str) else ""


def as_given(chapter: Chapter, book: NotebookNode) -> Chapter:
    """The chapter as this student got it: of the release that their notebook is of.

    By the number that it carries; where that is none that is kept, by the ids, else the texts, of
    cells that only one release has. In doubt it is the last one, which is given back as it is.
    """
    number = number_of(book)
    if not chapter.former or (number and number == number_of(chapter.released)):
        return chapter
    if number in chapter.former:
        return replace(chapter, released=_read(chapter.former[number]))
    former = (replace(chapter, released=_read(path)) for path in chapter.former.values())
    releases = [chapter, *former]
    for keys in (_ids, _texts):
        own = keys(book)
        found = [keys(each.released) & own for each in releases]
        several = Counter(key for each in found for key in each)
        counts = [sum(several[key] < len(releases) for key in each) for each in found]
        if max(counts):
            return releases[counts.index(max(counts))]
    return chapter


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
