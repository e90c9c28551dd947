"""A time limit whose clock stands still while its task waits in line for a rate limit.

A task that waits because sixty others came before it is not slow, and giving it up would only send
it to the end of the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from course import clock


@dataclass
class Limit:
    """A time limit that stands still while somebody within it stands in line. Used in chapter 08.

    Attributes:
        waiting: how many stand in line.
        left: the seconds it goes on with while it stands still, otherwise None.
    """

    deadline: asyncio.Timeout
    waiting: int = 0
    left: float | None = None

    def stop(self) -> None:
        """One more stands in line: with the first the clock stands still."""
        self.waiting += 1
        end = self.deadline.when()
        if self.waiting == 1 and end is not None and not self.deadline.expired():
            self.left = end - clock.now()
            self.deadline.reschedule(None)

    def go_on(self) -> None:
        """One less does: with the last the clock goes on."""
        self.waiting -= 1
        if self.waiting == 0 and self.left is not None:
            self.deadline.reschedule(clock.now() + self.left)
            self.left = None


limits: ContextVar[tuple[Limit, ...]] = ContextVar("switchboard_limits", default=())


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
    """Give what is in the block so many seconds, not counting those it stands in line.
    Used in chapter 08.

    Raises TimeoutError: they are over; what was under way is cancelled.
    """
    async with asyncio.timeout(seconds) as deadline:
        token = limits.set((*limits.get(), Limit(deadline)))
        try:
            yield deadline
        finally:
            limits.reset(token)


@contextmanager
def standing_in_line() -> Iterator[None]:
    """Stop the clock of each `time_limit` around while in the block. Used in chapter 08."""
    around = limits.get()
    for each in around:
        each.stop()
    try:
        yield
    finally:
        for each in around:
            each.go_on()
