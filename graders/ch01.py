"""Hidden checks of chapter 01.

Each works on the student's definition alone: what it builds on is the finished version, put into
the notebook's names for as long as the check runs.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Literal

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk
from pydantic import Field

import course.agent as finished
from course import SMALL, Agent, Context, Limits, ToolError, clock, connect, tool
from course.chat import Answer, Usage, read
from course.errors import ModelError, ToolDefinitionError
from course.models import ApiError, Call, ChatRequest, Reply, Scripted
from course.notebook import check, given
from graders.helpers import expect, expect_raises

Describe = Callable[[Callable[..., Any]], dict[str, Any]]


def more_1_1(describe: Describe) -> None:
    """Defaults, descriptions, choices, a parameter called title, an untyped parameter."""

    def repaint(
        car: Annotated[str, Field(description="number plate")],
        colour: Literal["red", "green"] = "red",
        title: str = "",
    ) -> str:
        """Paint a car.

        It takes two days.
        """
        return car + colour + title

    def untyped(car) -> str:  # type: ignore[no-untyped-def]
        """Paint a car."""
        return str(car)

    with check("1.1 describes every parameter"):
        said = describe(repaint)
        fields = said["parameters"]["properties"]
        expect(sorted(fields), ["car", "colour", "title"], "the parameters")
        expect(said["parameters"]["required"], ["car"], "the required ones", look="defaults")
        expect(fields["car"].get("description"), "number plate", "the description of `car`")
        expect(fields["colour"].get("enum"), ["red", "green"], "the choices of `colour`")
        expect("title" in fields["car"], False, "a title in the schema of `car`")
        expect(said["description"], "Paint a car.\n\nIt takes two days.", "the description")
        expect(said["name"], "repaint", "the name")
    with check("1.1 refuses a parameter without a type"):
        expect_raises(ToolDefinitionError, lambda: describe(untyped), "an untyped parameter")


@tool
def room(number: int, floor: int = 0) -> dict[str, int]:
    """Find a room."""
    return {"number": number, "floor": floor}


@tool
async def lift(floor: int) -> str:
    """Send the lift to a floor."""
    await asyncio.sleep(floor)
    if floor > 9:
        raise ToolError("the lift goes to floor 9 at most")
    return f"floor {floor}"


@tool
def stairs() -> str:
    """Take the stairs."""
    raise KeyError("no stairs")


@tool(timeout=2.0)
async def basement() -> str:
    """Go where nobody answers."""
    await asyncio.Event().wait()
    return "never"


TOOLS = (room, lift, stairs, basement)
ANSWERED = (finished.answer_call,)
LOOPED = (finished.ask, finished.answer_calls, finished.answer_call)


def _call(name: str, arguments: str, number: int = 1) -> dict[str, Any]:
    return {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def more_1_2(answer_call: Callable[..., Any]) -> None:
    """JSON results, conversion, every kind of failure, none of them raised."""

    def content(name: str, arguments: str = "{}") -> str:
        message = clock.run(answer_call(_call(name, arguments, 7), TOOLS))
        expect(message["role"], "tool", "the message's role")
        expect(message["tool_call_id"], "call_7", "the id", look="the call's own id")
        expect(type(message["content"]), str, "the type of the content", look="JSON as text")
        return str(message["content"])

    def error(name: str, arguments: str = "{}") -> str:
        found = json.loads(content(name, arguments))
        expect(list(found), ["error"], f"the keys of the content after a bad call of {name}")
        return str(found["error"])

    with check("1.2 gives results back as text or JSON"):
        expect(json.loads(content("room", '{"number": 4}')), {"number": 4, "floor": 0}, "the room")
        expect(content("lift", '{"floor": 3}'), "floor 3", "the result of an async tool")
    with check("1.2 turns whatever goes wrong into an error the model can read"):
        expect("goes to floor 9" in error("lift", '{"floor": 12}'), True, "the tool's own reason")
        expect("no stairs" in error("stairs"), True, "the exception's message in the content")
        expect("number" in error("room", '{"number": "x"}'), True, "the argument's name")
        expect("JSON" in error("room", '{"number": '), True, "that the arguments are not JSON")
        expect("lift" in error("escalator"), True, "the names of the tools there are")
        expect("2" in error("basement"), True, "the seconds a silent tool was given")


def more_1_3(answer_calls: Callable[..., Any]) -> None:
    """Order, overlap, a failure among others, many, none."""

    async def timed(calls: list[dict[str, Any]]) -> tuple[list[Any], float]:
        answers = await answer_calls(calls, TOOLS)
        return list(answers), clock.now()

    floors = [3, 12, 1, 9, 2]
    calls = [_call("lift", json.dumps({"floor": f}), n) for n, f in enumerate(floors)]
    with check("1.3 keeps the order, a failure included"), given(*ANSWERED, into=answer_calls):
        answers, seconds = clock.run(timed(calls))
        ids = [answer["tool_call_id"] for answer in answers]
        expect(ids, [f"call_{n}" for n in range(5)], "the ids of the answers")
        expect(answers[3]["content"], "floor 9", "the fourth answer")
        expect("error" in json.loads(answers[1]["content"]), True, "an error for floor 12")
        expect(seconds, 12, "the seconds for all of them", look="what is awaited when")
    with check("1.3 answers no calls with no messages"), given(*ANSWERED, into=answer_calls):
        expect(clock.run(timed([]))[0], [], "the answers")


def _climbs(times: int) -> Scripted:
    def reply(request: ChatRequest) -> Reply | str:
        floor = sum(message["role"] == "assistant" for message in request.messages)
        if floor < times:
            return Reply(calls=(Call("lift", json.dumps({"floor": floor})), Call("stairs", "{}")))
        return "arrived"

    return Scripted(reply)


def _refuses_the_third(request: ChatRequest) -> Reply | str:
    if sum(message["role"] == "assistant" for message in request.messages) == 2:
        raise ApiError(404, "the model is gone", code="model_not_found")
    return Reply(calls=(Call("room", '{"number": 1}'),))


def more_1_4(loop: Callable[..., Any]) -> None:
    """Other caps, tokens, seconds, an answer cut off, a model that goes away."""

    def went(model: Scripted, **limits: Any) -> tuple[Any, Any, tuple[Any, ...] | None]:
        climber = Agent(name="climber", tools=TOOLS, limits=Limits(**limits))
        start = Context.of("Go up.", instructions="You climb.")
        context, usage, stop = clock.run(loop(climber, start, client=connect(model)))
        return context, usage, (stop.reason, stop.limit, stop.value) if stop else None

    with check("1.4 keeps to other limits too"), given(*LOOPED, into=loop):
        context, _, stop = went(_climbs(99), max_turns=3)
        expect(stop, ("max_turns", 3, 3), "the stop of a loop with three turns")
        expect(len(context.messages), 2 + 3 * 3, "the messages kept")
        _, usage, stop = went(_climbs(99), max_tokens=300)
        expect(stop and stop[:2], ("max_tokens", 300), "the stop at 300 tokens")
        expect(stop and stop[2], usage.total, "the tokens the stop names", look="usage.total")
        _, _, stop = went(_climbs(99), max_seconds=5.0)
        expect(stop, ("max_seconds", 5.0, 6.0), "the stop after 0, 1, 2 and 3 seconds of climbing")
    with check("1.4 answers every call before it asks again"), given(*LOOPED, into=loop):
        context, _, stop = went(_climbs(2))
        roles = [message["role"][0] for message in context.messages]
        expect("".join(roles), "suattatta", "the roles, by first letters")
        expect((stop, context.answer), (None, "arrived"), "stop and answer")
    with check("1.4 says when an answer was cut off"), given(*LOOPED, into=loop):
        _, _, stop = went(Scripted(lambda _: Reply(text="Well, I", finish_reason="length")))
        expect(stop and stop[0], "length", "the stop of a cut-off answer", look="cut_off")
    with check("1.4 loses nothing when the model goes away"), given(*LOOPED, into=loop):
        error = expect_raises(ModelError, lambda: went(Scripted(_refuses_the_third)), "no model")
        kept = getattr(error, "context", None)
        expect(kept and len(kept.messages), 6, "the messages in the error's context")


def _always(reply: Reply) -> Scripted:
    return Scripted(lambda _: reply)


async def _both_ways(
    join_deltas: Callable[..., Any], client: AsyncOpenAI, tools: list[dict[str, Any]]
) -> tuple[Any, list[str], Answer]:
    """What `join_deltas` makes of a streamed reply, its pieces, and the same reply in one go."""
    ask: dict[str, Any] = {
        "model": SMALL,
        "messages": [{"role": "user", "content": "Where to?"}],
    }
    if tools:
        ask["tools"] = tools
    pieces: list[str] = []
    stream = await client.chat.completions.create(
        **ask, stream=True, stream_options={"include_usage": True}
    )
    joined = await join_deltas(stream, pieces.append)
    return joined, pieces, read(await client.chat.completions.create(**ask))


def _without_ids(message: Any) -> Any:
    """The message without the calls' ids, which each request gets anew."""
    plain = json.loads(json.dumps(message))
    for each in plain.get("tool_calls", []):
        expect(bool(each.pop("id")), True, "an id for each call", look="the call's first piece")
        each.pop("type", None)
    return plain


