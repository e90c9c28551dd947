"""The conditions a run meets: its clock, its rate limits, its failures and its speed.

Failures are drawn from the request's key and the time, never from the order. Most are independent;
a profile with outages has bad spells besides (Gilbert-Elliott), in which most requests fail
together: only under those does a circuit breaker earn its keep. A rate limit is a token bucket that
refills continuously, and a request is charged before it runs, with its prompt and the room it asks
for its answer: a 429 follows from load, not from luck. An answer takes its time to first token
+ prompt tokens x prefill + answer tokens / speed.

Source: OpenAI guide "Rate limits" (several limits at once, the first one reached answers 429);
Cerebras documentation, "Rate limits" (prompt plus max_tokens charged up front), read 2026-11; the
timing model of llm-d-inference-sim (prefill, then decoding), with lognormal in place of normal
jitter, because measured times to first token have long tails; figures are in the profile files.
"""

from __future__ import annotations

import asyncio
import math
import weakref
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Literal, TypeVar

from course.models import refusals
from course.models.draws import Draws
from course.models.profile import Failures, ModelProfile, Outages, Profile
from course.models.rates import MINUTE, Bucket
from course.models.wire import ChatRequest, Key
from course.trace import span

T = TypeVar("T")


class RateLimiter:
    """The limits of one model: requests and tokens per minute."""

    def __init__(self, model: str, profile: ModelProfile) -> None:
        self._model = model
        self._assumed = profile.assumed_output
        limits = (("requests", profile.requests_per_minute), ("tokens", profile.tokens_per_minute))
        self.buckets = {scope: Bucket(limit) for scope, limit in limits if limit is not None}

    def charge(self, prompt: int, max_tokens: int | None, now: float) -> dict[str, str]:
        """Pay for a request at `now` (seconds) and return the x-ratelimit headers of its answer.

        Raises ApiError: 429 when a bucket cannot pay; then none of them is charged.
        """
        amounts = {"requests": 1, "tokens": prompt + (max_tokens or self._assumed)}
        for scope, bucket in self.buckets.items():
            wait = bucket.wait(amounts[scope], now)
            if wait > 0:
                used = bucket.limit - math.floor(bucket.level)
                raise refusals.rate_limited(
                    self._model, scope, bucket.limit, used, amounts[scope], wait
                )
        for scope, bucket in self.buckets.items():
            bucket.take(amounts[scope])
        return self._headers()

    def _headers(self) -> dict[str, str]:
        headers = {}
        for scope, bucket in self.buckets.items():
            until_full = (bucket.limit - bucket.level) * MINUTE / bucket.limit
            headers[f"x-ratelimit-limit-{scope}"] = str(bucket.limit)
            headers[f"x-ratelimit-remaining-{scope}"] = str(math.floor(bucket.level))
            headers[f"x-ratelimit-reset-{scope}"] = f"{until_full:.3f}s"
        return headers


Fault = Literal["rate_limited", "server_error", "timeout"]


class Faults:
    """The failures of one run under a profile and a seed."""

    def __init__(self, failures: Failures, seed: int) -> None:
        self._failures = failures
        self._weather = Weather(failures.outages, seed) if failures.outages else None

    def strike(self, draws: Draws, now: float) -> Fault | None:
        """What befalls a request made `now` (seconds since the run began); None is success."""
        rate = self._failures.rate
        if self._weather and self._weather.bad(now):
            rate = self._weather.outages.failure_rate
        if not rate or not draws.chance("failure", rate):
            return None
        which = draws.uniform("kind of failure")
        if which < self._failures.rate_limited:
            return "rate_limited"
        if which < self._failures.rate_limited + self._failures.server_error:
            return "server_error"
        return "timeout"


class Weather:
    """Good and bad slots of time, a chain drawn from the seed and the weather's name."""

    def __init__(self, outages: Outages, seed: int) -> None:
        self.outages = outages
        self._draws = Draws(seed, Key(outages.weather))
        self._slots = [self._draws.chance("weather 0", outages.at_first)]

    def bad(self, now: float) -> bool:
        """True when `now` (seconds since the run began) lies in an outage."""
        slot = max(0, int(now / self.outages.slot_seconds))
        while len(self._slots) <= slot:
            chance = 1 - self.outages.end if self._slots[-1] else self.outages.begin
            self._slots.append(self._draws.chance(f"weather {len(self._slots)}", chance))
        return self._slots[slot]


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds until the first token, and seconds for each token after that."""

    first: float = 0.0
    per_token: float = 0.0

    def total(self, answer_tokens: int) -> float:
        """Seconds until an answer of this length is complete."""
        return self.first + answer_tokens * self.per_token


def pace(model: ModelProfile, prompt_tokens: int, draws: Draws) -> Pace:
    """The pace of one answer; the same key always draws the same luck."""
    first = prompt_tokens * model.prefill_per_token
    if model.ttft_median:
        first += draws.lognormal("time to first token", model.ttft_median, model.ttft_sigma)
    per_token = 1 / model.tokens_per_second
    if per_token and model.decode_sigma:
        per_token *= draws.lognormal("decoding speed", 1.0, model.decode_sigma)
    return Pace(first, per_token)


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
        if fault and failures.noted:
            with span("fault", fault):
                pass
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


async def within(answer: Awaitable[T], read_timeout: float | None) -> T:
    """What an asynchronous script answers, if it does within the caller's read timeout.

    Raises Stalled: it takes longer; it is cancelled then.
    """
    limit = asyncio.timeout(read_timeout)
    try:
        async with limit:
            return await answer
    except TimeoutError:
        if not limit.expired():
            raise
        raise Stalled from None


async def wait(seconds: float, read_timeout: float | None) -> None:
    """Sleep, but no longer than the caller's read timeout.

    Raises Stalled: after `read_timeout` seconds, when `seconds` is more than that.
    """
    if read_timeout is not None and seconds > read_timeout:
        await asyncio.sleep(read_timeout)
        raise Stalled
    if seconds > 0:
        await asyncio.sleep(seconds)
