"""Places: how many calls may be under way at the same time."""

from __future__ import annotations

import asyncio

from course.errors import ConfigurationError
from course.models.time_limit import standing_in_line
from course.trace import span


class Places:
    """How many calls may be under way at the same time; who comes when all are taken waits."""

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ConfigurationError(f"in_flight must be 1 or more calls, not {number}")
        self.number = number
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = asyncio.Semaphore(number)

    async def take(self) -> None:
        """Have a place, at once or when one is given back."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # each run has a loop of its own
            self._loop, self._free = loop, asyncio.Semaphore(self.number)
        if not self._free.locked():
            await self._free.acquire()
            return
        with span("wait", "calls in flight"), standing_in_line():
            await self._free.acquire()

    def give_back(self) -> None:
        """Let the next one have the place."""
        self._free.release()
