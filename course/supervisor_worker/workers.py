"""The workers that a plan can name: listed in a `Registry`, or made by `staff` or a `Factory`.

`staff` makes of each role that a plan names a worker with the tools its tasks need. For a `Factory`
a model chooses a task's tools from a catalogue, and a rule adds what those cannot do without.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from course.agent import Agent
from course.chat import complete
from course.context import Context
from course.errors import ConfigurationError, several
from course.limits import in_time
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.supervisor.supervisor import Worker, settings_of, worker_problems
from course.supervisor_worker.plan import Plan, PlanError
from course.systems import Result, carry_out, stopped
from course.tools import Tool, answer_in, by_name, object_schema
from course.trace import span


@dataclass(frozen=True)
class Registry:
    """The workers that a plan can name. Used in chapter 06.

    Each has a name, a description and instructions of its own, and no tool belongs to two, but for
    those named in `shared`; else ConfigurationError, with every reason.
    """

    workers: tuple[Agent, ...]
    shared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", several(self.workers, "workers"))
        object.__setattr__(self, "shared", several(self.shared, "shared"))
        if found := "; ".join(registry_problems(self.workers, self.shared)):
            raise ConfigurationError(found)

    @cached_property
    def named(self) -> dict[str, Agent]:
        """The workers by name."""
        return {worker.name: worker for worker in self.workers}

    @cached_property
    def owners(self) -> dict[str, tuple[str, ...]]:
        """Which workers have a tool, by the tool's name: one, unless it is shared."""
        found: dict[str, tuple[str, ...]] = {}
        for worker in self.workers:
            for tool in tools_of(worker):
                found[tool.name] = (*found.get(tool.name, ()), worker.name)
        return found

    def stand_ins(self, name: str) -> tuple[Agent, ...]:
        """The workers that can take over tasks of this one."""
        return tuple(worker for worker in self.workers if name in settings_of(worker).stands_in_for)

    def described(self) -> str:
        """The workers as a prompt lists them, a line each: name, description, tools."""
        told = []
        for worker in self.workers:
            named = ", ".join(tool.name for tool in tools_of(worker))
            tools = f" (tools: {named})" if named else ""
            told.append(f"- {worker.name}: {worker.description}{tools}")
        return "\n".join(told)


def tools_of(worker: Any) -> tuple[Tool, ...]:
    """A worker's tools; a system that is no agent keeps those of its agents to itself."""
    return getattr(worker, "tools", ())


def registry_problems(workers: Sequence[object], shared: Collection[str] = ()) -> Iterator[str]:
    """What is wrong with workers who may share these tools. Used in chapter 06."""
    if not workers:
        yield "there are no workers: pass at least one"
    yield from worker_problems(workers)
    known = {worker.name: worker for worker in workers if isinstance(worker, Agent)}
    prompts, owner = dict[str, str](), dict[str, str]()
    for name, worker in known.items():
        said = worker.instructions.strip()  # where there are none, descriptions tell them apart
        if said and (other := prompts.setdefault(said, name)) != name:
            said = f"workers '{other}' and '{name}' have the same instructions"
            yield f"{said}: say what differs"
        for tool in worker.tools:
            other = owner.setdefault(tool.name, name)
            if other != name and tool.name not in shared:
                said = f"workers '{other}' and '{name}' share the tool '{tool.name}'"
                yield f"{said}: give it to one, or name it in shared"
        for other in settings_of(worker).stands_in_for:
            if other not in known or other == name:
                others = ", ".join(sorted(known.keys() - {name})) or "none"
                yield f"worker '{name}' cannot stand in for '{other}'; others: {others}"
    for stranger in (each for each in shared if each not in owner):
        yield f"no worker has the shared tool '{stranger}'; tools: {', '.join(owner) or 'none'}"


INSTRUCTIONS = "You are the {role} of a team. Your part is work of this kind: {tasks}"


@dataclass(frozen=True)
class Staff:
    """A plan and the workers that were made for it. Built in chapter 10."""

    plan: Plan
    registry: Registry


def staff(plan: Plan, tools: Iterable[Tool], *, model: str = SMALL) -> Staff:
    """Make a worker for each role that a plan names, with the tools its tasks need.
    Built in chapter 10, exercise 10.3.

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
    """For each role of a plan the worker that it becomes. Built in chapter 10, exercise 10.2.

    Roles that need the same tool become one worker, and so does who shares another tool
    with one of them. It has the name of the one among them that the plan names first.
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
    """A worker for all tasks of a plan that have its name. Built in chapter 10."""
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


