"""The worlds in which chapter 06's answers are judged hold what they say, on plans."""

from __future__ import annotations

import random

import pytest

from course.observability.plan_runs import departures
from course.supervisor_worker.plan import Plan, critical_path
from course.trace import Trace
from graders.exercises.ch06 import critical_path as exercise_6_3
from graders.exercises.ch06 import plan_cycles, plan_departures
from graders.exercises.sample_traces import trace_of_plan


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("case", "many"), plan_departures.CASES.items())
def test_the_finished_diagnosis_finds_what_departs(
    case: plan_departures.Case, many: int, seed: int
) -> None:
    steps = case(random.Random(seed))
    found = departures(Trace.from_json(trace_of_plan(steps)))
    assert len(found) == many


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("case", "many"),
    [
        (plan_cycles._one, 1),
        (plan_cycles._with_others, 1),
        (plan_cycles._two, 2),
        (plan_cycles._itself, 1),
        (plan_cycles._none, 0),
        (plan_cycles._nothing_there, 0),
    ],
)
def test_what_the_judge_takes_for_circles_is_there(
    case: plan_cycles.Case, many: int, seed: int
) -> None:
    assert len(plan_cycles.around(case(random.Random(seed)))) == many


@pytest.mark.parametrize("seed", range(10))
def test_the_seconds_of_the_longest_chain_are_those_of_the_package(seed: int) -> None:
    for case in (exercise_6_3._hybrid, exercise_6_3._second_start, exercise_6_3._half_said):
        data, seconds = case(random.Random(seed))
        good, longest = exercise_6_3.chains(data, seconds)
        chain, took = critical_path(Plan.model_validate(data), seconds)
        assert list(chain) in good
        assert took == pytest.approx(longest)
