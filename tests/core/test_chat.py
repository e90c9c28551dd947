"""One model call: streaming equals not streaming, and what is no answer is said in one line."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from course import clock, connect
from course.answers import Answer, Usage
from course.chat import complete, join_deltas, read
from course.errors import ModelError, UnexpectedRequest, VirtualTimeError
from course.models import SMALL, ApiError, ChatRequest, Scripted
from course.models.line import guarded
from course.trace import Trace
from tests.core import wire

BODY = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}


def ask(handler: wire.Handler, *, stream: bool = False) -> Answer:
    heard: list[str] = []
    on_text = heard.append if stream else None
    return clock.simulate(complete(wire.client(handler), BODY, on_text=on_text))


def join(pieces: list[dict[str, Any]], heard: list[str] | None = None) -> Answer:
    async def arriving() -> AsyncIterator[ChatCompletionChunk]:
        for piece in pieces:
            await asyncio.sleep(0.1)
            yield ChatCompletionChunk.model_validate(piece)

    return clock.simulate(join_deltas(arriving(), (heard if heard is not None else []).append))


def call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


# an answer


def test_an_answer_is_message_usage_and_reason() -> None:
    answer = ask(wire.saying(wire.completion({"role": "assistant", "content": "Hi"})))
    assert answer == Answer({"role": "assistant", "content": "Hi"}, Usage(12, 3), "stop")


def test_calls_come_back_in_wire_form_ready_to_be_sent_again() -> None:
    calls = [call("a", "find", '{"x": 1}'), call("b", "find", "{}")]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    answer = ask(wire.saying(wire.completion(message, finish_reason="tool_calls")))
    assert answer.message == message
    assert answer.finish_reason == "tool_calls"


def test_no_usage_counts_as_none_used() -> None:
    body = wire.completion({"role": "assistant", "content": "Hi"}, usage=None)
    assert ask(wire.saying(body)).usage == Usage(0, 0)


@pytest.mark.parametrize("content", [None, ""])
def test_an_answer_without_words_or_calls_is_empty_text_which_every_api_takes_back(
    content: str | None,
) -> None:
    answer = ask(wire.saying(wire.completion({"role": "assistant", "content": content})))
    assert answer.message == {"role": "assistant", "content": ""}


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_what_the_assistant_said(stream: bool) -> None:
    said = {"role": "assistant", "content": None, "refusal": "I may not."}
    handler = (
        wire.streaming(
            [wire.chunk({"refusal": "I may not."}), wire.chunk({}, finish_reason="stop")]
        )
        if stream
        else wire.saying(wire.completion(said))
    )
    assert ask(handler, stream=stream).message["content"] == "I may not."


@given(*[st.integers(0, 10**6)] * 4)
def test_usage_adds_up(a: int, b: int, c: int, d: int) -> None:
    both = Usage(a, b) + Usage(c, d)
    assert (both.input, both.output, both.total) == (a + c, b + d, a + b + c + d)


# streaming


TEXT = st.text(max_size=30)
NAMES = st.text("abcdefgh_", min_size=1, max_size=8)
CALLS = st.lists(st.tuples(st.uuids().map(str), NAMES, TEXT), max_size=3)


def cut(draw: st.DrawFn, text: str) -> list[str]:
    """Any split of a text into pieces, empty ones included."""
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


def deltas_of_a_call(draw: st.DrawFn, index: int, it: tuple[str, str, str]) -> list[dict[str, Any]]:
    id, name, arguments = it
    first, *rest = cut(draw, arguments)
    begin = {"index": index, "id": id, "type": "function"}
    pieces = [{**begin, "function": {"name": name, "arguments": first}}]
    pieces += [{"index": index, "function": {"arguments": piece}} for piece in rest]
    return [{"tool_calls": [piece]} for piece in pieces]


@st.composite
def replies(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A reply as one body and as pieces: text first, then the calls' pieces interleaved."""
    text, calls = draw(st.none() | TEXT), draw(CALLS)
    reason = "tool_calls" if calls else draw(st.sampled_from(["stop", "length", "content_filter"]))
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [call(*it) for it in calls]
    deltas = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in (cut(draw, text) if text else [])]
    queues = [deltas_of_a_call(draw, i, it) for i, it in enumerate(calls)]
    while any(queues):
        deltas.append(draw(st.sampled_from([q for q in queues if q])).pop(0))
    pieces = [wire.chunk(delta) for delta in deltas]
    pieces += [wire.chunk({}, finish_reason=reason), wire.usage_chunk()]
    return wire.completion(message, finish_reason=reason), pieces


