"""Which code of a rebuilt notebook an exercise needs: what a kernel that ran it would hold of it.

Running a whole chapter for every trial would be slow, and one demonstration that fails would be
everybody's. So a statement runs when it gives a needed name its value; then so does what gives a
value to the names that it uses itself. Of what a student wrote, a statement runs also when it may
change a needed value, or note something down in one.
"""

from __future__ import annotations

import builtins
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from nbformat import NotebookNode

from graders.child.failures import first_line
from graders.judge.reading import Reading, form, quoted, read_code, statements

TRY = "try"
STUB = "NotImplementedError"
MOST_BEHIND = 300
_CHECKS = "graders"  # the package of the checks, which is not there when an answer is judged
_BUILTINS = frozenset(dir(builtins))
_KEEPERS = frozenset(("dict", "list", "map", "next", "object", "set", "super", "type"))
_SHOWS = frozenset(("asyncio", "inspect", "json", "pprint", "textwrap", "time", "timeit"))
_SETTINGS = sys.stdlib_module_names - _SHOWS  # of which one call may change how all code runs


@dataclass(frozen=True)
class Cell:
    """Code that may be run: a solution cell, or one statement of another cell.

    Attributes:
        name: its cell's place in the notebook, counted from 1, as a message shows it.
        source: the text; a statement stands on the line that it has in its cell.
        own: whether the student wrote it: in a solution cell, in one they added, or as a change.
        grade_id: the name of a solution cell; empty for other cells.
        reading: what it does with names.
        owns: names that the student's text gives a value; no import of the release's does.
        touches: names whose values a released statement changes.
        spare: of a Try-it cell as released: only an answer that uses its names needs it.
    """

    name: str
    source: str
    own: bool
    grade_id: str = ""
    reading: Reading = field(default_factory=Reading)
    owns: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()
    spare: bool = False

    @property
    def is_apart(self) -> bool:
        """Whether it is there for something of its own: a demonstration, or an exercise."""
        return bool(self.grade_id) or not self.own

    @property
    def binds(self) -> frozenset[str]:
        """Names that it gives a value."""
        return self.reading.binds

    @property
    def begin(self) -> str:
        """Its first line, with its number, as a note shows it."""
        return first_line(self.source)

    @property
    def risky(self) -> bool:
        """Whether it does more than define or import: it may take long, or end the program."""
        reading = self.reading
        computed = self.binds - reading.defines - reading.imports.keys()
        return bool(computed or reading.bare) or not self.binds

    def script(self, *, side: bool = False) -> dict[str, Any]:
        """What the child gets of it.

        Args:
            side: its time is not the answer's, and is short.
        """
        return {"name": self.name, "source": self.source, "own": self.own, "side": side}


def code_cells(book: NotebookNode, released: NotebookNode, *, faithful: bool = False) -> list[Cell]:
    """The code of a rebuilt notebook that a judge may run, in its order; no checks.

    Args:
        book: the notebook.
        released: as students got it.
        faithful: give every name that was released with a value the value it was released with,
            whatever the student made of its cell.
    """
    release = _Release(released, faithful)
    marked = [(str(n), cell) for n, cell in enumerate(book.cells, start=1) if _may_run(cell)]
    tried = {name for _, cell in marked for name in release.tried(cell)}
    found: list[Cell] = []
    for place, cell in marked:
        found += (
            release.solution(place, cell, tried)
            if _about(cell)
            else release.other(place, cell, tried)
        )
    return found


