"""Model calls that somebody else's code makes through a client of the course, on the trace.

A framework that is given the client of `connect` asks it in its own way. Inside a trace
each of its chat completions becomes a `chat` span as the course's own have; on a seat
(`course.foreign`) it waits in the run's line besides and is made again as that says. What keys its
luck is what is asked, never who asks: the trace, whose instructions, what the person said, and how
often that was asked before.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from openai._constants import RAW_RESPONSE_HEADER
from openai._legacy_response import LegacyAPIResponse
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion
from opentelemetry.trace import get_current_span

from course.models.account import Charging, Used, charging
from course.models.line import Line, Tries, insist
from course.models.masking import masked, scrub
from course.models.tokens import count_message, prompt_tokens
from course.models.wire import (
    AGENT_HEADER,
    CALL_HEADER,
    MATTER_HEADER,
    RETRY_HEADER,
    RUN_HEADER,
    Key,
    in_headers,
)
from course.trace import Recording, Span, Trace, all_plain, current, span, within_step

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessage

PATH = "/chat/completions"
LONGEST_ERROR = 300
"""Characters of an error's words that a span keeps."""


@dataclass(frozen=True)
class Seated:
    """Where somebody else's agent sits in a run.

    Attributes:
        agent: its name, which stands in the trace.
        key: gives the headers that key the luck of its next call, and the role it has then.
        line: in which its calls wait and are made again.
        charged: makes its calls on its account.
        told: names of tools and agents that the run was told of since; their calls are on the
            trace already.
    """

    agent: str
    key: Callable[[], tuple[Mapping[str, str], str]]
    line: Line
    charged: Charging
    told: list[str] = field(default_factory=list)


class Client(Protocol):
    """A client of the course, as far as its calls are heard."""

    seat: Seated | None
    secrets: Collection[str]

    async def post(self, path: str, *, cast_to: Any, **more: Any) -> Any:
        """Send a request."""

    def cost(self, model: str, read: int, written: int) -> float | None:
        """What so many tokens cost (US dollars)."""


def is_heard(client: Client, path: str, options: Mapping[str, Any] | None) -> bool:
    """Whether a request is a chat completion of somebody else's, where anybody wants to know.

    The course's own say with each request how often it was made before.
    """
    if path != PATH or RETRY_HEADER in ((options or {}).get("headers") or {}):
        return False
    known = current() is not None or charging.get() is not None
    return client.seat is not None or (known and not _is_told_by_its_maker())


def _is_told_by_its_maker() -> bool:
    """Whether the call has a step already: one around it that somebody opened for it, or a span
    of LiveKit's, whose own join the trace."""
    scope = getattr(get_current_span(), "instrumentation_scope", None)
    return within_step("chat") or (scope is not None and scope.name.startswith("livekit"))


async def hear(
    client: Client, *, body: Mapping[str, Any], options: Mapping[str, Any] | None, **more: Any
) -> Any:
    """Make the request as the client does, in its line and with its span; gives what that gives.

    Raises what the client raises, after the line's last try.
    """
    seat, given = client.seat, dict(options or {})
    _tools_between(body, seat.told if seat else [])

    async def made(fitting: Mapping[str, Any], used: Used) -> Any:
        keys, role = seat.key() if seat else (_own_key(fitting), "")
        call = _Call(client, role, in_headers(keys), given, more, used)
        tries = Tries(fitting, Key.of(call.headers))
        if seat is None:
            return await call.once(tries)
        return await insist(partial(call.once, tries), seat.line.backoff, key=tries.key)

    charged = seat.charged if seat else charging.get()
    return await (charged(body, made) if charged else made(body, lambda read, written: None))


