"""Chapter 03's exercises: each answer gets the same verdict in the notebook and in a box."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graders.box import Parent, warm
from graders.exercises.ch03 import EXERCISES
from graders.judge.scenario import Exercise
from tests.grading.judging import both, cells_of
from tests.grading.wrong_03 import RIGHT, WRONG
from tests.judge.boxes import strongest

CHAPTER = "03_handoff"
ANSWERS = [
    pytest.param(exercise, source, right, id=f"{exercise.number} {name}")
    for exercise in EXERCISES
    for right, answers in (
        (True, [("the chapter's own", ""), *RIGHT[exercise.number]]),
        (False, WRONG[exercise.number]),
    )
    for name, source in answers
]
pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


@pytest.mark.parametrize(("exercise", "source", "right"), ANSWERS)
def test_both_ways_say_the_same_and_are_right(
    parent: Parent, exercise: Exercise, source: str, right: bool
) -> None:
    verdicts = list(both(parent, exercise, cells_of(CHAPTER, exercise, source)))
    assert [here for here, _ in verdicts] == [there for _, there in verdicts]
    assert all(here.passed for here, _ in verdicts) == right


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.number)
def test_there_are_three_right_answers_and_five_wrong_ones(exercise: Exercise) -> None:
    assert len(RIGHT[exercise.number]) >= 3
    assert len(WRONG[exercise.number]) >= 5
