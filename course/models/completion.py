"""From a `Reply` to the body of a response: whole, or as the chunks of a stream.

Ids follow from the request, so the same run always produces the same bytes.

Source: Chat Completions API reference and its streaming events, as typed by openai 3.54
(`openai.types.chat.chat_completion`, `chat_completion_chunk`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course.models import tokens
from course.models.wire import Call, ChatRequest, Reply

_WORDS = re.compile(r"\s*\S+\s*\Z|\s*\S+|\s+")
_ARGUMENT_PIECE = 12
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Completion:
    """A finished answer: its choices as they will be sent, and what it cost."""

    ident: str
    created: int
    model: str
    fingerprint: str
    choices: tuple[Reply, ...]
    prompt_tokens: int
    completion_tokens: int


def complete(
    request: ChatRequest,
    replies: Sequence[Reply],
    *,
    prompt_tokens: int,
    salt: str,
    created: int = 0,
    fingerprint: str = "",
) -> Completion:
    """Make an answer out of replies: cut to stop sequences and limits, with ids and usage.

    Args:
        salt: what the ids are derived from; equal for equal requests under one key.
        created: seconds since 1970.
    """
    ident = _hash(salt)
    choices = tuple(
        _finish(reply, request, f"{ident}-{index}") for index, reply in enumerate(replies)
    )
    return Completion(
        ident=f"chatcmpl-{ident}",
        created=created,
        model=request.model,
        fingerprint=fingerprint,
        choices=choices,
        prompt_tokens=prompt_tokens,
        completion_tokens=sum(map(count_reply, choices)),
    )


def count_reply(reply: Reply) -> int:
    """Tokens of one choice: its text, its refusal and its calls."""
    text = tokens.count_text(reply.text or "") + tokens.count_text(reply.refusal or "")
    return text + sum(tokens.count_call(call.name, call.arguments) for call in reply.calls)


def _finish(reply: Reply, request: ChatRequest, salt: str) -> Reply:
    """The reply as the API would send it: stopped, cut, with ids and a reason to end."""
    reply = _stopped(reply, request.stop)
    if request.max_tokens is not None and count_reply(reply) > request.max_tokens:
        reply = _cut(reply, request.max_tokens)
    calls = tuple(
        Call(
            call.name,
            tokens.encodable(call.arguments),
            call.id or f"call_{_hash(f'{salt}-{number}')}",
        )
        for number, call in enumerate(reply.calls)
    )
    reason = reply.finish_reason or ("tool_calls" if calls else "stop")
    text, refusal = (each and tokens.encodable(each) for each in (reply.text, reply.refusal))
    return Reply(text, calls, refusal, reason)


def _stopped(reply: Reply, stops: Sequence[str]) -> Reply:
    """The reply up to the first stop sequence, which is not part of it."""
    text = reply.text
    if not text or not stops:
        return reply
    places = [place for stop in stops if stop and (place := text.find(stop)) >= 0]
    if not places:
        return reply
    return Reply(text[: min(places)], refusal=reply.refusal, finish_reason="stop")


def _cut(reply: Reply, limit: int) -> Reply:
    """The reply when it runs into its token limit, which may break JSON in the middle."""
    text = None if reply.text is None else tokens.cut(reply.text, limit)
    left = limit - tokens.count_text(text or "")
    calls = []
    for call in reply.calls:
        room = left - tokens.count_call(call.name, "")
        if room < 0:
            break
        calls.append(replace(call, arguments=tokens.cut(call.arguments, room)))
        left = room - tokens.count_text(calls[-1].arguments)
    return Reply(text, tuple(calls), reply.refusal, "length")


def body(completion: Completion) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    choices = [
        {
            "index": index,
            "message": _message(reply),
            "logprobs": None,
            "finish_reason": reply.finish_reason,
        }
        for index, reply in enumerate(completion.choices)
    ]
    envelope = _envelope(completion, "chat.completion")
    return {**envelope, "choices": choices, "usage": _usage(completion)}


def _message(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": reply.text,
        "refusal": reply.refusal,
        "annotations": [],
    }
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in reply.calls
        ]
    return message


def events(completion: Completion, *, include_usage: bool) -> Iterator[tuple[bytes, float]]:
    """The server-sent events of a streamed answer, each with its share of the answer's tokens.

    The shares add up to `completion_tokens`; they are what a stream has to wait between chunks.
    """
    envelope = _envelope(completion, "chat.completion.chunk")
    if include_usage:
        envelope["usage"] = None

    def event(index: int, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**envelope, "choices": [choice]})

    for index, reply in enumerate(completion.choices):
        yield event(index, {"role": "assistant", "content": None if reply.calls else ""}), 0.0
        yield from ((event(index, delta), share) for delta, share in _deltas(reply))
        yield event(index, {}, reply.finish_reason), 0.0
    if include_usage:
        yield _event({**envelope, "choices": [], "usage": _usage(completion)}), 0.0
    yield DONE, 0.0


def _deltas(reply: Reply) -> Iterator[tuple[dict[str, Any], float]]:
    """The growing parts of one choice: words, then the pieces of each call."""
    for field, text in (("content", reply.text), ("refusal", reply.refusal)):
        for word, share in _pieces(_WORDS.findall(text or ""), tokens.count_text(text or "")):
            yield {field: word}, share
    for index, call in enumerate(reply.calls):
        yield from _call_deltas(index, call)


def _call_deltas(index: int, call: Call) -> Iterator[tuple[dict[str, Any], float]]:
    """A call as it is streamed: first its id and name, then its arguments bit by bit."""
    head = {
        "index": index,
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": ""},
    }
    yield {"tool_calls": [head]}, float(tokens.count_call(call.name, ""))
    starts = range(0, len(call.arguments), _ARGUMENT_PIECE)
    parts = [call.arguments[start : start + _ARGUMENT_PIECE] for start in starts]
    for part, share in _pieces(parts, tokens.count_text(call.arguments)):
        yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}, share


def _pieces(parts: Sequence[str], total: int) -> Iterator[tuple[str, float]]:
    """Each part with its share of `total` tokens, by its length."""
    length = sum(map(len, parts))
    for part in parts:
        yield part, total * len(part) / length


def _envelope(completion: Completion, kind: str) -> dict[str, Any]:
    return {
        "id": completion.ident,
        "object": kind,
        "created": completion.created,
        "model": completion.model,
        "service_tier": "default",
        "system_fingerprint": completion.fingerprint,
    }


def _usage(completion: Completion) -> dict[str, Any]:
    prompt, answer = completion.prompt_tokens, completion.completion_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _dump(value: object) -> bytes:
    # "replace", because a policy may echo half of a surrogate pair, which UTF-8 cannot carry.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _event(value: object) -> bytes:
    return b"data: " + _dump(value) + b"\n\n"


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