CHOOSE = """\
Choose the tools that the task needs, and no others.

Tools:
{tools}"""

PROMPT = """\
You do one task, and these tools are yours for it:
{tools}
Say only what the tools told you and what you were given, with figures as they stand there."""


async def worker_for(
    task: str,
    tools: Iterable[Tool],
    *,
    client: AsyncOpenAI,
    model: str = SMALL,
    agent: str = "factory",
) -> Worker:
    """Make a worker for a task, in words, from a catalogue of tools: one model call, as `agent`.

    It has the chosen tools, those they cannot do without, and a prompt; all of them where the model
    names none. ConfigurationError: the catalogue is empty; ModelError: the model cannot be used.
    """
    known = by_name(tools)
    if not known:
        raise ConfigurationError("the catalogue has no tools: pass at least one")
    asked = Context.of(f"Task: {task}", instructions=CHOOSE.format(tools=_listed(known)))
    names = {"type": "array", "items": {"type": "string", "enum": list(known)},
             "description": "names of the tools that the task needs"}  # fmt: skip
    shape = answer_in("choice", object_schema({"tools": names}))
    body = {"model": model, "messages": asked.messages, "response_format": shape}
    with span("plan", agent, {"switchboard.task.description": task}) as step:
        answer = await complete(client, body, agent=agent, role="factory")
        chosen = _chosen(str(answer.message.get("content") or ""), known) or tuple(known)
        needed = with_companions(chosen, known)
        step.set("switchboard.tools", ", ".join(needed))
    own = {each: known[each] for each in needed}
    return Worker(
        name="specialist", description=task, instructions=PROMPT.format(tools=_listed(own)),
        tools=tuple(own.values()), model=model,
    )  # fmt: skip


def with_companions(chosen: Iterable[str], tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """The chosen tools with those that they cannot do without, in the catalogue's order.

    Who takes the id of something needs a tool that finds such ids; who searches, one that reads.
    """
    needed = set(chosen)
    needed |= {n for n, tool in tools.items() if any(_finds(tool, tools[c]) for c in needed)}
    for name, tool in tools.items():
        if name.startswith("read_") and any(_finds(tools[each], tool) for each in needed):
            needed.add(name)
    return tuple(name for name in tools if name in needed)


def _ids_of(tool: Tool) -> set[str]:
    """What the tool takes the id of: {"patient"} for a required patient_id."""
    required = tool.parameters.get("required", ())
    return {name.removesuffix("_id") for name in required if name.endswith("_id")}


def _finds(tool: Tool, other: Tool) -> bool:
    """Whether the tool tells an id that the other takes, and does not take it itself."""
    words = set(re.split(r"[\s,:]+", tool.description.lower()))
    wanted = _ids_of(other) - _ids_of(tool) if {"id", "ids"} & words else ()
    return any(word.startswith(noun) for word in words for noun in wanted)


def _listed(tools: Mapping[str, Tool]) -> str:
    return "\n".join(f"- {each.name}: {each.description}" for each in tools.values())


def _chosen(text: str, tools: Mapping[str, Tool]) -> tuple[str, ...]:
    try:
        named = json.loads(text)["tools"]
        return tuple(name for name in dict.fromkeys(named) if name in tools)
    except (ValueError, KeyError, TypeError):
        return ()


@dataclass(frozen=True, kw_only=True)
class Factory(Worker):
    """A worker whose tools are a catalogue: for each task it makes a specialist, who does it."""


@carry_out.register(Factory)
async def run_factory(factory: Factory, request: str, *, client: AsyncOpenAI) -> Result:
    """Make a worker for what is asked, and let it do that; two steps of the trace."""
    task, model = request.partition("\n\n")[0].removeprefix("Task: "), factory.model
    async with in_time(factory.limits.max_seconds) as time:
        made = await worker_for(task, factory.tools, client=client, model=model, agent=factory.name)
        rules = f"{made.instructions}\n\n{factory.instructions}".strip()
        limits = replace(factory.limits, max_seconds=None)
        specialist = replace(made, instructions=rules, limits=limits)
        result: Result = await carry_out(specialist, request, client=client)
        return result
    return stopped(request, time)
