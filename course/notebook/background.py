"""Work that goes on beside what the page asks for, piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

REST = 0.02
"""Seconds between two pieces of it, in which whatever is clicked or moved is heard."""


def beside(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Carry work out in the kernel's loop, and give the task, to keep and to cancel.

    Where no loop runs, the work is done at once, and there is nothing to give.
    """
    if asyncio._get_running_loop() is not None:
        return asyncio.ensure_future(work)
    asyncio.run(work)
    return None
