"""Right answers in other styles, and wrong ones, in the notebook and in boxes: the same verdicts.

Every chapter whose module in tests/grading/ has `RIGHT` beside `WRONG` is here.
"""

import contextlib
import importlib
import io
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from graders.box import Parent, warm
from graders.child.cells import Cells
from graders.judge.cells import Cell, code_cells, needed
from graders.judge.chapters import exercises_of
from graders.judge.endings import verdict_on
from graders.judge.inside import play_inside
from graders.judge.judge import grade_id, world_of
from graders.judge.outside import play_outside, script_for
from graders.judge.scenario import Exercise
from graders.judge.verdict import Verdict
from tests.judge.boxes import strongest
from tests.judge.exercises.playing import TOKENS
from tests.notebooks import kit

pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")


def answers(number: str) -> Any:
    """The module with a chapter's answers, or None."""
    try:
        return importlib.import_module(f"tests.grading.wrong_{number}")
    except ModuleNotFoundError:
        return None


CHAPTERS = [
    path.stem
    for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
    if hasattr(answers(path.stem[:2]), "RIGHT")
]
CASES = [
    pytest.param(chapter, exercise, source, right, id=f"{exercise.number} {name}")
    for chapter in CHAPTERS
    for exercise in exercises_of(chapter[:2])
    for right, told in ((True, answers(chapter[:2]).RIGHT), (False, answers(chapter[:2]).WRONG))
    for name, source in told[exercise.number]
]


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


@cache
def solved(chapter: str) -> list[Cell]:
    """The cells of a solved chapter, none of which a student has touched."""
    book = kit.read(kit.ROOT / "solutions" / chapter / f"{chapter}.ipynb")
    return code_cells(book, book)


def cells(chapter: str, exercise: Exercise, source: str) -> list[dict[str, str]]:
    """What the exercise needs of its chapter, with another answer."""
    own = needed(solved(chapter), exercise.definitions, exercise.builds_on)
    return [
        (replace(each, source=source) if each.grade_id == grade_id(exercise) else each).script()
        for each in own
    ]


def verdicts(
    parent: Parent, exercise: Exercise, written: list[dict[str, str]]
) -> Iterator[tuple[Verdict, Verdict]]:
    """Each trial's verdict, from the notebook's transport and from a box's."""
    names: dict[str, object] = {"__name__": "__main__"}
    Cells(names).run(written)
    for trial in exercise.trials:
        scenario = world_of(exercise, trial, 5)
        checks = trial.checks(scenario)
        with contextlib.redirect_stdout(io.StringIO()):
            here = play_inside(trial.stage, scenario, TOKENS, names, exercise.builds_on)
        script = script_for(trial.stage, scenario, written, exercise.builds_on)
        there = play_outside(parent, script, scenario, TOKENS)
        yield (
            verdict_on(here, checks, exercise=exercise.number),
            verdict_on(there.log, checks, exercise=exercise.number),
        )


@pytest.mark.parametrize(("chapter", "exercise", "source", "right"), CASES)
def test_both_transports_tell_right_from_wrong(
    parent: Parent, chapter: str, exercise: Exercise, source: str, right: bool
) -> None:
    found = list(verdicts(parent, exercise, cells(chapter, exercise, source)))
    assert [here for here, _ in found] == [there for _, there in found]
    assert all(here.passed for here, _ in found) == right


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_answers_enough(chapter: str) -> None:
    told = answers(chapter[:2])
    for exercise in exercises_of(chapter[:2]):
        assert len(told.WRONG[exercise.number]) >= 5, exercise.number
        assert len(told.RIGHT[exercise.number]) >= 3, exercise.number
