"""Scheduling: a task starts the moment its own dependencies are over, and for nothing else.

There is no loop that looks what could start next and there are no waves. A task that ends counts
down those that wait for it, and starts what that sets free. So nobody is in charge of time, and
the plan takes as long as its longest chain.

Source: list scheduling and its bound, Graham (1966, 1969); critical path as the priority, Coffman
and Graham (1972).
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Mapping
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from course.errors import ConfigurationError
from course.supervisor_worker.graph import circles, dependants, urgency
from course.supervisor_worker.plan import Plan, Task

R = TypeVar("R")

Work = Callable[[Task, Mapping[str, R]], Awaitable[R]]
"""Carries out one task, given the results of its dependencies by id."""


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

    Args:
        plan: without circles and unknown dependencies; `problems` finds them.
        work: carries out one task. What it gives counts as the task's result, a failure too. If
            it raises, everything is cancelled.
        limit: how many tasks may be under way at once; None means no limit.
        priority: by id; where places are scarce, the highest starts first. By default the length
            of the longest chain that begins with the task.
        done: results that are there already; these tasks are not carried out again.
        on_result: told each result as it comes.

    Returns:
        The results by id, in the plan's order.

    Raises:
        ConfigurationError: the plan cannot be carried out, or the limit is below 1.
        Exception: the first one that `work` raised, once everything else has been cancelled.

    Cancelling it cancels every task that is under way and waits for all of them.

    Built in chapter 07, exercise 7.2.
    """
    refuse_impossible(plan, limit)
    run = _Run(
        plan=plan,
        work=work,
        free=len(plan.tasks) if limit is None else limit,
        priority=priority or urgency(plan),
        results=dict(done or {}),
        on_result=on_result or _tell_nobody,
    )
    try:
        async with asyncio.TaskGroup() as group:
            run.begin(group)
        return {task.id: run.results[task.id] for task in plan.tasks}
    except BaseExceptionGroup as several:
        broken = several.exceptions[0]
    raise broken  # out here: IPython shows the whole stack where a group is in the error's context


def refuse_impossible(plan: Plan, limit: int | None) -> None:
    """Raise ConfigurationError for a plan that would never end, or a limit that lets none begin.

    Built in chapter 07.
    """
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


def _tell_nobody(id: str, result: object) -> None:
    """Where nobody listens."""


@dataclass
class _Run(Generic[R]):
    """One run of a schedule: who waits for how many, who is ready, how many places are free."""

    plan: Plan
    work: Work[R]
    free: int
    priority: Mapping[str, float]
    results: dict[str, R]
    on_result: Callable[[str, R], None]
    ready: list[tuple[float, int, Task]] = field(default_factory=list)
    after: dict[str, list[str]] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)
    named: dict[str, Task] = field(default_factory=dict)
    context: Context = field(default_factory=copy_context)

    def begin(self, group: asyncio.TaskGroup) -> None:
        """Start what waits for nothing."""
        self.group = group
        self.named, self.after = self.plan.by_id, dependants(self.plan)
        for number, task in enumerate(self.plan.tasks):
            self.place[task.id] = number
            if task.id not in self.results:
                self.missing[task.id] = len(set(task.dependencies) - self.results.keys())
        for id, count in self.missing.items():
            if count == 0:
                self.make_ready(id)
        self.start()

    def make_ready(self, id: str) -> None:
        """Queue a task by its priority; among equals the plan's order decides."""
        heapq.heappush(self.ready, (-self.priority.get(id, 0.0), self.place[id], self.named[id]))

    def start(self) -> None:
        """Start as many ready tasks as there are places.

        Each gets the context in which the schedule began, not that of the task which happened to
        set it free: otherwise its spans would hang below a stranger's.
        """
        while self.ready and self.free > 0:
            _, _, task = heapq.heappop(self.ready)
            self.free -= 1
            self.group.create_task(self.carry_out(task), context=self.context.copy(), name=task.id)

    async def carry_out(self, task: Task) -> None:
        """Do one task; then count down those that wait for it, and start what is free."""
        given = {id: self.results[id] for id in task.dependencies}
        result = self.results[task.id] = await self.work(task, given)
        self.on_result(task.id, result)
        self.free += 1
        for each in self.after[task.id]:
            if each in self.missing:
                self.missing[each] -= 1
                if self.missing[each] == 0:
                    self.make_ready(each)
        self.start()
