"""A page to talk to a system, with its trace beside it as it grows, and then to be played; on this
machine alone.

The conversation runs in a thread of its own, in virtual time or not, and the page asks for what is
new. Its address has a token in it, other machines and other pages are refused, and the server stops
by itself when nobody has looked for a while.
"""

from __future__ import annotations

import asyncio
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from course import clock
from course.errors import in_a_line
from course.models.callers import Arriving, Guarded
from course.models.server import HOST, listen, quiet_signals
from course.models.wire import ApiError, AsyncOpenAI
from course.observability.views import gantt, tree
from course.playground.talking import converse
from course.systems import Result
from course.trace import Trace
from course.viewer.page import page

IDLE_SECONDS = 600.0
"""How long nobody may look until the server stops. A hidden page looks once a minute."""
LONGEST_SECONDS = 8 * 3600.0
MOST_TURNS = 500
LONGEST_TEXT = 4_000
"""Letters of what is said at once; the page's field takes no more."""

_LEAVES_SECONDS = 5.0
_PAGE, _ = guess_type("page.html")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self';"
    " style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_PLAYER = _HEADERS | {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline';"
    " script-src 'unsafe-inline'; sandbox allow-scripts; frame-ancestors 'self'"
}
"""The switchboard is one file with its script in it, which gets at nothing outside its frame."""


@dataclass
class Exchanged:
    """What the page and the conversation tell each other, from two threads.

    Attributes:
        said: what was said so far: who, the words, and a note.
        busy: whether the system works.
        over: whether the conversation is over.
    """

    name: str
    trace: Trace
    said: list[dict[str, str]] = field(default_factory=list)
    busy: bool = True
    over: bool = False
    _words: queue.SimpleQueue[str | None] = field(default_factory=queue.SimpleQueue)

    def hear(self) -> str | None:
        """Wait for what the person says; None when they have left."""
        self.busy = False
        return self._words.get()

    def tell(self, told: Result | str) -> None:
        """Show an answer, or another line."""
        if isinstance(told, Result):
            cost = "" if told.cost is None else f", {told.cost * 100:.2g} cents"
            self.add(self.name, told.answer, f"{told.seconds:.2f} s{cost}")
        else:
            self.add(self.name, told)

    def add(self, who: str, words: str, note: str = "") -> None:
        """Put a line at the end."""
        self.said.append({"who": who, "words": words, "note": note})

    def say(self, words: str) -> None:
        """Say something. Raises ApiError (409) while the last answer is awaited."""
        if self.busy or self.over:
            raise ApiError(409, "The last answer is still awaited." if self.busy else "It is over.")
        self.busy = True
        self.add("you", words)
        self._words.put(words if len(self.said) <= 2 * MOST_TURNS else None)

    def leave(self) -> None:
        """End the conversation as soon as the system has answered."""
        self._words.put(None)

    def news(self, said: int, steps: int) -> dict[str, Any]:
        """What is new for a page that has shown so many lines, and a trace of so many steps."""
        place = self.trace.place
        drawn = None if place == steps else f"{gantt(self.trace)}\n\n{tree(self.trace)}"
        news = {"said": self.said[said:], "steps": place, "trace": drawn}
        return {"name": self.name, **news, "busy": self.busy, "over": self.over}


