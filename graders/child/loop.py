"""An event loop on the keeper's time."""

from __future__ import annotations

import asyncio
import selectors
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any

from course.clock import EPOCH_NS
from course.tab import Loop

from .actors import TICK
from .keeper import Keeper

WORKERS = 32
"""Threads of `asyncio.to_thread`; asyncio's own number depends on the machine."""


class JudgedLoop(Loop):
    """A loop that parks where others sleep. Threads are welcome: they live on the same time."""

    virtual = True
    _clock_resolution: float  # BaseEventLoop's own, which its type stub leaves out
    _selector: selectors.BaseSelector
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self.begin_ns = EPOCH_NS
        self.keeper = keeper
        self.actor = keeper.current()
        self._clock_resolution = TICK
        self._arrived: deque[Callable[[], None]] = deque()
        self._look = self._selector.select
        self._selector.select = self._select  # type: ignore[method-assign]
        self.set_exception_handler(lambda loop, context: None)  # nobody would read it here
        self.set_default_executor(ThreadPoolExecutor(WORKERS))
        keeper.loops.append(self)

    def time(self) -> float:
        """Virtual seconds since the run began."""
        return self.keeper.now

    def run_forever(self) -> None:
        """Run in the calling thread until stopped."""
        self.actor = self.keeper.current()
        super().run_forever()

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Call back soon, from any thread."""
        handle = super().call_soon_threadsafe(callback, *args, context=context)
        self.keeper.stir(self.actor)
        return handle

    def arrive(self, callback: Callable[[], None]) -> None:
        """Call back before anything else once this loop's thread goes on; under the keeper."""
        self._arrived.append(callback)
        if self.actor is not None:
            self.actor.stirred = True

    def _select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout > 0:
            self.keeper.park(self._scheduled[0].when() if self._scheduled else None, in_loop=True)
        while self._arrived:
            self._arrived.popleft()()
        return self._look(0)
