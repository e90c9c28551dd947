"""The worlds in which chapter 10's answers are judged hold what they say."""

from __future__ import annotations

import random

import pytest

from course.supervisor_worker import Plan, critical_path
from course.supervisor_worker.workers import shared_names
from graders.exercises.ch10 import resume, workers_from_plan
from graders.exercises.sample_plans import plan


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("case", "workers"),
    [
        (workers_from_plan._apart, 3),
        (workers_from_plan._pair, 3),
        (workers_from_plan._pairs, 2),
        (workers_from_plan._chain, 2),
        (workers_from_plan._late, 1),
        (workers_from_plan._backwards, 1),
        (workers_from_plan._any, None),
    ],
)
def test_who_becomes_one_is_found_in_two_ways(
    case: workers_from_plan.Case, workers: int | None, seed: int
) -> None:
    tasks = case(random.Random(seed))
    found = workers_from_plan.together(tasks)
    assert found == shared_names(Plan.model_validate(plan(tasks)))
    assert workers is None or len(set(found.values())) == workers


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "written",
    [resume._killed_twice, resume._killed_early_and_late, resume._another_plan],
)
def test_every_death_comes_before_the_plan_is_done(written: resume.Written, seed: int) -> None:
    lives, takes, _ = written(random.Random(seed))
    whole = critical_path(Plan.model_validate(lives[0]["plan"]), takes)[1]
    deaths = [each["seconds"] for each in lives if each["seconds"]]
    assert deaths and all(0 < each < whole for each in deaths)
    assert lives[-1]["seconds"] is None
