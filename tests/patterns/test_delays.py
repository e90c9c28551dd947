"""Delays: a run that waits for nothing but its own dependencies and places has none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.observability.plan_runs import Delay, delays
from course.supervisor_worker import Plan, PlanTask, schedule, waves
from course.trace import Trace, span
from tests.patterns.planwork import dags, plan_of, task

DIAMOND = plan_of(task("a"), task("b"), task("c", "a"), task("d", "b", "c"))
TAKES = {"a": 1.0, "b": 5.0, "c": 5.0, "d": 1.0}
Scheduler = Callable[..., Awaitable[Any]]


def traced(
    scheduler: Scheduler, plan: Plan, seconds: Mapping[str, float], limit: int | None
) -> Trace:
    """The trace of a run in which each task takes its seconds."""

    async def work(task: PlanTask, given: Mapping[str, None]) -> None:
        with span("dispatch", task.id):
            await asyncio.sleep(seconds[task.id])

    async def main() -> Trace:
        trace = Trace("run")
        with trace.record(), span("invoke_agent", "chief"):
            with span("plan", "planner") as step:
                await asyncio.sleep(1.0)
                step.set("switchboard.plan", plan.to_json())
            await scheduler(plan, work, limit=limit)
        return trace

    return clock.simulate(main())


async def in_waves(plan: Plan, work: Any, *, limit: int | None) -> None:
    for wave in waves(plan):
        await asyncio.gather(*(work(plan.by_id[id], {}) for id in wave))


@given(dags(), st.one_of(st.none(), st.integers(1, 4)))
def test_the_package_holds_nobody_up_for_nothing(
    made: tuple[Plan, dict[str, float]], limit: int | None
) -> None:
    plan, seconds = made
    assert delays(traced(schedule, plan, seconds, limit), limit) == []


def test_in_waves_the_diamond_waits_for_whom_it_does_not_need() -> None:
    assert delays(traced(in_waves, DIAMOND, TAKES, None)) == [Delay("c", "b", 4.0)]


def test_who_finds_all_places_taken_is_not_held_up() -> None:
    trace = traced(schedule, DIAMOND, TAKES, 1)
    assert delays(trace, 1) == []
    assert [each.task for each in delays(trace)] == ["b", "c"]


def test_waves_with_one_place_waste_nothing() -> None:
    async def in_order(plan: Plan, work: Any, *, limit: int | None) -> None:
        for each in plan.tasks:
            await work(each, {})

    assert delays(traced(in_order, DIAMOND, TAKES, 1), 1) == []