@given(replies())
def test_however_a_reply_is_cut_it_is_the_answer_that_came_in_one_piece(
    reply: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    body, pieces = reply
    heard: list[str] = []
    answer = join(pieces, heard)
    assert answer == read(ChatCompletion.model_validate(body))
    assert "".join(heard) == (body["choices"][0]["message"]["content"] or "")


@settings(max_examples=25)
@given(replies())
def test_streaming_through_the_client_gives_the_same_answer(
    reply: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    body, pieces = reply
    assert ask(wire.streaming(pieces), stream=True) == ask(wire.saying(body))


def test_text_is_handed_on_as_it_arrives() -> None:
    heard: list[tuple[float, str]] = []

    async def arriving() -> AsyncIterator[ChatCompletionChunk]:
        for delta in ({"content": "Hel"}, {"content": "lo"}):
            await asyncio.sleep(1)
            yield ChatCompletionChunk.model_validate(wire.chunk(delta))
        yield ChatCompletionChunk.model_validate(wire.chunk({}, finish_reason="stop"))

    clock.simulate(join_deltas(arriving(), lambda text: heard.append((clock.now(), text))))
    assert heard == [(1, "Hel"), (2, "lo")]


def test_a_stream_asks_for_its_usage() -> None:
    asked: list[dict[str, Any]] = []
    answer = wire.streaming([wire.chunk({"content": "Hi"}, finish_reason="stop")])

    def handler(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return answer(request)

    ask(handler, stream=True)
    assert asked == [{**BODY, "stream": True, "stream_options": {"include_usage": True}}]


def test_an_error_of_the_listener_is_the_listener_s() -> None:
    def listen(text: str) -> None:
        raise AttributeError("the listener's own")

    handler = wire.streaming([wire.chunk({"content": "Hi"}, finish_reason="stop")])
    with pytest.raises(AttributeError, match="the listener's own"):
        clock.simulate(complete(wire.client(handler), BODY, on_text=listen))


# what is no answer


def page(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, html="<h1>Welcome to the router</h1>")


def broken_json(request: httpx2.Request) -> httpx2.Response:
    headers = {"content-type": "application/json"}
    return httpx2.Response(200, content=b'{"choices": [', headers=headers)


NO_ANSWERS: dict[str, wire.Handler] = {
    "HTML": page,
    "broken JSON": broken_json,
    "a list": wire.saying([1]),
    "null": wire.saying(None),
    "a string": wire.saying("hello"),
    "nothing": wire.saying({}),
    "choices null": wire.saying(wire.completion({}, choices=None)),
    "choices empty": wire.saying(wire.completion({}, choices=[])),
    "choices text": wire.saying(wire.completion({}, choices="hello")),
    "choices an object": wire.saying(wire.completion({}, choices={"0": {}})),
    "no message": wire.saying(wire.completion({}, choices=[{"index": 0}])),
    "message null": wire.saying(wire.completion(None)),
    "message text": wire.saying(wire.completion("hello")),
    "content a list": wire.saying(wire.completion({"content": [{"type": "text", "text": "x"}]})),
    "call without function": wire.saying(wire.completion({"tool_calls": [{"id": "a"}]})),
    "call without name": wire.saying(
        wire.completion({"tool_calls": [{"id": "a", "function": {"arguments": "{}"}}]})
    ),
    "call without arguments": wire.saying(
        wire.completion({"tool_calls": [{"id": "a", "function": {"name": "find"}}]})
    ),
    "call without id": wire.saying(
        wire.completion({"tool_calls": [{"function": {"name": "find", "arguments": "{}"}}]})
    ),
    "arguments an object": wire.saying(
        wire.completion({"tool_calls": [call("a", "find", "{}") | {"function": {"arguments": {}}}]})
    ),
    "calls text": wire.saying(wire.completion({"tool_calls": "find"})),
    "usage text": wire.saying(wire.completion({"content": "x"}, usage={"prompt_tokens": "many"})),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("handler", NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
def test_what_is_no_answer_is_said_in_one_line(handler: wire.Handler) -> None:
    with pytest.raises(ModelError, match="no Chat Completions answer: check OPENAI_BASE_URL") as e:
        ask(handler)
    assert "\n" not in str(e.value)
    assert e.value.__cause__ is not e.value


HELLO = wire.chunk({"content": "Hel"})
NO_STREAMS: dict[str, tuple[wire.Handler, str]] = {
    "HTML": (page, "broke off before its end"),
    "one JSON body": (wire.saying(wire.completion({"content": "x"})), "broke off before its end"),
    "no pieces": (wire.streaming([]), "broke off before its end"),
    "cut off": (wire.streaming([HELLO], end=""), "broke off before its end"),
    "cut off in a piece": (wire.streaming([HELLO, '{"id'], end=""), "it is not JSON"),
    "broken JSON": (wire.streaming(["{nope"]), "it is not JSON"),
    "a number": (wire.streaming(["3"]), "no Chat Completions answer"),
    "no choices": (wire.streaming(['{"id": "x"}']), "no Chat Completions answer"),
    "delta null": (wire.streaming([wire.chunk(None)]), "no Chat Completions answer"),
    "an error": (wire.streaming([{"error": {"message": "overloaded"}}]), "broke off: overloaded"),
}


@pytest.mark.parametrize(("handler", "reason"), NO_STREAMS.values(), ids=NO_STREAMS.keys())
def test_a_stream_that_is_no_answer_is_said_in_one_line(handler: wire.Handler, reason: str) -> None:
    with pytest.raises(ModelError, match=reason) as caught:
        ask(handler, stream=True)
    assert "\n" not in str(caught.value)


def test_a_line_that_goes_dead_in_mid_answer_is_told() -> None:
    async def dying() -> AsyncIterator[bytes]:
        yield b"data: " + json.dumps(HELLO).encode() + b"\n\n"
        raise httpx2.RemoteProtocolError("the peer hung up")

    headers = {"content-type": "text/event-stream"}
    with pytest.raises(ModelError, match=r"cannot be reached .*the peer hung up"):
        ask(lambda r: httpx2.Response(200, content=dying(), headers=headers), stream=True)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, {"error": {"message": "no such model"}}, r"\(400\): no such model$"),
        (401, {"error": {"message": f"Incorrect key: {wire.KEY}"}}, "check OPENAI_API_KEY"),
        (403, {"error": {"message": f"{wire.KEY} may not"}}, r"\(403\): \(the key\) may not$"),
        (404, "not here", r"\(404\): "),
        (429, {"error": {"message": "slow down\nplease"}}, r"\(429\): slow down$"),
        (500, None, r"\(500\): "),
    ],
)
def test_a_refused_request_is_told_without_the_key(
    status: int, body: Any, reason: str, stream: bool
) -> None:
    trace = Trace("refused")
    with trace.record(), pytest.raises(ModelError, match=reason) as caught:
        ask(wire.saying(body, status=status), stream=stream)
    assert "\n" not in str(caught.value)
    assert wire.KEY not in str(caught.value)
    assert wire.KEY not in trace.to_json()


def failing(error: Exception) -> wire.Handler:
    def handler(request: httpx2.Request) -> httpx2.Response:
        raise error

    return handler


def test_a_model_that_cannot_be_reached_or_is_late_is_told() -> None:
    with pytest.raises(ModelError, match=r"cannot be reached .*nobody there.*OPENAI_BASE_URL"):
        ask(failing(httpx2.ConnectError("nobody there")))
    with pytest.raises(ModelError, match="did not answer in time"):
        ask(failing(httpx2.ReadTimeout("late")))


def test_an_error_of_the_script_behind_the_model_comes_out_as_it_is() -> None:
    with pytest.raises(UnexpectedRequest, match="what was that") as caught:
        ask(failing(UnexpectedRequest("what was that")))
    assert caught.value.__cause__ is None


def test_an_endpoint_under_virtual_time_is_refused_by_the_clock() -> None:
    import openai

    client = openai.AsyncOpenAI(api_key="x", base_url="http://127.0.0.1:9/v1", max_retries=0)
    with pytest.raises(VirtualTimeError, match="a socket does not belong in virtual time"):
        clock.simulate(complete(client, BODY))


def test_text_that_no_encoding_holds_is_told() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "half a \ud800 pair"}]}
    with pytest.raises(ModelError, match="holds what is not text"):
        clock.simulate(complete(wire.client(wire.saying(wire.completion({"content": "x"}))), body))


