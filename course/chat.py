"""One model call: the request goes out, the answer comes back as a message, a span records it.

It goes through `client.post` rather than `client.chat.completions.create`: the same bytes reach the
model, but `create` walks every message of the history first, which costs more than all the rest.

Source: Chat Completions API (openai 3.54).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, cast

from course.answers import Answer, Usage
from course.budget import Shares, charge
from course.errors import ContextOverflow, ModelError
from course.models.breaker import BreakerOpen
from course.models.line import Line, Tries, able, insist
from course.models.masking import SHORTEST, masked, scrub
from course.models.wire import RETRY_HEADER, AsyncOpenAI, Key, Message, in_headers
from course.runs import current_work, key_headers
from course.terminal import plain
from course.trace import Recording, span

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

PATH = "/chat/completions"
_LONGEST_REASON = 300
NO_ANSWER = "what came back is no Chat Completions answer: check OPENAI_BASE_URL and the model"


async def complete(
    client: AsyncOpenAI,
    body: Mapping[str, Any],
    *,
    agent: str = "",
    role: str = "",
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """Make one model call; each request that goes out for it is a `chat` span. Used from chapter 01
    on; its parts `read` and `join_deltas` are built there.

    Args:
        client: as made by `connect`; a `Line`, which `course.run` makes of it, asks again.
        body: the request: model, messages, and whatever else the API knows.
        agent: in whose name; it keys the simulated model's draws (see `course.runs`).
        role: for the trace, such as "plan"; without one, the role of the work that is going on.
        on_text: gets each piece of text as it arrives (the answer is streamed); its `on_call`, if
            it has one, each tool call as soon as the stream has the whole of it.

    Raises ModelError: refused, not reached, or no answer; BudgetExceeded, which is one: a budget in
    force has no room; ConfigurationError: the client is none.
    """
    about = {"gen_ai.agent.name": agent or None}
    about["switchboard.role"] = role or current_work().role or None
    call, budgets = _Call(able(client), in_headers(key_headers(agent)), about, on_text), Shares()
    try:
        fitting, most = await budgets.fit(body)
        answer = await charge(budgets, most, partial(call.make, fitting))
    except Exception as error:
        explained = _explained(error)
        if explained is error:
            raise
        raise explained from error
    budgets.count(answer.usage)
    return answer


@dataclass(slots=True)
class _Call:
    """One model call, made as often as its line makes it."""

    client: Any
    headers: Mapping[str, str]
    about: Mapping[str, str | None]
    on_text: Callable[[str], None] | None

    def make(self, body: Mapping[str, Any]) -> Awaitable[Answer]:
        # no coroutine of its own: a thousand calls in flight would keep a thousand frames of it
        tries = Tries(body, Key.of(self.headers))
        if not isinstance(self.client, Line):
            return self._try(tries)
        return insist(partial(self._try, tries), self.client.backoff, key=tries.key)

    async def _try(self, tries: Tries, _: int = 0) -> Answer:
        """A try and its span; where the service puts it off, another one after the pause."""
        model, line = str(tries.body["model"]), self.client
        client = line.client if isinstance(line, Line) else line
        while True:
            async with line.turn(tries) if isinstance(line, Line) else nullcontext(0) as made:
                about = {"gen_ai.request.model": model, **self.about}
                with span("chat", model, {**about, "switchboard.attempt": made + 1}) as step:
                    step.messages("gen_ai.input.messages", tries.body.get("messages", ()))
                    step.tools(tries.body.get("tools") or ())
                    try:
                        came = await self._post(client, tries.body, made)
                        if self.on_text is None:
                            answer = _whole(came, step)
                        else:
                            on_call = getattr(self.on_text, "on_call", None)
                            told = on_call and _noting(tries, on_call)
                            pieces = _calls_told(_pieces(came, step), told)
                            answer = await join_deltas(pieces, _noting(tries, self.on_text))
                        _refuse_odd(answer)
                        answer = _without(answer, _secrets(client))
                    except Exception as error:
                        scrub(error, _secrets(client))
                        explained = _explained(error)
                        step.fail(str(explained), kind=type(error).__name__)
                        if tries.begun:  # whoever reads along would get its beginning once more
                            raise explained from error
                        raise
                    _note(step, answer, client, model)
                    return answer

    def _post(self, client: Any, body: Mapping[str, Any], made: int) -> Awaitable[Any]:
        """Send the request; what comes is the answer's JSON, or its pieces."""
        options = {"headers": {**self.headers, RETRY_HEADER: str(made)}}
        if self.on_text is None:
            sent = client.post(PATH, body=body, cast_to=object, options=options)
        else:
            from openai import AsyncStream
            from openai.types.chat import ChatCompletion, ChatCompletionChunk

            sent = client.post(
                PATH,
                body={**body, "stream": True, "stream_options": {"include_usage": True}},
                cast_to=ChatCompletion,
                options=options,
                stream=True,
                stream_cls=AsyncStream[ChatCompletionChunk],
            )
        return cast("Awaitable[Any]", sent)


