"""Events of a supervisor's run, as they happen; whoever stops reading stops the run."""

import asyncio
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock, connect
from course.budget import Budget
from course.events import Event, Finished, LimitReached
from course.models import Scripted
from course.models.wire import ChatRequest, Reply
from course.runner import run, stream
from course.supervisor import DelegationCompleted, DelegationStarted
from tests.patterns.bosses import boss, client, order, ordering, turns
from tests.patterns.test_supervisor_limits import insisting

ended: list[str] = []


async def slow(request: ChatRequest) -> str:
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        ended.append(request.key.agent)
        raise
    return "late"


async def quick(request: ChatRequest) -> str:
    await asyncio.sleep(1)
    return "early"


SCRIPT = ordering([order("a", "1", id="x"), order("b", "2", id="y")])


def test_events_come_as_they_happen_and_the_last_holds_the_result() -> None:
    async def main() -> list[tuple[Event, float]]:
        events = stream(
            boss("a", "b"), "go", client=client(boss=SCRIPT, a=slow, b=quick), run_id="r"
        )
        return [(event, clock.now()) async for event in events]

    seen = clock.simulate(main())
    assert all(event.at == now for event, now in seen)
    kinds = [(type(event), now) for event, now in seen]
    assert kinds == [
        (DelegationStarted, 0.0), (DelegationStarted, 0.0),
        (DelegationCompleted, 1.0), (DelegationCompleted, 60.0), (Finished, 60.0),
    ]  # fmt: skip
    first, last = seen[0][0], seen[-1][0]
    assert isinstance(first, DelegationStarted)
    assert (first.system, first.worker, first.task, first.call_id) == ("boss", "a", "1", "x")
    assert isinstance(last, Finished)
    assert last.result.answer == "all done"
    assert last.result.failures["x"].kind == "timeout"
    done = seen[2][0]
    assert isinstance(done, DelegationCompleted)
    assert done.delegation is last.result.delegations["y"]


def test_a_limit_is_an_event() -> None:
    async def main() -> list[Event]:
        team = boss("a", max_iterations=3)
        return [e async for e in stream(team, "go", client=client(boss=insisting, a="x"))]

    (limit,) = [e for e in clock.simulate(main()) if isinstance(e, LimitReached)]
    assert (limit.stop.reason, limit.stop.limit) == ("max_iterations", 3)


@pytest.mark.parametrize("closing", [True, False])
def test_a_reader_who_stops_early_stops_the_run(closing: bool) -> None:
    ended.clear()

    async def read() -> None:
        events = stream(boss("a", "b"), "go", client=client(boss=SCRIPT, a=slow, b=quick))
        if closing:
            async with aclosing(events) as open_events:
                async for event in open_events:
                    if isinstance(event, DelegationCompleted):
                        break
            assert len(asyncio.all_tasks()) == 1
        else:
            async for event in events:
                if isinstance(event, DelegationCompleted):
                    break

    async def main() -> tuple[float, int]:
        await read()
        await asyncio.sleep(0.001)
        return clock.now(), len(asyncio.all_tasks())

    now, tasks = clock.simulate(main())
    assert now < 2
    assert tasks == 1
    assert ended == ["a"]


def test_a_reader_who_is_cancelled_stops_the_run() -> None:
    ended.clear()

    async def read() -> None:
        async for _ in stream(boss("a", "b"), "go", client=client(boss=SCRIPT, a=slow, b=quick)):
            pass

    async def main() -> int:
        reading = asyncio.ensure_future(read())
        await asyncio.sleep(3)
        reading.cancel()
        await asyncio.wait([reading])
        await asyncio.sleep(0.001)
        return len(asyncio.all_tasks())

    assert clock.simulate(main()) == 1
    assert ended == ["a"]


def test_an_error_of_the_run_is_the_readers() -> None:
    async def main() -> None:
        async for _ in stream(boss("a"), " ", client=client()):
            pass

    with pytest.raises(ValueError, match="the request is empty"):
        clock.simulate(main())


@given(stop_at=st.floats(0, 12), latencies=st.lists(st.floats(0, 4), min_size=3, max_size=3))
def test_a_run_that_is_cancelled_at_any_moment_leaves_nothing_behind(
    stop_at: float, latencies: list[float]
) -> None:
    async def answer(request: ChatRequest) -> Reply:
        who = request.key.agent
        await asyncio.sleep(latencies["boss a b".split().index(who)])
        if who == "boss" and turns(request) < 2:
            return Reply(calls=(order("a", "1"), order("b", "2")))
        return Reply(text=f"{who} is done")

    async def main() -> tuple[int, int]:
        model = Scripted(answer)
        budget = Budget(tokens=100_000)
        with budget.in_force():
            running = asyncio.ensure_future(run(boss("a", "b"), "go", client=connect(model)))
            await asyncio.sleep(stop_at)
            running.cancel()
            await asyncio.wait([running])
        return len(asyncio.all_tasks()), budget.held

    assert clock.simulate(main()) == (1, 0)
