"""A breaker leaves a failing worker alone, tries once after a pause, and lets others take over."""

import asyncio
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from course import clock, tool
from course.errors import ConfigurationError
from course.models import ApiError, Call, Reply
from course.models.breaker import Breaker, BreakerOpen
from course.runner import run
from course.supervisor_worker import BreakerChanged, FailurePolicy, PlanResult, Registry
from graders.checks import breaker as judged
from graders.records.log import Exchange, Log
from tests.patterns.planwork import Asked, World, chief, plan_of, task, worker

DOWN = ApiError(400, "this model is gone")  # not tried again by the call itself


# The breaker alone, under the judge's eyes


def played(calls: list[tuple[float, float, bool]], *, failures: int, cooldown: float) -> Log:
    """Calls (moment, seconds, whether it works) through one breaker, as the judge's log."""
    exchanges: list[Exchange] = []

    async def one(guard: Breaker, moment: float, seconds: float, works: bool) -> None:
        await asyncio.sleep(moment)
        try:
            probe = guard.admit()
        except BreakerOpen:
            return
        number, begin = len(exchanges), clock.now()
        exchanges.append(Exchange(number, "tool", "ask", {}, begin))
        await asyncio.sleep(seconds)
        outcome: Any = "answered" if works else "failed"
        exchanges[number] = Exchange(number, "tool", "ask", {}, begin, clock.now(), outcome, "x")
        guard.settle(works, probe=probe)

    async def main() -> None:
        guard = Breaker(failures=failures, cooldown=cooldown)
        await asyncio.gather(*(one(guard, *call) for call in calls))

    clock.simulate(main())
    return Log(tuple(exchanges), returned=True)


# No call begins at the very moment at which another one ends: which comes first is nobody's fault.
MOMENTS = st.tuples(
    st.integers(0, 4000).map(lambda n: n / 20),
    st.sampled_from([0.513, 2.267, 7.131]),
    st.booleans(),
)


@given(st.lists(MOMENTS, max_size=40), st.integers(1, 4), st.sampled_from([5.0, 30.0]))
@example(  # several end at the same moment, in an order that no log tells
    [*((0.0, 0.513, n == 1) for n in range(4)), (0.05, 0.513, False), (0.55, 0.513, False)], 2, 5.0
)
@example(  # a failure from before it opened is heard after it was closed
    [
        *((0.0, 0.513, False), (7.05, 7.131, False), (12.3, 2.267, False), (13.7, 0.513, True)),
        *((27.9, 0.513, False), (28.4, 0.513, False), (58.9, 0.513, False)),
    ],
    2,
    30.0,
)
def test_the_judge_finds_no_call_that_an_open_breaker_should_have_stopped(
    calls: list[tuple[float, float, bool]], failures: int, cooldown: float
) -> None:
    log = played(calls, failures=failures, cooldown=cooldown)
    verdict = judged(lambda e: e.name, failures, cooldown=cooldown)(log)
    forgiven = ("breaker.missing", "breaker.too_early")  # nothing to call, or no more calls to make
    assert verdict.passed or verdict.code in forgiven, verdict.message


def test_it_opens_after_three_in_a_row_and_is_probed_once_after_the_pause() -> None:
    calls = [(float(second), 0.5, second >= 30) for second in range(0, 60, 1)]
    log = played(calls, failures=3, cooldown=30)
    assert [e.start for e in log.exchanges][:4] == [0, 1, 2, 33]
    verdict = judged(lambda e: e.name, 3, cooldown=30, probed=True)(log)
    assert verdict.passed, verdict.message


def test_once_its_run_is_over_it_has_cooled_down() -> None:
    guard = Breaker(failures=1)

    async def fail() -> str:
        guard.settle(False, probe=guard.admit())
        return guard.state

    assert clock.simulate(fail()) == "open"
    assert guard.state == "half open"  # looked at where no loop runs


def test_a_success_in_between_counts_anew() -> None:
    calls = [(float(n), 0.5, n % 3 == 2) for n in range(30)]
    assert len(played(calls, failures=3, cooldown=30).exchanges) == 30


