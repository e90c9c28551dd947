"""The same engine over HTTP on 127.0.0.1, for whatever else speaks Chat Completions.

`serve` is what `python -m course serve` calls; `background` puts a server beside a notebook or a
test and takes it away again. Both answer to other makers' model names as well, as `names.stand_in`
says.
"""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from course.errors import ConfigurationError
from course.models import refusals
from course.models.callers import Arriving, Guarded
from course.models.engine import Engine, HttpAnswer, Responder, Stream, refuse
from course.models.names import stand_in
from course.models.profile import DEFAULT, Profile, load
from course.models.simulated import Simulated
from course.models.wire import ApiError

HOST = "127.0.0.1"
MAX_BODY = 16 * 1024 * 1024
"""The largest request body taken, in bytes."""

MAX_CONNECTIONS = 2048
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_GRACE_SECONDS = 2
_LARGE_AT_ONCE = 4


def serve(
    port: int = 0,
    *,
    profile: str | Path | Profile = DEFAULT,
    seed: int = 0,
    require_key: str | None = None,
    responder: Responder | None = None,
) -> None:
    """Serve the simulated model over HTTP until SIGINT or SIGTERM, then return.

    Prints the base URL for a client on one line, such as `http://127.0.0.1:8123/v1`, and once which
    model answers to another maker's name.

    Args:
        port: on 127.0.0.1; 0 takes a free one.
        profile: a name such as "calm", the path of a TOML file, or a `Profile`.
        seed: of every random draw.
        require_key: the API key to demand (401 without it); None demands none.
        responder: answers in place of the simulated model, such as a `Scripted`.

    Raises:
        ConfigurationError: when the port is taken or the profile does not exist.
        FileFormatError: when the profile is damaged.
    """
    say = partial(print, flush=True)
    with _prepared(port, profile, seed, require_key, responder, say) as (server, listener):
        print(f"Serving on {_url(listener)} (stop with Ctrl-C)", flush=True)
        with quiet_signals():
            server.run(sockets=[listener])


@contextmanager
def background(
    port: int = 0,
    *,
    profile: str | Path | Profile = DEFAULT,
    seed: int = 0,
    require_key: str | None = None,
    responder: Responder | None = None,
) -> Iterator[str]:
    """Serve in a thread beside the caller; gives the base URL and stops at the end of the block.

    Takes the arguments of `serve` and raises what it raises.
    """
    say = logging.getLogger(__name__).info
    with _prepared(port, profile, seed, require_key, responder, say) as (server, listener):
        thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listener]}, name="model server", daemon=True
        )
        thread.start()
        try:
            yield _url(listener)
        finally:
            server.should_exit = True
            thread.join()


def application(engine: Engine) -> ASGIApp:
    """The engine as an ASGI application, for callers on this machine."""

    async def answer(request: Request) -> Response:
        try:
            body = await _body(request)
        except ApiError as error:
            return _response(refuse(error))
        except ClientDisconnect:
            return Response()  # to nobody
        # Starlette gives header names in lower case, which is how the engine wants them.
        headers = dict(request.headers)
        try:
            made = await engine.answer(request.method, request.url.path, headers, body)
        except Exception as error:  # a responder may raise anything; the caller gets a 500
            made = refuse(refusals.server_error(f"{type(error).__name__}: {error}"))
        return _response(made)

    served = Starlette(routes=[Route("/{path:path}", answer, methods=_METHODS)])
    return Guarded(served, lambda error: _response(refuse(error)))


@contextmanager
def _prepared(
    port: int,
    profile: str | Path | Profile,
    seed: int,
    require_key: str | None,
    responder: Responder | None,
    say: Callable[[str], None],
) -> Iterator[tuple[uvicorn.Server, socket.socket]]:
    """A server that is ready to run, and the socket that it listens at, for the block."""
    loaded = load(profile)
    aside = ThreadPoolExecutor(_LARGE_AT_ONCE, "large requests")
    engine = Engine(
        responder or Simulated(loaded, seed),
        loaded,
        seed=seed,
        require_key=require_key,
        aside=aside,
        alias=_saying_once(say),
    )
    config = uvicorn.Config(
        application(engine),
        loop="asyncio",
        http=Arriving,
        ws="none",
        lifespan="off",
        log_level="warning",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    try:
        with listen(port) as listener:
            yield uvicorn.Server(config), listener
    finally:
        aside.shutdown(wait=False, cancel_futures=True)


def _saying_once(say: Callable[[str], None]) -> Callable[[str], str]:
    """`names.stand_in`, which says the first time that a model answers in another one's place."""
    said = False

    def alias(name: str) -> str:
        nonlocal said
        ours = stand_in(name)
        if ours and not said:
            said = True
            say(f"{ours} answers in place of {name}; so it is with other makers' model names")
        return ours

    return alias


def listen(port: int) -> socket.socket:
    """A socket that listens on this machine alone; 0 takes a free port.

    Raises ConfigurationError: the port is taken.
    """
    # asyncio turns Nagle's delay off (40 ms an answer) only where the socket says that it is TCP.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            f"cannot serve on {HOST}:{port} ({reason}): choose another port, or 0 for a free one"
        ) from None
    # Listening at once, so that a client may connect as soon as it has read the URL.
    listener.listen(MAX_CONNECTIONS)
    return listener


def _url(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}/v1"


async def _body(request: Request) -> bytes:
    """The body of a request; raises ApiError (413) when it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise refusals.too_big(MAX_BODY)
        parts.append(part)
    return b"".join(parts)


def _response(answer: HttpAnswer) -> Response:
    if answer.events is None:
        return Response(answer.body, answer.status, answer.headers)
    return StreamingResponse(_closing(answer.events), answer.status, answer.headers)


async def _closing(events: Stream) -> AsyncIterator[bytes]:
    """The events of a stream, which ends as well when the caller hangs up."""
    try:
        async for event in events:
            yield event
    finally:
        await events.aclose()


@contextmanager
def quiet_signals() -> Iterator[None]:
    """Let SIGINT and SIGTERM end the server and nothing more.

    uvicorn raises a signal once again after its own shutdown; without a handler the process would
    then die of it instead of returning.
    """
    wanted = (signal.SIGINT, signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = {number: signal.signal(number, lambda *_: None) for number in wanted}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
