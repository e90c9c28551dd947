"""Mutants of the reference solutions: one small change each, by a handful of AST operators."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

from graders.child.cells import Cells
from graders.judge.cells import Cell, code_cells, needed
from graders.judge.chapters import exercises_of
from graders.judge.judge import grade_id, judge_inside
from graders.judge.scenario import Exercise
from tests.notebooks import kit

SOLVED = {path.name[:2]: path for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))}
EXERCISES = tuple(each for number in SOLVED for each in exercises_of(number))
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
DELETED = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Raise, ast.For)


@dataclass(frozen=True)
class Mutant:
    """A changed solution: what was changed, on which line, and the whole text."""

    exercise: str
    operator: str
    line: str
    source: str


def solution_cells(exercise: Exercise) -> list[Cell]:
    """The cells that the exercise needs, of its solved chapter."""
    chapter = exercise.number.split(".")[0].zfill(2)
    return needed(_solved(chapter), exercise.definitions, exercise.builds_on)


@functools.cache
def _solved(chapter: str) -> list[Cell]:
    book = kit.read(SOLVED[chapter])
    return code_cells(book, book)


def mutants(exercise: Exercise) -> Iterator[Mutant]:
    """Every mutant of an exercise's reference solution."""
    own = next(c for c in solution_cells(exercise) if c.grade_id == grade_id(exercise))
    seen = {ast.unparse(ast.parse(own.source))}
    tree = ast.parse(own.source)
    changed, nodes = _copied(tree)
    for place, node in enumerate(ast.walk(tree)):
        for operator in OPERATORS if _inside_body(tree, node) else ():
            if not operator(nodes[place], changed):
                continue
            source = ast.unparse(ast.fix_missing_locations(changed))
            changed, nodes = _copied(tree)
            if source not in seen:
                seen.add(source)
                line = _line(tree, node)
                yield Mutant(exercise.number, operator.__name__.strip("_"), line, source)


def killed(exercise: Exercise, mutant: Mutant, cells: list[Cell]) -> bool:
    """Whether the judge, with the hidden seeds, takes a point from it."""
    for seed in exercise.hidden_seeds:
        names: dict[str, object] = {"__name__": "__main__"}
        scripts = [
            replace(c, source=mutant.source) if c.grade_id == grade_id(exercise) else c
            for c in cells
        ]
        with contextlib.redirect_stdout(io.StringIO()):
            Cells(names).run([each.script() for each in scripts])
            for trial in exercise.trials:
                alone = replace(exercise, trials=(trial,))
                [judged] = judge_inside(alone, names, seed=seed)
                if not judged.verdict.passed:
                    return True
    return False


@dataclass(frozen=True)
class Tally:
    """The mutants of one exercise: how many there are, and those that no check kills."""

    exercise: str
    made: int
    alive: tuple[Mutant, ...]


def tally(exercise: Exercise) -> Tally:
    """Judge every mutant of an exercise."""
    cells = solution_cells(exercise)
    every = list(mutants(exercise))
    alive = tuple(each for each in every if not killed(exercise, each, cells))
    return Tally(exercise.number, len(every), alive)


def _copied(tree: ast.Module) -> tuple[ast.Module, list[ast.AST]]:
    """A copy to be changed, and its nodes in the order of `ast.walk`."""
    changed = copy.deepcopy(tree)
    return changed, list(ast.walk(changed))


def _line(tree: ast.Module, node: ast.AST) -> str:
    for each in ast.walk(tree):
        simple = isinstance(each, ast.stmt) and not isinstance(each, _COMPOUND)
        if simple and any(child is node for child in ast.walk(each)):
            return ast.unparse(each).splitlines()[0]
    return ast.unparse(node).splitlines()[0] if isinstance(node, ast.stmt | ast.expr) else ""


def _inside_body(tree: ast.Module, node: ast.AST) -> bool:
    """Whether a node is part of what the student writes: no signature, no docstring."""
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return any(child is node for each in function.body[1:] for child in ast.walk(each))


