"""An answer judged as the two ways do it: in the notebook's process, and in a box."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from nbformat import NotebookNode

from graders.box import Parent
from graders.child.cells import Cells
from graders.child.stage import finish
from graders.judge.cells import Cell, code_cells, needed
from graders.judge.endings import verdict_on
from graders.judge.inside import play_inside
from graders.judge.judge import grade_id, world_of
from graders.judge.outside import play_outside, script_for
from graders.judge.reading import read_code
from graders.records.scenario import Exercise
from graders.records.verdict import Verdict
from tests.grading.answers import answers
from tests.judge.exercises.playing import TOKENS, notebook_names
from tests.notebooks import kit

Script = list[dict[str, str]]
SEED = 5  # of the worlds, where a test asks for no other


@cache
def solved(chapter: str) -> NotebookNode:
    """A solved chapter."""
    return kit.read(kit.ROOT / "solutions" / chapter / f"{chapter}.ipynb")


def cells_of(chapter: str, exercise: Exercise, source: str = "") -> Script:
    """The cells that an exercise needs of its solved chapter, with this answer in its place.

    Args:
        chapter: such as "02_pipeline"; its source in `solutions/` is read.
        exercise: one of the chapter's.
        source: the answer; the chapter's own when empty.
    """
    if not source:
        return cells_at_once(chapter, exercise)
    return cells_in(solved(chapter), exercise, source)


def cells_in(book: NotebookNode, exercise: Exercise, source: str = "") -> Script:
    """The cells that an exercise needs of a solved notebook, with this answer in its place."""
    own = grade_id(exercise)
    cells = [
        NotebookNode(cell, source=source) if source and kit.grade_id(cell) == own else cell
        for cell in book.cells
    ]
    found = code_cells(NotebookNode(book, cells=cells), book)
    return [each.script() for each in needed(found, exercise.definitions, exercise.builds_on)]


@cache
def _code(chapter: str) -> Sequence[Cell]:
    return code_cells(solved(chapter), solved(chapter))


def cells_at_once(chapter: str, exercise: Exercise, source: str = "") -> Script:
    """The same, of a chapter that is read once for all: an answer's imports stay a part of it."""
    own, cells = grade_id(exercise), _code(chapter)
    if source:
        read = read_code(source)
        cells = [
            replace(each, source=source, reading=read) if each.grade_id == own else each
            for each in cells
        ]
    return [each.script() for each in needed(cells, exercise.definitions, exercise.builds_on)]


def misjudged(
    exercise: Exercise, name: str, judged: Sequence[Verdict], *, right: bool
) -> Iterator[str]:
    """What is odd about the verdicts on an answer: it is right and fails, or the other way round.

    One that is there to break a sentence of the contract loses only what looks at that sentence.
    What a wrong one is told first is what its file says, if that says anything.
    """
    failed = [
        f"{verdict.code}: {verdict.message} ({trial.title})"
        for trial, verdict in zip(exercise.trials, judged, strict=False)
        if not verdict.passed
    ]
    if right and failed:
        yield f'"{name}" is right, and fails: {failed[0]}'
    if not right and not failed:
        yield f'"{name}" is wrong, and keeps its points: a trial is missing, or too kind'
    told = answers(exercise.number)
    heard = next((each.message for each in judged if not right and not each.passed), "")
    if told.says.get(name, "") not in heard:
        yield f'"{name}" is not told "{told.says[name]}": {heard}'
    if name in told.hushes and told.hushes[name] in heard:
        yield f'"{name}" is told "{told.hushes[name]}": {heard}'
    for sentence in exercise.contract if not right else ():
        if sentence.broken_by == name and any(each.code == "code.name" for each in judged):
            yield f'"{name}" uses a name that is not there, and breaks no sentence by that'
        for trial, verdict in zip(exercise.trials, judged, strict=False):
            meant = sentence.is_meant(trial.title, verdict.code)
            if sentence.broken_by == name and not verdict.passed and not meant:
                yield (
                    f'"{name}" breaks "{sentence.text}", and loses "{trial.title}" with'
                    f" {verdict.code}, which does not look at it"
                )


def names_of(script: Script, exercise: Exercise | None = None) -> dict[str, object]:
    """The names that these cells make; what the exercise builds on is there before them."""
    names = notebook_names()
    finish(names, exercise.builds_on if exercise else {})
    Cells(names).run(script)
    return names


def inside(exercise: Exercise, script: Script, *, seed: int = SEED) -> Iterator[Verdict]:
    """For each trial the verdict of the notebook's way."""
    names = names_of(script, exercise)
    for trial in exercise.trials:
        scenario = world_of(exercise, trial, seed)
        with contextlib.redirect_stdout(io.StringIO()):
            played = play_inside(trial.stage, scenario, TOKENS, names, exercise)
        checks, number = trial.checks(scenario), exercise.number
        yield verdict_on(played, checks, exercise=number, contract=exercise.asked)


def outside(
    parent: Parent, exercise: Exercise, script: Script, *, seed: int = SEED
) -> Iterator[Verdict]:
    """For each trial the verdict of the box."""
    for trial in exercise.trials:
        scenario = world_of(exercise, trial, seed)
        boxed = script_for(trial.stage, scenario, script, exercise)
        there = play_outside(parent, boxed, scenario, TOKENS)
        checks, number = trial.checks(scenario), exercise.number
        yield verdict_on(there.log, checks, exercise=number, contract=exercise.asked)


def both(
    parent: Parent, exercise: Exercise, script: Script, *, seed: int = SEED
) -> Iterator[tuple[Verdict, Verdict]]:
    """For each trial the verdict of the notebook's way and that of the box."""
    here, there = inside(exercise, script, seed=seed), outside(parent, exercise, script, seed=seed)
    return zip(here, there, strict=True)