def needed(cells: Sequence[Cell], names: Iterable[str], given: Iterable[str] = ()) -> list[Cell]:
    """The code that makes `names`, with everything it uses, in the notebook's order.

    What was released further down, or solves another exercise there, gives no name another value
    than it had when these were made: two answers may use one name for two helpers.

    Args:
        names: what the exercise defines.
        given: names that are put in from elsewhere, so that no cell needs to make them.
    """
    notebook = _Notebook(cells)
    settled = set(given) | (_BUILTINS - notebook.made)  # which no cell can change
    last = max((n for n, cell in enumerate(cells) if cell.binds & set(names)), default=len(cells))
    made = {name for cell in cells[: last + 1] for name in cell.binds}
    own = {n for n, each in enumerate(cells) if each.own and each.binds}
    before = {n for n in own if not cells[n].grade_id or n <= last}
    found = {n for n, cell in enumerate(cells) if notebook.is_needed(cell)}
    kept, wanted, asked, loose = set[int](), set[str](), set(names), False
    while found or asked:
        if not loose and any(cells[n].own and cells[n].reading.anything for n in found):
            loose, found = True, kept | found | before
        kept |= found
        asked |= {name for n in found for name in cells[n].reading.uses}
        if loose:
            texts = (cells[n].source for n in found if cells[n].own)
            asked |= notebook.defined & {name for text in texts for name in quoted(text)}
        asked -= wanted | settled
        wanted |= asked
        serving = ((n, name) for name in asked for n in notebook.serving.get(name, ()))
        found = {n for n, name in serving if name not in made or n <= last or not cells[n].is_apart}
        found, asked = found - kept, set()
    return [cell for n, cell in enumerate(cells) if n in kept]


def is_written(cells: Iterable[Cell], name: str) -> bool:
    """Whether the student's own text may give `name` its value."""
    return any(
        name in cell.owns or (cell.own and (cell.reading.anything or cell.reading.unreadable))
        for cell in cells
    )


class _Release:
    """What was released, to tell from it what a student wrote."""

    def __init__(self, released: NotebookNode, faithful: bool) -> None:
        self._faithful = faithful
        self._cells = {cell.get("id"): cell for cell in released.cells}
        code = [cell for cell in released.cells if cell.cell_type == "code"]
        solutions = [cell for cell in code if _about(cell).get("solution")]
        stubs = (each for cell in solutions for each in statements(cell.source) if STUB in each)
        self._stubs = frozenset(form(each) for each in stubs)
        others = [cell for cell in code if not _about(cell).get("solution")]
        self._known = frozenset(form(each) for cell in others for each in statements(cell.source))
        every = (each for cell in code for each in statements(cell.source))
        self._imports = frozenset(form(each) for each in every if read_code(each).imports)

    def tried(self, cell: NotebookNode) -> set[str]:
        """Names that an attempt of the student's in this cell makes."""
        own = (each for each in statements(cell.source) if form(each) not in self._stubs)
        if not _about(cell):
            own = (each for each in own if form(each) not in self._known)
        return {name for each in own for name in read_code(each).binds}

    def solution(self, place: str, cell: NotebookNode, tried: set[str]) -> list[Cell]:
        """A solution cell, whole, without a stub whose name is made elsewhere.

        What was released in other cells is no part of it. An emptied one is the release's again.
        """
        source, old = cell.source, self._cells.get(cell.get("id"))
        if old is not None and not statements(source):
            source = old.source
        every = statements(source)
        given = [each for each in every if self._is_given(each)]  # of a cell merged with it
        parts = [each for each in every if not self._is_given(each)]
        kept = [each for each in parts if not self._is_left(each, tried)]
        if len(kept) < len(every):
            source = _laid_over(kept)
        written = (each for each in parts if form(each) not in self._imports | self._stubs)
        owns = frozenset(name for each in written for name in read_code(each).binds)
        grade_id, reading = str(_about(cell)["grade_id"]), read_code(source)
        futures = [each for each in kept if read_code(each).future]
        if len(kept) > len(futures):
            given = futures + given
        first = [Cell(place, each, False, reading=read_code(each)) for each in given]
        return [*first, Cell(place, source, True, grade_id, reading, owns)]

    def other(self, place: str, cell: NotebookNode, tried: set[str]) -> list[Cell]:
        """The statements of another cell, and released ones whose names it does not make now."""
        old = self._cells.get(cell.get("id"))
        to_try = old is not None and TRY in old.metadata.get("tags", ())
        parts = [each for each in statements(cell.source) if not self._is_left(each, tried)]
        before = statements(old.source) if old is not None else ()
        tries = {form(each) for each in before} if to_try else set[str]()
        if self._faithful:
            given = {name for each in before for name in read_code(each).binds}
            parts = [each for each in parts if not read_code(each).binds & given]
        made = {name for each in parts for name in read_code(each).binds}
        gone = [each for each in before if read_code(each).binds - made]
        found, bound = [], frozenset[str]()
        for each in (*gone, *parts):
            reading, own = read_code(each), form(each) not in self._known
            owns = reading.binds if own else frozenset[str]()
            touches = (
                frozenset[str]() if own else bound & (reading.stores | reading.asks & reading.bare)
            )
            bound |= reading.binds
            found.append(Cell(place, each, own, "", reading, owns, touches, form(each) in tries))
        return found

    def _is_given(self, statement: str) -> bool:
        """Whether it was released outside of the solutions, or asks for the checks."""
        return form(statement) in self._known or _CHECKS in read_code(statement).imports.values()

    def _is_left(self, statement: str, tried: set[str]) -> bool:
        """Whether it is a stub as released while its name is made elsewhere."""
        return form(statement) in self._stubs and read_code(statement).binds <= tried


