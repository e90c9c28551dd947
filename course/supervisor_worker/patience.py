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
class _Limit:
    """A time limit, the one around it, and how many stand in line within it."""

    deadline: asyncio.Timeout
    around: _Limit | None
    waiting: int = 0
    left: float | None = None

    def stop(self) -> None:
        """One more stands in line: the clock stands still."""
        self.waiting += 1
        end = self.deadline.when()
        if self.waiting == 1 and end is not None and not self.deadline.expired():
            self.left = end - clock.now()
            self.deadline.reschedule(None)

    def go_on(self) -> None:
        """One less does; with the last of them the clock goes on."""
        self.waiting -= 1
        if self.waiting == 0 and self.left is not None:
            self.deadline.reschedule(clock.now() + self.left)
            self.left = None


_limit: ContextVar[_Limit | None] = ContextVar("switchboard_limit", default=None)
# The innermost alone: what chapter 08 builds its simpler pair of functions on.
_deadline: ContextVar[asyncio.Timeout | None] = ContextVar("switchboard_patience", default=None)


@asynccontextmanager
async def patience(seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
    """Give what is in the block so many seconds, not counting those it stands in line.

    Raises:
        TimeoutError: they are over; what was under way is cancelled.

    Built in chapter 08.
    """
    async with asyncio.timeout(seconds) as deadline:
        token = _limit.set(_Limit(deadline, _limit.get()))
        try:
            yield deadline
        finally:
            _limit.reset(token)


@contextmanager
def standing_in_line() -> Iterator[None]:
    """Stop the clock of each `patience` around while in the block: a team's task stands in line
    where one of the team does.

    Built in chapter 08.
    """
    limits: list[_Limit] = []
    here = _limit.get()
    while here is not None:
        limits.append(here)
        here = here.around
    for each in limits:
        each.stop()
    try:
        yield
    finally:
        for each in limits:
            each.go_on()
