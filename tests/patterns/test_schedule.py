"""The schedule: as long as the critical path, within Graham's bound, nothing orphaned."""

import asyncio
import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course import clock
from course.errors import ConfigurationError
from course.supervisor_worker import Plan, PlanTask, critical_path, schedule, urgency, waves
from course.supervisor_worker.schedule import concurrently
from graders.checks import parallel
from graders.records.log import Exchange, Log
from tests.patterns.planwork import dags, plan_of, task

DIAMOND = plan_of(task("a"), task("b"), task("c", "a"), task("d", "b", "c"))
TAKES = {"a": 0.1, "b": 0.5, "c": 0.5, "d": 0.1}
Times = dict[str, tuple[float, float]]


def timed(
    plan: Plan, seconds: Mapping[str, float], *, by: Mapping[str, float] | None = None,
    limit: int | None = None,
) -> Times:  # fmt: skip
    """When each task began and ended."""
    times: Times = {}

    async def work(task: PlanTask, given: Mapping[str, str]) -> str:
        assert given == {id: f"result of {id}" for id in task.dependencies}
        begin = clock.now()
        await asyncio.sleep(seconds[task.id])
        times[task.id] = (begin, clock.now())
        return f"result of {task.id}"

    async def main() -> dict[str, str]:
        return await schedule(plan, work, limit=limit, priority=by)

    results = clock.simulate(main())
    assert list(results) == [t.id for t in plan.tasks]
    assert all(results[id] == f"result of {id}" for id in results)
    return times


def makespan(times: Times) -> float:
    return max(end for _, end in times.values())


def test_the_diamond_takes_its_critical_path_where_waves_take_four_hundred_ms_longer() -> None:
    times = timed(DIAMOND, TAKES)
    assert makespan(times) == pytest.approx(0.7, abs=1e-5)
    assert sum(max(TAKES[id] for id in wave) for wave in waves(DIAMOND)) == pytest.approx(1.1)
    assert times["c"][0] == times["a"][1]


@given(dags())
def test_without_a_limit_each_task_starts_when_the_last_of_its_own_dependencies_ends(
    made: tuple[Plan, dict[str, float]],
) -> None:
    plan, seconds = made
    times = timed(plan, seconds)
    for each in plan.tasks:
        ready = max((times[id][1] for id in each.dependencies), default=0.0)
        assert times[each.id][0] == ready
    assert makespan(times) == pytest.approx(critical_path(plan, seconds)[1], abs=1e-4)


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_a_hundred_tasks_take_exactly_their_critical_path(seed: int) -> None:
    plan, seconds = drawn(seed, 100)
    assert makespan(timed(plan, seconds)) == critical_path(plan, seconds)[1]


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_grahams_bound_is_never_exceeded_and_never_more_run_than_allowed(
    seed: int, limit: int
) -> None:
    plan, seconds = drawn(seed, 40)
    times = timed(plan, seconds, limit=limit, by=urgency(plan, seconds))
    critical, work = critical_path(plan, seconds)[1], sum(seconds.values())
    assert makespan(times) <= critical + (work - critical) / limit + 1e-6
    for begin, _ in times.values():
        assert sum(b <= begin < e for b, e in times.values()) <= limit


@given(dags(), st.integers(1, 4))
def test_no_place_stays_free_while_a_task_is_ready(
    made: tuple[Plan, dict[str, float]], limit: int
) -> None:
    plan, seconds = made
    times = timed(plan, seconds, limit=limit)
    for each in plan.tasks:
        begin = times[each.id][0]
        ready = max((times[id][1] for id in each.dependencies), default=0.0)
        waited = [t for t in {0.0, *(e for _, e in times.values())} if ready <= t < begin]
        for moment in waited:
            assert sum(b <= moment < e for b, e in times.values()) == limit


def drawn(seed: int, count: int) -> tuple[Plan, dict[str, float]]:
    """A random plan whose seconds are exact in binary, so that sums are exact too."""
    luck = random.Random(seed)
    share = luck.choice([0.02, 0.05, 0.2, 0.5])
    tasks = [
        task(f"t{n}", *(f"t{m}" for m in range(n) if luck.random() < share)) for n in range(count)
    ]
    return plan_of(*tasks), {t.id: float(luck.randint(1, 20)) for t in tasks}


