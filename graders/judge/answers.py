"""What a world says to a model request: the same bytes as in the notebook, each at its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic_core import from_json

from course.models import completion, refusals
from course.models.engine import CREATED, HttpAnswer, refuse
from course.models.profile import load
from course.models.protocol import RequestParser
from course.models.wire import ApiError, ChatRequest, Reply
from graders.judge.protocol import ModelAsk
from graders.records.scenario import Answer as Said

EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
FINGERPRINT = "fp_bench"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an answer: what is sent, `delay` seconds after the request."""

    delay: float
    event: Mapping[str, Any]


@cache
def parser() -> RequestParser:
    """Checks requests as the simulated model does."""
    return RequestParser(load("instant").models)


def parse(ask: ModelAsk) -> tuple[ChatRequest, int]:
    """The chat request in an HTTP request, and the tokens of its prompt.

    Raises:
        ApiError: what the real API would answer.
    """
    route = "/" + ask.path.removeprefix("/v1").strip("/")
    if route != "/chat/completions":
        raise refusals.no_route(ask.method, ask.path)
    if ask.method != "POST":
        raise refusals.wrong_method(ask.method, ask.path)
    return parser().parse(ask.body.encode(), ask.headers)


def raw_request(ask: ModelAsk) -> dict[str, Any]:
    """The body of a request that was refused, as far as it can be read."""
    try:
        raw = from_json(ask.body)
    except ValueError:
        return {"body": ask.body[:1000]}
    return raw if isinstance(raw, dict) else {"body": ask.body[:1000]}


def reply_of(said: Said) -> Reply:
    """The reply in an answer that is no error."""
    value = said.value
    return value if isinstance(value, Reply) else Reply("" if value is None else str(value))


def parts(
    request: ChatRequest, prompt: int, said: Said, *, salt: str, now: float
) -> tuple[list[Part], Any]:
    """An answer as it is sent, and as the log shows it.

    A streamed answer begins after half of its seconds and is complete after all of them.
    """
    if said.error is not None:
        return refused(_api_error(said.error), said.seconds)
    reply = reply_of(said)
    done = completion.complete(
        request,
        [reply] * request.n,
        prompt_tokens=prompt,
        salt=salt,
        created=CREATED + int(now),
        fingerprint=FINGERPRINT,
    )
    if request.stream:
        return _streamed(done, request.include_usage, said.seconds), _plain(done)
    whole = HttpAnswer(200, content=completion.body(done))
    return [Part(said.seconds, _whole(whole))], _plain(done)


def refused(error: ApiError, seconds: float = 0.0) -> tuple[list[Part], Any]:
    """An error as it is sent, and as the log shows it."""
    answer = refuse(error)
    shown = {"status": error.status, "headers": error.headers, **from_json(answer.body)}
    return [Part(seconds, _whole(answer))], shown


def _streamed(done: completion.Completion, usage: bool, seconds: float) -> list[Part]:
    pieces = list(completion.events(done, include_usage=usage))
    total = sum(share for _, share in pieces) or 1.0
    head = {"status": 200, "headers": EVENTS, "body": "", "last": False}
    made, told = [Part(seconds / 2, head)], 0.0
    for number, (event, share) in enumerate(pieces, start=1):
        told += share
        last = number == len(pieces)
        delay = seconds if last else seconds / 2 * (1 + told / total)
        made.append(Part(delay, {"body": event.decode(), "last": last}))
    return made


def _whole(answer: HttpAnswer) -> dict[str, Any]:
    body = answer.body.decode()
    return {"status": answer.status, "headers": answer.headers, "body": body, "last": True}


def _plain(done: completion.Completion) -> dict[str, Any]:
    reply = done.choices[0]
    calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in reply.calls]
    return {
        "text": reply.text,
        "calls": calls,
        "refusal": reply.refusal,
        "finish_reason": reply.finish_reason,
        "usage": {"total_tokens": done.prompt_tokens + done.completion_tokens},
    }


def _api_error(error: str | ApiError) -> ApiError:
    return error if isinstance(error, ApiError) else ApiError(400, error)
