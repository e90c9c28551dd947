"""What a plan and its workers are made of in every framework: the planner, the plan's form, what a
worker and the writer read.

The shape is the course's (`course.supervisor_worker`): a model writes tasks that may wait for each
other, workers do them, and a model makes one answer of the results.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

from course.agent import Agent
from course.lab.patterns import LEAD
from course.supervisor_worker.aggregate import INSTRUCTIONS as SYNTHESIS
from course.supervisor_worker.plan import MOST_TASKS
from course.supervisor_worker.planning import INSTRUCTIONS

WRITER = Agent(name=LEAD, instructions=SYNTHESIS)
"""Writes one answer of all results; its calls are the lead's, as the plan is."""

_STRICT = ConfigDict(extra="forbid")


def planner(agents: Sequence[Agent]) -> Agent:
    """Who breaks a request down into tasks for these workers."""
    workers = "\n".join(f"- {each.name}: {each.description}" for each in agents)
    return Agent(name=LEAD, instructions=INSTRUCTIONS.format(workers=workers, most=MOST_TASKS))


def form(agents: Sequence[Agent]) -> type[BaseModel]:
    """The form of a plan."""
    names: Any = Literal[tuple(each.name for each in agents)]
    task: Any = create_model(
        "PlannedTask", __config__=_STRICT, id=(str, ...), description=(str, ...),
        worker=(names, ...), dependencies=(list[str], ...),
    )  # fmt: skip
    return create_model(
        "PlanOfTasks", __config__=_STRICT, goal=(str, ...), tasks=(list[task], ...),
        final_instruction=(str, ...),
    )  # fmt: skip


def needs(plan: Any, task: Any) -> list[str]:
    """The tasks of a plan that a task waits for."""
    return [each.id for each in plan.tasks if each.id in task.dependencies and each is not task]


async def carried_out(
    plan: Any, work: Callable[[Any, Mapping[str, str]], Awaitable[str]]
) -> dict[str, str]:
    """Each task's result by its id; a task begins when all that it waits for is there."""

    async def one(task: Any) -> str:
        return await work(task, {need: await begun[need] for need in needs(plan, task)})

    begun = {task.id: asyncio.ensure_future(one(task)) for task in plan.tasks}
    return dict(zip(begun, await asyncio.gather(*begun.values()), strict=True))


def asked(task: Any, earlier: Mapping[str, str]) -> str:
    """What a worker reads: its task, and the results of those that it waited for."""
    told = [f"[{id}] {result}" for id, result in earlier.items()]
    return "\n\n".join([f"Task: {task.description}", *told])


def material(request: str, plan: Any, found: Mapping[str, str]) -> str:
    """What the writer reads: the request, the plan's instruction and every result."""
    told = [f"[{id}] {result}" for id, result in found.items()]
    said = f"Request: {request}", f"Instruction: {plan.final_instruction}", "Results:"
    return "\n\n".join([*said, *told])
