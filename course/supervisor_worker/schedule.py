"""Carrying out a plan: each task starts the moment its own dependencies are over.

Source: list scheduling and its bound, Graham (1966, 1969); critical path as the priority, Coffman
and Graham (1972).
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from contextvars import copy_context
from typing import Any, TypeVar

from course.errors import ConfigurationError
from course.supervisor_worker.plan import Plan, PlanTask, circles, sorter, urgency

R = TypeVar("R")

Work = Callable[[PlanTask, Mapping[str, R]], Awaitable[R]]
"""Carries out one task, given the results of its dependencies by id."""


class Board:
    """Which tasks may start: they wait for none, there is room. Built in chapter 07.

    It knows nothing of time: tell it what is `over`, and ask it what to `start`.

    Args:
        plan: without circles and unknown dependencies.
        limit: how many tasks may be under way at once; None means no limit.
        priority: by id; the highest starts first, among equals the plan's order decides.
        done: ids of tasks that are over already.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        limit: int | None = None,
        priority: Mapping[str, float] | None = None,
        done: Collection[str] = (),
    ) -> None:
        self.left = sorter(plan, over=done)
        self.free = len(plan.tasks) if limit is None else limit
        self.priority = priority or urgency(plan)
        self.place = {task.id: (number, task) for number, task in enumerate(plan.tasks)}
        self.ready: list[tuple[float, int, PlanTask]] = []

    def start(self) -> list[PlanTask]:
        """The tasks that start now, the most urgent first. Each takes a place."""
        for id in self.left.get_ready():
            heapq.heappush(self.ready, (-self.priority.get(id, 0.0), *self.place[id]))
        started = []
        while self.ready and self.free > 0:
            started.append(heapq.heappop(self.ready)[-1])
            self.free -= 1
        return started

    def over(self, id: str) -> None:
        """A task is over: its place is free, and who waits for it waits for less."""
        self.free += 1
        self.left.done(id)


async def schedule(
    plan: Plan,
    work: Work[R],
    *,
    limit: int | None = None,
    priority: Mapping[str, float] | None = None,
    done: Mapping[str, R] | None = None,
    on_result: Callable[[str, R], None] | None = None,
) -> dict[str, R]:
    """Carry out a plan: each task as soon as its own dependencies are over.
    Built in chapter 07, exercise 7.2.

    Args:
        plan: without circles and unknown dependencies; `problems` finds them.
        work: carries out one task, given the results of its dependencies by id. What it
            gives is the task's result, a failure too. If it raises, everything is
            cancelled.
        limit: how many tasks may be under way at once; None means no limit.
        priority: by id; where places are scarce, the highest starts first. By default
            the length of the longest chain that begins with the task.
        done: results that are there already; these tasks are not carried out again.
        on_result: told each result as it comes.

    Returns:
        The results by id, in the plan's order.

    Raises:
        ConfigurationError: the plan cannot be carried out, or the limit is below 1.
        Exception: the first one that `work` raised, once everything else has been
            cancelled.

    Cancelling it cancels every task that is under way and waits for all of them.
    """
    refuse_impossible(plan, limit)
    results = dict(done or {})
    board = Board(plan, limit=limit, priority=priority, done=results)
    here = copy_context()  # else a task's spans would hang below the one that set it free

    async def carry_out(task: PlanTask) -> None:
        result = await work(task, {id: results[id] for id in task.dependencies})
        results[task.id] = result
        if on_result:
            on_result(task.id, result)
        board.over(task.id)
        start()

    def start() -> None:
        for task in board.start():
            group.create_task(carry_out(task), context=here.copy(), name=task.id)

    try:
        async with asyncio.TaskGroup() as group:
            start()
        return {task.id: results[task.id] for task in plan.tasks}
    except BaseExceptionGroup as several:
        broken = several.exceptions[0]
    raise broken  # out here: IPython shows the whole stack where a group is in the error's context


def refuse_impossible(plan: Plan, limit: int | None) -> None:
    """Refuse a plan without end, or a limit below 1. Built in chapter 07."""
    if limit is not None and limit < 1:
        raise ConfigurationError(f"the limit must be 1 or more, not {limit}; None is no limit")
    known = plan.by_id
    if len(known) < len(plan.tasks):
        raise ConfigurationError("two tasks of the plan have the same id: see problems(plan, ...)")
    for task in plan.tasks:
        for need in task.dependencies:
            if need not in known:
                raise ConfigurationError(f"{task.id} waits for '{need}', which is no task")
    for circle in circles(plan):
        way = " -> ".join([*circle, circle[0]])
        raise ConfigurationError(f"the plan never ends: {way} wait in a circle")


T = TypeVar("T")


async def concurrently(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Do all of it at the same time. Built in chapter 07, exercise 7.1.

    Unlike `asyncio.gather` it leaves no orphan: when one fails, or it is cancelled
    itself, all that is under way is cancelled and waited for.

    Returns:
        What each gave, in their order.

    Raises:
        Exception: the first one that any of them raised, as it is.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
        return [task.result() for task in tasks]
    except BaseExceptionGroup as several:
        broken = several.exceptions[0]
    raise broken  # out here: IPython shows the whole stack where a group is in the error's context