@dataclass(frozen=True, slots=True)
class _Call:
    client: Client
    role: str
    headers: Mapping[str, str]
    options: Mapping[str, Any]
    more: Mapping[str, Any]
    used: Used

    async def once(self, tries: Tries, _: int = 0) -> Any:
        """A try and its span; where the service puts it off, another one after the pause."""
        model, seat = str(tries.body.get("model", "")), self.client.seat
        while True:
            async with seat.line.turn(tries) if seat else nullcontext(0) as made:
                about = {
                    "gen_ai.request.model": model,
                    "gen_ai.agent.name": seat.agent if seat else None,
                    "switchboard.role": self.role or None,
                    "switchboard.attempt": made + 1,
                }
                with span("chat", model, about) as step:
                    if (trace := current()) is not None:
                        _of(trace).around.add(step.parent_id)
                    step.messages("gen_ai.input.messages", tries.body.get("messages") or ())
                    step.tools(tries.body.get("tools") or ())
                    try:
                        came = await self._sent(tries.body, made)
                    except Exception as error:
                        scrub(error, self.client.secrets)
                        step.fail(str(error)[:LONGEST_ERROR], kind=type(error).__name__)
                        raise
                    note = partial(self._noted, step, tries.body)
                    if hasattr(came, "__aiter__"):
                        step.stay_open()
                        return Listening(came, step, note)
                    # any other response that is not read yet is its asker's to read
                    whole = came.parse() if isinstance(came, LegacyAPIResponse) else came
                    if isinstance(whole, ChatCompletion):
                        note(whole)
                    return came

    def _sent(self, body: Mapping[str, Any], made: int) -> Awaitable[Any]:
        given = self.options.get("headers") or {}
        headers = {**given, **self.headers, RETRY_HEADER: str(made)}
        options = {**self.options, "headers": headers}
        whole = self.more.get("cast_to") is ChatCompletion and not self.more.get("stream")
        if whole and RAW_RESPONSE_HEADER not in given and "post_parser" not in options:
            return _completion(self.client.post(PATH, body=body, options=options, cast_to=object))
        return self.client.post(PATH, body=body, options=options, **self.more)

    def _noted(self, step: Recording, body: Mapping[str, Any], came: ChatCompletion) -> None:
        """Write down what came; an answer that is none is its reader's to refuse, as ever."""
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            self._note(step, body, came)

    def _note(self, step: Recording, body: Mapping[str, Any], came: ChatCompletion) -> None:
        model = str(body.get("model", ""))
        read, written = _tokens(body, came)
        step.used(read, written)
        step.set("switchboard.cost_usd", self.client.cost(model, read, written))
        step.set("gen_ai.response.model", came.model)
        if came.choices:
            choice = came.choices[0]
            message = _plain(choice.message, self.client.secrets)
            reason = choice.finish_reason or "stop"
            step.set("gen_ai.response.finish_reasons", reason)
            step.messages("gen_ai.output.messages", [message], finish_reason=reason)
            _note_calls(step, message.get("tool_calls") or ())
        self.used(read, written)


def _tokens(body: Mapping[str, Any], came: ChatCompletion) -> tuple[int, int]:
    """Tokens read and written; counted here where the service does not say, as in a stream whose
    reader has not asked for it."""
    if came.usage is not None:
        return came.usage.prompt_tokens or 0, came.usage.completion_tokens or 0
    return prompt_tokens(body), sum(
        count_message(choice.message.model_dump(exclude_none=True)) for choice in came.choices
    )


async def _completion(sent: Awaitable[Any]) -> Any:
    """An answer that came as JSON, as the SDK makes it of a response; it costs half the CPU."""
    data = await sent
    if not isinstance(data, dict):
        return data
    came = ChatCompletion.construct(**data)
    came._request_id = None
    return came


def _plain(message: ChatCompletionMessage, secrets: Collection[str]) -> dict[str, Any]:
    told = message.model_dump(exclude_none=True, exclude={"parsed"})  # the SDK's own, not sent
    return json.loads(masked(json.dumps(told), secrets)) if secrets else told


