"""Requests that leave the judged process: sent at once, answered by the world in parts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from .keeper import Keeper
from .link import Ended
from .loop import JudgedLoop

Part = Mapping[str, Any]


class TooSlow(Exception):
    """No part came within the caller's patience."""


class Call:
    """One open request. Await `part`, or in a thread without a loop call `wait`."""

    def __init__(self, keeper: Keeper, message: Mapping[str, Any]) -> None:
        loop = asyncio._get_running_loop()
        self._keeper = keeper
        self._loop = loop if isinstance(loop, JudgedLoop) else None
        self._parts: deque[Part] = deque()
        self._wanted: asyncio.Future[None] | None = None
        self._actor = keeper.current()
        self._number: int | None = keeper.open(message, self._arrive)

    def _arrive(self, part: Part) -> None:
        """Called under the keeper, in whatever thread asked the world."""
        self._parts.append(part)
        if self._wanted is not None and self._loop is not None:
            self._loop.arrive(self._wake)
        elif self._actor is not None:
            self._actor.called = True

    def _wake(self) -> None:
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(None)

    async def part(self, patience: float | None = None) -> Part:
        """The next part of the answer.

        Raises:
            TooSlow: none came within `patience` seconds; the request is given up.
        """
        try:
            if not self._parts:
                self._wanted = asyncio.get_running_loop().create_future()
                async with asyncio.timeout(patience):
                    await self._wanted
        except TimeoutError:
            self.give_up()
            raise TooSlow from None
        except BaseException:
            self.give_up()
            raise
        finally:
            self._wanted = None
        return self._taken()

    def wait(self, patience: float | None = None) -> Part:
        """The next part of the answer, for a thread without a loop; raises as `part` does."""
        until = None if patience is None else self._keeper.now + patience
        try:
            while not self._parts:
                if until is not None and self._keeper.now >= until:
                    raise TooSlow
                self._keeper.park(until, "a request that is not awaited")
        except (TooSlow, Ended):
            self.give_up()
            raise
        return self._taken()

    def _taken(self) -> Part:
        part = self._parts.popleft()
        if part.get("last", True):
            self._close(given_up=False)
        return part

    def give_up(self) -> None:
        """Let go of what is still to come; a second time it does nothing."""
        self._close(given_up=True)

    def _close(self, *, given_up: bool) -> None:
        if self._number is not None:
            number, self._number = self._number, None
            self._keeper.close(number, given_up=given_up)
