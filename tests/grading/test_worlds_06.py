"""The worlds in which chapter 06's answers are judged hold what they say, on plans."""

from __future__ import annotations

import random

import pytest

from course.supervisor_worker.departures import departures
from course.supervisor_worker.graph import critical_path
from course.supervisor_worker.plan import Plan
from course.trace import Trace
from graders.exercises import chaining, departing, entangling


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
