"""Limits of a run, and what is said when one is reached."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a run may use up; None means no limit of that kind. Built in chapter 01.

    Model calls, tokens read and written by them, and seconds on the loop's clock since the first.
    They are looked at before each model call, so a turn that has begun is finished.
    """

    max_turns: int | None = 10
    max_tokens: int | None = None
    max_seconds: float | None = None


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


def reached(limits: Limits, *, turns: int, tokens: int, seconds: float) -> Stop | None:
    """The first limit that is used up, or None. Built in chapter 01."""
    used = {"max_turns": turns, "max_tokens": tokens, "max_seconds": seconds}
    for reason, value in used.items():
        limit = getattr(limits, reason)
        if limit is not None and value >= limit:
            return Stop(reason, limit, value)
    return None
