"""The in-process way to a model: a transport under the real AsyncOpenAI client, without sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from course.models.conditions import Stalled
from course.models.engine import Engine, HttpAnswer, Stream
from course.models.wire import KEY_HEADERS

Way = Callable[[], httpx2.AsyncBaseTransport | None]
_ways: list[Way] = []
_WANTED = {name.encode(): name for name in (*KEY_HEADERS, "authorization")}


class SimulatedTransport(httpx2.AsyncBaseTransport):
    """Answers the client's HTTP requests from an `Engine`; a stream arrives as it is made.

    Raises httpx2.ReadTimeout when an answer, or the next piece of one, would take longer than the
    client's read timeout, after exactly that time.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request; called by the client."""
        timeout: Mapping[str, Any] = request.extensions.get("timeout") or {}
        try:
            answer = await self.engine.answer(
                request.method,
                request.url.path,
                key_headers(request),
                await request.aread(),
                read_timeout=timeout.get("read"),
            )
        except Stalled:
            raise too_slow(request) from None
        return response_of(answer, request)


class Divertible(httpx2.AsyncBaseTransport):
    """A way to a model that `diverted` can change for a while, under a client that exists."""

    def __init__(self, usual: httpx2.AsyncBaseTransport) -> None:
        self.usual = usual

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Hand one request to whoever answers just now; called by the client."""
        others = (way() for way in reversed(_ways))
        chosen = next((other for other in others if other is not None), self.usual)
        return await chosen.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the usual way."""
        await self.usual.aclose()


@contextmanager
def diverted(way: Way) -> Iterator[None]:
    """Lead the requests of connected clients elsewhere within the `with` block.

    For a test bench that answers instead of the backend. It reaches clients of "simulated" and
    "endpoint", those made before included; a client with a script or a replay keeps to it. `way`
    is asked with each request and returns a transport, or None for the usual one.
    """
    _ways.append(way)
    try:
        yield
    finally:
        _ways.remove(way)


def is_diverted() -> bool:
    """Whether `diverted` is in force somewhere, so that requests have to ask their way."""
    return bool(_ways)


class _Events(httpx2.AsyncByteStream):
    """A streamed body that turns the engine's impatience into the client's timeout."""

    def __init__(self, events: Stream, request: httpx2.Request) -> None:
        self._events = events
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for event in self._events:
                yield event
        except Stalled:
            raise too_slow(self._request) from None

    async def aclose(self) -> None:
        """Stop making the answer, whether it was read to its end or not."""
        await self._events.aclose()


def key_headers(request: httpx2.Request) -> dict[str, str]:
    """The few headers a model reads, names in lower case."""
    # One pass over the raw list: a look-up by name walks all thirty headers every time.
    found = ((_WANTED.get(name.lower()), value) for name, value in request.headers.raw)
    return {name: value.decode("latin-1") for name, value in found if name}


def uncoded(headers: Mapping[str, str]) -> str:
    """The content type without its charset: some that a service may name are no text's at all, and
    httpx would break at them. JSON is UTF-8."""
    return headers.get("content-type", "").partition(";")[0].encode("ascii", "replace").decode()


def response_of(answer: HttpAnswer, request: httpx2.Request) -> httpx2.Response:
    """The client's response to `request` that an answer of the engine becomes."""
    more: dict[str, Any] = {"headers": answer.headers, "request": request}
    if answer.events is None:
        return httpx2.Response(answer.status, content=answer.body, **more)
    return httpx2.Response(answer.status, stream=_Events(answer.events, request), **more)


def too_slow(request: httpx2.Request) -> httpx2.ReadTimeout:
    """What the client raises for itself when no bytes come for too long."""
    return httpx2.ReadTimeout("The model did not answer in time.", request=request)
