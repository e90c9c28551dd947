"""Microsoft Agent Framework in the lab: an agent, agents as tools, a handoff workflow and agents at
once, as its documentation writes them. Source: agent-framework-core 1.23, agent-framework-openai
1.17 and agent-framework-orchestrations 1.4, their READMEs and docstrings."""

from __future__ import annotations

import json
from typing import Any

from agent_framework import Agent, FunctionTool
from agent_framework.openai import OpenAIChatCompletionClient
from agent_framework.orchestrations import ConcurrentBuilder, HandoffBuilder

from course.agent import Agent as Described
from course.benches.bench import all_in_one
from course.foreign import Foreign, Seats
from course.lab.frameworks.routed import ROUTER, WRITER, choice, chooser, material
from course.lab.patterns import FIRST, Setup, pattern
from course.models.names import SMALL
from course.tools import Tool

TURNS = 100  # beyond any bench: the run's own limits hold


def _tool(seats: Seats, tool: Tool) -> FunctionTool:
    async def use(**arguments: Any) -> str:
        return await seats.use(tool, json.dumps(arguments, ensure_ascii=False))

    return FunctionTool(name=tool.name, description=tool.description, func=use,
                        input_model=tool.parameters)  # fmt: skip


def _agent(seats: Seats, each: Described, *tools: Any, **more: Any) -> Agent:
    client = OpenAIChatCompletionClient(model=SMALL, async_client=seats.seat(each.name))
    client.function_invocation_configuration["max_iterations"] = TURNS
    theirs = [*(_tool(seats, tool) for tool in each.tools), *tools]
    return Agent(client=client, name=each.name, description=each.description,
                 instructions=each.instructions, tools=theirs, **more)  # fmt: skip


@pattern("agent-framework:single")
def single(setup: Setup) -> Foreign:
    """One agent with everybody's tools."""

    async def ask(seats: Seats, request: str) -> str:
        return str((await _agent(seats, all_in_one(setup.agents)).run(request)).text)

    return Foreign(name="single", ask=ask)


@pattern("agent-framework:supervisor")
def supervisor(setup: Setup) -> Foreign:
    """Agents as tools of one that keeps the conversation."""

    async def ask(seats: Seats, request: str) -> str:
        tools = [_as_tool(seats, each) for each in setup.agents]
        return str((await _agent(seats, FIRST, *tools).run(request)).text)

    return Foreign(name=FIRST.name, ask=ask)


def _as_tool(seats: Seats, each: Described) -> FunctionTool:
    """The framework's own `as_tool`, whose work the run is told of."""
    tool = _agent(seats, each).as_tool()
    work: Any = tool.func

    async def told(*given: Any, **arguments: Any) -> Any:
        with seats.given(each.name, arguments.get("task", "")):
            return await work(*given, **arguments)

    tool.func = told
    return tool


@pattern("agent-framework:handoff")
def handoff(setup: Setup) -> Foreign:
    """A handoff workflow: a first agent, and specialists who hand the conversation back."""

    async def ask(seats: Seats, request: str) -> str:
        kept = {"require_per_service_call_history_persistence": True}
        first = _agent(seats, FIRST, **kept)
        others = [_agent(seats, each, **kept) for each in setup.agents]
        made = HandoffBuilder(participants=[first, *others]).with_start_agent(first)
        made = made.add_handoff(first, others)
        for each in others:
            made = made.add_handoff(each, [first])
        answer = ""
        async for event in made.build().run(request, stream=True):
            if event.type == "handoff_sent":
                seats.handed(event.data.source, event.data.target)
                answer = ""  # what was said on the way
            elif event.type == "output":
                answer += event.data.text
        return answer

    return Foreign(name=FIRST.name, ask=ask)


@pattern("agent-framework:router")
def router(setup: Setup) -> Foreign:
    """An agent chooses by a response format; a concurrent workflow of the chosen, and one writes.

    The workflow begins its participants' work itself, so that no step says that it was given.
    """

    async def ask(seats: Seats, request: str) -> str:
        form: Any = {"response_format": choice(setup.agents)}
        chosen = await _agent(seats, chooser(setup.agents)).run(request, options=form)
        named: Any = chosen.value
        agents = [_agent(seats, e) for e in setup.agents if e.name in named.agents]
        if len(agents) == 1:
            return str((await agents[0].run(request)).text)

        async def write(results: list[Any]) -> str:
            told = [(each.executor_id, each.agent_response.text) for each in results]
            return str((await _agent(seats, WRITER).run(material(request, told))).text)

        made = ConcurrentBuilder(participants=agents).with_aggregator(write).build()
        return str((await made.run(request)).get_outputs()[-1])

    return Foreign(name=ROUTER, ask=ask)
