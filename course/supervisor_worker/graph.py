"""What follows from who waits for whom: an order, circles, the critical path.

All of it is a few passes over the tasks, without recursion, so that a plan of thousands of tasks
is no different from one of five.

Source: topological order by Kahn (1962), as in the standard library's `graphlib`; critical path
method, Kelley and Walker (1959).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from course.supervisor_worker.plan import Plan

Shape = Literal["sequential", "parallel", "hybrid"]


def dependants(plan: Plan) -> dict[str, list[str]]:
    """For each task the ids of those that wait for it, in the plan's order. Built in chapter 06."""
    waiting: dict[str, list[str]] = {task.id: [] for task in plan.tasks}
    for task in plan.tasks:
        for needed in dict.fromkeys(task.dependencies):
            if needed in waiting:
                waiting[needed].append(task.id)
    return waiting


def sorter(plan: Plan, over: Collection[str] = ()) -> TopologicalSorter[str]:
    """Who waits for whom, counted by the standard library: ask who is free, say who is done.
    Built in chapter 06.

    Args:
        over: ids of tasks that nobody has to wait for any more.
    """
    left: TopologicalSorter[str] = TopologicalSorter()
    ids = dict.fromkeys(task.id for task in plan.tasks if task.id not in over)
    for id in ids:
        left.add(id)  # first all of them, so that the plan's order decides between equals
    for task in plan.tasks:
        if task.id not in over:
            left.add(task.id, *(need for need in task.dependencies if need in ids))
    with suppress(CycleError):  # whatever waits for no circle is free all the same
        left.prepare()
    return left


def in_order(plan: Plan) -> list[str]:
    """Ids such that each comes after all it depends on; those in a circle are left out.
    Built in chapter 06.
    """
    left, order = sorter(plan), list[str]()
    while free := left.get_ready():
        order += free
        left.done(*free)
    return order


def circles(plan: Plan) -> list[list[str]]:
    """Tasks that wait for each other: each circle once, in the order of waiting.
    Built in chapter 06, exercise 6.2.
    """
    named = plan.by_id
    stuck = set(named) - set(in_order(plan))
    found: list[list[str]] = []
    for start in named:
        path = [start] if start in stuck else []
        while path:
            need = next((n for n in named[path[-1]].dependencies if n in stuck), None)
            if need is None:
                stuck.discard(path.pop())  # it waits for nobody who is left
            elif need not in path:
                path.append(need)
            else:
                found.append(path[path.index(need) :])
                stuck -= set(found[-1])
                del path[path.index(need) :]
    return found


def urgency(plan: Plan, seconds: Mapping[str, float] | None = None) -> dict[str, float]:
    """For each task, how long it takes at the least from its start to the plan's end.
    Built in chapter 07, exercise 7.3.

    It is the length of the longest chain that begins with the task, and so its
    priority: what has the longest chain behind it should start first.

    Args:
        plan: has no circles.
        seconds: what each task takes, by id; 1 where it is not said.
    """
    length: dict[str, float] = {}
    after, takes = dependants(plan), seconds or {}
    for id in reversed(in_order(plan)):
        rest = max((length[each] for each in after[id]), default=0.0)
        length[id] = takes.get(id, 1.0) + rest
    return length


def critical_path(
    plan: Plan, seconds: Mapping[str, float] | None = None
) -> tuple[tuple[str, ...], float]:
    """The longest chain of tasks and its length in seconds: no schedule is shorter.
    Built in chapter 06, exercise 6.3.

    Args:
        plan: has no circles.
        seconds: what each task takes, by id; 1 where it is not said.
    """
    length, after = urgency(plan, seconds), dependants(plan)
    here = max((t.id for t in plan.tasks if not t.dependencies), key=length.__getitem__, default="")
    chain: list[str] = []
    while here:
        chain.append(here)
        here = max(after[here], key=length.__getitem__, default="")
    return tuple(chain), length[chain[0]] if chain else 0.0


def waves(plan: Plan) -> list[list[str]]:
    """The tasks in waves, each after all of the one before: as many graph runners do.
    Built in chapter 07.
    """
    named, level = plan.by_id, dict[str, int]()
    found: list[list[str]] = []
    for id in in_order(plan):
        needs = [level[n] for n in named[id].dependencies if n in level]
        level[id] = max(needs, default=-1) + 1
        if level[id] == len(found):
            found.append([])
        found[level[id]].append(id)
    return found


def shape(plan: Plan) -> Shape:
    """How a plan decomposes: one task after the other, all at once, or some of both.
    Used in chapter 06.
    """
    if all(not task.dependencies for task in plan.tasks):
        return "parallel" if len(plan.tasks) > 1 else "sequential"
    return "sequential" if all(len(wave) == 1 for wave in waves(plan)) else "hybrid"


def downstream(plan: Plan, id: str) -> list[str]:
    """All that waits for a task, directly or not, in an order in which it could run.
    Built in chapter 08.
    """
    after, reached = dependants(plan), {id}
    order = in_order(plan)
    for each in order:
        if each in reached:
            reached.update(after[each])
    return [each for each in order if each in reached and each != id]


def remaining(plan: Plan, over: Collection[str]) -> Plan:
    """A plan without the tasks that are over, and without anybody waiting for them."""
    left = []
    for task in plan.tasks:
        if task.id not in over:
            needs = tuple(need for need in task.dependencies if need not in over)
            left.append(task.model_copy(update={"dependencies": needs}))
    return plan.model_copy(update={"tasks": tuple(left)})
