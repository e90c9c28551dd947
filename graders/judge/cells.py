"""Which cells of a rebuilt notebook an exercise needs: those that make the names it uses.

Running a whole chapter for every trial would be slow, and one demonstration that fails would be
everybody's. A cell is needed when it binds a name that is needed; then so is every name it uses.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from nbformat import NotebookNode

from graders.child.cells import without_magics

SKIPPED = frozenset(("try",))
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Cell:
    """A code cell that may be run.

    Attributes:
        name: its place in the notebook, counted from 1, as a message shows it.
        source: the text.
        own: whether the text is the student's: a solution cell or one they added.
        grade_id: the name of a solution cell; empty for other cells.
        binds: names it gives a value at its top level.
        uses: names it reads anywhere.
        touches: names its top level reads outside of definitions.
        always: it is needed whatever is wanted, as `from x import *` is.
        future: its imports from `__future__`, which change how every later cell is read.
    """

    name: str
    source: str
    own: bool
    grade_id: str
    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    touches: frozenset[str] = frozenset()
    always: bool = False
    future: str = ""

    def script(self) -> dict[str, str]:
        """What the child gets of it."""
        return {"name": self.name, "source": self.source}


def code_cells(book: NotebookNode, released: NotebookNode) -> list[Cell]:
    """The cells of a rebuilt notebook that a judge may run: no checks, nothing to try."""
    texts = {cell.get("id"): cell.source for cell in released.cells}
    cells = []
    for place, cell in enumerate(book.cells, start=1):
        about = cell.metadata.get("nbgrader") or {}
        solution = bool(about.get("solution"))
        own = solution or texts.get(cell.get("id")) != cell.source
        tried = not SKIPPED.isdisjoint(cell.metadata.get("tags", ())) and not own
        if cell.cell_type == "code" and not tried and (solution or not about):
            grade_id = str(about["grade_id"]) if solution else ""
            whole = _cell(str(place), cell.source, own, grade_id)
            cells += [whole] if own else _statements(whole)
    return cells


def needed(cells: Sequence[Cell], names: Iterable[str], given: Iterable[str] = ()) -> list[Cell]:
    """The cells that make `names`, with everything they use, in the notebook's order.

    Args:
        names: what the exercise defines.
        given: names that are put in from elsewhere, so that no cell needs to make them.
    """
    kept: set[int] = {n for n, cell in enumerate(cells) if cell.always}
    own = {name for cell in cells for name in cell.binds}
    wanted, settled = set(names), set(given) | (_BUILTINS - own)  # which no cell can change
    wanted |= {name for n in kept for name in cells[n].uses}
    while True:
        found = {n for n, cell in enumerate(cells) if _serves(cell, wanted - settled)} - kept
        if not found:
            chosen = enumerate(cells)
            return _joined(_kept(cell, n in kept) for n, cell in chosen if n in kept or cell.future)
        kept |= found
        wanted |= {name for n in found for name in cells[n].uses}


def _serves(cell: Cell, wanted: set[str]) -> bool:
    if not cell.binds.isdisjoint(wanted):
        return True
    return cell.own and not cell.touches.isdisjoint(wanted)


def _kept(cell: Cell, whole: bool) -> Cell:
    return cell if whole else replace(cell, source=cell.future)


def _joined(cells: Iterable[Cell]) -> list[Cell]:
    """The cells, statements of one cell put together again, each on its own line."""
    joined: list[Cell] = []
    for cell in cells:
        if joined and not cell.own and joined[-1].name == cell.name:
            pairs = zip_longest(
                joined[-1].source.split("\n"), cell.source.split("\n"), fillvalue=""
            )
            cell = replace(cell, source="\n".join(one or other for one, other in pairs))
            joined.pop()
        joined.append(cell)
    return joined


def _statements(cell: Cell) -> list[Cell]:
    """The statements of a released cell: what it shows beside an import need not be run."""
    plain = without_magics(cell.source)
    try:
        body = ast.parse(plain).body
    except (SyntaxError, ValueError):
        return [cell]
    places = [(min(_lines(each)), max(_lines(each))) for each in body]
    if any(begin <= end for (_, end), (begin, _) in pairwise(places)):
        return [cell]  # two on one line
    lines, parts, bound = plain.split("\n"), [], set[str]()
    for statement, (begin, end) in zip(body, places, strict=True):
        kept = [line if begin <= n <= end else "" for n, line in enumerate(lines, start=1)]
        part = _cell(cell.name, "\n".join(kept), own=False, grade_id=cell.grade_id)
        changed = bound & _changed(statement)
        bound |= part.binds
        parts.append(replace(part, binds=part.binds | changed))
    return parts


def _lines(statement: ast.stmt) -> list[int]:
    decorators = getattr(statement, "decorator_list", ())
    first = [each.lineno for each in (statement, *decorators)]
    return [*first, statement.end_lineno or statement.lineno]


def _changed(statement: ast.stmt) -> set[str]:
    """Names whose values a statement changes: by `a[0] = ...`, `a.b = ...` or `a.add(...)`."""
    found = set()
    for node in ast.walk(statement):
        called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        target = node.value.func if called else node  # type: ignore[attr-defined]
        stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        while isinstance(target, ast.Attribute | ast.Subscript) and (called or stored):
            target = target.value
            if isinstance(target, ast.Name):
                found.add(target.id)
    return found


def _cell(name: str, source: str, own: bool, grade_id: str) -> Cell:
    plain = without_magics(source)
    try:
        tree = ast.parse(plain)
        table = symtable.symtable(plain, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # it will fail in the box, and be named there
        return Cell(name, source, own, grade_id, always=own)
    scopes = list(_scopes(table))
    at_top = table.get_symbols()
    return Cell(
        name,
        source,
        own,
        grade_id,
        binds=frozenset(s.get_name() for s in at_top if _is_bound(s)) | _global_bindings(scopes),
        uses=_annotated(tree)
        | frozenset(s.get_name() for scope in scopes for s in _read(scope, scope is table)),
        touches=_touched(tree),
        always=any(_is_star(statement) for statement in tree.body),
        future="\n".join(ast.unparse(each) for each in tree.body if _is_future(each)),
    )


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _read(scope: symtable.SymbolTable, at_top: bool) -> Iterator[symtable.Symbol]:
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (at_top or symbol.is_global()):
            yield symbol


def _global_bindings(scopes: Iterable[symtable.SymbolTable]) -> frozenset[str]:
    """Names that a function declares `global` and gives a value."""
    symbols = (symbol for scope in scopes for symbol in scope.get_symbols())
    return frozenset(s.get_name() for s in symbols if s.is_declared_global() and s.is_assigned())


def _annotated(tree: ast.Module) -> frozenset[str]:
    """Names in annotations: they may be looked up late, as pydantic does, or never."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            found.update(_names(getattr(node, field, None)))
    return frozenset(found)


def _names(annotation: ast.expr | None) -> Iterator[str]:
    for node in ast.walk(annotation) if annotation is not None else ():
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                yield from _names(ast.parse(node.value, mode="eval").body)


def _touched(tree: ast.Module) -> frozenset[str]:
    statements = (each for each in tree.body if not isinstance(each, _DEFINITIONS))
    nodes = (node for statement in statements for node in ast.walk(statement))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _is_star(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