def test_the_judge_sees_independent_tasks_overlap() -> None:
    times = timed(DIAMOND, TAKES)
    exchanges = [
        Exchange(n, "tool", "ask", {"task": id}, begin, end, "answered", "ok")
        for n, (id, (begin, end)) in enumerate(sorted(times.items(), key=lambda i: i[1]))
    ]
    after = {t.id: list(t.dependencies) for t in DIAMOND.tasks}
    verdict = parallel(lambda e: str(e.request["task"]), after=after)(Log(tuple(exchanges)))
    assert verdict.passed, verdict.message


def test_the_longest_chain_starts_first_where_places_are_scarce() -> None:
    plan = plan_of(task("short"), task("other"), task("a"), task("b", "a"), task("c", "b"))
    takes = dict.fromkeys(("short", "other", "a", "b", "c"), 1.0)
    assert makespan(timed(plan, takes, limit=2)) == 3.0
    backwards = {id: -value for id, value in urgency(plan, takes).items()}
    assert makespan(timed(plan, takes, limit=2, by=backwards)) == 4.0


def test_what_is_done_already_is_not_done_again_and_is_handed_on() -> None:
    seen: list[str] = []

    async def work(task: PlanTask, given: Mapping[str, str]) -> str:
        seen.append(task.id)
        return f"{task.id} after {', '.join(given.values())}"

    async def main() -> dict[str, str]:
        return await schedule(DIAMOND, work, done={"a": "A", "b": "B"})

    assert clock.simulate(main())["d"] == "d after B, c after A"
    assert seen == ["c", "d"]


def test_an_error_cancels_the_rest_and_is_raised_as_it_is() -> None:
    ended: list[str] = []

    async def work(task: PlanTask, given: Mapping[str, None]) -> None:
        if task.id == "a":
            await asyncio.sleep(1)
            raise LookupError("no such thing")
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(1)
            ended.append(task.id)

    async def main() -> float:
        with pytest.raises(LookupError, match="no such thing"):
            await schedule(DIAMOND, work)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return clock.now()

    assert clock.simulate(main()) == pytest.approx(2.0)
    assert ended == ["b"]


@pytest.mark.parametrize("how", ["schedule", "concurrently"])
def test_the_error_that_is_raised_drags_no_group_behind_it(how: str) -> None:
    """A notebook shows the whole stack where a group is in the context of an error."""

    async def work(task: PlanTask, given: Mapping[str, None]) -> None:
        raise LookupError("no such thing")

    async def main() -> None:
        await (
            schedule(DIAMOND, work)
            if how == "schedule"
            else concurrently([work(DIAMOND.tasks[0], {})])
        )

    with pytest.raises(LookupError) as raised:
        clock.simulate(main())
    assert raised.value.__context__ is None


@given(dags(), st.floats(0, 30))
def test_cancelling_at_any_moment_leaves_no_orphan(
    made: tuple[Plan, dict[str, float]], moment: float
) -> None:
    plan, seconds = made

    async def work(task: PlanTask, given: Mapping[str, None]) -> None:
        try:
            await asyncio.sleep(seconds[task.id])
        finally:
            await asyncio.sleep(0.1)  # whoever is cancelled still tidies up

    async def main() -> None:
        running = asyncio.create_task(schedule(plan, work))
        await asyncio.sleep(moment)
        running.cancel()
        await asyncio.wait([running])
        assert asyncio.all_tasks() == {asyncio.current_task()}

    clock.simulate(main())


@pytest.mark.parametrize(
    ("plan", "limit", "said"),
    [
        (plan_of(task("a", "b"), task("b", "a")), None, "b -> a|a -> b"),
        (plan_of(task("a", "a")), None, "a -> a"),
        (plan_of(task("a", "x")), None, "'x', which is no task"),
        (plan_of(task("a"), task("a")), None, "the same id"),
        (DIAMOND, 0, "1 or more, not 0"),
    ],
)
def test_a_plan_that_would_never_end_is_refused(plan: Plan, limit: int | None, said: str) -> None:
    async def work(task: PlanTask, given: Mapping[str, None]) -> None:
        raise AssertionError("nothing may run")

    async def main() -> None:
        with pytest.raises(ConfigurationError, match=said):
            await schedule(plan, work, limit=limit)

    clock.simulate(main())


def test_an_empty_plan_is_over_at_once() -> None:
    assert timed(plan_of(), {}) == {}