def _swap(node: ast.AST, tree: ast.Module) -> bool:
    """Another comparison, another arithmetic, `or` for `and`."""
    if isinstance(node, ast.Compare):
        kind = SWAPPED.get(type(node.ops[0]))
        if kind is not None:
            node.ops[0] = kind()  # type: ignore[assignment]
        return kind is not None
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        kind = SWAPPED.get(type(node.op))
        if kind is not None:
            node.op = kind()  # type: ignore[assignment]
        return kind is not None
    return False


def _constant(node: ast.AST, tree: ast.Module) -> bool:
    """Another number, another text, the other truth value."""
    if not isinstance(node, ast.Constant) or _in_fstring(node, tree):
        return False
    if isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node.value, int | float):
        node.value += 1
    elif isinstance(node.value, str):
        node.value = "" if node.value else "mutant"
    else:
        return False
    return True


def _in_fstring(node: ast.Constant, tree: ast.Module) -> bool:
    return any(isinstance(each, ast.JoinedStr) and node in each.values for each in ast.walk(tree))


def _condition(node: ast.AST, tree: ast.Module) -> bool:
    """The other branch."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return True
    if isinstance(node, ast.comprehension) and node.ifs:
        node.ifs[0] = ast.UnaryOp(ast.Not(), node.ifs[0])
        return True
    return False


def _returned(node: ast.AST, tree: ast.Module) -> bool:
    """Nothing is returned."""
    if isinstance(node, ast.Return) and node.value is not None:
        node.value = ast.Constant(None)
        return True
    return False


def _deleted(node: ast.AST, tree: ast.Module) -> bool:
    """A statement is left out."""
    if not isinstance(node, DELETED):
        return False
    for parent in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            listed = getattr(parent, field, None)
            if isinstance(listed, list) and node in listed:
                listed[listed.index(node)] = ast.Pass()
                return True
    return False


def _not_awaited(node: ast.AST, tree: ast.Module) -> bool:
    """An `await` is left out."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is node and isinstance(node, ast.Await):
                setattr(parent, field, node.value)
                return True
    return False


def _first_left_out(node: ast.AST, tree: ast.Module) -> bool:
    """The first operand, element or condition is left out."""
    return _left_out(node, tree, 0)


def _last_left_out(node: ast.AST, tree: ast.Module) -> bool:
    """The last operand, element or condition is left out."""
    return _left_out(node, tree, -1)


def _left_out(node: ast.AST, tree: ast.Module, place: int) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.comprehension):
        parts = node.ifs
    elif isinstance(node, ast.List | ast.Tuple | ast.Set) and not _is_target_or_type(node, tree):
        parts = node.elts
    else:
        parts = []
    if parts:
        parts.pop(place)
        return True
    return False


def _is_target_or_type(node: ast.List | ast.Tuple | ast.Set, tree: ast.Module) -> bool:
    """Whether it is assigned to, as in `a, b = ...`, or says a type, as in `dict[str, int]`."""
    slices = (each.slice for each in ast.walk(tree) if isinstance(each, ast.Subscript))
    loaded = isinstance(getattr(node, "ctx", None), ast.Load | None)
    return not loaded or any(node is part for each in slices for part in ast.walk(each))


def _unhandled(node: ast.AST, tree: ast.Module) -> bool:
    """An exception is not caught."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Try) and node in each.handlers:
            each.handlers.remove(node)
            each.finalbody = each.finalbody or [ast.Pass()]  # a `try` needs one of the two
            return True
    return False


# Each says whether it changed something; where it did not, the tree is as it was.
OPERATORS = (
    _swap,
    _constant,
    _condition,
    _returned,
    _deleted,
    _not_awaited,
    _first_left_out,
    _last_left_out,
    _unhandled,
)
_COMPOUND = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
)
