"""One engine behind the in-process transport and the HTTP server: a request in, an answer out.

It checks the request, lets the profile's limits and failures have their say, asks the responder,
waits as long as the profile says, and hands the answer over whole or piece by piece. All waiting
is `asyncio.sleep`, so it costs nothing under virtual time.
"""

from __future__ import annotations

import asyncio
import hmac
import inspect
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, TypeVar

from course.models import completion, refusals
from course.models.completion import Completion
from course.models.conditions import Conditions, Pace, wait, within
from course.models.draws import Draws
from course.models.gauge import Gauge
from course.models.profile import Profile
from course.models.protocol import RequestParser
from course.models.scripted import Scripted
from course.models.simulated import Simulated
from course.models.wire import ApiError, ChatRequest, Reply

Answered: TypeAlias = Reply | str | Sequence[Reply]
Responder: TypeAlias = Callable[[ChatRequest], Answered | Awaitable[Answered]]

T = TypeVar("T")

LARGE = 4 * 1024
"""Bytes of a body, times the choices it asks for, from which on a server handles it aside."""

CREATED = 1_767_225_600
"""The `created` of an answer at the start of a run: 2026-01-01 00:00 UTC, in seconds."""

_JSON = {"content-type": "application/json"}
_EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


class Stream:
    """The bytes of a streamed answer as they are made; `aclose` ends it at any point."""

    def __init__(self, pieces: AsyncIterator[bytes], finish: Callable[[], None]) -> None:
        self._pieces = pieces
        self._finish: Callable[[], None] | None = finish

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._pieces:
                yield piece
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """Count the request as over; the second time does nothing."""
        if self._finish:
            self._finish()
            self._finish = None


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP answer: `content`, which becomes its JSON `body`, or `events` as they come."""

    status: int
    headers: dict[str, str] = field(default_factory=lambda: dict(_JSON))
    content: object = None
    events: Stream | None = None

    @property
    def body(self) -> bytes:
        """The content as it is sent."""
        text = json.dumps(self.content, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


class Engine:
    """Serves a responder under a profile.

    Args:
        responder: what answers a valid request.
        profile: latency, limits and failures.
        seed: of every random draw.
        require_key: the API key to demand; None demands none.
        aside: where large requests are read, and decided by the simulated model, while the event
            loop goes on for others; None does it in the loop, as virtual time needs it.
        alias: which model answers to a name that is none of the profile's; "" for none.
    """

    def __init__(
        self,
        responder: Responder,
        profile: Profile,
        *,
        seed: int = 0,
        require_key: str | None = None,
        aside: Executor | None = None,
        alias: Callable[[str], str] = lambda _: "",
    ) -> None:
        scripted = responder if isinstance(responder, Scripted) else None
        self.gauge = scripted.gauge if scripted else Gauge()
        self._responder = responder
        self._models = profile.models
        self._parser = RequestParser(profile.models, alias)
        self._conditions = Conditions(profile, seed, scripted.latency if scripted else 0.0)
        self._seed = seed
        self._require_key = require_key
        self._aside = aside
        self._fingerprint = f"fp_{zlib.crc32(profile.name.encode()):08x}"

    async def answer(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        read_timeout: float | None = None,
    ) -> HttpAnswer:
        """Answer one HTTP request.

        Args:
            path: with or without a leading /v1.
            headers: names in lower case.
            read_timeout: seconds the caller waits for the next bytes; None waits for ever.

        Raises Stalled: when `read_timeout` runs out, after it ran out.
        """
        self.gauge.enter()
        streaming = False
        try:
            answer = await self._route(method, path, headers, body, read_timeout)
            streaming = answer.events is not None
            return answer
        except ApiError as error:
            return refuse(error)
        finally:
            if not streaming:
                self.gauge.leave()

    async def _route(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        read_timeout: float | None,
    ) -> HttpAnswer:
        self._check_key(headers)
        route = "/" + path.removeprefix("/v1").strip("/")
        if route == "/chat/completions":
            if method != "POST":
                raise refusals.wrong_method(method, path)
            return await self._chat(headers, body, read_timeout)
        if method == "GET" and (route == "/models" or route.startswith("/models/")):
            return self._list_models(route.removeprefix("/models").strip("/"))
        raise refusals.no_route(method, path)

    def _check_key(self, headers: Mapping[str, str]) -> None:
        if self._require_key is None:
            return
        key = headers.get("authorization", "").removeprefix("Bearer").strip()
        if not key:
            raise refusals.no_key()
        if not hmac.compare_digest(key.encode(), self._require_key.encode()):
            raise refusals.wrong_key()

    def _list_models(self, name: str) -> HttpAnswer:
        """The list of models, or the card of the named one."""
        if name:
            return HttpAnswer(200, content=_model_card(self._parser.served(name)))
        listed = {"object": "list", "data": [_model_card(each) for each in self._models]}
        return HttpAnswer(200, content=listed)

    async def _chat(
        self, headers: Mapping[str, str], body: bytes, read_timeout: float | None
    ) -> HttpAnswer:
        read = partial(self._parser.parse, body, headers)
        request, prompt = await self._work(read) if len(body) > LARGE else read()
        now = self._conditions.now()
        sent = self._conditions.charge(request, prompt, now)
        draws = Draws(self._seed, request.key)
        await self._conditions.strike(draws, now, read_timeout)
        done = completion.complete(
            request,
            await self._ask(request, len(body), read_timeout),
            prompt_tokens=prompt,
            salt=repr((self._seed, request.key, zlib.crc32(body))),
            created=CREATED + int(now),
            fingerprint=self._fingerprint,
        )
        sent["x-request-id"] = "req_" + done.ident.removeprefix("chatcmpl-")
        speed = self._conditions.pace(request, prompt, draws)
        if not request.stream:
            await wait(speed.total(done.completion_tokens), read_timeout)
            return HttpAnswer(200, {**_JSON, **sent}, completion.body(done))
        await wait(speed.first, read_timeout)
        pieces = _pieces(done, request.include_usage, speed, read_timeout)
        return HttpAnswer(200, {**_EVENTS, **sent}, events=Stream(pieces, self.gauge.leave))

    async def _ask(
        self, request: ChatRequest, size: int, read_timeout: float | None
    ) -> Sequence[Reply]:
        """What the responder answers to a body of so many bytes: as many choices as it wants."""
        decide = partial(self._responder, request)
        # A function of somebody else's may not be fit for threads, and decides quickly.
        apart = isinstance(self._responder, Simulated) and size * request.n > LARGE
        answered = await self._work(decide) if apart else decide()
        if inspect.isawaitable(answered):
            answered = await within(answered, read_timeout)
        return _choices(answered, request.n)

    async def _work(self, task: Callable[[], T]) -> T:
        """Do what may take seconds: aside, where there is such a place."""
        if self._aside is None:
            return task()
        return await asyncio.get_running_loop().run_in_executor(self._aside, task)


def _choices(answered: object, n: int) -> Sequence[Reply]:
    """An answer as choices; raises TypeError when it is none."""
    if isinstance(answered, str):
        answered = Reply(answered)
    if isinstance(answered, Reply):
        return (answered,) * n
    choices = tuple(answered) if isinstance(answered, Sequence) else ()
    if not choices or not all(isinstance(choice, Reply) for choice in choices):
        raise TypeError(
            f"a script must answer with a Reply, a text or a list of Replies, not {answered!r:.80}"
        )
    return choices


async def _pieces(
    done: Completion, include_usage: bool, speed: Pace, read_timeout: float | None
) -> AsyncIterator[bytes]:
    """The events of an answer, at its pace."""
    for event, share in completion.events(done, include_usage=include_usage):
        await wait(share * speed.per_token, read_timeout)
        yield event


def refuse(error: ApiError) -> HttpAnswer:
    """The HTTP answer for an error."""
    problem = {
        "message": error.message,
        "type": error.type,
        "param": error.param,
        "code": error.code,
    }
    return HttpAnswer(error.status, {**_JSON, **error.headers}, {"error": problem})


def _model_card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "switchboard"}
