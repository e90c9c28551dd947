"""Records every exchange of a client to a file, whatever model answers it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from course.errors import ConfigurationError
from course.models.masking import SHORTEST, masked, masked_answer, masked_events
from course.models.protocol import request_key
from course.models.recording import HEADER, KEPT_HEADERS, Exchange, is_recording, route
from course.models.transport import key_headers

PRIVATE = 0o600
"""The mode of a recording: its owner's alone."""


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Passes requests on to another transport and writes each exchange to a recording.

    The file begins anew with the first exchange, so that connecting alone destroys nothing.

    Args:
        inner: reaches the model.
        path: of the recording.
        secrets: texts that must not get into it, besides the request's key.

    Raises ConfigurationError: when the path holds a file that is no recording.
    """

    def __init__(
        self, inner: httpx2.AsyncBaseTransport, path: Path, secrets: Collection[str] = ()
    ) -> None:
        if path.exists() and not is_recording(path):
            raise ConfigurationError(
                f"{path} exists and is no recording, so it is left alone: record to another path"
            )
        self._inner = inner
        self._path = path
        self._secrets = frozenset(secrets)
        self._started = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass one request on and record what came of it; called by the client."""
        # A recording is text: nothing may be compressed on the way.
        request.headers["accept-encoding"] = "identity"
        exchange, secrets = await _begin(request), self._secrets | _keys(request)
        began = asyncio.get_running_loop().time()
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.TimeoutException, httpx2.NetworkError) as error:
            late = isinstance(error, httpx2.TimeoutException)
            failed = replace(exchange, failure="timeout" if late else "connection")
            self._write(replace(failed, seconds=_since(began)), secrets)
            raise
        told = {n: response.headers.get(n, "") for n in KEPT_HEADERS}
        kept = {n: value for n, value in told.items() if value and value.isascii()}
        exchange = replace(exchange, status=response.status_code, headers=kept)
        if kept.get("content-type", "").startswith("text/event-stream"):
            exchange = replace(exchange, seconds=_since(began))
            tee = _Tee(response, lambda events: self._write(_with(exchange, events), secrets))
            return httpx2.Response(response.status_code, headers=response.headers, stream=tee)
        content = await response.aread()
        answer = content.decode("utf-8", "replace")
        self._write(replace(exchange, seconds=_since(began), answer=answer), secrets)
        return httpx2.Response(response.status_code, headers=response.headers, content=content)

    async def aclose(self) -> None:
        """Close the transport behind this one."""
        await self._inner.aclose()

    def _write(self, exchange: Exchange, secrets: Collection[str]) -> None:
        if exchange.events:
            exchange = replace(exchange, events=tuple(masked_events(exchange.events, secrets)))
        if exchange.answer:
            exchange = replace(exchange, answer=masked_answer(exchange.answer, secrets))
        line = masked(exchange.to_json(), secrets)
        if not self._started:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # What was said to a model is nobody else's business on a machine of several people.
            self._path.touch(mode=PRIVATE)
            self._path.chmod(PRIVATE)
            self._path.write_text(json.dumps(HEADER) + "\n", encoding="utf-8")
            self._started = True
        with self._path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(line + "\n")


class _Tee(httpx2.AsyncByteStream):
    """A streamed body that is kept while it passes; an early end keeps what was read."""

    def __init__(self, response: httpx2.Response, keep: Any) -> None:
        self._response = response
        self._keep = keep
        self._events: list[tuple[float, str]] = []

    async def __aiter__(self) -> AsyncIterator[bytes]:
        last = asyncio.get_running_loop().time()
        async for piece in self._response.aiter_raw():
            self._events.append((_since(last), piece.decode("utf-8", "replace")))
            last = asyncio.get_running_loop().time()
            yield piece

    async def aclose(self) -> None:
        """Write the exchange and close the stream behind this one."""
        keep, self._keep = self._keep, None
        if keep:
            keep(self._events)
        await self._response.aclose()


async def _begin(request: httpx2.Request) -> Exchange:
    """The exchange as far as the request alone determines it."""
    content = await request.aread()
    body = json.loads(content) if content else None
    messages = body.get("messages", []) if isinstance(body, dict) else []
    key = request_key(key_headers(request), messages)
    return Exchange(request.method, route(request.url.path), body, key, 0.0)


def _with(exchange: Exchange, events: list[tuple[float, str]]) -> Exchange:
    return replace(exchange, events=tuple(events))


def _keys(request: httpx2.Request) -> set[str]:
    """The keys that an answer may repeat: the request's, and the environment's."""
    sent = request.headers.get("authorization", "").removeprefix("Bearer").strip()
    keys = (sent, os.environ.get("OPENAI_API_KEY", "").strip())
    return {key for key in keys if len(key) >= SHORTEST}


def _since(moment: float) -> float:
    return round(asyncio.get_running_loop().time() - moment, 6)
