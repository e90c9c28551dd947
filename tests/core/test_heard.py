"""Model calls of code that is not the course's, made with the client of `connect`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import httpx2
import pytest
from openai import APIStatusError
from openai.types.chat import ChatCompletion

from course import clock
from course.agent import Agent
from course.budget import Budget, BudgetExceeded
from course.errors import ModelError
from course.foreign import Foreign, Seats
from course.limits import Limits
from course.models import SMALL, ApiError, Call, ChatRequest, Reply, connect
from course.models.client import CourseClient
from course.models.line import Backoff, Line
from course.runner import run
from course.tools import tool
from course.trace import Span, Trace, span


@tool
def look_up_tide(harbour: str) -> str:
    """Get the tide at a harbour."""
    return "low"


TOOLS: list[Any] = [look_up_tide.spec()]
ASKED: list[Any] = [
    {"role": "system", "content": "You are the harbour office."},
    {"role": "user", "content": "What is the tide at Brest?"},
]


def answering(request: ChatRequest) -> Reply:
    if request.messages[-1]["role"] == "tool" or not request.tools:
        return Reply(f"The tide is {request.messages[-1]['content']}.")
    return Reply(calls=(Call("look_up_tide", '{"harbour": "Brest"}'),))


async def agent_loop(client: Any, *, stream: bool = False, tide: float = 0.0) -> str:
    """The loop that every framework has, in the SDK's own words."""
    messages = list(ASKED)
    while True:
        made = client.chat.completions
        if stream:
            text, calls = "", []
            pieces = await made.create(model=SMALL, messages=messages, tools=TOOLS, stream=True)
            async for piece in pieces:
                for choice in piece.choices:
                    text += choice.delta.content or ""
                    calls += [call.model_dump() for call in choice.delta.tool_calls or ()]
            calls = [{k: v for k, v in c.items() if k != "index"} for c in calls if c["id"]]
            for call in calls:
                call["function"]["arguments"] = '{"harbour": "Brest"}'
        else:
            message = (
                (await made.create(model=SMALL, messages=messages, tools=TOOLS)).choices[0].message
            )
            text, calls = message.content, [c.model_dump() for c in message.tool_calls or ()]
        if not calls:
            return str(text)
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        await asyncio.sleep(tide)
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": "low"} for c in calls]


def traced(work: Callable[[], Any]) -> tuple[Any, list[Span]]:
    async def main() -> tuple[Any, list[Span]]:
        with Trace("theirs", messages=True).record() as trace:
            came = await work()
        return came, trace.spans

    return clock.simulate(main())


def shape(spans: list[Span]) -> list[tuple[str, str]]:
    return [(each.operation, each.name) for each in spans]


LOOP = [("chat", SMALL), ("execute_tool", "look_up_tide"), ("chat", SMALL)]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", [False, True])
def test_calls_and_the_tools_between_them_are_steps_of_the_trace(stream: bool, wire: bool) -> None:
    client = connect(answering, profile="calm", wire=wire)
    answer, spans = traced(lambda: agent_loop(client, stream=stream, tide=2.0))
    assert answer == "The tide is low."
    assert shape(spans) == LOOP
    first, used, last = spans
    assert used.seconds == pytest.approx(2.0)
    assert first.end == used.start
    assert used.end == last.start
    told = used.attributes
    assert told["gen_ai.tool.call.result"] == "low"
    assert json.loads(str(told["gen_ai.tool.call.arguments"])) == {"harbour": "Brest"}
    for each in (first, last):
        assert int(each.attributes["gen_ai.usage.input_tokens"]) > 0
        assert int(each.attributes["gen_ai.usage.output_tokens"]) > 0
        assert float(each.attributes["switchboard.cost_usd"]) > 0
        assert "Brest" in str(each.attributes["gen_ai.input.messages"])
    assert "The tide is low." in str(last.attributes["gen_ai.output.messages"])


def test_a_streamed_call_ends_when_it_was_read_and_nothing_after_it_is_its_child() -> None:
    async def work() -> None:
        client = connect("simulated")
        pieces = await client.chat.completions.create(
            model=SMALL, messages=[{"role": "user", "content": "Say hello."}], stream=True
        )
        async with pieces:
            await anext(aiter(pieces))
            await asyncio.sleep(1)
        await client.chat.completions.create(model=SMALL, messages=ASKED)

    _, (broken_off, after) = traced(work)
    assert broken_off.seconds >= 1
    assert after.parent_id is None
    assert after.start == broken_off.end