# the span


def test_a_call_is_recorded_with_what_it_cost() -> None:
    trace = Trace("call")
    with trace.record():
        ask(wire.saying(wire.completion({"role": "assistant", "content": "Hi"})))
    [span] = trace.spans
    assert (span.operation, span.name, span.status) == ("chat", "m", "ok")
    assert span.attributes == {
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m",
        "switchboard.attempt": 1,
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.response.finish_reasons": "stop",
    }


def test_each_request_is_a_span_and_each_wait_one_beside_it() -> None:
    def moody(request: ChatRequest) -> str:
        if request.key.attempt < 2:
            raise ApiError(503, "overloaded")
        return "ok"

    trace, heard = Trace("call"), list[str]()
    line = guarded(connect(Scripted(moody, latency=2.0), profile="calm"))
    body = {**BODY, "model": SMALL}
    with trace.record():
        clock.simulate(complete(line, body, agent="desk", role="lead", on_text=heard.append))
    told = [(s.operation, s.attributes.get("switchboard.attempt"), s.status) for s in trace.spans]
    assert told == [
        ("chat", 1, "error"),
        ("wait", None, "error"),
        ("chat", 2, "error"),
        ("wait", None, "error"),
        ("chat", 3, "ok"),
    ]
    assert all(span.parent_id is None for span in trace.spans)
    first, *_, last = trace.spans
    assert first.attributes["error.type"] == "InternalServerError"
    assert first.error == "the model refused the request (503): overloaded"
    assert last.attributes["gen_ai.agent.name"] == "desk"
    assert last.attributes["switchboard.role"] == "lead"
    waited = last.attributes["gen_ai.response.time_to_first_chunk"]
    assert isinstance(waited, float)
    assert 2 < waited < last.seconds
    assert trace.total("switchboard.cost_usd") > 0
    assert trace.total("gen_ai.usage.output_tokens") == 1


