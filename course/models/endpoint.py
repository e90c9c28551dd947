"""Any OpenAI-compatible service as the model, configured by the environment.

OPENAI_API_KEY is the key (any text, for a server that demands none), OPENAI_BASE_URL the address
when it is not OpenAI's own. COURSE_MODEL names the service's model for the course's large one, and
COURSE_MODEL_SMALL for its small one (COURSE_MODEL when unset); where neither is set, the course's
own names are sent, which `python -m course serve` understands.
"""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from dataclasses import dataclass, field

import httpx2

from course.errors import ConfigurationError
from course.models.draws import Draws
from course.models.names import LARGE, SMALL
from course.models.transport import key_headers
from course.models.wire import Key

KEY = "OPENAI_API_KEY"
URL = "OPENAI_BASE_URL"
MODEL = "COURSE_MODEL"
MODEL_SMALL = "COURSE_MODEL_SMALL"
OPENAI = "https://api.openai.com/v1"
_OWN_HEADERS = b"x-switchboard-"
_JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the service is and what its models are called; the key never shows in a repr."""

    key: str = field(repr=False)
    url: str = OPENAI
    models: tuple[tuple[str, str], ...] = ()


def settings() -> Settings | None:
    """The settings in the environment; None, and one printed line, when there is no key.

    Raises ConfigurationError: when the address is not one of http or https.
    """
    key = os.environ.get(KEY, "").strip()
    if not key:
        print(f"No {KEY} is set, so the simulated model answers (no key or network needed).")
        return None
    url = os.environ.get(URL, "").strip() or OPENAI
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError(f"{URL} is '{url}': it must begin with http:// or https://")
    large = os.environ.get(MODEL, "").strip() or LARGE
    small = os.environ.get(MODEL_SMALL, "").strip() or os.environ.get(MODEL, "").strip() or SMALL
    return Settings(key, url, ((SMALL, small), (LARGE, large)))


class EndpointTransport(httpx2.AsyncBaseTransport):
    """Sends requests to the service, with its model names and without the course's headers.

    Args:
        seed: of the client. A request that has none of its own gets one that follows from it and
            from the course's headers (run, agent, matter, call), so that a service which knows
            seeds answers the same run the same, and another one anew. None sends none.

    Raises ConfigurationError, in one line, when the service cannot be reached, refuses the key or
    has no such model; all other answers reach the client as they are.
    """

    def __init__(self, settings: Settings, seed: int | None = None) -> None:
        self._settings = settings
        self._seed = seed
        self._models = dict(settings.models)
        self._http: httpx2.AsyncClient | None = None
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; called by the client."""
        try:
            response = await self._client().send(await self._rewrite(request), stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.UnsupportedProtocol):
            raise ConfigurationError(
                f"cannot reach {self._settings.url}: check {URL} and the network, or use "
                "connect('simulated')"
            ) from None
        if response.status_code == 401:
            await response.aclose()
            raise ConfigurationError(
                f"{self._settings.url} refuses the key in {KEY}: correct it, or use "
                "connect('simulated')"
            )
        if response.status_code == 404:
            content = await response.aread()
            await self._explain_model(content, request)
            return httpx2.Response(404, headers=_JSON, content=content)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )

    async def aclose(self) -> None:
        """Close the connections."""
        if self._http is not None:
            await self._http.aclose()

    async def _rewrite(self, request: httpx2.Request) -> httpx2.Request:
        """The request as the service should see it."""
        content = await request.aread()
        headers = [(name, value) for name, value in request.headers.raw if _passes(name.lower())]
        if content:
            body = json.loads(content)
            body["model"] = self._models.get(body.get("model"), body.get("model"))
            if self._seed is not None:
                key = Key.of(key_headers(request))
                body.setdefault("seed", int(Draws(self._seed, key).uniform("seed") * 2**31))
            content = json.dumps(body, ensure_ascii=False).encode()
        return httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            content=content,
            extensions=request.extensions,
        )

    async def _explain_model(self, content: bytes, request: httpx2.Request) -> None:
        """Raise ConfigurationError for a 404 that is about the model's name."""
        if b"model" not in content.lower() or not request.url.path.endswith("/chat/completions"):
            return
        asked = json.loads(await request.aread()).get("model")
        variable = MODEL_SMALL if asked == SMALL else MODEL
        raise ConfigurationError(
            f"{self._settings.url} has no model '{self._models.get(asked, asked)}': set {variable} "
            "to one it has"
        )

    def _client(self) -> httpx2.AsyncClient:
        """The connections, anew for each event loop: sockets do not outlive theirs."""
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            # A client, not a bare transport: only clients honour proxies in the environment.
            self._http = httpx2.AsyncClient()
        return self._http


def _passes(name: bytes) -> bool:
    """Whether a header goes to the service; the length is counted anew."""
    return not name.startswith(_OWN_HEADERS) and name != b"content-length"
