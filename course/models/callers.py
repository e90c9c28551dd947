"""Who may call a server on this machine, and how long a call may take to arrive.

A page of a stranger, open in the same browser, can send requests to 127.0.0.1 too, under a name of
its own that leads there (DNS rebinding) or without reading the answer. What such a request cannot
do is name this machine in `Host` and in `Origin`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from course.addresses import LOOPBACK, parts
from course.models import refusals
from course.models.wire import ApiError

ARRIVAL_SECONDS = 30.0
"""What a request may take from its first byte, or the connection's beginning, to its last byte."""

Answer = Callable[[ApiError], ASGIApp]


class Guarded:
    """An ASGI application that answers this machine's own pages and programs alone.

    A request for another host, or from another's page, gets a 421; a body that is not called JSON a
    415. Where the server is stopped in the middle of an answer, the answer says so at its end.

    Args:
        inner: what answers the others.
        answer: makes the answer for an error.
    """

    def __init__(self, inner: ASGIApp, answer: Answer) -> None:
        self._inner = inner
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if problem := _problem(scope):
            await self._answer(problem)(scope, receive, send)
            return
        begun: list[Message] = []

        async def noted(message: Message) -> None:
            if not begun:
                begun.append(message)
            await send(message)

        try:
            await self._inner(scope, receive, noted)
        except asyncio.CancelledError:
            # uvicorn would print forty lines for each caller it leaves without an answer.
            stopped = self._answer(refusals.stopped())
            if not begun:
                await stopped(scope, receive, send)
            elif any(value.startswith(b"text/event-stream") for _, value in begun[0]["headers"]):
                await _end(stopped, scope, receive, send)


class Arriving(H11Protocol):
    """uvicorn's protocol, which hangs up on whoever begins a request and does not end it."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came; the wait is over with a whole request, and no byte prolongs it."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request if a part of it is here; uvicorn waits for its first byte."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        more = bool(self.conn.trailing_data[0])
        if cycle and not cycle.more_body and not (cycle.response_complete and more):
            self._rest()
        elif self._patience is None:
            self._patience = self.loop.call_later(ARRIVAL_SECONDS, self.transport.close)

    def _rest(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


def _problem(scope: Scope) -> ApiError | None:
    """Why a request is not served, or None."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]

    def of(name: bytes) -> list[str]:
        return [value.decode("latin-1") for each, value in headers if each == name]

    hosts, origins = of(b"host"), of(b"origin")
    target = scope["path"]
    if not target.startswith(("/", "*")):  # an address in place of a path goes before Host
        hosts.append(target.partition("://")[2].partition("/")[0])
    if not hosts or not all(map(_is_here, (f"http://{host}" for host in hosts))):
        return refusals.misdirected("Host", ", ".join(hosts))
    if not all(map(_is_here, origins)):
        return refusals.misdirected("Origin", ", ".join(origins))
    kinds = of(b"content-type") or [""]
    if scope["method"] == "POST" and {*map(_media_type, kinds)} != {"application/json"}:
        return refusals.no_json(", ".join(kinds))
    return None


def _is_here(address: str) -> bool:
    known = parts(address)
    here = known is not None and known.host in LOOPBACK and known.user is None and not known.rest
    return here and address.isascii()  # a space of another script is none of a name's


def _media_type(header: str) -> str:
    return header.partition(";")[0].strip().lower()


async def _end(stopped: Any, scope: Scope, receive: Receive, send: Send) -> None:
    """End a streamed answer with an error event, as the API does."""

    async def as_event(message: Message) -> None:
        if message["type"] == "http.response.body":
            await send({**message, "body": b"data: " + message["body"] + b"\n\n"})

    await stopped(scope, receive, as_event)
