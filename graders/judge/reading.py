"""What a piece of a notebook's code does with names, read from its text alone."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graders.child.magics import without_magics

ODD = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python raises about a text that it cannot read."""

LONGEST = 1_000  # lines; a longer cell is one statement
KEPT = 4_000  # texts whose reading is kept: a class hands in much that is the same
_ANYTHING = frozenset(
    "globals locals vars exec eval __import__ builtins __builtins__ __main__ get_ipython "
    "modules __dict__ __globals__ f_globals patch".split()
)  # names and attributes with which code reaches names that it does not write
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Reading:
    """Names, as one piece of code treats them when it runs at the top of a notebook.

    Attributes:
        binds: it gives them a value.
        defines: functions and classes among them.
        imports: names that an import gives a value, each with the package it is from.
        uses: it reads them anywhere, in annotations and in functions too.
        stores: it changes parts of them: `a.b = ...`, `a[0] = ...`, `setattr(a, ...)`.
        asks: it calls their methods, which may change them: `a.add(...)`.
        calls: it calls them, or their methods.
        bare: those of `calls` with whose results nothing is done.
        hands: (function, argument): it calls the one with the other.
        hooks: its decorators and base classes, which may take note of what they are given.
        leaves: what its functions change when they are called, beside their own local names.
        patches: those of `leaves` of which they change parts.
        keeps: its functions may change what they are called with.
        anything: it may bind or change what it does not name: a star import, `exec`, `globals()`.
        future: it is an import from `__future__`, which changes how all later code is read.
        unreadable: Python cannot read it.
    """

    binds: frozenset[str] = frozenset()
    defines: frozenset[str] = frozenset()
    imports: Mapping[str, str] = field(default_factory=dict)
    uses: frozenset[str] = frozenset()
    stores: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    hands: frozenset[tuple[str, str]] = frozenset()
    hooks: frozenset[str] = frozenset()
    leaves: frozenset[str] = frozenset()
    patches: frozenset[str] = frozenset()
    keeps: bool = False
    anything: bool = False
    future: bool = False
    unreadable: bool = False


@lru_cache(8)
def _parsed(source: str) -> tuple[str, ast.Module] | None:
    """The text without magics, and what Python reads in it; None when that is nothing."""
    plain = without_magics(source)
    try:
        return plain, ast.parse(plain)
    except ODD:
        return None


@lru_cache(KEPT)
def form(source: str) -> str:
    """The text as Python reads it: the same for every layout, every line end and every comment."""
    parsed = _parsed(source)
    try:
        if parsed is not None:
            return hashlib.blake2b(ast.dump(parsed[1]).encode("utf-8", "replace")).hexdigest()
    except RecursionError:
        pass
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


@lru_cache(KEPT)
def statements(source: str) -> tuple[str, ...]:
    """The statements of a cell, each on the lines where it stands; (source,) if none can be."""
    parsed = _parsed(source)
    if parsed is None:
        return (source,)
    lines = parsed[0].split("\n")
    if len(lines) > LONGEST:
        return (source,)
    places: list[tuple[int, int]] = []
    for each in parsed[1].body:
        begin, end = _first_line(each), each.end_lineno or each.lineno
        if places and begin <= places[-1][1]:  # two on one line stay together
            begin, _ = places.pop()
        places.append((begin, end))
    return tuple("\n" * (begin - 1) + "\n".join(lines[begin - 1 : end]) for begin, end in places)


@lru_cache(KEPT)
def read_code(source: str) -> Reading:
    """Read one piece of code."""
    parsed = _parsed(source)
    if parsed is None:
        return Reading(unreadable=True)
    plain, tree = parsed
    try:
        if "exec" in plain:
            tree = _Inlined().visit(ast.parse(plain))
            plain = ast.unparse(tree)
        table = symtable.symtable(plain, "cell", "exec")
    except ODD:
        return Reading(unreadable=True)
    scopes, nodes = list(_scopes(table)), list(ast.walk(tree))
    bound = frozenset(s.get_name() for s in table.get_symbols() if _is_bound(s))
    found = _found(tree)
    anything = any(_is_star(each) for each in tree.body) or _reaches_anything(nodes)
    functions = [(each, _found(_body(each))) for each in nodes if isinstance(each, _FUNCTIONS)]
    leaves, patches = _left_by(functions)
    uses = _annotated(nodes) | {s.get_name() for scope in scopes for s in _read(scope, table)}
    return Reading(
        binds=bound | _global_bindings(scopes),
        defines=frozenset(s.get_name() for s in table.get_symbols() if s.is_namespace()),
        imports=_imported(tree),
        uses=frozenset(uses),
        stores=frozenset(found.stores),
        asks=frozenset(found.asks),
        calls=frozenset(found.calls),
        bare=_bare(tree),
        hands=frozenset(found.hands),
        hooks=frozenset(found.hooks),
        leaves=leaves,
        patches=patches,
        keeps=_keeps(functions),
        anything=anything,
        future=any(_is_future(each) for each in tree.body),
    )


@lru_cache(KEPT)
def quoted(source: str) -> frozenset[str]:
    """Names in its texts that are code or names, for code that is made from texts."""
    parsed = _parsed(source)
    texts = (node for node in ast.walk(parsed[1])) if parsed is not None else ()
    found: set[str] = set()
    for node in texts:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            inside = read_code(node.value)
            found |= inside.uses | inside.binds
    return frozenset(found)