async def _broken_off(join_deltas: Callable[..., Any]) -> None:
    """Join a stream whose connection is lost before its end."""

    async def first_pieces() -> AsyncIterator[ChatCompletionChunk]:
        async for chunk in stream:
            if any(choice.finish_reason for choice in chunk.choices):
                return
            yield chunk

    stream = await connect(_always(Reply(text="To the third floor."))).chat.completions.create(
        model=SMALL, messages=[{"role": "user", "content": "Where to?"}], stream=True
    )
    await join_deltas(first_pieces(), lambda _: None)


def more_1_5(join_deltas: Callable[..., Any]) -> None:
    """Text, calls, both, cut off: always what the unstreamed request gives; half is refused."""
    replies = {
        "text": Reply(text="To the third floor, then left."),
        "two calls": Reply(calls=(Call("lift", '{"floor":3}'), Call("room", '{"number":31}'))),
        "text and a call": Reply(text="One moment.", calls=(Call("room", '{"number":4}'),)),
        "a cut-off text": Reply(text="To the", finish_reason="length"),
    }
    tools = [each.spec() for each in TOOLS]
    for what, reply in replies.items():
        client = connect(_always(reply))
        with check(f"1.5 streams {what} as if it were not streamed"):
            joined, pieces, whole = clock.run(_both_ways(join_deltas, client, tools))
            expect(_without_ids(joined.message), _without_ids(whole.message), "the message")
            expect(joined.finish_reason, whole.finish_reason, "the finish reason")
            expect(Usage(joined.usage.input, joined.usage.output), whole.usage, "the usage")
            expect("".join(pieces), reply.text or "", "the text given to on_text")
    with check("1.5 does not take half an answer for a whole one"):
        expect_raises(
            ModelError,
            lambda: clock.run(_broken_off(join_deltas)),
            "a stream that ends before a finish reason",
        )
