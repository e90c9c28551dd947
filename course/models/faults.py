"""Which requests fail, and how: drawn from the request's key and the time, never from the order.

Most failures are independent. A profile with outages has bad spells besides (Gilbert-Elliott), in
which most requests fail together; only under those does a circuit breaker earn its keep.
"""

from __future__ import annotations

from typing import Literal

from course.models.draws import Draws
from course.models.profile import Failures, Outages

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
    """Good and bad slots of time, a chain drawn from the seed alone."""

    def __init__(self, outages: Outages, seed: int) -> None:
        self.outages = outages
        self._draws = Draws(seed)
        self._slots = [self._draws.chance("weather 0", outages.at_first)]

    def bad(self, now: float) -> bool:
        """True when `now` (seconds since the run began) lies in an outage."""
        slot = max(0, int(now / self.outages.slot_seconds))
        while len(self._slots) <= slot:
            chance = 1 - self.outages.end if self._slots[-1] else self.outages.begin
            self._slots.append(self._draws.chance(f"weather {len(self._slots)}", chance))
        return self._slots[slot]