def test_a_call_that_somebody_wrote_a_step_around_is_one_step() -> None:
    async def work() -> None:
        with span("chat", SMALL):
            made = connect(lambda _: Reply("Hello.")).chat.completions
            await made.create(model=SMALL, messages=ASKED)

    _, steps = traced(work)
    assert shape(steps) == [("chat", SMALL)]


def test_outside_a_trace_and_a_run_a_request_goes_out_as_it_is() -> None:
    seen: list[ChatRequest] = []

    def model(request: ChatRequest) -> Reply:
        seen.append(request)
        return Reply("Hello.")

    made = connect(model).chat.completions.create(model=SMALL, messages=ASKED)
    assert clock.simulate(made).choices[0].message.content == "Hello."  # type: ignore[arg-type]
    assert seen[0].key.run == ""
    assert seen[0].key.call == 0


@pytest.mark.parametrize("raw", [False, True])
def test_an_error_is_the_client_s_own_and_its_step_failed(raw: bool) -> None:
    def model(_: ChatRequest) -> Reply:
        raise ApiError(400, "no such thing")

    async def work() -> None:
        made = connect(model).chat.completions
        create = made.with_raw_response.create if raw else made.create
        with pytest.raises(APIStatusError, match="no such thing"):
            await create(model=SMALL, messages=ASKED)

    _, (step,) = traced(work)
    assert step.status == "error"
    assert "no such thing" in str(step.error)


def test_a_raw_response_is_read_as_well() -> None:
    async def work() -> Any:
        made = connect(lambda _: Reply("Hello.")).chat.completions.with_raw_response
        return (await made.create(model=SMALL, messages=ASKED)).parse()

    came, (step,) = traced(work)
    assert came.choices[0].message.content == "Hello."
    assert "Hello." in str(step.attributes["gen_ai.output.messages"])


async def by_stream(made: Any, asked: Any) -> str:
    async with made.stream(**asked) as stream:
        async for _ in stream:
            pass
        return str((await stream.get_final_completion()).choices[0].message.content)


async def by_parse(made: Any, asked: Any) -> str:
    return str((await made.parse(**asked)).choices[0].message.content)


async def unread(made: Any, asked: Any) -> str:
    async with made.with_streaming_response.create(**asked) as came:
        return str((await came.json())["choices"][0]["message"]["content"])


async def raw_stream(made: Any, asked: Any) -> str:
    came = await made.with_raw_response.create(**asked, stream=True)
    said = [c.delta.content or "" async for piece in came.parse() for c in piece.choices]
    return "".join(said)


@pytest.mark.parametrize("way", [by_stream, by_parse, unread, raw_stream])
@pytest.mark.filterwarnings("error")
def test_every_way_of_the_sdk_to_ask_is_one_step_and_gives_what_it_gave(way: Any) -> None:
    """A message of an earlier answer goes back as the object that it is, as people write it."""

    async def work() -> str:
        made = connect(lambda _: Reply("Hello there, all of you.")).chat.completions
        first = await made.create(model=SMALL, messages=ASKED)
        asked = {"model": SMALL, "messages": [*ASKED, first.choices[0].message, ASKED[1]]}
        return await way(made, asked)

    said, steps = traced(work)
    assert said == "Hello there, all of you."
    assert shape(steps) == [("chat", SMALL)] * 2
    assert all(each.status == "ok" for each in steps)


@pytest.mark.parametrize("junk", ["[]", "{}", '{"choices": [{}]}', '{"choices": null, "usage": 3}'])
def test_an_answer_that_is_none_is_as_the_sdk_gives_it(junk: str) -> None:
    def answers(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, text=junk, headers={"content-type": "application/json"})

    async def work() -> Any:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(answers))
        client = CourseClient(api_key="none", base_url="http://x.invalid/v1", http_client=http)
        return await client.chat.completions.create(model=SMALL, messages=ASKED)

    came, (step,) = traced(work)
    assert isinstance(came, list | ChatCompletion)
    assert step.status == "ok"


