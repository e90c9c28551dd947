"""A gauge of what is in flight."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Gauge:
    """How many requests are being answered now, and the most there ever were at once."""

    now: int = 0
    peak: int = 0

    def enter(self) -> None:
        """A request begins."""
        self.now += 1
        self.peak = max(self.peak, self.now)

    def leave(self) -> None:
        """A request is over."""
        self.now -= 1