def serve(
    name: str,
    system: Any,
    *,
    client: AsyncOpenAI,
    trace: Trace,
    speed: float | None = None,
    port: int = 0,
    idle: float = IDLE_SECONDS,
    say: Callable[[str], None] = print,
) -> None:
    """Serve a page to talk to a system, until Ctrl-C, until the page was closed for `idle` seconds,
    or for `LONGEST_SECONDS`.

    Args:
        name: of the system.
        system: whatever `course.playground.talking` talks to.
        client: answers for its agents.
        trace: records all turns.
        speed: loop seconds per real second; None jumps over all waiting.
        port: on 127.0.0.1; 0 takes a free one.
        say: gets the page's address, in a line.

    Raises ConfigurationError: the port is taken.
    """
    exchanged, token = Exchanged(name, trace), secrets.token_urlsafe(16)

    def talk() -> None:
        try:
            held = converse(
                system, client=client, trace=trace, hear=exchanged.hear, tell=exchanged.tell
            )
            clock.simulate(held, speed=speed)
        except Exception as trouble:  # the page is where it is read
            exchanged.tell(f"✗ {in_a_line(trouble)}")
        finally:
            exchanged.busy, exchanged.over = False, True

    talking = threading.Thread(target=talk, name="conversation", daemon=True)
    served = _Served(exchanged, token)
    config = uvicorn.Config(
        served.application(), loop="asyncio", http=Arriving, ws="none", lifespan="off",
        log_level="warning", limit_concurrency=32, timeout_graceful_shutdown=1,
    )  # fmt: skip
    with listen(port) as listener, quiet_signals():
        say(f"Open http://{HOST}:{listener.getsockname()[1]}/{token}/ (stop with Ctrl-C)")
        talking.start()
        asyncio.run(_until_idle(uvicorn.Server(config), served, listener, idle))
    exchanged.leave()
    talking.join(_LEAVES_SECONDS)


async def _until_idle(server: uvicorn.Server, served: _Served, listener: Any, idle: float) -> None:
    begin = time.monotonic()

    async def watch() -> None:
        while not server.should_exit:
            await asyncio.sleep(min(1.0, idle))
            now = time.monotonic()
            server.should_exit |= now - served.looked > idle or now - begin > LONGEST_SECONDS

    watching = asyncio.create_task(watch())
    await server.serve(sockets=[listener])
    watching.cancel()


class _Served:
    """The page, its script, and the two ways in which it talks to the conversation.

    `looked` is when somebody last asked for something (seconds, monotonic).
    """

    def __init__(self, exchanged: Exchanged, token: str) -> None:
        self._exchanged, self._token = exchanged, token
        self.looked = time.monotonic()

    def application(self) -> ASGIApp:
        """All of it under the token, for callers on this machine."""
        at = f"/{self._token}/"
        routes = [
            Route(at, _file("page.html")),
            Route(f"{at}page.js", _file("page.js")),
            Route(f"{at}run", self._run),
            Route(f"{at}state", self._state),
            Route(f"{at}say", self._say, methods=["POST"]),
        ]
        return Guarded(Router(routes, redirect_slashes=False), _refused)

    async def _run(self, _: Request) -> Response:
        """The turns so far, to be played on the switchboard."""
        return Response(page(self._exchanged.trace), media_type=_PAGE, headers=_PLAYER)

    async def _state(self, request: Request) -> Response:
        self.looked = time.monotonic()
        try:
            said, steps = (int(request.query_params[key]) for key in ("said", "steps"))
        except (KeyError, ValueError):
            return _refused(ApiError(400, "said and steps are whole numbers."))
        return JSONResponse(self._exchanged.news(max(0, said), steps), headers=_HEADERS)

    async def _say(self, request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > 8 * LONGEST_TEXT:
                return _refused(ApiError(413, f"At most {LONGEST_TEXT} letters at once."))
        try:
            text = json.loads(body)["text"].strip()
        except (ValueError, TypeError, KeyError, AttributeError):
            text = ""
        if not 0 < len(text) <= LONGEST_TEXT:
            return _refused(ApiError(400, f"Say something, in at most {LONGEST_TEXT} letters."))
        try:
            self._exchanged.say(text)
        except ApiError as error:
            return _refused(error)
        return JSONResponse({}, headers=_HEADERS)


def _file(name: str) -> Callable[[Request], Response]:
    """What answers with a file that lies beside this module, as it is."""
    kind, _ = guess_type(name)
    held = Path(__file__).with_name(name).read_bytes()
    return lambda _: Response(held, media_type=kind, headers=_HEADERS)


def _refused(error: ApiError) -> Response:
    problem = {"error": {"message": error.message}}
    return JSONResponse(problem, status_code=error.status, headers=_HEADERS)
