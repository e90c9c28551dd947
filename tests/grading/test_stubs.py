"""An exercise that nobody has begun is not attempted in every trial, and a slip is told as one."""

from __future__ import annotations

import ast

import pytest

from graders.exercises import exercises_of
from graders.judge.judge import judge_inside
from graders.records.scenario import Exercise
from tests.grading.judging import solved
from tests.grading.test_answers import CHAPTERS
from tests.notebooks import kit

EVERY = [(chapter, each) for chapter in CHAPTERS for each in exercises_of(chapter[:2])]
every_exercise = pytest.mark.parametrize(
    ("chapter", "exercise"), EVERY, ids=[each.number for _, each in EVERY]
)
pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")


def begun(chapter: str, exercise: Exercise, statement: str) -> dict[str, object]:
    """The exercise's definitions with one statement each, asynchronous where the chapter's are."""
    source = kit.by_id(solved(chapter), f"ex_{exercise.number.replace('.', '_')}").source
    made: dict[str, object] = {"__name__": "__main__"}
    for name in exercise.definitions:
        [found] = [each for each in ast.parse(source).body if getattr(each, "name", "") == name]
        kind = "async def" if isinstance(found, ast.AsyncFunctionDef) else "def"
        exec(f"{kind} {name}(*args, **more):\n    {statement}\n", made)
    return made


@every_exercise
def test_a_stub_is_not_attempted_in_every_trial(chapter: str, exercise: Exercise) -> None:
    names = begun(chapter, exercise, f"raise NotImplementedError('Exercise {exercise.number}')")
    signs = [each.verdict.sign for each in judge_inside(exercise, names)]
    assert signs == ["not attempted"] * len(exercise.trials)


@every_exercise
def test_a_name_that_is_not_there_is_told(chapter: str, exercise: Exercise) -> None:
    names = begun(chapter, exercise, "return nowhere")
    for each in judge_inside(exercise, names):
        assert "`nowhere` is not defined (line 2)" in each.verdict.message, each.title