class Listening:
    """A stream of pieces as it was, which ends its span when it was read, broken off or closed."""

    def __init__(
        self, stream: Any, step: Recording, note: Callable[[ChatCompletion], None]
    ) -> None:
        self._stream, self._step, self._note = stream, step, note
        self._pieces = _read(stream, step, note)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self._pieces

    async def __anext__(self) -> ChatCompletionChunk:
        return await anext(self._pieces)

    async def __aenter__(self) -> Listening:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop reading."""
        await self._pieces.aclose()
        await self._stream.close()
        self._step.close()


async def _read(
    stream: Any, step: Recording, note: Callable[[ChatCompletion], None]
) -> AsyncGenerator[ChatCompletionChunk, None]:
    seen: list[ChatCompletionChunk] = []
    try:
        async for piece in stream:
            if not seen:
                step.set("gen_ai.response.time_to_first_chunk", step.seconds())
            seen.append(piece)
            yield piece
    except Exception as error:
        step.fail(str(error)[:LONGEST_ERROR], kind=type(error).__name__)
        raise
    finally:
        with suppress(Exception):  # pieces of no answer are their reader's to refuse
            if seen:
                note(_joined(seen))
        step.close()


def _joined(pieces: Sequence[ChatCompletionChunk]) -> ChatCompletion:
    """The answer that the pieces of a stream are, as far as they came, as the SDK joins them."""
    state: ChatCompletionStreamState[Any] = ChatCompletionStreamState()
    for piece in pieces:
        state.handle_chunk(piece)
    return state.current_completion_snapshot


@dataclass(slots=True)
class _Heard:
    """What is known of somebody else's calls in one trace: how often each was made, tool calls
    without a result yet, tools whose steps somebody told of, and the steps around model calls.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    asked: dict[str, tuple[Mapping[str, Any], float, str, str | None]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    around: set[str | None] = field(default_factory=set)


_heard: WeakKeyDictionary[Trace, _Heard] = WeakKeyDictionary()


def _of(trace: Trace) -> _Heard:
    return _heard.setdefault(trace, _Heard())


def is_around(trace: Trace, step: str) -> bool:
    """Whether a model call that was heard began right within this step."""
    return step in _of(trace).around


def tool_told(trace: Trace, name: str) -> None:
    """Say that a call of this tool is on the trace: its maker told of it."""
    _of(trace).told.append(name)


def _own_key(body: Mapping[str, Any]) -> dict[str, str]:
    """What keys a call of somebody without a seat: the trace, whose instructions, what was asked
    first, and how often that was before."""
    if (trace := current()) is None:
        return {}
    who, what = _digest(body, ("system", "developer")), _digest(body, ("user",))
    counts = _of(trace).counts
    counts[who, what] += 1
    return {
        RUN_HEADER: trace.name, AGENT_HEADER: who, MATTER_HEADER: what,
        CALL_HEADER: str(counts[who, what] - 1),
    }  # fmt: skip


def _digest(body: Mapping[str, Any], roles: Collection[str]) -> str:
    said = (m.get("content") for m in body.get("messages") or () if m.get("role") in roles)
    text = json.dumps(next(said, None), default=str)
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=6).hexdigest()


def _note_calls(step: Recording, calls: Iterable[Mapping[str, Any]]) -> None:
    """Keep which tools a model asked for, until a later request has their results."""
    if (trace := current()) is None:
        return
    for call in calls:
        if "function" in call:
            id, begin = trace.reserve()
            _of(trace).asked[call["id"]] = (call["function"], begin, id, step.parent_id)


def _tools_between(body: Mapping[str, Any], told: list[str]) -> None:
    """Record the tool calls whose results a request has: from the answer that asked for them to
    now, since that is all that is seen of them from here. Those of what was `told` are left out.
    """
    if (trace := current()) is None or trace not in _heard:
        return
    heard = _heard[trace]
    for message in body.get("messages") or ():
        if message.get("role") != "tool" or message.get("tool_call_id") not in heard.asked:
            continue
        call_id = str(message["tool_call_id"])
        function, begin, id, parent = heard.asked.pop(call_id)
        if function["name"] in heard.told:
            heard.told.remove(function["name"])
            continue
        if _was_told(function, told):
            continue
        attributes = {
            "gen_ai.tool.name": function["name"],
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": function["arguments"],
            "gen_ai.tool.call.result": message.get("content"),
        }
        trace.add(
            Span(
                name=function["name"], operation="execute_tool", span_id=id, parent_id=parent,
                start=begin, end=max(begin, trace.now()), attributes=all_plain(attributes),
            )
        )  # fmt: skip


def _was_told(function: Mapping[str, Any], told: list[str]) -> bool:
    """Whether this call is one that the run was told of: a tool's own, or one that gave work to an
    agent, who is named by the tool or in its arguments. Each telling stands for one call."""
    words = f"{function['name']} {function['arguments']}"
    found = next((name for name in told if name == function["name"]), None)
    found = found or next((name for name in told if name and name in words), None)
    if found is not None:
        told.remove(found)
    return found is not None