def moments(order: list[str], seed: int) -> dict[str, float]:
    """When each question was answered, asked in this order, each by its own agent."""

    async def one(client: Any, about: str) -> float:
        begin = clock.now()
        told = [{"role": "system", "content": f"You know {about}."}, *ASKED[1:]]
        await client.chat.completions.create(model=SMALL, messages=told)
        return clock.now() - begin

    async def main() -> dict[str, float]:
        client = connect(lambda _: Reply("Yes."), profile="calm", seed=seed)
        with Trace("theirs").record():
            return {about: await one(client, about) for about in order}

    return clock.simulate(main())


def test_luck_hangs_on_what_is_asked_and_not_on_when() -> None:
    one = moments(["tides", "moorings", "fees"], 3)
    assert one == pytest.approx(moments(["fees", "tides", "moorings"], 3))
    assert len({round(each, 6) for each in one.values()}) == 3
    assert one != pytest.approx(moments(["tides", "moorings", "fees"], 4))


OURS = Agent(name="office", instructions="You are the harbour office.", tools=(look_up_tide,))


async def theirs(seats: Seats, request: str) -> str:
    return await agent_loop(seats.seat("office"))


def test_a_seat_meets_the_luck_and_leaves_the_steps_that_our_own_agent_does() -> None:
    async def one(system: Any) -> Any:
        client = connect(answering, profile="calm", seed=5)
        return await run(system, str(ASKED[1]["content"]), client=client)

    mine = clock.simulate(one(OURS))
    other = clock.simulate(one(Foreign(name="office", ask=theirs)))
    assert other.answer == mine.answer
    assert other.usage == mine.usage
    chats = [[s.seconds for s in r.trace.spans if s.operation == "chat"] for r in (mine, other)]
    assert chats[0] == pytest.approx(chats[1])
    assert shape(other.trace.spans)[-3:] == LOOP
    assert other.cost == pytest.approx(mine.cost)


def test_what_a_seat_is_told_of_is_one_step_and_not_two() -> None:
    async def ask(seats: Seats, request: str) -> str:
        client, messages = seats.seat("office"), list(ASKED)
        came = await client.chat.completions.create(model=SMALL, messages=messages, tools=TOOLS)
        message: Any = came.choices[0].message
        call = message.tool_calls[0]
        said = await seats.use(look_up_tide, call.function.arguments)
        answered = {"role": "tool", "tool_call_id": call.id, "content": said}
        messages += [message.model_dump(), answered]
        with seats.given("pilot", "Is the tide high enough?"):
            await seats.seat("pilot").chat.completions.create(model=SMALL, messages=ASKED)
        seats.handed("office", "pilot", "the tide is low")
        last = await client.chat.completions.create(model=SMALL, messages=messages, tools=TOOLS)
        return str(last.choices[0].message.content)

    async def main() -> Any:
        return await run(Foreign(name="office", ask=ask), "?", client=connect(answering))

    result = clock.simulate(main())
    told = [each for each in shape(result.trace.spans) if each[0] != "invoke_workflow"]
    assert told == [
        LOOP[0], LOOP[1], ("delegate", "pilot"), ("invoke_agent", "pilot"), LOOP[0],
        ("handoff", "office -> pilot"), LOOP[2],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(max_turns=7), "max_turns"), (Limits(max_turns=None, max_seconds=20.0), "max_seconds"),
     (Limits(max_turns=None, max_tokens=500), "max_tokens")],
)  # fmt: skip
def test_a_system_that_never_ends_is_ended_with_an_answer_that_says_so(
    limits: Limits, reason: str
) -> None:
    async def for_ever(seats: Seats, request: str) -> str:
        for _ in range(1_000):
            await seats.seat("office").chat.completions.create(model=SMALL, messages=ASKED)
        raise AssertionError("nobody ended it")

    async def main() -> Any:
        return await run(Foreign(name="office", ask=for_ever, limits=limits), "?")

    result = clock.simulate(main())
    assert result.stop.reason == reason
    assert result.answer == result.stop.told
    if limits.max_turns:
        assert len([s for s in result.trace.spans if s.operation == "chat"]) == limits.max_turns


async def streamed(seats: Seats, request: str) -> str:
    return await agent_loop(seats.seat("office"), stream=True)


