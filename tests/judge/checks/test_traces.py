"""Traces of real runs agree; thinned, faked, shifted and orphaned ones are told apart."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import Agent, Tool, Trace, clock, connect, run
from course.models import ApiError, Call, ChatRequest, Reply, Scripted
from course.trace import span as recorded
from graders.checks import by_model, history_grows, trace_agrees
from graders.checks.examples.play import call, seen, span
from graders.checks.retry import retry_after
from graders.records.log import Exchange, Log
from tests.judge.checks.recorder import Boundary

PARENTS = {"execute_tool": ["invoke_agent"], "chat": ["invoke_agent"]}
AGREES = trace_agrees(parents=PARENTS)


class Desk:
    """An agent with a weather tool, its model and tools recorded as a judge would see them."""

    def __init__(self, *, trouble: bool = False) -> None:
        self.world = Boundary(lambda arguments, _: (len(arguments["city"]) / 4, "sunny"))
        self.trouble = trouble

    def reply(self, request: ChatRequest) -> Reply:
        now = clock.now()
        number = len(self.world.exchanges)
        refused = self.trouble and number == 0
        outcome: Any = "failed" if refused else "answered"
        last = request.messages[-1]
        self.world.exchanges.append(
            Exchange(number, "model", request.model, request.raw, now, now, outcome, "said")
        )
        if refused:
            raise ApiError(503, "busy", headers={"retry-after": "2"})
        if last["role"] == "tool":
            return Reply("Sunny all over.")
        cities = [{"city": "Rome"}, {"city": "Oslo"}, {"town": "?"}, {"city": "Reykjavik"}]
        calls = [Call("weather", json.dumps(each)) for each in cities]
        return Reply(calls=(*calls, Call("tides", "{}")))

    def tool(self) -> Tool:
        async def weather(city: str) -> str:
            """Look up the weather."""
            return str(await self.world.call("weather", city=city))

        parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
        return Tool("weather", "Look up the weather.", parameters, weather)

    def log(self) -> Log:
        """One run, one second after the start of the stage."""

        async def main() -> Log:
            await asyncio.sleep(1)
            agent = Agent(name="desk", tools=(self.tool(),))
            client = connect(Scripted(self.reply))
            result = await run(agent, "How is the weather?", client=client)
            return Log(
                tuple(self.world.exchanges),
                result=result.answer,
                trace=json.loads(result.trace.to_json()),
                returned=True,
                ended=clock.now(),
            )

        return clock.simulate(main())


def test_the_trace_of_an_agent_agrees() -> None:
    verdict = AGREES(Desk().log())
    assert verdict.passed, verdict


def test_one_span_may_tell_of_the_clients_own_retries() -> None:
    log = Desk(trouble=True).log()
    assert [e.outcome for e in log.requests()] == ["failed", "answered", "answered"]
    assert log.exchanges[1].start - log.exchanges[0].start == 2.0
    verdict = AGREES(log)
    assert verdict.passed, verdict


Change = Callable[[list[dict[str, Any]]], None]


def _spans(kind: str, spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in spans if each["operation"] == kind and each["status"] == "ok"]


def thin(spans: list[dict[str, Any]]) -> None:
    spans.remove(_spans("execute_tool", spans)[1])


def thin_models(spans: list[dict[str, Any]]) -> None:
    spans.remove(_spans("chat", spans)[0])


def fake(spans: list[dict[str, Any]]) -> None:
    spans.append({**_spans("execute_tool", spans)[0], "span_id": "f" * 16})


def fake_another(spans: list[dict[str, Any]]) -> None:
    spans.append({**_spans("execute_tool", spans)[0], "span_id": "f" * 16, "name": "tides"})


def fake_all(spans: list[dict[str, Any]]) -> None:
    """Times made up from nothing but the number of calls."""
    for number, each in enumerate(_spans("execute_tool", spans)):
        each.update(start=number * 0.1, end=number * 0.1 + 0.1)


def shift(spans: list[dict[str, Any]]) -> None:
    for each in spans:
        each.update(start=each["start"] + 0.25, end=each["end"] + 0.25)


def shorten(spans: list[dict[str, Any]]) -> None:
    each = _spans("execute_tool", spans)[0]
    each["end"] -= 0.01


def swap(spans: list[dict[str, Any]]) -> None:
    one, other = _spans("execute_tool", spans)[:2]
    one["start"], other["start"] = other["start"], one["start"] + 0.125


def orphan(spans: list[dict[str, Any]]) -> None:
    _spans("execute_tool", spans)[0]["parent_id"] = "e" * 16


def behead(spans: list[dict[str, Any]]) -> None:
    del spans[0]


def flatten(spans: list[dict[str, Any]]) -> None:
    _spans("chat", spans)[0]["parent_id"] = None


def lie_about_arguments(spans: list[dict[str, Any]]) -> None:
    noted = _spans("execute_tool", spans)[0]["attributes"]
    noted["gen_ai.tool.call.arguments"] = '{"city": "Lima"}'


def hang_below_a_tool(spans: list[dict[str, Any]]) -> None:
    one, *_, last = _spans("execute_tool", spans)
    one["parent_id"] = last["span_id"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (thin, "thinned"),
        (thin_models, "thinned"),
        (fake, "faked"),
        (fake_another, "faked"),
        (fake_all, "shifted"),
        (shift, "shifted"),
        (shorten, "shifted"),
        (swap, "shifted"),
        (orphan, "orphaned"),
        (behead, "orphaned"),
        (flatten, "orphaned"),
        (lie_about_arguments, "wrong_arguments"),
        (hang_below_a_tool, "wrong_parent"),
    ],
)
def test_a_changed_trace_is_named(change: Change, code: str) -> None:
    log = Desk().log()
    trace = copy.deepcopy(dict(log.trace or {}))
    change(trace["spans"])
    changed = Log(log.exchanges, trace=trace, returned=True, ended=log.ended)
    assert AGREES(changed).code == f"trace.{code}"


def test_a_trace_written_by_hand_may_leave_out_its_date() -> None:
    log = seen(call("weather", 0, 1), trace={"spans": [span("execute_tool", "weather", 0, 1)]})
    assert trace_agrees()(log).passed


def test_spans_recorded_by_hand_agree() -> None:
    world = Boundary(lambda _, before: (1.5, "ok"))

    async def main() -> Log:
        trace = Trace("by hand")
        await asyncio.sleep(0.3)
        with trace.record(), recorded("plan"), recorded("execute_tool", "weather"):
            await world.call("weather")
        text = json.loads(trace.to_json())
        return Log(tuple(world.exchanges), trace=text, returned=True, ended=clock.now())

    log = clock.simulate(main())
    assert trace_agrees(parents={"execute_tool": ["plan"]}, steps={"plan": 1})(log).passed


def asked(number: int, words: str, start: float, end: float, outcome: Any) -> Exchange:
    return Exchange(number, "model", "small", {"messages": [words]}, start, end, outcome, "said")


def test_requests_that_begin_together_are_each_told_with_their_repetitions() -> None:
    exchanges = (
        asked(0, "one", 0, 1, "failed"),
        asked(1, "other", 0, 2, "failed"),
        asked(2, "one", 3, 4, "answered"),
        asked(3, "other", 3, 5, "answered"),
    )
    trace = {"spans": [span("chat", "small", 0, 5, "a"), span("chat", "small", 0, 4, "b")]}
    assert trace_agrees()(Log(exchanges, trace=trace, returned=True, ended=5)).passed
    trace["spans"].pop()
    told = trace_agrees()(Log(exchanges, trace=trace, returned=True, ended=5))
    assert told.code == "trace.thinned"


def test_of_two_that_began_and_ended_together_the_failed_one_was_repeated() -> None:
    exchanges = (
        asked(0, "one", 0, 2, "failed"),
        asked(1, "other", 0, 2, "answered"),
        asked(2, "one", 3, 4, "answered"),
    )
    trace = {"spans": [span("chat", "small", 0, 2, "a"), span("chat", "small", 0, 4, "b")]}
    assert trace_agrees()(Log(exchanges, trace=trace, returned=True, ended=4)).passed


def test_what_was_waited_before_a_request_was_sent_is_no_part_of_it() -> None:
    exchanges = (asked(0, "one", 3, 4, "answered"),)
    chat = span("chat", "small", 0, 4, "a")
    waits = [span("wait", "rate limit", 1, 3, "c<a"), span("wait", "backoff", 0, 1, "b<a")]
    for spans, code in (([chat, *waits], "ok"), ([chat, waits[0]], "trace.shifted")):
        log = Log(exchanges, trace={"spans": spans}, returned=True, ended=4)
        assert trace_agrees()(log).code == code


def test_arguments_are_the_same_whether_they_were_made_numbers_or_not() -> None:
    for noted, code in (
        ("3", "ok"),
        ("3.0", "ok"),
        ('"3.0"', "ok"),
        ("4", "trace.wrong_arguments"),
    ):
        told = span("execute_tool", "trade", 0, 1, "a")
        told["attributes"] = {"gen_ai.tool.call.arguments": f'{{"band": {noted}}}'}
        exchange = Exchange(0, "tool", "trade", {"band": 3.0}, 0, 1, "answered", "said")
        log = Log((exchange,), trace={"spans": [told]}, returned=True, ended=1)
        assert trace_agrees()(log).code == code, noted


CALLS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=8
)


def _log(calls: list[tuple[str, int, int]], spans: list[dict[str, Any]]) -> Log:
    made = (call(name, start, start + length) for name, start, length in calls)
    return seen(*made, trace={"spans": spans})


def _true(calls: list[tuple[str, int, int]]) -> list[dict[str, Any]]:
    return [
        span("execute_tool", name, start, start + length, str(index))
        for index, (name, start, length) in enumerate(calls)
    ]


@given(CALLS, st.data())
def test_only_the_true_trace_agrees(calls: list[tuple[str, int, int]], data: st.DataObject) -> None:
    true = data.draw(st.permutations(_true(calls)))
    assert trace_agrees()(_log(calls, list(true))).passed
    which = data.draw(st.integers(0, len(calls) - 1))
    assert trace_agrees()(_log(calls, list(true[:which]) + list(true[which + 1 :]))).code == (
        "trace.thinned"
    )
    again = {**true[which], "span_id": "again"}
    assert trace_agrees()(_log(calls, [*true, again])).code == "trace.faked"
    moved = [dict(each) for each in true]
    moved[which]["end"] += data.draw(st.sampled_from([-0.5, 0.25, 0.001, 30]))
    assert trace_agrees()(_log(calls, moved)).code == "trace.shifted"


def test_the_loop_of_an_agent_keeps_its_history() -> None:
    log = Desk().log()
    assert history_grows(key=by_model())(log).passed


def test_the_clients_error_is_read() -> None:
    error = ApiError(503, "busy", headers={"Retry-After": "2"})
    assert retry_after(Exchange(0, "model", "small", {}, 0, 1, "failed", error)) == 2.0
