"""The worlds in which chapter 07's answers are judged hold what they say, on schedules."""

from __future__ import annotations

import random

import pytest

from course.observability.plan_runs import delays
from course.supervisor_worker.plan import Plan, circles, urgency
from course.trace import Trace
from graders.exercises.ch07 import rate_limit, scheduler, scheduler_worlds, wave_delays
from graders.exercises.ch07 import urgency as exercise_7_3
from graders.exercises.sample_traces import trace_of_plan

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("case", "many"), wave_delays.CASES.items())
def test_the_finished_diagnosis_finds_who_was_held_up(
    case: wave_delays.Case, many: int, seed: int
) -> None:
    steps, limit = case(random.Random(seed))
    assert len(delays(Trace.from_json(trace_of_plan(steps)), limit)) == many


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lengths_of_the_judge_are_those_of_the_package(seed: int) -> None:
    for case in (
        exercise_7_3._forked,
        exercise_7_3._few_and_slow,
        exercise_7_3._apart,
        exercise_7_3._half_said,
    ):
        data, seconds = case(random.Random(seed))
        plan = Plan.model_validate(data)
        assert exercise_7_3.longest(data, seconds) == pytest.approx(urgency(plan, seconds))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_to_be_scheduled_can_be_except_for_the_circle(seed: int) -> None:
    for case in (scheduler_worlds.two_ways, scheduler_worlds.wide, scheduler_worlds.chain_last):
        data, takes = case(random.Random(seed))
        plan = Plan.model_validate(data)
        assert not circles(plan)
        assert takes.keys() == plan.by_id.keys()
    impossible = scheduler._impossible(random.Random(seed)).params["cases"]
    assert circles(Plan.model_validate(impossible[0]["plan"]))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_window_of_the_expected_turns_holds_more_than_bucket_and_refill(seed: int) -> None:
    for case in (rate_limit._burst, rate_limit._paused):
        limits, callers, pauses = case(random.Random(seed))
        limit = limits["requests_per_minute"]
        when = sorted(rate_limit.turns(limits, callers, pauses).values())
        for number, begin in enumerate(when):
            for later, end in enumerate(when[number:], start=1):
                assert later <= limit + (end - begin) * limit / 60 + 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_each_world_of_turns_makes_somebody_wait(seed: int) -> None:
    for case in (
        rate_limit._burst,
        rate_limit._sizes,
        rate_limit._large_first,
        rate_limit._paused,
        rate_limit._given_up,
    ):
        limits, callers, pauses = case(random.Random(seed))
        found = rate_limit.turns(limits, callers, pauses)
        assert max(turn - callers[number][0] for number, turn in found.items()) > 1.0
        gone = sum(patience is not None for _, _, patience in callers)
        assert len(found) == len(callers) - gone