def _about(cell: NotebookNode) -> dict[str, Any]:
    return cell.metadata.get("nbgrader") or {}


def _may_run(cell: NotebookNode) -> bool:
    about = _about(cell)
    return cell.cell_type == "code" and (not about or bool(about.get("solution")))


def _laid_over(parts: Iterable[str]) -> str:
    """Statements of one cell together again, each on its own lines."""
    lines: list[str] = []
    for part in parts:
        more = part.split("\n")
        lines += [""] * (len(more) - len(lines))
        lines = [old or new for old, new in zip_longest(lines, more, fillvalue="")]
    return "\n".join(lines)


class _Notebook:
    """What the cells of a notebook do to each other's names."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.made = {name for cell in cells for name in cell.binds}
        self._bound = {name for cell in cells if not cell.spare for name in cell.binds}
        readings = [cell.reading for cell in cells]
        self.defined = {name for each in readings for name in (*each.defines, *each.imports)}
        self._imports: dict[str, str] = {}
        self._makers: dict[str, list[Reading]] = defaultdict(list)
        for cell in cells:
            self._imports.update(cell.reading.imports)
            for name in cell.binds - cell.reading.imports.keys():
                self._makers[name].append(cell.reading)
        self._called = {id(cell): self._behind(cell.reading) for cell in cells if cell.own}
        self.serving: dict[str, list[int]] = defaultdict(list)
        for place, cell in enumerate(cells):
            for name in self._serves(cell):
                self.serving[name].append(place)

    def is_needed(self, cell: Cell) -> bool:
        """Whether it runs whatever is wanted."""
        reading = cell.reading
        if reading.future or "*" in reading.imports:
            return True
        if not cell.own:
            return False
        called = self._called[id(cell)]
        patched = reading.stores.union(*(each.patches for each in called)) & self._imports.keys()
        if patched or reading.unreadable or reading.anything:
            return True
        set_up = {self._imports.get(name) for name in reading.bare} & _SETTINGS
        return bool(set_up) or any(each.anything for each in called)

    def _serves(self, cell: Cell) -> frozenset[str] | set[str]:
        """The names that it makes, or whose values it may change."""
        if cell.spare:
            return cell.binds - self._bound
        return cell.binds | (self._touched(cell) if cell.own else cell.touches)

    def _touched(self, cell: Cell) -> set[str]:
        """Names whose values it may change, or which may note it down."""
        reading = cell.reading
        found = set(reading.stores)
        found |= {name for name in reading.asks | reading.hooks if name in self._makers}
        for function, argument in reading.hands:
            keeps = any(each.keeps for each in self._makers.get(function, ()))
            if keeps or function in _KEEPERS or self._imports.get(function) in _SETTINGS:
                found.add(argument)
        left = (each.leaves for each in self._called[id(cell)])
        return found | {name for names in left for name in names if name in self._makers}

    def _behind(self, reading: Reading) -> list[Reading]:
        """The code behind what is called at its top, and behind what that uses.

        Where it is more than anybody writes, it may be anything.
        """
        found, seen = list[Reading](), set[str]()
        waiting = set(reading.calls | reading.hooks)
        while waiting and len(found) < MOST_BEHIND:
            name = waiting.pop()
            seen.add(name)
            for each in self._makers.get(name, ()):
                found.append(each)
                waiting |= each.uses - seen
        return [Reading(anything=True)] if waiting else found
