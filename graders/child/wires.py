"""The client's way out of the box: HTTP transports that ask the world."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx2

from course.models.wire import KEY_HEADERS

from .calls import Call, Part, TooSlow
from .keeper import Keeper

_TOLD = {name.encode() for name in KEY_HEADERS}


class WorldTransport(httpx2.AsyncBaseTransport):
    """Carries an asynchronous client's requests to the world."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask, and wait no longer than the client's read timeout."""
        call = Call(self._keeper, _asked(request, await request.aread()))
        patience = _patience(request)
        try:
            head = await call.part(patience)
        except TooSlow:
            raise _too_slow(request) from None
        if head["last"]:
            return _whole(head)
        stream = _Pieces(call, request, patience)
        return httpx2.Response(head["status"], headers=head["headers"], stream=stream)


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, call: Call, request: httpx2.Request, patience: float | None) -> None:
        self._call = call
        self._request = request
        self._patience = patience
        self._over = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while not self._over:  # the client reads on after the last event, from the beginning
            try:
                part = await self._call.part(self._patience)
            except TooSlow:
                raise _too_slow(self._request) from None
            self._over = part["last"]
            yield part["body"].encode()

    async def aclose(self) -> None:
        self._call.give_up()


class BlockingTransport(httpx2.BaseTransport):
    """Carries a synchronous client's requests to the world; the thread waits in virtual time."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask, and wait no longer than the client's read timeout."""
        call = Call(self._keeper, _asked(request, request.read()))
        patience = _patience(request)
        try:
            head = call.wait(patience)
            if head["last"]:
                return _whole(head)
            pieces = []
            while not head["last"]:
                head = call.wait(patience)
                pieces.append(head["body"].encode())
        except TooSlow:
            raise _too_slow(request) from None
        kind = {"content-type": "text/event-stream; charset=utf-8"}
        return httpx2.Response(200, headers=kind, content=b"".join(pieces))


@contextmanager
def only_way_out(keeper: Keeper) -> Iterator[None]:
    """Send what the keeper's threads ask over the network to the world, in the `with` block."""
    ways = (
        (httpx2.AsyncHTTPTransport, "handle_async_request", WorldTransport(keeper)),
        (httpx2.HTTPTransport, "handle_request", BlockingTransport(keeper)),
    )
    with ExitStack() as undo:
        for owner, name, transport in ways:
            original = getattr(owner, name)
            setattr(owner, name, _diverted(keeper, original, getattr(transport, name)))
            undo.callback(setattr, owner, name, original)
        yield


def _diverted(
    keeper: Keeper, original: Callable[..., Any], to_world: Callable[..., Any]
) -> Callable[..., Any]:
    def handle(self: Any, request: httpx2.Request) -> Any:
        if keeper.current() is None:
            return original(self, request)
        return to_world(request)

    return handle


def _asked(request: httpx2.Request, body: bytes) -> dict[str, Any]:
    headers = {
        name.decode().lower(): value.decode("latin-1")
        for name, value in request.headers.raw
        if name.lower() in _TOLD
    }
    return {
        "do": "model",
        "method": request.method,
        "path": request.url.path,
        "headers": headers,
        "body": body.decode("utf-8", "replace"),
    }


def _patience(request: httpx2.Request) -> float | None:
    seconds: float | None = (request.extensions.get("timeout") or {}).get("read")
    return seconds


def _whole(part: Part) -> httpx2.Response:
    content = part["body"].encode()
    return httpx2.Response(part["status"], headers=part["headers"], content=content)


def _too_slow(request: httpx2.Request) -> httpx2.ReadTimeout:
    return httpx2.ReadTimeout("The model did not answer in time.", request=request)
