"""Which cells of a chapter rest on what a student writes, read from the names in them.

nbval runs every cell of a solved chapter. With the answers left out, a cell does something else
only if it uses a name that an exercise binds, or that rests on one; all others need not run twice.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator
from types import CodeType

from nbformat import NotebookNode

from tests.notebooks import kit

USES = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "DELETE_NAME"}
_IMPORTS = (ast.Import, ast.ImportFrom)
Names = frozenset[str]


def resting(book: NotebookNode) -> NotebookNode:
    """The notebook with the cells that rest on answers, and those that these need; in place.

    Exercises, their checks, what is to be tried, and the first cell, which sets up how errors are
    told, are always among them. A name is known by what bound it last, and a function by all that
    it calls, so that a cell may rest on an answer through others. Of a cell that is needed for its
    imports and definitions nothing else is kept. What one cell changes in a thing that another made
    is not seen, nor what goes by a file.
    """
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    answers, reads, seen = set[str](), dict[str, Names](), []
    for cell in cells:
        uses, binds = names(cell.source)
        reached = _reached(uses, reads)
        rests = cell is cells[0] or _always(cell) or bool(reached & answers)
        part = cell.source if rests else _defining(cell.source)
        asks, makes = names(part)
        alone = frozenset() if asks & (binds - makes) else makes
        seen.append((cell, rests, (reached, binds), part, (_reached(asks, reads), alone)))
        reads |= dict.fromkeys(binds, uses)
        answers -= binds
        if cell.metadata.get("nbgrader", {}).get("solution"):
            answers |= binds - _imported(cell.source)
    needed, kept = set[str](), []
    for cell, rests, (reached, binds), part, (asked, alone) in reversed(seen):
        wanted = binds & needed
        if not rests and wanted and wanted <= alone:
            cell.source, reached = part, asked
        if rests or wanted:
            needed = needed - binds | reached
            kept.append(cell.id)
    book.cells = [cell for cell in book.cells if cell.id in kept]
    return book


def names(source: str) -> tuple[Names, Names]:
    """The names that a cell takes from others, in functions too, and those that it binds."""
    whole = compile(source, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    uses, binds, later = set[str](), set[str](), set[str]()
    for step in dis.get_instructions(whole):
        if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
            binds.add(step.argval)
        elif step.opname in USES and step.argval not in binds:
            uses.add(step.argval)
        elif isinstance(step.argval, CodeType):
            for code in _codes(step.argval):
                for each in dis.get_instructions(code):
                    if each.opname == "STORE_GLOBAL":
                        binds.add(each.argval)
                    elif each.opname in USES:
                        later.add(each.argval)
    return frozenset(uses | later - binds), frozenset(binds)


def _defining(source: str) -> str:
    """The imports and definitions of a cell."""
    kept = (*_IMPORTS, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    body = [each for each in ast.parse(source).body if isinstance(each, kept)]
    return ast.unparse(ast.Module(body, []))


def _imported(source: str) -> Names:
    """The names that a cell imports at its top: they are there whatever a student writes."""
    found = (each for each in ast.parse(source).body if isinstance(each, _IMPORTS))
    return frozenset().union(*(names(ast.unparse(each))[1] for each in found))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _always(cell: NotebookNode) -> bool:
    return bool(kit.grade_id(cell)) or "try" in cell.metadata.get("tags", [])


def _reached(uses: Names, reads: dict[str, Names]) -> Names:
    """These names, those that their bindings read, and so on."""
    found, left = set[str](), set(uses)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left |= reads.get(name, frozenset())
    return frozenset(found)
