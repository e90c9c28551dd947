"""Limits of a run, and what is said when one is reached."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from course import clock
from course.errors import no_number, refuse


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a run may use up; None means no limit of that kind. Built in chapter 01.

    Model calls, tokens read and written by them, and seconds on the loop's clock from the request
    on. Calls and tokens are looked at before each model call; when the seconds are over, a run
    also cancels what is under way, whatever hangs. Either way it ends with an answer that says so.

    Raises ConfigurationError: one of them is no number, or below 0.
    """

    max_turns: int | None = 10
    max_tokens: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, given in vars(self).items():
            refuse(no_number(given, name, optional=True))


@dataclass(frozen=True)
class Stop:
    """Which limit ended a run, its value, what was reached. Built in chapter 01.

    `reason` is the limit's name, or "length" when the model's own answer was cut off (tokens).
    """

    reason: str
    limit: float
    value: float

    def __str__(self) -> str:
        return f"stopped: {self.reason} is {self.limit:g}, reached {self.value:g}"

    @property
    def told(self) -> str:
        """What a person hears where nothing else could be said."""
        return f"No more could be done: {self.reason} is {self.limit:g}."


def reached(limits: Limits, *, turns: int, tokens: int, seconds: float) -> Stop | None:
    """The first limit that is used up, or None. Built in chapter 01."""
    used = {"max_turns": turns, "max_tokens": tokens, "max_seconds": seconds}
    for reason, value in used.items():
        limit = getattr(limits, reason)
        if limit is not None and value >= limit:
            return Stop(reason, limit, value)
    return None


LAST_SHARE = 0.05
"""What a last answer may take beyond `max_seconds`, as a share of them."""
ANSWER_SHARE = 0.125
"""What is kept back of `max_seconds` for an answer made of a plan's results, as a share of them.
Such an answer takes long to read and to write: a twentieth was often less than one call.
"""
KEPT_SHARE = 0.25
"""The same for an agent that takes over."""

_asked: ContextVar[float | None] = ContextVar("switchboard_asked", default=None)
"""When the request came, until the first system that is given it has begun to count."""


def asked() -> float:
    """When the request came, on the loop's clock: now, or when `since` says."""
    came = _asked.get()
    return clock.now() if came is None else came


@dataclass
class Time:
    """The seconds of a run as they pass.

    Attributes:
        seconds: how many it has; None is any number.
        begin: on the loop's clock.
        kept: the share of them that is kept back for the end: an answer, or who takes over.
        stop: the limit, once they are over.
    """

    seconds: float | None
    begin: float = field(default_factory=asked)
    kept: float = 0.0
    stop: Stop | None = None

    @property
    def end(self) -> float | None:
        """When they are over, but for those kept back, on the loop's clock."""
        return None if self.seconds is None else self.begin + self.seconds * (1 - self.kept)

    @property
    def when(self) -> str:
        """When that is, and of how many, in words."""
        seconds = self.seconds or 0.0
        return f"after {seconds * (1 - self.kept):.3g} of {seconds:g} s"

    @property
    def left(self) -> float | None:
        """Seconds until all of them are over; None is any number."""
        return None if self.seconds is None else max(0.0, self.begin + self.seconds - clock.now())

    def over(self) -> Stop:
        """Note that they are over, and say so."""
        self.stop = Stop("max_seconds", self.seconds or 0.0, clock.now() - self.begin)
        return self.stop


@contextmanager
def since(begin: float) -> Iterator[None]:
    """Let the seconds of the first system in the block count from there, when the request came."""
    token = _asked.set(begin)
    try:
        yield
    finally:
        _asked.reset(token)


@asynccontextmanager
async def in_time(seconds: float | Time | None) -> AsyncIterator[Time]:
    """Give the block so many seconds from now. What is under way when they are over is cancelled,
    the block is left, and `stop` says so.
    """
    time = seconds if isinstance(seconds, Time) else Time(seconds)
    token = _asked.set(None)
    try:
        async with asyncio.timeout_at(time.end) as deadline:
            yield time
    except TimeoutError:
        if not deadline.expired():
            raise
        time.over()
    finally:
        _asked.reset(token)
