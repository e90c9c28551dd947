"""Chapter 06's exercises: each answer gets the same verdict in the notebook and in a box."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from course.supervisor_worker.departures import departures
from course.supervisor_worker.graph import critical_path
from course.supervisor_worker.plan import Plan
from course.trace import Trace
from graders.box import Parent, warm
from graders.exercises import chaining, departing, entangling
from graders.exercises.ch06 import EXERCISES
from graders.judge.scenario import Exercise
from tests.grading.judging import both, cells_of
from tests.grading.wrong_06 import RIGHT, WRONG
from tests.judge.boxes import strongest

CHAPTER = "06_planning"
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
@pytest.mark.parametrize(("case", "many"), departing.CASES.items())
def test_the_finished_diagnosis_finds_what_departs(
    case: departing.Case, many: int, seed: int
) -> None:
    steps = case(random.Random(seed))
    found = departures(Trace.from_json(departing.trace_of(steps)))
    assert len(found) == many


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("case", "many"),
    [
        (entangling._one, 1),
        (entangling._with_others, 1),
        (entangling._two, 2),
        (entangling._itself, 1),
        (entangling._none, 0),
        (entangling._nothing_there, 0),
    ],
)
def test_what_the_judge_takes_for_circles_is_there(
    case: entangling.Case, many: int, seed: int
) -> None:
    assert len(entangling.around(case(random.Random(seed)))) == many


@pytest.mark.parametrize("seed", range(10))
def test_the_seconds_of_the_longest_chain_are_those_of_the_package(seed: int) -> None:
    for case in (chaining._hybrid, chaining._second_start, chaining._half_said):
        data, seconds = case(random.Random(seed))
        good, longest = chaining.chains(data, seconds)
        chain, took = critical_path(Plan.model_validate(data), seconds)
        assert list(chain) in good
        assert took == pytest.approx(longest)
