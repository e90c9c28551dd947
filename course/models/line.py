"""How a model call is made: in its turn, within its time, and again when the way there failed.

A connection that broke or a service that is overloaded has nothing to do with what was asked, so
the same call is made again, after waits that grow. What a model says no to (an error of the
request itself) is not: it would say no again.

Source: exponential backoff with jitter, Brooker, "Exponential Backoff And Jitter" (AWS, 2015);
the status codes that are worth another try are those of the openai client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from course.errors import ConfigurationError
from course.models.draws import Draws
from course.models.patience import standing_in_line
from course.models.rates import RateLimit
from course.models.tokens import prompt_tokens
from course.models.wire import Key
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI

R = TypeVar("R")

ASSUMED_ANSWER = 211
"""Tokens that count for an answer whose request sets no limit (see the profile "calm")."""

RETRY_COUNT = "x-stainless-retry-count"


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """How often a call is made at the most, and how long is waited in between.

    The wait before the n-th repetition is `first` * 2^(n-1) seconds, `most` at the
    most, shortened by up to `jitter` of itself, so that those who failed together do
    not come back together.

    Attributes:
        tries: calls, the first included.
        first, most: seconds.
        jitter: a share from 0 to below 0.5, so that each wait is longer than the one
            before it.
        seed: of the jitter's draws.

    Raises:
        ConfigurationError: less than one try, or a jitter with which waits would not
            grow.

    Built in chapter 08.
    """

    tries: int = 3
    first: float = 0.5
    most: float = 8.0
    jitter: float = 0.25
    seed: int = 0

    def __post_init__(self) -> None:
        if self.tries < 1 or not 0 <= self.jitter < 0.5:
            raise ConfigurationError(
                f"a call needs 1 or more tries and a jitter from 0 to below 0.5, not {self.tries}"
                f" and {self.jitter:g}"
            )

    def wait(self, repetition: int, *, key: Key, retry_after: float | None = None) -> float:
        """Seconds before the n-th repetition, n from 1.

        Args:
            key: of the call; two calls draw different jitter, the same call always the
                same.
            retry_after: seconds the service asked for; it is never waited less.
        """
        luck = Draws(self.seed, key).uniform(f"backoff {repetition}")
        own = min(self.most, self.first * 2.0 ** (repetition - 1)) * (1 - self.jitter * luck)
        return own if retry_after is None else max(own, retry_after)


async def insist(call: Callable[[int], Awaitable[R]], backoff: Backoff, *, key: Key) -> R:
    """Make a call, and make it again while its way fails, after waits that grow.

    Args:
        call: makes it once; it is told how often it was made before.
        backoff: how often at the most, and how long to wait.
        key: of the call, for the jitter.

    Returns:
        What the first call gives that works.

    Raises:
        Exception: the last call's error, or at once one that another call would only
            meet again.

    Built in chapter 08, exercise 8.1.
    """
    for repetition in range(1, backoff.tries):
        try:
            return await call(repetition - 1)
        except Exception as error:
            if not is_transient(error):
                raise
            seconds = backoff.wait(repetition, key=key, retry_after=retry_after(error))
            with span("wait", "backoff", {"switchboard.repetition": repetition}) as step:
                step.fail(f"{type(error).__name__}: {error}", kind=type(error).__name__)
                await asyncio.sleep(seconds)
    return await call(backoff.tries - 1)


class Line:
    """A client whose calls wait for their turn, end in time, and are made again when they must.

    It stands wherever a client does; only `post`, which makes every model call, is its own. What
    is waited for, and why, becomes a span inside the call's.

    Args:
        client: reaches the model.
        rate: shared with all that use the same service; None is no limit.
        backoff: how a failed call is made again.
        timeout: seconds one call may take; None leaves it to the client.

    Built in chapter 08.
    """

    def __init__(
        self,
        client: AsyncOpenAI,
        *,
        rate: RateLimit | None = None,
        backoff: Backoff | None = None,
        timeout: float | None = None,
    ) -> None:
        here: Any = client
        self._client = here if isinstance(here, Line) else here.with_options(max_retries=0)
        self._timeout = timeout
        self._rate = rate
        self._backoff = backoff or Backoff()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def post(
        self, path: str, *, body: Mapping[str, Any], options: Any = None, **more: Any
    ) -> Any:
        """Make one call, and again while that may help.

        Raises:
            openai.APIError: the last try failed, or one failed for good.
        """
        headers = dict((options or {}).get("headers", {}))
        key = _key(headers)

        async def once(made: int) -> Any:
            await self._wait_in_line(body)
            headers[RETRY_COUNT] = str(made)
            sent = {**(options or {}), "headers": headers}
            try:
                return await self._once(path, body=body, options=sent, **more)
            except Exception as error:
                self._turned_away(error, made + 1, key)
                raise

        return await insist(once, self._backoff, key=key)

    async def _once(self, path: str, **more: Any) -> Any:
        """One try, within its time."""
        from httpx2 import Request
        from openai import APITimeoutError

        try:
            async with asyncio.timeout(self._timeout) as deadline:
                return await self._client.post(path, **more)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise APITimeoutError(Request("POST", path)) from error

    async def _wait_in_line(self, body: Mapping[str, Any]) -> None:
        if self._rate is None:
            return
        answer = body.get("max_completion_tokens") or body.get("max_tokens") or ASSUMED_ANSWER
        tokens = prompt_tokens(body) + answer if self._rate.tokens_per_minute else 0
        if self._rate.ready(tokens):
            await self._rate.acquire(tokens)
            return
        with span("wait", "rate limit"), standing_in_line():
            await self._rate.acquire(tokens)

    def _turned_away(self, error: Exception, repetition: int, key: Key) -> None:
        """Let nobody else ask either, for as long as whoever was turned away waits."""
        if self._rate is not None and getattr(error, "status_code", None) == 429:
            asked = retry_after(error)
            self._rate.turned_away(self._backoff.wait(repetition, key=key, retry_after=asked))


def guarded(client: AsyncOpenAI, *, rate: RateLimit | None = None, **how: Any) -> AsyncOpenAI:
    """A `Line` in the place of a client; who stands in a line already keeps to that one.

    A limit of its own is kept besides; how calls are made again is up to the line it stands in.
    """
    here: object = client
    if isinstance(here, Line):
        if rate is None or not rate.limited:
            return client
        how = {"backoff": Backoff(tries=1)}
    return cast("AsyncOpenAI", Line(client, rate=rate, **how))


def is_transient(error: Exception) -> bool:
    """Whether the way to the model failed, so that the same call may work next time.

    Built in chapter 08.
    """
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        said = error.response.headers.get("x-should-retry")
        if said in ("true", "false"):
            return said == "true"
        return error.status_code in (408, 409, 429) or error.status_code >= 500
    return isinstance(error, APIConnectionError)


def retry_after(error: Exception) -> float | None:
    """Seconds after which a service wants to be asked again, if its error says so.

    Built in chapter 08.
    """
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    return None


def _key(headers: Mapping[str, str]) -> Key:
    call = headers.get("x-switchboard-call", "0")
    run, agent = headers.get("x-switchboard-run", ""), headers.get("x-switchboard-agent", "")
    return Key(run, agent, int(call) if call.isdigit() else 0)
