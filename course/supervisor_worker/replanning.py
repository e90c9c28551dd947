"""Planning anew what failed: other tasks, or other workers, for the part that has no result yet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from course.supervisor_worker.graph import remaining
from course.supervisor_worker.plan import Plan, Task
from course.supervisor_worker.planning import make_plan
from course.supervisor_worker.problems import mentioned
from course.supervisor_worker.registry import Registry
from course.supervisor_worker.results import TaskResult
from course.trace import span

if TYPE_CHECKING:
    from course.supervisor_worker.case import Shift
    from course.supervisor_worker.supervisor import PlanningSupervisor


async def plan_anew(
    plan: Plan,
    results: Mapping[str, TaskResult],
    boss: PlanningSupervisor,
    shift: Shift,
    *,
    number: int,
) -> Plan:
    """A plan that keeps what is done and plans the rest again, without workers that don't answer.

    The whole of it stands in the trace, under the ids that its tasks have there.

    Args:
        plan: the one that could not be finished.
        results: what came of each of its tasks.
        number: which new plan of the run it is, from 1; it is part of the new tasks' ids.

    Raises:
        PlanError: no worker is left, or the new plan has problems as well.

    Built in chapter 08.
    """
    rest = [task for task in plan.tasks if not results[task.id].done]
    done = [task for task in plan.tasks if results[task.id].done]
    replaces = {"switchboard.plan.replaces": ", ".join(task.id for task in rest)}
    with span("plan", f"{boss.name} planning anew", replaces) as step:
        new = await make_plan(
            what_is_left(rest),
            without(boss.registry, down(rest, results)),
            client=shift.client,
            model=boss.model,
            instructions=boss.instructions,
            most=boss.most_tasks,
            agent=f"{boss.name} planning",
            run_id=f"{shift.run_id}/{number}",
        )
        tasks = (*done, *joined(new, done, number))
        whole = Plan(goal=plan.goal, tasks=tasks, final_instruction=plan.final_instruction)
        before = {task.id for task in done} - set(shift.cases)  # in the life of a run before this
        step.set("switchboard.plan", remaining(whole, before).to_json())
    return whole


def plans_before(plan: Plan) -> int:
    """How many times a plan has been made anew: the ids of its tasks say so."""
    marks = (re.match(r"r(\d+)-", task.id) for task in plan.tasks)
    return max((int(mark[1]) for mark in marks if mark), default=0)


def what_is_left(rest: Sequence[Task]) -> str:
    """The request for a new plan: the tasks without a result, as they were planned."""
    told = [task.description.strip().rstrip(".") for task in rest]
    return ". Then ".join(told) + "."


def down(rest: Sequence[Task], results: Mapping[str, TaskResult]) -> set[str]:
    """The workers that did not answer, rather than refuse a task."""
    failures = [(task.worker, results[task.id].failure) for task in rest]
    return {worker for worker, f in failures if f and f.cause in ("unavailable", "model")}


def without(registry: Registry, names: set[str]) -> Registry:
    """The registry without some workers; all of them, where nobody would be left."""
    left = [worker for worker in registry.workers if worker.name not in names]
    if not left or not names:
        return registry
    for number, worker in enumerate(left):
        others = tuple(name for name in worker.stands_in_for if name not in names)
        left[number] = replace(worker, stands_in_for=others)
    return Registry(tuple(left))


def joined(new: Plan, done: Sequence[Task], number: int) -> list[Task]:
    """New tasks under ids of their own; those that wait for nothing see all that is done.

    A new plan knows nothing of the old one's ids, and what failed may have rested on any of it.

    Built in chapter 08.
    """
    ids = {task.id: f"r{number}-{task.id}" for task in new.tasks}
    all_done = tuple(task.id for task in done)
    return [
        Task(
            id=ids[task.id],
            description=renamed(task, new, ids),
            worker=task.worker,
            dependencies=tuple(ids[need] for need in task.dependencies) or all_done,
            tools=task.tools,
        )
        for task in new.tasks
    ]


def renamed(task: Task, plan: Plan, ids: Mapping[str, str]) -> str:
    """A task's description, in which the ids of other tasks are their new ones."""
    words = task.description
    for id in mentioned(task, plan.by_id):
        words = re.sub(rf"(?<![\w-]){re.escape(id)}(?![\w-])", ids[id], words)
    return words
