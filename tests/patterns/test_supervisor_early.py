"""Delegations that begin while the supervisor's message is still being written."""

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from course import Supervisor, clock, connect, run
from course.chat import _calls_told, tool_call
from course.evaluation.latency import SEVERAL, system
from course.supervisor.running import Early
from course.supervisor.state import SupervisorRun
from tests.patterns.bosses import boss, order, ordering
from tests.patterns.bosses import client as client_of


def piece(index: int, *, id: str = "", name: str = "", text: str = "", end: str = "") -> Any:
    told = SimpleNamespace(index=index, id=id, function=SimpleNamespace(name=name, arguments=text))
    delta = SimpleNamespace(tool_calls=[told] if index >= 0 else None)
    return SimpleNamespace(choices=[SimpleNamespace(delta=delta, finish_reason=end or None)])


def test_a_call_is_told_when_the_next_begins_and_the_last_at_the_end_and_none_that_broke_off() -> (
    None
):
    pieces = [piece(0, id="x", name="f"), piece(0, text='{"a"'), piece(0, text=": 1}"),
              piece(1, id="y", name="g"), piece(1, text="{}")]  # fmt: skip

    async def told(*more: Any) -> list[tuple[int, Any]]:
        heard: list[tuple[int, Any]] = []
        passed: list[Any] = []

        async def stream() -> AsyncIterator[Any]:
            for each in (*pieces, *more):
                yield each

        async for each in _calls_told(stream(), lambda call: heard.append((len(passed), call))):
            passed.append(each)
        return heard

    first, last = (3, tool_call("x", "f", '{"a": 1}')), (5, tool_call("y", "g", "{}"))
    assert clock.simulate(told(piece(-1, end="tool_calls"))) == [first, last]
    assert clock.simulate(told()) == [first]


def played(early: bool) -> Any:
    ways = ("small", "fan out", "scope", *(("stream",) if early else ()))
    answering, context = system(ways, SEVERAL[0])
    return clock.simulate(run(answering, context, client=connect("simulated", seed=3, wire=False)))


def test_what_is_begun_early_is_done_once_and_sooner_with_the_same_answer() -> None:
    late, early = played(False), played(True)
    assert early.answer == late.answer
    assert [d.worker for d in early.delegations.values()] == [
        d.worker for d in late.delegations.values()
    ]
    begins = {}
    for name, result in (("late", late), ("early", early)):
        message = next(s for s in result.trace.spans if s.operation == "decompose")
        work = [s.start for s in result.trace.spans if s.operation == "delegate"]
        assert len(work) == 3
        begins[name] = [start < message.end for start in work]
    assert begins["late"] == [False] * 3 and begins["early"][:2] == [True] * 2
    ends = [max(s.end for s in result.trace.spans) for result in (early, late)]
    assert ends[0] < ends[1]


def test_what_was_begun_is_cancelled_with_the_run_and_with_a_message_that_broke_off() -> None:
    ended = []

    async def slow(_: Any) -> str:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            ended.append(clock.now())
            raise
        return "late"

    lead: Supervisor = boss("a", start_early=True)
    call = order("a", "1", id="x")
    model = client_of(boss=ordering([call]), a=slow)

    async def stopped_run() -> None:
        running = asyncio.ensure_future(run(lead, "go", client=model))
        await asyncio.sleep(5)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    async def broken_off() -> None:
        early = Early(SupervisorRun(lead, model), None)
        for _ in range(2):
            early.on_call(tool_call("x", call.name, call.arguments))
        assert len(early.begun) == 1
        await asyncio.sleep(7)
        early.cancel()
        await asyncio.sleep(0)
        assert not early.begun

    clock.simulate(stopped_run())
    clock.simulate(broken_off())
    assert ended == [5.0, 7.0]
