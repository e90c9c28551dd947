"""The conditions a run meets: its clock, its rate limits, its failures and its speed."""

from __future__ import annotations

import asyncio
import weakref

from course.models import refusals
from course.models.buckets import RateLimiter
from course.models.draws import Draws
from course.models.faults import Faults
from course.models.pace import Pace, pace
from course.models.profile import Profile
from course.models.wire import ChatRequest


class Stalled(Exception):
    """The caller's read timeout ran out before the next bytes came."""


class Conditions:
    """A profile in action, for one seed.

    Args:
        latency: seconds added to the profile's time to first token.
    """

    def __init__(self, profile: Profile, seed: int, latency: float = 0.0) -> None:
        self._profile = profile
        self._seed = seed
        self._latency = latency
        self._loop: weakref.ref[asyncio.AbstractEventLoop] | None = None
        self._began = 0.0
        self._limiters: dict[str, RateLimiter] = {}
        self._faults = Faults(profile.failures, seed)

    def now(self) -> float:
        """Seconds since this event loop's first request; a new loop begins a new run.

        Each loop has a clock of its own, so the limits of the last one mean nothing to it.
        """
        loop = asyncio.get_running_loop()
        if self._loop is None or self._loop() is not loop:
            self._loop = weakref.ref(loop)
            self._began = loop.time()
            self._limiters = {
                name: RateLimiter(name, model) for name, model in self._profile.models.items()
            }
        return loop.time() - self._began

    def charge(self, request: ChatRequest, prompt: int, now: float) -> dict[str, str]:
        """Charge the model's limits; returns headers, raises ApiError (429)."""
        return self._limiters[request.model].charge(prompt, request.max_tokens, now)

    async def strike(self, draws: Draws, now: float, read_timeout: float | None) -> None:
        """Let a failure happen if one is due: raise ApiError, or hang first and then raise."""
        fault = self._faults.strike(draws, now)
        failures = self._profile.failures
        if fault == "rate_limited":
            raise refusals.overloaded(failures.retry_after)
        if fault == "server_error":
            raise refusals.server_error()
        if fault == "timeout":
            await wait(failures.hang_seconds, read_timeout)
            raise refusals.gateway_timeout(failures.hang_seconds)

    def pace(self, request: ChatRequest, prompt: int, draws: Draws) -> Pace:
        """How fast this request is answered."""
        drawn = pace(self._profile.models[request.model], prompt, draws)
        return Pace(drawn.first + self._latency, drawn.per_token)


async def wait(seconds: float, read_timeout: float | None) -> None:
    """Sleep, but no longer than the caller's read timeout.

    Raises Stalled: after `read_timeout` seconds, when `seconds` is more than that.
    """
    if read_timeout is not None and seconds > read_timeout:
        await asyncio.sleep(read_timeout)
        raise Stalled
    if seconds > 0:
        await asyncio.sleep(seconds)
