"""How a model call is made: in its turn, within its time, and again when the way there failed.

A connection that broke or a service that is overloaded has nothing to do with what was asked, so
the same call is made again, after waits that grow. What a model says no to (an error of the
request itself) is not: it would say no again.

Source: exponential backoff with jitter, Brooker, "Exponential Backoff And Jitter" (AWS, 2015);
the status codes that are worth another try are those of the openai client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from course import clock
from course.errors import ConfigurationError, ModelError
from course.models.breaker import Breaker
from course.models.draws import Draws
from course.models.places import Places
from course.models.rates import RateLimit
from course.models.time_limit import standing_in_line
from course.models.tokens import prompt_tokens
from course.models.wire import RETRY_HEADER, Key
from course.trace import span

if TYPE_CHECKING:
    from openai import AsyncOpenAI

R = TypeVar("R")

ASSUMED_ANSWER = 211
"""Tokens that count for an answer whose request sets no limit (see the profile "calm")."""

CALL_SECONDS = 60.0
"""What one try of a call may take where nobody says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Backoff:
    """How often a call is made at the most, and how long is waited in between. Built in chapter 08.

    The wait before the n-th repetition is `first` * 2^(n-1) seconds, `most` at the
    most, shortened by up to `jitter` of itself, so that those who failed together do
    not come back together.

    Attributes:
        tries: calls, the first included.
        first, most: seconds.
        jitter: a share from 0 to below 0.5, so that each wait is longer than the one
            before it.
        seed: of the jitter's draws.

    Raises ConfigurationError: less than one try, or a jitter with which waits would not grow.
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
    Built in chapter 08, exercise 8.1.

    Args:
        call: makes it once; it is told how often it was made before.
        backoff: how often at the most, and how long to wait.
        key: of the call, for the jitter.

    Returns:
        What the first call gives that works.

    Raises:
        Exception: the last call's error, or at once one that another call would only
            meet again.
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


@dataclass(slots=True)
class Tries:
    """What became of one model call so far.

    Attributes:
        body: the request, whose size counts for the rate.
        key: of the call, for the jitter.
        made: requests that went out for it.
        refused: how many of them the service put off (429).
        begun: whether a part of the answer was heard, so that it cannot be had again.
    """

    body: Mapping[str, Any]
    key: Key
    made: int = 0
    refused: int = 0
    begun: bool = False


class Line:
    """A client whose calls wait for their turn, end in time, and are made again when they must.
    Used in chapter 08.

    It stands wherever a client does. What a call waits for, and why, becomes a `wait` span.

    Args:
        client: reaches the model; its own retries are switched off, so that nothing is sent again
            without a trace of it.
        rate: shared with all that use the same service; None is no limit.
        backoff: how a failed call is made again.
        timeout: seconds that one try may take; None leaves it to the client.
        breaker: refuses calls at once while the service is down.
        in_flight: how many calls may be under way at the same time; None is as the client says.
        turned_away: how often the service may say "not now" (429) to a call before that counts
            as a failed try.

    Attributes:
        client: what it was given; it makes each try.
        standard: whether nobody chose its settings, so that those of somebody else go before.

    Raises ConfigurationError: `in_flight` is below 1, or the client stands in a line already.
    """

    def __init__(
        self,
        client: AsyncOpenAI,
        *,
        rate: RateLimit | None = None,
        backoff: Backoff | None = None,
        timeout: float | None = None,
        breaker: Breaker | None = None,
        in_flight: int | None = None,
        turned_away: int = 30,
    ) -> None:
        if isinstance(client, Line):
            raise ConfigurationError("the client is a Line already: give Line the bare client")
        given: Any = client
        self.client: Any = (
            given.with_options(max_retries=0) if getattr(given, "max_retries", 1) else given
        )
        self.standard = False
        self.backoff = backoff or Backoff()
        self._rates = (rate,) if rate else ()
        self._timeout = timeout
        self._breaker = breaker
        shared = getattr(self.client, "places", None)
        self._places = shared if in_flight is None else Places(in_flight)
        self._turned_away = turned_away

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def also(self, rate: RateLimit) -> Line:
        """The same line, which keeps to one more rate limit."""
        other = Line.__new__(Line)
        vars(other).update(vars(self), _rates=(*self._rates, rate))
        return other

    async def post(
        self, path: str, *, body: Mapping[str, Any], options: Any = None, **more: Any
    ) -> Any:
        """Make one call as the client's own `post` does, and again while that may help.

        Raises:
            openai.APIError: the last try failed, or one failed for good.
            BreakerOpen: the breaker lets nobody through.
        """
        given = dict(options or {})
        headers = dict(given.get("headers", {}))
        tries = Tries(body, Key.of(headers))

        async def once(_: int) -> Any:
            while True:
                async with self.turn(tries) as made:
                    sent = {**given, "headers": {**headers, RETRY_HEADER: str(made)}}
                    return await self.client.post(path, body=body, options=sent, **more)

        return await insist(once, self.backoff, key=tries.key)

    @asynccontextmanager
    async def turn(self, tries: Tries) -> AsyncIterator[int]:
        """One try at a call, in the block: when its turn has come, past the breaker, in its time.

        What the service puts off (429) does not leave the block: the pause is over then, and the
        call is to be made in another turn.

        Args:
            tries: of the call; they are counted here.

        Yields:
            How many requests went out for the call before.

        Raises:
            APITimeoutError: the try took too long.
            BreakerOpen: the breaker lets nobody through.
        """
        try:
            if self._places:
                await self._places.take()
            try:
                if self._rates:
                    await self._wait_in_line(tries.body)
                probe = self._breaker.admit() if self._breaker else False
                worked: bool | None = None  # it was cancelled, or the service is only busy
                try:
                    async with asyncio.timeout(self._timeout) as deadline:
                        tries.made += 1
                        yield tries.made - 1
                    worked = True
                except Exception as raised:
                    error = _too_late(tries) if _is_over(deadline, raised) else raised
                    worked = None if _not_now(error) else not is_transient(error)
                    if error is raised:
                        raise
                    raise error from raised
                finally:
                    if self._breaker:
                        self._breaker.settle(worked, probe=probe)
            finally:
                if self._places:
                    self._places.give_back()
        except Exception as error:
            if not _not_now(error):
                raise
            await self._stand_back(error, tries)

    async def _stand_back(self, error: Exception, tries: Tries) -> None:
        """Wait as long as a busy service asks for; raise its error once it asked too often."""
        tries.refused += 1
        seconds = self.backoff.wait(tries.refused, key=tries.key, retry_after=retry_after(error))
        for rate in self._rates:
            rate.turned_away(seconds)  # nobody else need ask before
        if tries.refused > self._turned_away:
            raise error
        with span("wait", "turned away", {"switchboard.repetition": tries.refused}) as step:
            step.fail(f"{type(error).__name__}: {error}", kind=type(error).__name__)
            await asyncio.sleep(seconds)

    async def _wait_in_line(self, body: Mapping[str, Any]) -> None:
        for rate in self._rates:
            answer = body.get("max_completion_tokens") or body.get("max_tokens") or ASSUMED_ANSWER
            tokens = prompt_tokens(body) + answer if rate.tokens_per_minute else 0
            if rate.ready(tokens):
                await rate.acquire(tokens)
                continue
            with span("wait", "rate limit"), standing_in_line():
                await rate.acquire(tokens)


def _is_over(deadline: asyncio.Timeout, error: Exception) -> bool:
    """Whether it is this limit that ended a try, rather than one further in."""
    return isinstance(error, TimeoutError) and deadline.expired()


def _too_late(tries: Tries) -> Exception:
    """What a try ends in whose time is over."""
    from httpx2 import Request
    from openai import APITimeoutError

    if tries.begun:
        return ModelError("the model's answer broke off: its time was over")
    return APITimeoutError(Request("POST", "/chat/completions"))


def guarded(client: AsyncOpenAI, **settings: Any) -> AsyncOpenAI:
    """A `Line` in the place of a client; who stands in a line already keeps to it.

    Args:
        client: as `connect` makes it, or a `Line`.
        settings: a `Line`'s. Without any it is the standard one, which gives way to settings that
            come later: three tries, `CALL_SECONDS` for each. In a line that somebody chose, only
            a rate limit is kept besides.
    """
    here: Any = able(client)
    if not isinstance(here, Line):
        line = Line(client, **settings or {"timeout": CALL_SECONDS})
        line.standard = not settings
        return cast("AsyncOpenAI", line)
    if here.standard and settings:
        return cast("AsyncOpenAI", Line(here.client, **settings))
    rate = settings.get("rate")
    return cast("AsyncOpenAI", here.also(rate)) if rate is not None and rate.limited else client


def able(client: Any) -> Any:
    """The client, if it is one.

    Raises ConfigurationError: it has not what a client has.
    """
    if hasattr(client, "post") and hasattr(client, "with_options"):
        return client
    raise ConfigurationError(
        f"the client cannot send anything, it is {type(client).__name__}: make one with"
        " connect(...)"
    )


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

    Source: RFC 9110, 10.2.3: Retry-After is a number of seconds or a date. Some services
    say it in milliseconds besides.
    """
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, date.timestamp() - clock.time_ns() / 1e9)


def _not_now(error: Exception) -> bool:
    """Whether the service is only busy: a 429 that may pass."""
    return getattr(error, "status_code", None) == 429 and is_transient(error)