def _noting(tries: Tries, tell: Callable[[Any], None]) -> Callable[[Any], None]:
    """Tells a piece of an answer, and notes that the answer has begun."""

    def told(piece: Any) -> None:
        tries.begun = True
        tell(piece)

    return told


def _note(step: Recording, answer: Answer, client: Any, model: str) -> None:
    """Write into a call's span what it took and cost."""
    read, written = answer.usage.input, answer.usage.output
    step.used(read, written)
    reason = answer.finish_reason
    step.set("gen_ai.response.finish_reasons", reason)
    step.messages("gen_ai.output.messages", [answer.message], finish_reason=reason)
    if cost := getattr(client, "cost", None):  # a client of the course knows prices
        step.set("switchboard.cost_usd", cost(model, read, written))


def _whole(data: Any, step: Recording) -> Answer:
    """The answer that came in one piece."""
    from openai.types.chat import ChatCompletion
    from pydantic import ValidationError

    try:
        try:
            response = ChatCompletion.model_validate(data)
        except ValidationError:  # a service may leave out some fields
            response = ChatCompletion.construct(**data)
        step.set("gen_ai.response.model", response.model)
        return read(response)
    except (AttributeError, KeyError, TypeError):
        # Without the cause: pydantic's own words repeat what came, a key in it included.
        raise ModelError(NO_ANSWER) from None


def read(response: ChatCompletion) -> Answer:
    """What an agent needs of a response: its first choice. Built in chapter 01.

    Raises ModelError: the response holds no choice.
    """
    if not getattr(response, "choices", None):
        raise ModelError(NO_ANSWER)
    choice = response.choices[0]
    calls = [
        tool_call(call.id, call.function.name, call.function.arguments)  # type: ignore[union-attr]
        for call in choice.message.tool_calls or ()
    ]
    message = assistant_message(choice.message.content or choice.message.refusal, calls)
    return Answer(message, Usage.of(response.usage), choice.finish_reason or "stop")


def assistant_message(text: str | None, calls: Sequence[Mapping[str, Any]] = ()) -> Message:
    """In wire form; `content` is null only beside calls. Built in chapter 01."""
    if not calls:
        return {"role": "assistant", "content": text or ""}
    return {"role": "assistant", "content": text or None, "tool_calls": list(calls)}


