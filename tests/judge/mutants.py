"""Mutants of the reference solutions: one small change each, by the operators of operators.py."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graders.child.cells import Cells
from graders.exercises import exercises_of
from graders.judge.cells import Cell, code_cells, needed
from graders.judge.judge import grade_id, judge_inside
from graders.records.scenario import Exercise, Trial
from tests.judge.exercises.playing import notebook_names
from tests.judge.operators import OPERATORS
from tests.notebooks import kit

SOLVED = {path.name[:2]: path for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))}
JUDGED = tuple(each for number in SOLVED for each in exercises_of(number))
"""Every exercise of a solved chapter."""
EXERCISES = tuple(each for each in JUDGED if not each.cells)
"""Those with a solution cell of their own: one that several share has whole wrong answers."""
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
    tree = ast.parse(own.source)
    seen, written = {ast.unparse(tree)}, _written(tree)
    changed, nodes = _read(own.source)
    for place, node in enumerate(ast.walk(tree)):
        for operator in OPERATORS if node in written else ():
            if not operator(nodes[place], changed):
                continue
            source = ast.unparse(ast.fix_missing_locations(changed))
            changed, nodes = _read(own.source)
            if source not in seen:
                seen.add(source)
                line = _line(tree, node)
                yield Mutant(exercise.number, operator.__name__.strip("_"), line, source)


def killer(
    exercise: Exercise, mutant: Mutant, cells: list[Cell], trials: Sequence[Trial]
) -> Trial | None:
    """The first of these trials in which the judge takes a point from it, with the hidden seeds."""
    for seed in exercise.hidden_seeds:
        names = notebook_names()
        scripts = [
            replace(c, source=mutant.source) if c.grade_id == grade_id(exercise) else c
            for c in cells
        ]
        with contextlib.redirect_stdout(io.StringIO()):
            Cells(names).run([each.script() for each in scripts])
            for trial in trials:
                alone = replace(exercise, trials=(trial,))
                [judged] = judge_inside(alone, names, seed=seed)
                if not judged.verdict.passed:
                    return trial
    return None


@dataclass(frozen=True)
class Tally:
    """The mutants of one exercise: how many there are, and those that no check kills."""

    exercise: str
    made: int
    alive: tuple[Mutant, ...]


def tally(exercise: Exercise) -> Tally:
    """Judge every mutant of an exercise, first by the trial that killed the one before it."""
    cells, trials = solution_cells(exercise), list(exercise.trials)
    every, alive = list(mutants(exercise)), []
    for each in every:
        found = killer(exercise, each, cells, trials)
        if found is None:
            alive.append(each)
        else:
            trials.sort(key=lambda trial: trial is not found)
    return Tally(exercise.number, len(every), tuple(alive))


def _read(source: str) -> tuple[ast.Module, list[ast.AST]]:
    """A tree to be changed, and its nodes in the order of `ast.walk`."""
    tree = ast.parse(source)
    return tree, list(ast.walk(tree))


def _line(tree: ast.Module, node: ast.AST) -> str:
    for each in ast.walk(tree):
        simple = isinstance(each, ast.stmt) and not isinstance(each, _COMPOUND)
        if simple and any(child is node for child in ast.walk(each)):
            return ast.unparse(each).splitlines()[0]
    return ast.unparse(node).splitlines()[0] if isinstance(node, ast.stmt | ast.expr) else ""


def _written(tree: ast.Module) -> set[ast.AST]:
    """The nodes that the student writes: no signature, no docstring."""
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return {child for each in function.body[1:] for child in ast.walk(each)}
