"""The transport that plays a recording back to a client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx2

from course.models.conditions import Stalled, wait
from course.models.protocol import request_key
from course.models.recording import KEPT_HEADERS, Exchange, route
from course.models.replay import Replay
from course.models.transport import key_headers, too_slow, uncoded


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers the client's requests from a `Replay`, with the client's own read timeout."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request; called by the client."""
        content = await request.aread()
        body = json.loads(content) if content else None
        messages = body.get("messages", []) if isinstance(body, dict) else []
        key = request_key(key_headers(request), messages)
        path = route(request.url.path)
        exchange = self._replay.next(request.method, path, body, key)
        await self._wait(exchange.seconds, request)
        if exchange.failure == "timeout":
            raise too_slow(request)
        if exchange.failure is not None:
            raise httpx2.ConnectError("The recorded connection failed.", request=request)
        # Others (a length, a compression) would belie what a hand may have changed in the file.
        told = {n.lower(): v for n, v in exchange.headers.items()}
        headers = {n: told[n] for n in KEPT_HEADERS if n in told}
        headers |= {"content-type": uncoded(told)} if "content-type" in told else {}
        if exchange.events is None:
            answer = (exchange.answer or "").encode("utf-8", "replace")
            return httpx2.Response(exchange.status, headers=headers, content=answer)
        stream = _Playback(exchange, self, request)
        return httpx2.Response(exchange.status, headers=headers, stream=stream)

    async def _wait(self, seconds: float, request: httpx2.Request) -> None:
        if not self._replay.timing:
            return
        try:
            await wait(seconds, (request.extensions.get("timeout") or {}).get("read"))
        except Stalled:
            raise too_slow(request) from None

    async def pieces(self, exchange: Exchange, request: httpx2.Request) -> AsyncIterator[bytes]:
        """The events of a streamed exchange, each at its time."""
        for seconds, text in exchange.events or ():
            await self._wait(seconds, request)
            yield text.encode("utf-8", "replace")


class _Playback(httpx2.AsyncByteStream):
    def __init__(
        self, exchange: Exchange, transport: ReplayTransport, request: httpx2.Request
    ) -> None:
        self._pieces = transport.pieces(exchange, request)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            yield piece
