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
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

import httpx2

from course.addresses import LOOPBACK, Address, parts, shown
from course.errors import ConfigurationError
from course.models.draws import Draws
from course.models.masking import SHORTEST, masked_answer
from course.models.names import LARGE, SMALL
from course.models.transport import key_headers, uncoded
from course.models.wire import Key

KEY = "OPENAI_API_KEY"
URL = "OPENAI_BASE_URL"
MODEL = "COURSE_MODEL"
MODEL_SMALL = "COURSE_MODEL_SMALL"
OPENAI = "https://api.openai.com/v1"
_OWN_HEADERS = b"x-switchboard-"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the service is and what its models are called; nothing secret shows in a repr.

    `url` has no user and password in it: they are `login`, for a service behind a proxy that wants
    them in place of the key.
    """

    key: str = field(repr=False)
    url: str = OPENAI
    models: tuple[tuple[str, str], ...] = ()
    login: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """The address as it is shown: host and port."""
        return shown(self.url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that an answer of the service may repeat and nobody may read."""
        found = {self.key}
        if self.login:
            found |= {self.login[1], self.basic}
        return tuple(each for each in found if len(each) >= SHORTEST)

    @property
    def basic(self) -> str:
        """The login as HTTP's basic scheme sends it (RFC 7617)."""
        return b64encode(":".join(self.login or ()).encode()).decode()


def settings(environ: Mapping[str, str] | None = None) -> Settings | None:
    """The settings in `environ`, or else in the process's environment; None, and one printed line,
    when there is no key. One line more tells that a key goes over the network for all to read.

    Raises ConfigurationError: when the address is not one of http or https.
    """
    given = os.environ if environ is None else environ
    key = given.get(KEY, "").strip()
    if not key:
        print(f"No {KEY} is set, so the simulated model answers (no key or network needed).")
        return None
    url = given.get(URL, "").strip() or OPENAI
    address = _address(url)
    if address.scheme == "http" and address.host not in LOOPBACK:
        _tell_that_it_is_plain(address.place)
    large = given.get(MODEL, "").strip() or LARGE
    small = given.get(MODEL_SMALL, "").strip() or given.get(MODEL, "").strip() or SMALL
    login = None if address.user is None else (address.user, address.password or "")
    bare = f"{address.scheme}://{address.place}{address.rest}"
    return Settings(key, bare, ((SMALL, small), (LARGE, large)), login)


@cache
def _tell_that_it_is_plain(place: str) -> None:
    """Say once what a sweep of a thousand clients need not repeat."""
    print(
        f"{URL} is plain http: whoever is on the way to {place} can read the key and what is said."
        " Use https://"
    )


def _address(url: str) -> Address:
    """The parts of an address; it may hold a password, so no error shows any of it."""
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigurationError(f"{URL} must begin with http:// or https://")
    address = parts(url)
    if address is None or set("?#") & set(address.rest):
        raise ConfigurationError(
            f"{URL} is no address such as https://host:port/v1: it ends with a path, and in a "
            "password / is written %2F, ? %3F, # %23 and @ %40"
        )
    return address


def seed_sent(seed: int, key: Key) -> int:
    """The seed that a service is sent with a call, from the client's and the call's key."""
    return int(Draws(seed, key).uniform("seed") * 2**31)


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
                f"cannot reach {self._settings.place}: check {URL} and the network, or use "
                "connect('simulated')"
            ) from None
        if response.status_code == 401:
            await response.aclose()
            raise ConfigurationError(
                f"{self._settings.place} refuses the key in {KEY}: correct it, or use "
                "connect('simulated')"
            )
        if response.has_redirect_location:
            await self._stay(response)
        if response.status_code >= 400:
            content = self._masked(await response.aread())
            if response.status_code == 404:
                await self._explain_model(content, request)
            headers = [(n, self._masked(v)) for n, v in response.headers.raw if _kept(n.lower())]
            if kind := uncoded(response.headers):
                headers.append((b"content-type", self._masked(kind.encode())))
            return httpx2.Response(response.status_code, headers=headers, content=content)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )

    async def _stay(self, response: httpx2.Response) -> None:
        """Raise ConfigurationError for an answer that leads what was said to another host."""
        here, there = response.request.url, str(response.headers["location"])
        with suppress(httpx2.InvalidURL):
            target = here.join(there)
            there = str(target)
            safer = (here.scheme, target.scheme) == ("http", "https")
            same = (target.scheme, target.port) == (here.scheme, here.port)
            if target.host == here.host and (same or safer):
                return
        await response.aclose()
        raise ConfigurationError(
            f"{self._settings.place} sends requests on to {shown(there)}, and nothing was sent "
            f"there: if that is your service, set {URL} to it"
        )

    def _masked(self, said: bytes) -> bytes:
        text = said.decode("utf-8", "surrogateescape")
        return masked_answer(text, self._settings.secrets).encode("utf-8", "surrogateescape")

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
                body.setdefault("seed", seed_sent(self._seed, key))
            content = json.dumps(body, ensure_ascii=False).encode()
        if self._settings.login:
            headers = [pair for pair in headers if pair[0].lower() != b"authorization"]
            headers.append((b"authorization", f"Basic {self._settings.basic}".encode()))
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
            f"{self._settings.place} has no model '{self._models.get(asked, asked)}': set "
            f"{variable} to one it has"
        )

    def _client(self) -> httpx2.AsyncClient:
        """The connections, anew for each event loop: sockets do not outlive theirs."""
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            # A client, not a bare transport: only clients honour proxies in the environment.
            try:
                self._http = httpx2.AsyncClient()
            except (httpx2.InvalidURL, ImportError, ValueError):  # it repeats parts of the address
                raise ConfigurationError(
                    "a proxy's address in the environment (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) "
                    "cannot be used: correct it, or unset it"
                ) from None
        return self._http


def _kept(name: bytes) -> bool:
    """Whether a header of an answer is still true when its body was read and masked."""
    return name not in (b"content-encoding", b"content-length", b"content-type",
                        b"transfer-encoding")  # fmt: skip


def _passes(name: bytes) -> bool:
    """Whether a header goes to the service; the length is counted anew."""
    return not name.startswith(_OWN_HEADERS) and name != b"content-length"