def test_what_somebody_reads_along_is_not_begun_again() -> None:
    pieces = [wire.chunk({"content": "Hel"}), wire.chunk({}, finish_reason=None)]
    heard: list[str] = []
    line = guarded(wire.client(wire.streaming(pieces, end="")))
    with pytest.raises(ModelError, match="broke off"):
        clock.simulate(complete(line, BODY, on_text=heard.append))
    assert heard == ["Hel"]


def test_a_trace_that_keeps_messages_has_what_was_asked_and_answered() -> None:
    trace = Trace("call", messages=True)
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi? \ud83d"}]}
    client = wire.client(wire.saying(wire.completion({"role": "assistant", "content": "Hi"})))
    with trace.record(), pytest.raises(ModelError, match="holds what is not text"):
        clock.simulate(complete(client, body))
    with trace.record():
        clock.simulate(complete(client, BODY))
    failed, answered = (each.attributes for each in trace.spans)
    [asked] = json.loads(str(failed["gen_ai.input.messages"]))
    assert asked == {"role": "user", "parts": [{"type": "text", "content": "Hi? \ud83d"}]}
    assert "gen_ai.output.messages" not in failed
    said = {"role": "assistant", "parts": [{"type": "text", "content": "Hi"}]}
    told = json.loads(str(answered["gen_ai.output.messages"]))
    assert told == [{**said, "finish_reason": "stop"}]


def test_a_failed_call_is_an_error_span_with_its_reason() -> None:
    trace = Trace("call")
    with trace.record(), pytest.raises(ModelError):
        ask(page)
    [span] = trace.spans
    assert span.status == "error"
    assert "no Chat Completions answer" in str(span.error)
    assert span.attributes["error.type"] == "ModelError"
