"""Exercise 1.5: the pieces of a streamed answer, joined."""

from __future__ import annotations

from course.models import Call
from graders.exercises.expected import usage_of
from graders.exercises.house_tools import ROOM
from graders.exercises.kit import *

_STAGE = """
from course import SMALL


async def streamed(bench):
    request = {"model": SMALL, "messages": [{"role": "user", "content": "Where to?"}]}
    if bench.params["tools"]:
        request["tools"] = [each.spec() for each in bench.tools]
    return await bench.client.chat.completions.create(
        **request, stream=True, stream_options={"include_usage": True}
    )


async def joined(bench, student):
    chunks = in_turn(bench, await streamed(bench))
    answer = await student.join_deltas(chunks, lambda text: bench.mark("piece", text))
    async for _ in chunks:  # what was left unread belongs to the answer that is expected, too
        pass
    usage = {"input": answer.usage.input, "output": answer.usage.output}
    said = {"message": answer.message, "usage": usage, "finish_reason": answer.finish_reason}
    return {**said, "fields": sorted(answer.message)}


async def in_turn(bench, chunks):
    # the pieces as they come, but those of several calls by turns: first each call's first
    held = {}
    async for chunk in chunks:
        for choice in chunk.choices:
            if choice.delta.content:
                bench.mark("came", choice.delta.content)
        index = next((call.index for c in chunk.choices for call in c.delta.tool_calls or ()), None)
        if index is not None:
            held.setdefault(index, []).append(chunk)
            continue
        while any(held.values()):
            for each in held.values():
                if each:
                    yield each.pop(0)
        yield chunk


async def without_reason(chunks):
    # all but the piece that says why the answer ended: even the usage comes
    async for chunk in chunks:
        if not any(choice.finish_reason for choice in chunk.choices):
            yield chunk


async def stage(bench, student):
    whole = await joined(bench, student)
    if not bench.params["half"]:
        return {"whole": whole}
    try:
        chunks = await streamed(bench)
        half = await student.join_deltas(without_reason(chunks), lambda text: None)
    except Exception as error:
        return {"whole": whole, "half": [kind.__name__ for kind in type(error).__mro__]}
    return {"whole": whole, "half": ["an answer", half.message]}
"""
_ARRIVAL = 4.0  # seconds until the last piece of an answer is there


def _answering(
    text: str | None, calls: int = 0, *, cut: bool = False, half: bool = False
) -> ScenarioMaker:
    """A model that answers with a text, with calls, or with both."""

    def world(draw: random.Random) -> Scenario:
        rides = [Call("lift", f'{{"floor":{draw.randrange(1, 9)}}}') for _ in range(calls - 1)]
        rooms = [Call("room", f'{{"number":{draw.randrange(10, 90)}}}')] if calls else []

        def says(ask: Ask) -> Answer:
            said = f"{text} {ask.token}, then left." if text else None
            reason: Any = "length" if cut else None
            return Answer(Reply(said, (*rooms, *rides), finish_reason=reason), seconds=_ARRIVAL)

        return Scenario((LIFT, ROOM), says, {"tools": bool(calls), "half": half})

    return world


def _message(asked: Exchange) -> dict[str, Any]:
    """What the request would have got without streaming."""
    text, calls = asked.reply["text"], asked.reply["calls"]
    if not calls:
        return {"role": "assistant", "content": text or ""}
    listed = [
        {"id": each["id"], "function": {"name": each["name"], "arguments": each["arguments"]}}
        for each in calls
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": listed}


def _whole(log: Log) -> dict[str, Any]:
    asked = log.requests()[0]
    message = _message(asked)
    read, written = usage_of(asked)
    said = {
        "message": message,
        "fields": sorted(message),
        "finish_reason": asked.reply["finish_reason"],
        "usage": {"input": read, "output": written},
    }
    return {"whole": said}


def _heard(log: Log) -> Any:
    """What came of the whole answer, with the pieces that were passed on, each at its time."""
    return {"whole": {"pieces": _marks(log, "piece")}}


def _marks(log: Log, name: str) -> list[tuple[float, str]]:
    return [(mark.time, str(mark.value)) for mark in log.marked(name)]


def _until(pieces: Iterable[tuple[float, str]], time: float) -> str:
    return "".join(piece for at, piece in pieces if at <= time)


def _pieces(log: Log) -> Any:
    asked = log.requests()[0]
    text = asked.reply["text"] or ""

    came = _marks(log, "came")

    def one_by_one(pieces: Any) -> bool:
        if "".join(piece for _, piece in pieces) != text:
            return False
        return all(_until(pieces, time) == _until(came, time) for time, _ in came)

    told = "the text in pieces, each given to on_text as it comes" if text else "no text"
    return {"whole": {"pieces": such_that(told, one_by_one)}}


def _unstreamed(look: str) -> Checks:
    return lambda world: [
        fits(_whole, look=f"look at {look}"),
        viewed(_heard, fits(_pieces, look="look at where you call on_text")),
    ]


def _not_half(world: Scenario) -> list[Any]:
    refused = such_that("a ModelError", lambda kinds: "ModelError" in kinds)
    return [
        fits(_whole, look="look at how the pieces are joined"),
        fits({"half": refused}, look="has a piece with a finish reason come?"),
    ]


JOIN_DELTAS = Exercise(
    "1.5", ("join_deltas",), (
        Trial("joins text and passes each piece on", _STAGE, _answering("To the third floor,"),
              _unstreamed("how the text is put together, and at the last piece's usage"), 0.5),
        Trial("joins several tool calls", _STAGE, _answering(None, 3),
              _unstreamed("the index, which says to which call a piece belongs")),
        Trial("streams text and a call as if it were not streamed", _STAGE,
              _answering("One moment,", 1), _unstreamed("what becomes of text beside a call"), 0.5),
        Trial("streams a cut-off text as if it were not streamed", _STAGE,
              _answering("To the", cut=True), _unstreamed("where the finish reason comes from"),
              0.5),
        Trial("does not take half an answer for a whole one", _STAGE,
              _answering("To the second floor,", half=True), _not_half, 0.5),
    ),
    places={
        "whole": "the answer",
        "whole.message": "the answer's message",
        "whole.message.tool_calls.*": "the {} call of the message",
        "whole.message.tool_calls": "the message's `tool_calls`",
        "whole.message.content": "the message's `content`",
        "whole.usage": "the answer's usage",
        "whole.finish_reason": "the answer's `finish_reason`",
        "whole.pieces": "what `on_text` was given",
        "whole.pieces.*": "the {} piece that `on_text` was given",
        "whole.fields": "the message's fields",
        "half": "what comes of a stream that ends too early",
        "half.*": "what comes of a stream that ends too early",
    },
    finished={"join_deltas": "course.chat:join_deltas"},
)  # fmt: skip
