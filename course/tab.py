"""Event loops where there are neither sockets nor threads: in a browser's tab."""

from __future__ import annotations

import asyncio
import inspect
import selectors
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

TAB = sys.platform == "emscripten"
"""Whether this is Python in a browser's tab (Pyodide)."""

if TAB:  # Pyodide's own waits on the loop that runs, and when that is ours, for ever
    time.sleep = inspect.unwrap(time.sleep)

T = TypeVar("T")


class _Deaf(selectors.BaseSelector):
    """Selects nothing, since nothing can come from outside; waits out the time that it is given."""

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        raise NotImplementedError("a browser's tab has no sockets")

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        raise NotImplementedError("a browser's tab has no sockets")

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is left that could happen: a task waits for ever")
        if timeout > 0:
            time.sleep(timeout)
        return []

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return {}


class DeafLoop(asyncio.SelectorEventLoop):
    """A loop that needs no sockets: what it does comes from its own tasks and timers."""

    def __init__(self) -> None:
        super().__init__(_Deaf())

    def _make_self_pipe(self) -> None:
        """Nobody wakes it from another thread."""

    def _close_self_pipe(self) -> None:
        """There is none."""

    def _write_to_self(self) -> None:
        """There is none."""


if TYPE_CHECKING or not TAB:  # noqa: SIM108 - as one expression it would be no class to mypy
    Loop = asyncio.SelectorEventLoop
else:
    Loop = DeafLoop
"""What the loops of `course.clock` stand on here."""


def within(run: Callable[[], T]) -> T:
    """Let `run` have a loop of its own in this thread while the page's loop stands still.

    asyncio allows one running loop in a thread, and where there are no threads there is no other:
    so the page's loop and its task step aside, and come back whatever happens.
    """
    page, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is not None:
        asyncio._leave_task(page, task)
    asyncio._set_running_loop(None)
    try:
        return run()
    finally:
        asyncio._set_running_loop(page)
        if task is not None:
            asyncio._enter_task(page, task)
