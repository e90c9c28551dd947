"""Workers made for a task: from its description and a catalogue of tools, and nothing else.

A registry has to foresee every kind of work, and `staff` needs a plan that names tools. Here a
model is asked once which tools of the catalogue a task needs; what those cannot do without is added
by a rule, the prompt is written, and the worker is there. `Factory` is a worker that does each of
its tasks so: a plan can give it any.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from course.chat import complete
from course.context import Context
from course.errors import ConfigurationError
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.supervisor.workers import Worker
from course.systems import Result, carry_out
from course.tools import Tool, answer_in, by_name, object_schema
from course.trace import span

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
    name: str = "specialist",
    agent: str = "factory",
) -> Worker:
    """Make a worker for a task: one model call.

    Args:
        task: what is to be done, in words.
        tools: the catalogue; each has a description.
        client: reaches the model.
        model: chooses the tools, and is the worker's own.
        name: of the worker.
        agent: in whose name the model is asked.

    Returns:
        A worker with the chosen tools, those they cannot do without, and a prompt. Where the
        model names no tool of the catalogue it has all of them.

    Raises:
        ConfigurationError: the catalogue is empty.
        ModelError: the model cannot be used.
    """
    known = by_name(tools)
    if not known:
        raise ConfigurationError("the catalogue has no tools: pass at least one")
    asked = Context.of(f"Task: {task}", instructions=CHOOSE.format(tools=_listed(known)))
    body = {"model": model, "messages": asked.messages, "response_format": _choice_format(known)}
    with span("plan", agent, {"switchboard.task.description": task}) as step:
        answer = await complete(client, body, agent=agent, role="factory")
        chosen = _chosen(str(answer.message.get("content") or ""), known) or tuple(known)
        needed = with_companions(chosen, known)
        step.set("switchboard.tools", ", ".join(needed))
    own = {each: known[each] for each in needed}
    return Worker(
        name=name, description=task, instructions=PROMPT.format(tools=_listed(own)),
        tools=tuple(own.values()), model=model,
    )  # fmt: skip


def _choice_format(tools: Mapping[str, Tool]) -> dict[str, Any]:
    """The shape of a choice: names of these tools."""
    names = {"type": "array", "items": {"type": "string", "enum": list(tools)},
             "description": "names of the tools that the task needs"}  # fmt: skip
    return answer_in("choice", object_schema({"tools": names}))


def with_companions(chosen: Iterable[str], tools: Mapping[str, Tool]) -> tuple[str, ...]:
    """The chosen tools with those that they cannot do without, in the catalogue's order.

    A tool that takes the id of something needs one that finds such ids, and who searches needs
    the tool that reads what was found.
    """
    needed = set(chosen)
    for name in tuple(needed):
        for noun in _ids_of(tools[name]):
            needed |= {other for other in tools if _finds(tools[other], noun)}
    for name, tool in tools.items():
        if name.startswith("read_") and any(
            _finds(tools[each], noun) for each in needed for noun in _ids_of(tool)
        ):
            needed.add(name)
    return tuple(name for name in tools if name in needed)


def _ids_of(tool: Tool) -> tuple[str, ...]:
    """What the tool takes the id of: ("patient",) for a required patient_id."""
    required = tool.parameters.get("required", ())
    return tuple(name.removesuffix("_id") for name in required if name.endswith("_id"))


def _finds(tool: Tool, noun: str) -> bool:
    """Whether the tool tells ids of such things and needs none itself."""
    words = tool.description.lower().replace(",", " ").replace(":", " ").split()
    told = {"id", "ids"} & set(words)
    return bool(told) and any(w.startswith(noun) for w in words) and noun not in _ids_of(tool)


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
async def _(factory: Factory, request: str, *, client: AsyncOpenAI) -> Result:
    """Make a worker for what is asked, and let it do that; two steps of the trace."""
    task = request.partition("\n\n")[0].removeprefix("Task: ")
    made = await worker_for(
        task, factory.tools, client=client, model=factory.model, agent=factory.name
    )
    rules = f"{made.instructions}\n\n{factory.instructions}".strip()
    specialist = replace(made, instructions=rules, limits=factory.limits)
    result: Result = await carry_out(specialist, request, client=client)
    return result