async def by_itself(seats: Seats, request: str) -> str:
    """A framework that takes an error for an answer, and goes on."""
    said: list[str] = []
    for _ in range(5):
        with suppress(ModelError):
            said.append(await theirs(seats, request))
    return f"{len(said)} answers"


def under(budget: Budget, ask: Any) -> Any:
    async def main() -> Any:
        with budget.in_force():
            return await run(Foreign(name="office", ask=ask), "?", client=connect(answering))

    return clock.simulate(main())


async def unseated(seats: Seats, request: str) -> str:
    """A framework whose agent has no seat."""
    return await agent_loop(connect(answering))


@pytest.mark.parametrize("ask", [theirs, streamed, unseated])
def test_calls_of_a_framework_are_charged_to_the_budgets_around_its_run(ask: Any) -> None:
    budget = Budget(tokens=5_000)
    result = under(budget, ask)
    assert result.stop is None
    assert (budget.made, budget.held, budget.spent) == (2, 0, result.usage.total)
    chats = [s for s in result.trace.spans if s.operation == "chat"]
    counted = [int(s.attributes[f"gen_ai.usage.{which}_tokens"])
               for which in ("input", "output") for s in chats]  # fmt: skip
    assert budget.spent == sum(counted) > 0


@pytest.mark.parametrize("ask", [theirs, streamed, by_itself, unseated])
@pytest.mark.parametrize(
    ("budget", "reason"), [({"calls": 1}, "max_calls"), ({"tokens": 150}, "max_tokens")]
)
def test_a_budget_that_is_used_up_ends_a_framework_s_run_and_is_said(
    ask: Any, budget: dict[str, int], reason: str
) -> None:
    limited = Budget(**budget)
    result = under(limited, ask)
    assert result.stop.reason == reason
    assert result.answer == result.stop.told
    assert (limited.made, limited.held) == (1, 0)
    assert limited.tokens is None or limited.spent <= limited.tokens


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("around", [Trace("theirs").record, nullcontext])
def test_calls_on_no_seat_are_charged_to_the_budgets_around_them(
    around: Any, *, stream: bool
) -> None:
    async def main(budget: Budget) -> str:
        with around(), budget.in_force():
            return await agent_loop(connect(answering), stream=stream)

    budget = Budget(tokens=5_000)
    assert clock.simulate(main(budget))
    assert (budget.made, budget.held) == (2, 0)
    assert budget.spent == budget.read + budget.written > 0
    with pytest.raises(BudgetExceeded, match="max_calls is 1"):
        clock.simulate(main(Budget(calls=1)))


def test_what_the_service_refused_costs_a_framework_nothing() -> None:
    def refuses(_: ChatRequest) -> Reply:
        raise ApiError(400, "no such thing")

    async def main() -> None:
        with budget.in_force(), pytest.raises(APIStatusError):
            await run(Foreign(name="office", ask=theirs), "?", client=connect(refuses))

    budget = Budget(tokens=5_000)
    clock.simulate(main())
    assert (budget.made, budget.held, budget.spent) == (1, 0, 0)


def test_a_seat_stands_in_the_run_s_line() -> None:
    failed: list[int] = []

    def model(request: ChatRequest) -> Reply:
        if request.key.attempt < 2:
            failed.append(request.key.attempt)
            raise ApiError(503, "busy", type="server_error")
        return Reply("Hello.")

    async def main() -> Any:
        client: Any = Line(connect(model), backoff=Backoff(tries=3))
        return await run(Foreign(name="office", ask=theirs), "?", client=client)

    result = clock.simulate(main())
    assert result.answer == "Hello."
    assert failed == [0, 1]
    chats = [each for each in result.trace.spans if each.operation == "chat"]
    attempts = [each.attributes["switchboard.attempt"] for each in chats]
    assert attempts == [1, 2, 3]


def test_an_error_of_a_framework_is_raised_in_its_own_words() -> None:
    class Theirs(Exception):
        pass

    async def breaks(seats: Seats, request: str) -> str:
        raise Theirs("max turns exceeded")

    with pytest.raises(Theirs, match="max turns exceeded"):
        clock.simulate(run(Foreign(name="office", ask=breaks), "?"))
