"""A submission becomes the release again, with only the student's own text in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from difflib import SequenceMatcher
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from graders.judge.reading import form, read_code, statements

ALIKE = 0.6  # from here on two texts are one cell's, before and after it was edited
LONGEST = 5_000  # characters that are compared to find that out
MOST = 60  # cells without a place that are compared so


Places = Sequence[int | None]
"""For each cell that was handed in the released one that it was: its index, or None."""


def rebuild(
    released: NotebookNode, submitted: NotebookNode, found: Places | None = None
) -> NotebookNode:
    """Put the source text of ``submitted`` into a copy of ``released``.

    - Order, metadata, check cells and all other marked cells are the release's. A cell that was
      deleted is there again.
    - Solution cells, and cells that nbgrader does not mark, carry the student's text, and prose the
      pictures that were pasted into it.
    - Cells that the student added, second copies of a marked cell included, follow the cell they
      followed, as plain cells: what a copy of a solution cell redefines stays redefined, a copy of
      a check cell counts for nothing. So does code where prose was.

    Args:
        released: the notebook of the chapter as students got it.
        submitted: what one student handed in; left as it is.
        found: its cells' `places`, if they are known already.

    Returns:
        A new notebook.
    """
    book = deepcopy(released)
    added: dict[int | None, list[NotebookNode]] = {}
    last: int | None = None
    found = places(released, submitted) if found is None else found
    for cell, place in zip(submitted.cells, found, strict=True):
        last = last if place is None else place
        if place is None or _is_code_now(book.cells[place], cell):
            added.setdefault(last, []).append(_plain(cell))
        elif _takes_text(book.cells[place]):
            book.cells[place].source = cell.source
            _take_pictures(book.cells[place], cell)
    cells = added.get(None, [])
    for index, cell in enumerate(book.cells):
        cells += [cell, *added.get(index, [])]
    book.cells = cells
    return book


def places(released: NotebookNode, submitted: NotebookNode) -> Places:
    """Find each cell's place in the release.

    Matched by grade id, then by cell id, then by text, as Python reads it; what is left by the
    names that it defines, and by likeness: some tools give cells new ids and drop their marks.
    Of a cell that is there several times, the one is meant that stands where it stood: so what was
    put between it and a copy stays there. Which one that is shows once the others are found.
    """
    search = _Search(released.cells, submitted.cells)
    for copies, text in ((False, _plain_text), (True, _text)):
        search.by(_grade_id, copies=copies)
        search.by(lambda cell: str(cell.get("id", "")), copies=copies)
        search.by(text, copies=copies)
    search.by_names()
    search.by_likeness()
    return search.found


class _Search:
    """Finds the places of cells, the surest way first; each place is taken once."""

    def __init__(self, released: Sequence[NotebookNode], cells: Sequence[NotebookNode]) -> None:
        self._released = released
        self._cells = cells
        self.found: list[int | None] = [None] * len(cells)

    def by(self, key: Callable[[NotebookNode], str], *, copies: bool) -> None:
        """Match the first cells of equal keys, then the second ones; an empty key is none.

        Args:
            key: what a cell is known by.
            copies: whether to choose where there are more of these cells than were released.
        """
        free, lost = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        for index in self._free():
            free[key(self._released[index])].append(index)
        for number in self._lost():
            lost[key(self._cells[number])].append(number)
        wanted = [name for name in free if name and name in lost]
        for name in (each for each in wanted if len(lost[each]) <= len(free[each])):
            for index, number in zip(free[name], lost[name], strict=False):
                self.found[number] = index
        for name in (each for each in wanted if copies and len(lost[each]) > len(free[each])):
            for index in free[name]:
                number = self._in_place(lost[name], index)
                self.found[number] = index
                lost[name].remove(number)

    def by_names(self) -> None:
        """Match a solution cell with code that defines what its stub does."""
        for index in self._free():
            cell = self._released[index]
            if _about(cell).get("solution") and cell.cell_type == "code":
                wanted = _defined(cell)
                makers = [n for n in self._lost() if wanted & _defined(self._cells[n])]
                if makers:
                    self.found[self._in_place(makers, index)] = index

    def by_likeness(self) -> None:
        """Match code that was edited with what it is most alike."""
        free = [n for n in self._free() if _takes_code(self._released[n])]
        lost = [n for n in self._lost() if self._cells[n].cell_type == "code"]
        if len(lost) > MOST:
            return
        for number in lost:
            matcher = SequenceMatcher(None, b=self._cells[number].source[:LONGEST], autojunk=False)
            best, likeness = None, ALIKE
            for index in free:
                matcher.set_seq1(self._released[index].source[:LONGEST])
                if matcher.real_quick_ratio() > likeness and matcher.quick_ratio() > likeness:
                    ratio = matcher.ratio()
                    best, likeness = (index, ratio) if ratio > likeness else (best, likeness)
            if best is not None:
                self.found[number] = best
                free.remove(best)

    def _in_place(self, numbers: Sequence[int], index: int) -> int:
        """The first of these cells that stands below what was released above a place, and above
        what was released below it; the first one where none does.
        """
        above, below, last = list[int](), list[int](), -1
        for place in self.found:
            above.append(last)
            last = last if place is None else place
        last = len(self._released)
        for place in reversed(self.found):
            below.append(last)
            last = last if place is None else place
        below.reverse()
        return next((n for n in numbers if above[n] < index < below[n]), numbers[0])

    def _free(self) -> list[int]:
        taken = set(self.found)
        return [index for index in range(len(self._released)) if index not in taken]

    def _lost(self) -> list[int]:
        return [number for number, place in enumerate(self.found) if place is None]


def _text(cell: NotebookNode) -> str:
    code = cell.cell_type == "code"
    return form(cell.source) if code else " ".join(cell.source.split())


def _plain_text(cell: NotebookNode) -> str:
    return "" if _grade_id(cell) else _text(cell)


def _defined(cell: NotebookNode) -> frozenset[str]:
    """Names of the functions and classes that a cell defines."""
    if cell.cell_type != "code":
        return frozenset()
    readings = (read_code(each) for each in statements(cell.source))
    names: Iterable[str] = (name for each in readings for name in each.defines)
    return frozenset(names)


def _is_code_now(released: NotebookNode, cell: NotebookNode) -> bool:
    return bool(released.cell_type == "markdown" and cell.cell_type == "code")


def _takes_code(cell: NotebookNode) -> bool:
    return bool(cell.cell_type == "code") and _takes_text(cell)


def _takes_text(cell: NotebookNode) -> bool:
    about = _about(cell)
    return not about or bool(about.get("solution"))


def _grade_id(cell: NotebookNode) -> str:
    return str(_about(cell).get("grade_id", ""))


def _about(cell: NotebookNode) -> dict[str, Any]:
    return cell.metadata.get("nbgrader") or {}


def _plain(cell: NotebookNode) -> NotebookNode:
    """Make a fresh cell of the same text; raw cells were never run, so they become prose."""
    new = new_code_cell if cell.cell_type == "code" else new_markdown_cell
    fresh: NotebookNode = new(cell.source)  # type: ignore[no-untyped-call]
    _take_pictures(fresh, cell)
    return fresh


def _take_pictures(cell: NotebookNode, handed_in: NotebookNode) -> None:
    """What was pasted into prose belongs to its text."""
    if cell.cell_type == "markdown" and handed_in.get("attachments"):
        cell.attachments = deepcopy(handed_in.attachments)
