"""Rate limits: requests and tokens per minute, kept by waiting instead of being turned away.

A bucket that holds a minute's worth and refills all the time, as services count it. Whoever comes
when it is empty waits in line until it holds enough. If the service turns somebody away all the
same, because others use it too, everybody waits as long as its Retry-After says.

Source: token bucket, Turner (1986); "Rate limits" in the OpenAI guides (several limits at once,
an answer's longest length charged up front), read 2026-11.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field

from course import clock
from course.errors import no_number, refuse

MINUTE = 60.0
MARGIN = 0.001
"""Seconds that are waited beyond the reckoned moment: the service's clock is not ours."""


@dataclass(kw_only=True)
class RateLimit:
    """What all calls together may ask of a service. None means no limit of that kind.
    Used in chapter 07.

    Attributes:
        line: who waits for a turn holds it, so that the others come after.

    Raises ConfigurationError: a limit is below 1.
    """

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    line: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)
    _buckets: dict[str, Bucket] = field(default_factory=dict, init=False, repr=False)
    _closed_until: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        for per_minute, unit in (
            (self.requests_per_minute, "requests"),
            (self.tokens_per_minute, "tokens"),
        ):
            refuse(no_number(per_minute, f"{unit} per minute", least=1, optional=True))
            if per_minute is not None:
                self._buckets[unit] = Bucket(per_minute)

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return bool(self._buckets)

    async def acquire(self, tokens: int = 0) -> float:
        """Wait until one more request of this size may be made: `in_turn`."""
        return await in_turn(self, tokens)

    def wait(self, tokens: int = 0) -> float:
        """Seconds until a request of this size could be made; 0 if it could be now."""
        now = clock.now()
        waits = [bucket.wait(amount, now) for bucket, amount in self._amounts(tokens)]
        seconds = max([self._closed_until - now, *waits])
        return seconds if seconds > clock.TICK else 0.0

    def take(self, tokens: int = 0) -> None:
        """Pay for one request that is made now."""
        for bucket, amount in self._amounts(tokens):
            bucket.take(amount)

    def ready(self, tokens: int = 0) -> bool:
        """Whether a request of this size could be made at once."""
        return not self.line.locked() and self.wait(tokens) <= 0

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long: the service said Retry-After."""
        self._closed_until = max(self._closed_until, clock.now() + seconds)

    def turned_away(self, seconds: float) -> None:
        """Pause, and count on nothing that was left: the service's own count says otherwise.

        Else all who wait would come back at once when the pause is over, and be turned away again.
        """
        self.pause(seconds)
        for bucket in self._buckets.values():
            bucket.wait(0, clock.now())  # what came until now
            bucket.level = min(bucket.level, -seconds * bucket.limit / MINUTE)  # 0 after the pause

    def _amounts(self, tokens: int) -> list[tuple[Bucket, int]]:
        """What one request of this size takes of each bucket."""
        sizes = {"requests": 1, "tokens": tokens}
        return [(bucket, min(sizes[unit], bucket.limit)) for unit, bucket in self._buckets.items()]


async def in_turn(rate: RateLimit, tokens: int = 0) -> float:
    """Wait until one more request of this size may be made; first come, first served.
    Built in chapter 07, exercise 7.4.

    Args:
        rate: shared by all that use the service.
        tokens: of its prompt and of the longest answer it may get. More than the limit
            of a minute counts as the whole minute's: the service has the last word on
            it.

    Returns:
        Seconds waited.
    """
    begin = clock.now()
    async with rate.line:
        seconds = rate.wait(tokens)
        while seconds > 0:
            await asyncio.sleep(seconds + MARGIN)
            seconds = rate.wait(tokens)  # a pause may have come while it slept
        rate.take(tokens)
    return clock.now() - begin


@dataclass
class Bucket:
    """Holds `limit` units and gains as many in a minute; full at its first use.
    Built in chapter 07.
    """

    limit: int
    level: float = field(init=False)
    updated: float | None = None

    def __post_init__(self) -> None:
        self.level = float(self.limit)

    def wait(self, amount: int, now: float) -> float:
        """Loop seconds until it holds so much; 0 if it does now, infinity if it never can."""
        gone = 0.0 if self.updated is None else max(0.0, now - self.updated)
        self.level = min(float(self.limit), self.level + gone * self.limit / MINUTE)
        self.updated = now
        if amount > self.limit:
            return math.inf
        seconds = (amount - self.level) * MINUTE / self.limit
        return seconds if seconds > clock.TICK else 0.0

    def take(self, amount: int) -> None:
        """Pay for one request."""
        self.level -= amount