def tool_call(id: str, name: str, arguments: str) -> dict[str, Any]:
    """A tool call in wire form; `arguments` is JSON text. Built in chapter 01."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


async def join_deltas(
    chunks: AsyncIterator[ChatCompletionChunk], on_text: Callable[[str], None]
) -> Answer:
    """Put a streamed answer together again. Built in chapter 01, exercise 1.5.

    Args:
        chunks: the pieces in the order in which they arrive. Text comes a few letters at a time.
            A tool call begins with its id and name; its arguments follow in later pieces, which
            say by `index` which call they continue. The last piece has the usage and no choice.
        on_text: called with each piece of text at once.

    Returns:
        The same `Answer` that the request would have got without streaming.

    Raises:
        ModelError: the pieces ended before one of them gave a finish reason.
    """
    text = ""
    calls: dict[int, dict[str, Any]] = {}
    usage, reason = Usage(), None
    async for chunk in chunks:
        if chunk.usage:
            usage = Usage.of(chunk.usage)
        for choice in chunk.choices:
            reason = choice.finish_reason or reason
            said = choice.delta.content or choice.delta.refusal
            if said:
                text += said
                on_text(said)
            for piece in choice.delta.tool_calls or ():
                call = calls.setdefault(piece.index, tool_call("", "", ""))
                call["id"] = piece.id or call["id"]
                if piece.function:
                    call["function"]["name"] += piece.function.name or ""
                    call["function"]["arguments"] += piece.function.arguments or ""
    if reason is None:
        raise ModelError("the model's answer broke off before its end: try again")
    message = assistant_message(text, [calls[index] for index in sorted(calls)])
    return Answer(message, usage, reason)


async def _pieces(
    chunks: AsyncIterator[ChatCompletionChunk], step: Recording
) -> AsyncIterator[ChatCompletionChunk]:
    """The pieces of a stream, as long as they are some: the SDK lets any JSON pass."""
    first = True
    async for chunk in chunks:
        if not _is_piece(chunk):
            raise ModelError(NO_ANSWER)
        if first:
            step.set("gen_ai.response.time_to_first_chunk", step.seconds())
            step.set("gen_ai.response.model", getattr(chunk, "model", None))
            first = False
        yield chunk


def _is_piece(chunk: Any) -> bool:
    """Whether what is read of a piece is there, and of the right type."""
    choices, usage = getattr(chunk, "choices", None), getattr(chunk, "usage", None)
    if usage is not None and not _has(usage, int, "prompt_tokens", "completion_tokens"):
        return False
    if not isinstance(choices, list):
        return False
    for delta in (getattr(choice, "delta", None) for choice in choices):
        calls = getattr(delta, "tool_calls", None) or []
        if not _has(delta, str, "content", "refusal") or not isinstance(calls, list):
            return False
        for call in calls:
            named = getattr(call, "function", None) or None
            if not isinstance(getattr(call, "index", None), int) or not _has(call, str, "id"):
                return False
            if named is not None and not _has(named, str, "name", "arguments"):
                return False
    return True


def _has(thing: Any, kind: type, *names: str) -> bool:
    """Whether a thing has attributes of these names, each of this type or None."""
    return all(
        hasattr(thing, name) and isinstance(getattr(thing, name), kind | None) for name in names
    )


async def _calls_told(
    chunks: AsyncIterator[ChatCompletionChunk], on_call: Callable[[dict[str, Any]], None] | None
) -> AsyncIterator[ChatCompletionChunk]:
    """The pieces as they are; each tool call is told when the next begins, or all have ended."""
    call, index = tool_call("", "", ""), -1
    async for chunk in chunks:
        pieces = [p for choice in chunk.choices for p in choice.delta.tool_calls or ()]
        for piece in pieces if on_call else ():
            if piece.index != index:
                if on_call and index >= 0:
                    on_call(call)
                call, index = tool_call(piece.id or "", "", ""), piece.index
            if piece.function:
                call["function"]["name"] += piece.function.name or ""
                call["function"]["arguments"] += piece.function.arguments or ""
        ended = any(choice.finish_reason == "tool_calls" for choice in chunk.choices)
        if on_call and ended and index >= 0:
            on_call(call)
        yield chunk


def _refuse_odd(answer: Answer) -> None:
    """Raise ModelError for what would break the next request, or whoever adds up the usage."""
    texts = [answer.message["content"] or ""]
    for call in answer.message.get("tool_calls", ()):
        texts += [call["id"], call["function"]["name"], call["function"]["arguments"]]
    counts = (answer.usage.input, answer.usage.output)
    if not all(isinstance(t, str) for t in texts) or not all(isinstance(n, int) for n in counts):
        raise ModelError(NO_ANSWER)


def _explained(error: Exception) -> Exception:
    """An API error as one line with the way out; anything else as it is."""
    from httpx2 import DecodingError
    from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

    while isinstance(error, ExceptionGroup):  # the transport opens its connections in a task group
        error = error.exceptions[0]
    if unreadable := _unreadable(error):
        return ModelError(f"{NO_ANSWER} ({unreadable})")
    if isinstance(error, UnicodeEncodeError):
        return ModelError(f"the conversation holds what is not text: {error.reason}")
    if isinstance(error, DecodingError):
        return ModelError(f"{NO_ANSWER} ({_line(error)})")
    if isinstance(error, APITimeoutError):
        return ModelError("the model did not answer in time: try again, or allow it longer")
    if isinstance(error, APIConnectionError):
        cause = error.__cause__ or error
        return ModelError(f"the model cannot be reached ({_line(cause)}): check OPENAI_BASE_URL")
    if isinstance(error, APIStatusError):
        kind = ContextOverflow if error.code == "context_length_exceeded" else ModelError
        return kind(f"the model refused the request ({error.status_code}): {_reason(error)}")
    if isinstance(error, APIError):
        return ModelError(f"the model's answer broke off: {_line(error.message)}")
    if isinstance(error, BreakerOpen):
        return ModelError(str(error))
    return error


def _unreadable(error: Exception) -> str:
    """Why an answer cannot be read as JSON; "" for any other error."""
    if isinstance(error, JSONDecodeError):
        return f"it is not JSON: {error}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, OverflowError):  # such as the day of a Retry-After
        return "a number in it is too large"
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return "a number in it has thousands of digits"
    return ""


def _reason(error: Any) -> str:
    if error.status_code == 401:  # the server's own words may repeat part of the key
        return "the key is not accepted; check OPENAI_API_KEY"
    body = error.body if isinstance(error.body, dict) else {}
    return _line(body.get("message") or error.message)


def _line(said: object) -> str:
    """The first line of what a service says, without escape codes, shortened where it is long."""
    lines = (plain(each) for each in str(said).splitlines() if each.strip())
    line = next(lines, "it does not say why")
    return line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."


def _secrets(client: Any) -> Collection[str]:
    """What a service may repeat and nobody may read; of somebody's own client, its key."""
    own = (str(getattr(client, "api_key", "")),)
    known: Collection[str] = getattr(client, "secrets", own)
    return [secret for secret in known if len(secret) >= SHORTEST]


def _without(answer: Answer, secrets: Collection[str]) -> Answer:
    """An answer without these secrets, which would stand in the trace and in all that follows."""
    if not secrets:
        return answer
    said = json.dumps(answer.message, ensure_ascii=False)
    clean = masked(said, secrets)
    return answer if clean == said else replace(answer, message=json.loads(clean))