def test_who_waits_waits_for_one_pause_and_one_try() -> None:
    ended: dict[str, tuple[str, float]] = {}

    async def one(guard: Breaker, name: str) -> None:
        try:
            probe = await guard.enter()
        except BreakerOpen as error:
            ended[name] = (str(error), clock.now())
            return
        await asyncio.sleep(2)
        guard.settle(False, probe=probe)
        ended[name] = ("tried", clock.now())

    async def main() -> None:
        guard = Breaker(name="web", failures=1, cooldown=10)
        guard.settle(False)
        await asyncio.gather(*(one(guard, name) for name in "abc"))

    clock.simulate(main())
    said = "web failed again after a pause: it is left alone"
    assert sorted(ended.values()) == [("tried", 12.0), (said, 12.0), (said, 12.0)]


def test_who_is_cancelled_during_the_one_try_leaves_it_to_another() -> None:
    async def main() -> None:
        guard = Breaker(failures=1, cooldown=10)
        guard.settle(False)
        await asyncio.sleep(10)
        assert guard.state == "half open"
        assert guard.admit()
        with pytest.raises(BreakerOpen, match="one try is under way"):
            guard.admit()
        guard.settle(None, probe=True)
        assert guard.admit()
        guard.settle(True, probe=True)
        assert guard.state == "closed"

    clock.simulate(main())


def test_a_breaker_that_outlives_a_run_has_cooled_down_by_the_next() -> None:
    guard = Breaker(failures=1, cooldown=30)

    async def fails_late() -> None:
        await asyncio.sleep(1000)
        guard.settle(False)
        assert guard.state == "open"

    async def later() -> None:
        assert guard.state == "half open"
        assert guard.admit()

    clock.simulate(fails_late())
    clock.simulate(later())


@pytest.mark.parametrize("wrong", [{"failures": 0}, {"cooldown": -1.0}])
def test_a_breaker_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="1 or more failures"):
        Breaker(**wrong)


# A worker's breaker


def carried_out(world: World, *tasks: Any, workers: Any, **policy: Any) -> PlanResult:
    boss = chief(workers=workers, limit=1, failure_policy=FailurePolicy(**policy))
    return clock.simulate(run(boss, "Go.", client=world.client, plan=plan_of(*tasks)))


def broken_workers(*names: str, until: float = 1e9) -> World:
    def says(asked: Asked) -> Any:
        if asked.agent in names and clock.now() < until:
            return (1.0, DOWN)
        return (1.0, None)

    return World(says)


ALONE = Registry((worker("web"), worker("other")))
HELPED = Registry((worker("web"), worker("archive", stands_in_for=("web",))))


def test_a_worker_that_fails_three_times_is_left_alone_until_the_pause_is_over() -> None:
    world = broken_workers("web", until=20)
    tasks = [task(f"t{n}", worker="web") for n in range(5)]
    result = carried_out(world, *tasks, workers=ALONE.workers, cooldown=30.0)
    assert [r.status for r in result.results.values()] == ["failed"] * 3 + ["done"] * 2
    starts = [e.start for e in world.exchanges if e.request["agent"] == "web"]
    assert starts == pytest.approx([0, 1, 2, 33, 34])
    changes = [e.state for e in result.events if isinstance(e, BreakerChanged)]
    assert changes == ["open", "half open", "closed"]


def test_who_finds_the_worker_failing_again_is_not_kept_waiting_twice() -> None:
    world = broken_workers("web")
    tasks = [task(f"t{n}", worker="web") for n in range(4)]
    result = carried_out(world, *tasks, workers=ALONE.workers, cooldown=30.0)
    assert not any(r.done for r in result.results.values())
    assert all(r.failure and r.failure.kind == "worker" for r in result.results.values())


def test_other_workers_go_on_meanwhile() -> None:
    world = broken_workers("web")
    tasks = [task(f"t{n}", worker="web") for n in range(3)]
    result = carried_out(world, *tasks, task("x", worker="other"), workers=ALONE.workers)
    assert result.results["x"].done