@dataclass
class _Found:
    stores: set[str] = field(default_factory=set)
    asks: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    hands: set[tuple[str, str]] = field(default_factory=set)
    hooks: set[str] = field(default_factory=set)


def _found(tree: ast.AST) -> _Found:
    """What a text changes when it runs, and whom it calls with what."""
    found = _Found()
    for node in _running(tree):
        if isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node.ctx, ast.Store | ast.Del):
                found.stores |= _root(node)
        elif isinstance(node, ast.Call):
            _note_call(node, found)
        elif isinstance(node, ast.ClassDef):
            for each in (*node.bases, *(each.value for each in node.keywords)):
                found.hooks |= _root(each)
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            for each in node.decorator_list:
                found.hooks |= _root(each)
    return found


def _note_call(call: ast.Call, found: _Found) -> None:
    callers = _root(call.func)
    found.calls |= callers
    if not isinstance(call.func, ast.Name):
        found.asks |= callers
    given = [*call.args, *(each.value for each in call.keywords)]
    for each in given:
        if isinstance(each, ast.Attribute):  # a method, perhaps, that is called later
            found.asks |= _root(each)
    if isinstance(call.func, ast.Name) and call.func.id in ("setattr", "delattr"):
        found.stores |= _root(given[0]) if given else set()
        return
    names = {name for each in given for name in _root(each, calls=False)}
    found.hands |= {(caller, name) for caller in callers for name in names}


def _root(node: ast.AST, *, calls: bool = True) -> set[str]:
    """The name at the beginning of `a.b[0].c`, and of `a(...).b` if calls are looked through."""
    while True:
        if isinstance(node, ast.Name):
            return {node.id}
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Await):
            node = node.value
        elif isinstance(node, ast.Call) and calls:
            node = node.func
        else:
            return set()


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a text that run when it does: no bodies of functions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
            waiting += [*node.decorator_list, *defaults]
        else:
            waiting += ast.iter_child_nodes(node)


def _bare(tree: ast.Module) -> frozenset[str]:
    shown = (each.value for each in tree.body if isinstance(each, ast.Expr))
    calls = (each for each in shown if isinstance(each, ast.Call))
    return frozenset(name for each in calls for name in _root(each.func))


_Functions = list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, _Found]]
"""The functions in a text, each with what its body does."""


def _left_by(functions: _Functions) -> tuple[frozenset[str], frozenset[str]]:
    left, patched = set[str](), set[str]()
    for function, body in functions:
        inside = list(ast.walk(function))
        shared = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
        names = (node for node in inside if isinstance(node, ast.Name))
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)} - shared
        own |= {node.arg for node in inside if isinstance(node, ast.arg)}
        left |= shared | (body.stores | body.asks | body.hooks) - own
        patched |= body.stores - own
    return frozenset(left), frozenset(patched)


def _keeps(functions: _Functions) -> bool:
    """Whether a function changes an argument; taken for granted where none is to be seen."""
    for function, body in functions:
        arguments = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
        if (body.stores | body.asks) & arguments:
            return True
    return not functions


def _body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.Module:
    return ast.Module(body=function.body, type_ignores=[])


def _imported(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in _running(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            for each in node.names:
                name = each.asname or each.name.partition(".")[0]
                found[name] = (module or each.name).partition(".")[0]
    return found


def _reaches_anything(nodes: Iterable[ast.AST]) -> bool:
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in _ANYTHING:
            return True
        if isinstance(node, ast.Attribute) and node.attr in _ANYTHING:
            return True
    return False


class _Inlined(ast.NodeTransformer):
    """Puts code that is run from a text that stands there in the text's place."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Replace `exec("...")`."""
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args:
            text = call.args[0]
            if call.func.id == "exec" and isinstance(text, ast.Constant):
                with contextlib.suppress(*ODD):
                    return ast.parse(str(text.value)).body or node
        return node


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", ())
    return int(min(each.lineno for each in (statement, *decorators)))


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    waiting = [table]
    while waiting:
        scope = waiting.pop()
        yield scope
        waiting += scope.get_children()


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _read(scope: symtable.SymbolTable, top: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (scope is top or symbol.is_global()):
            yield symbol


def _global_bindings(scopes: Iterable[symtable.SymbolTable]) -> frozenset[str]:
    """Names that a function declares `global` and gives a value."""
    symbols = (symbol for scope in scopes for symbol in scope.get_symbols())
    return frozenset(s.get_name() for s in symbols if s.is_declared_global() and s.is_assigned())


def _annotated(nodes: Iterable[ast.AST]) -> set[str]:
    """Names in annotations: they may be looked up late, as pydantic does, or never."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.arg | ast.AnnAssign):
            found.update(_names(node.annotation))
        elif isinstance(node, _FUNCTIONS):
            found.update(_names(node.returns))
    return found


def _names(annotation: ast.expr | None) -> Iterator[str]:
    for node in ast.walk(annotation) if annotation is not None else ():
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            with contextlib.suppress(*ODD):
                yield from _names(ast.parse(node.value, mode="eval").body)


def _is_star(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
