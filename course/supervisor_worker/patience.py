"""A time limit whose clock stands still while its task waits in line for a rate limit.

A task that waits because sixty others came before it is not slow, and giving it up would only send
it to the end of the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from course import clock

_deadline: ContextVar[asyncio.Timeout | None] = ContextVar("switchboard_patience", default=None)


@asynccontextmanager
async def patience(seconds: float | None) -> AsyncIterator[asyncio.Timeout]:
    """Give what is in the block so many seconds, not counting those it stands in line.

    Raises:
        TimeoutError: they are over; what was under way is cancelled.

    Built in chapter 08.
    """
    async with asyncio.timeout(seconds) as deadline:
        token = _deadline.set(deadline)
        try:
            yield deadline
        finally:
            _deadline.reset(token)


@contextmanager
def standing_in_line() -> Iterator[None]:
    """Stop the clock of the innermost `patience` while in the block.

    Built in chapter 08.
    """
    deadline = _deadline.get()
    end = deadline.when() if deadline and not deadline.expired() else None
    if deadline is None or end is None:
        yield
        return
    begin = clock.now()
    deadline.reschedule(None)
    try:
        yield
    finally:
        deadline.reschedule(end + clock.now() - begin)