def test_a_task_goes_to_another_worker_that_can_do_it() -> None:
    world = broken_workers("web")
    result = carried_out(world, task("t1", worker="web"), workers=HELPED.workers)
    done = result.results["t1"]
    assert done.done
    assert done.worker == "archive"
    assert [attempt.worker for attempt in done.attempts] == ["web", "archive"]


def test_while_the_breaker_is_open_tasks_go_to_the_other_worker_at_once() -> None:
    world = broken_workers("web")
    tasks = [task(f"t{n}", worker="web") for n in range(6)]
    result = carried_out(world, *tasks, workers=HELPED.workers)
    assert all(each.worker == "archive" for each in result.results.values())
    assert sum(e.request["agent"] == "web" for e in world.exchanges) == 3


def test_a_task_that_is_put_badly_does_not_close_its_worker() -> None:
    world = World(lambda asked: "CANNOT: no" if asked.task == "t0" and not asked.refines else None)
    tasks = [task(f"t{n}", worker="web") for n in range(3)]
    result = carried_out(world, *tasks, workers=ALONE.workers)
    assert [r.status for r in result.results.values()] == ["failed", "done", "done"]
    assert not any(isinstance(event, BreakerChanged) for event in result.events)


def test_three_tasks_in_a_row_that_were_put_in_all_ways_do() -> None:
    world = World(lambda asked: None if asked.refines else "CANNOT: no")
    tasks = [task(f"t{n}", worker="web") for n in range(3)]
    result = carried_out(world, *tasks, workers=ALONE.workers)
    assert [e.state for e in result.events if isinstance(e, BreakerChanged)] == ["open"]


def test_a_task_that_was_refused_is_not_handed_to_somebody_else() -> None:
    world = World(lambda asked: None if asked.refines else "CANNOT: no")
    result = carried_out(world, task("t1", worker="web"), workers=HELPED.workers)
    assert [attempt.worker for attempt in result.results["t1"].attempts] == ["web"] * 3


def test_a_tool_that_breaks_counts_against_its_worker() -> None:
    calls: list[float] = []

    @tool
    def fetch(page: str) -> str:
        """Fetch a page."""
        calls.append(clock.now())
        raise ConnectionError("down")

    def says(asked: Asked) -> Any:
        if asked.agent == "web" and not asked.refines:
            fetched = any(m["role"] == "tool" for m in asked.request.messages)
            return "It failed." if fetched else Reply(calls=(Call("fetch", '{"page": "x"}'),))
        return None

    registry = Registry((worker("web", tools=(fetch,)), worker("other")))
    tasks = [task(f"t{n}", worker="web") for n in range(3)]
    result = carried_out(World(says), *tasks, workers=registry.workers)
    assert not any(r.done for r in result.results.values())
    assert next(e.state for e in result.events if isinstance(e, BreakerChanged)) == "open"
    assert len([at for at in calls if at < 30]) == 3


def test_a_late_failure_does_not_open_a_breaker_that_a_success_has_closed() -> None:
    early = [(0.0, 0.513, False), (0.0, 0.513, False), (0.0, 2.267, False)]
    after = [(0.1, 0.513, True), (2.3, 0.513, False), (0.1, 0.513, False)]
    log = played([*early, *after], failures=2, cooldown=5.0)
    verdict = judged(lambda e: e.name, 2, cooldown=5.0)(log)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize(("opened", "cooldown"), [(0.1, 0.2), (1.1, 2.2)])
def test_a_pause_is_over_when_its_sum_is_off_by_a_float(opened: float, cooldown: float) -> None:
    async def main() -> bool:
        guard = Breaker(cooldown=cooldown)
        guard.opened = opened
        await asyncio.sleep(round(opened + cooldown, 6))
        assert guard.left() == 0.0
        return await guard.enter()

    assert clock.simulate(main())


@given(st.floats(0, 50), st.floats(0, 50))
def test_whoever_waits_for_a_breaker_is_let_through_after_the_pause(
    opened: float, cooldown: float
) -> None:
    async def main() -> float:
        await asyncio.sleep(opened)
        guard = Breaker(failures=1, cooldown=cooldown)
        guard.settle(False)
        await guard.enter()
        return clock.now()

    assert clock.simulate(main()) == pytest.approx(opened + cooldown, abs=1e-3)
