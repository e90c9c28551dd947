"""Chapter 04's exercises: each answer gets the same verdict in the notebook and in a box."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from course.supervisor.evidence import waits
from course.trace import Trace
from graders.box import Parent, warm
from graders.exercises import waiting
from graders.exercises.ch04 import EXERCISES
from graders.judge.scenario import Exercise
from tests.grading.judging import both, cells_of
from tests.grading.wrong_04 import RIGHT, WRONG
from tests.judge.boxes import strongest

CHAPTER = "04_supervisor"
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


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("case", "waiting_ones"),
    [
        (waiting._in_a_row, 2),
        (waiting._at_once, 0),
        (waiting._in_rounds, 0),
        (waiting._rounds_in_a_row, 2),
        (waiting._two_at_a_time, 2),
        (waiting._below, 1),
    ],
)
def test_the_finished_diagnosis_finds_who_had_to_wait(
    case: waiting.Case, waiting_ones: int, seed: int
) -> None:
    steps = case(random.Random(seed))
    found = waits(Trace.from_json(waiting.trace_of(steps)))
    assert len(found) == waiting_ones
    by_name = {name: (start, end) for op, name, start, end, _ in steps if op == "delegate"}
    for each in found:
        assert by_name[each.behind][1] == by_name[each.worker][0]
