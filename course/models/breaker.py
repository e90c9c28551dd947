"""A circuit breaker: who failed several times in a row is left alone for a while.

Closed, it lets everybody through. After `failures` in a row it is open and lets nobody through.
Once it has cooled down it is half open: a single try goes through, and how that ends decides.

Source: Nygard, "Release It!" (2007), stability pattern "Circuit Breaker".
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from course import clock
from course.errors import ConfigurationError, CourseError

State = Literal["closed", "open", "half open"]


class BreakerOpen(CourseError):
    """Nothing was tried: what the breaker guards failed too often just now."""


@dataclass(kw_only=True)
class Breaker:
    """Guards one worker, or whatever else can fail. Used in chapter 08.

    Attributes:
        name: what it guards, for its error.
        failures: failures in a row that open it.
        cooldown: seconds from its opening until one try is let through.
        on_change: told the new state.

    Raises ConfigurationError: `failures` is below 1 or `cooldown` is negative.
    """

    name: str = "it"
    failures: int = 3
    cooldown: float = 30.0
    on_change: Callable[[State], None] | None = field(default=None, repr=False)
    in_a_row: int = field(default=0, init=False)
    opened: float | None = field(default=None, init=False)
    _probe: asyncio.Event | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not (self.failures >= 1 and self.cooldown >= 0):  # so, NaN is refused too
            raise ConfigurationError(
                f"a breaker opens after 1 or more failures and cools down for 0 or more seconds,"
                f" not {self.failures} and {self.cooldown:g}"
            )

    @property
    def state(self) -> State:
        """Whether it lets calls through: closed all, open none, half open a single try."""
        if self.opened is None:
            return "closed"
        return "open" if self.left() > 0 else "half open"

    def left(self) -> float:
        """Seconds until one try is let through; 0 when it is closed.

        Each run has a clock of its own, so a breaker that outlives a run has cooled down by then.
        """
        if self.opened is None or asyncio._get_running_loop() is None:
            return 0.0
        now = clock.now()
        if now < self.opened:
            return 0.0
        left = self.opened + self.cooldown - now
        return left if left > clock.TICK else 0.0

    def admit(self) -> bool:
        """Let one try through, or refuse it at once.

        Returns:
            Whether it is the one try of a half-open breaker; `settle` wants to know.

        Raises BreakerOpen: it is open, or half open with a try under way.
        """
        if self.opened is None:
            return False
        left = self.left()
        if left > 0 or self._probe is not None:
            when = f"another try in {left:g} s" if left > 0 else "one try is under way"
            raise BreakerOpen(f"{self.name} failed {self.in_a_row} times in a row: {when}")
        self._probe = asyncio.Event()
        self._tell("half open")
        return True

    async def enter(self) -> bool:
        """As `admit`, but wait for the end of the pause, and of the one try that follows it.

        Raises BreakerOpen: that try failed too, so nobody waits longer than a pause and a try.
        """
        tried = False
        while self.opened is not None:
            left = self.left()
            if self._probe is not None:
                await self._probe.wait()
                tried = True
            elif left <= 0:
                break
            elif tried:
                raise BreakerOpen(f"{self.name} failed again after a pause: it is left alone")
            else:
                await asyncio.sleep(left)
        return self.admit()

    def settle(self, worked: bool | None, *, probe: bool = False) -> None:
        """Hear how something ended that was let through.

        Args:
            worked: None when nobody can tell, such as after it was cancelled.
            probe: what `admit` or `enter` gave for it. A failure that was under way already when
                the breaker opened does not open it again.
        """
        if worked:
            self.in_a_row = 0
            if self.opened is not None:
                self.opened = None
                self._tell("closed")
        elif worked is False:
            self.in_a_row += 1
            if probe or (self.opened is None and self.in_a_row >= self.failures):
                self.opened = clock.now()
                self._tell("open")
        if probe and self._probe is not None:
            self._probe.set()
            self._probe = None

    def _tell(self, state: State) -> None:
        if self.on_change:
            self.on_change(state)
