"""Workers made for a plan: instead of choosing among workers, a plan says which ones it wants.

A fixed registry has to foresee every kind of work. Here the tools are fixed and the workers are
not: each role that the plan names becomes a worker with the tools its tasks need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from course.models.names import SMALL
from course.supervisor_worker.plan import Plan, PlanError
from course.supervisor_worker.registry import Registry, Worker
from course.tools import Tool, by_name

INSTRUCTIONS = "You are the {role} of a team. Your part is work of this kind: {tasks}"


@dataclass(frozen=True)
class Staff:
    """A plan and the workers that were made for it.

    Built in chapter 10.
    """

    plan: Plan
    registry: Registry


def staff(plan: Plan, tools: Iterable[Tool], *, model: str = SMALL) -> Staff:
    """Make a worker for each role that a plan names, with the tools its tasks need.

    No tool may belong to two workers, so roles that need the same tool become one
    worker, under the name that comes first in the plan.

    Args:
        plan: its workers are roles, such as "price hunter"; its tasks name their tools.
        tools: all that may be given out; those that no task names stay unused.
        model: of every worker.

    Returns:
        The plan, with the workers' names, and their registry; no model is asked.

    Raises:
        PlanError: no tasks, or one names a tool that there is not; nothing was made.

    Built in chapter 10, exercise 10.3.
    """
    known = by_name(tools)
    missing = [
        f"{task.id}: there is no tool '{name}'"
        for task in plan.tasks
        for name in task.tools
        if name not in known
    ]
    if missing or not plan.tasks:
        said = "; ".join(missing) or "the plan has no tasks"
        raise PlanError(f"no staff can be made: {said}; tools: {', '.join(known)}", plan=plan)
    names = shared_names(plan)
    tasks = [task.model_copy(update={"worker": names[task.worker]}) for task in plan.tasks]
    placed = plan.model_copy(update={"tasks": tuple(tasks)})
    workers = [make_worker(name, placed, known, model) for name in dict.fromkeys(names.values())]
    return Staff(placed, Registry(tuple(workers)))


def shared_names(plan: Plan) -> dict[str, str]:
    """For each role of a plan the worker that it becomes.

    Roles that need the same tool become one worker, and so does who shares another tool
    with one of them. It has the name of the one among them that the plan names first.

    Built in chapter 10, exercise 10.2.
    """
    order = list(dict.fromkeys(task.worker for task in plan.tasks))
    names = {role: role for role in order}
    owner: dict[str, str] = {}
    for task in plan.tasks:
        for tool in task.tools:
            pair = names[task.worker], names[owner.setdefault(tool, task.worker)]
            kept, dropped = sorted(pair, key=order.index)
            names = {role: kept if name == dropped else name for role, name in names.items()}
    return names


def make_worker(name: str, plan: Plan, tools: dict[str, Tool], model: str) -> Worker:
    """A worker for all tasks of a plan that have its name.

    Built in chapter 10.
    """
    own = [task for task in plan.tasks if task.worker == name]
    needed = dict.fromkeys(tool for task in own for tool in task.tools)
    told = "; ".join(task.description.rstrip(".") for task in own)
    return Worker(
        name=name,
        description=told,
        instructions=INSTRUCTIONS.format(role=name, tasks=told),
        tools=tuple(tools[tool] for tool in needed),
        model=model,
    )
