"""Doing several things at once so that nothing is left running when one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def abreast(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Do all of it at the same time.

    Unlike `asyncio.gather` it leaves no orphan: when one fails, or it is cancelled
    itself, all that is under way is cancelled and waited for.

    Returns:
        What each gave, in their order.

    Raises:
        Exception: the first one that any of them raised, as it is.

    Built in chapter 07, exercise 7.1.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
        return [task.result() for task in tasks]
    except BaseExceptionGroup as several:
        broken = several.exceptions[0]
    raise broken  # out here: IPython shows the whole stack where a group is in the error's context
