"""openai-agents in the lab, written as its documentation writes agents, handoffs and agents as
tools. Source: openai-agents 0.24, docs on agents, tools, handoffs and orchestration."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    RunConfig,
    RunContextWrapper,
    RunHooks,
    Runner,
)

from course.agent import Agent as Described
from course.benches.bench import all_in_one
from course.foreign import Foreign, Seats
from course.lab.frameworks import planned
from course.lab.frameworks.routed import ROUTER, WRITER, choice, chooser, material
from course.lab.patterns import FIRST, Setup, pattern
from course.models.names import SMALL
from course.tools import Tool

TURNS = 100  # beyond any bench: the run's own limits hold
QUIET = RunConfig(tracing_disabled=True)  # its own tracing sends what it sees to a service


def _tool(seats: Seats, tool: Tool) -> FunctionTool:
    async def invoke(_: Any, arguments: str) -> str:
        return await seats.use(tool, arguments)

    return FunctionTool(tool.name, tool.description, tool.parameters, invoke,
                        strict_json_schema=False)  # fmt: skip


def _agent(seats: Seats, each: Described, **more: Any) -> Agent:
    model = OpenAIChatCompletionsModel(model=SMALL, openai_client=seats.seat(each.name))
    tools = [*(_tool(seats, tool) for tool in each.tools), *more.pop("tools", ())]
    return Agent(name=each.name, instructions=each.instructions, model=model, tools=tools, **more)


async def _answer(agent: Agent, request: str, hooks: RunHooks | None = None) -> Any:
    ran = await Runner.run(agent, request, max_turns=TURNS, run_config=QUIET, hooks=hooks)
    return ran.final_output


@pattern("openai-agents:single")
def single(setup: Setup) -> Foreign:
    """One agent with everybody's tools."""

    async def ask(seats: Seats, request: str) -> Any:
        return await _answer(_agent(seats, all_in_one(setup.agents)), request)

    return Foreign(name="single", ask=ask)


@pattern("openai-agents:supervisor")
def supervisor(setup: Setup) -> Foreign:
    """Agents as tools of one that keeps the conversation."""

    async def ask(seats: Seats, request: str) -> Any:
        tools = [_as_tool(seats, each) for each in setup.agents]
        return await _answer(_agent(seats, FIRST, tools=tools), request)

    return Foreign(name=FIRST.name, ask=ask)


def _as_tool(seats: Seats, each: Described) -> FunctionTool:
    """The framework's own `as_tool`, whose work the run is told of."""
    tool = _agent(seats, each).as_tool(each.name, each.description, run_config=QUIET,
                                       max_turns=TURNS)  # fmt: skip
    invoke = tool.on_invoke_tool

    async def told(context: Any, arguments: str) -> Any:
        with seats.given(each.name, arguments):
            return await invoke(context, arguments)

    tool.on_invoke_tool = told
    return tool


class _Told(RunHooks[Any]):  # type: ignore[misc]
    def __init__(self, seats: Seats) -> None:
        self._seats = seats

    async def on_handoff(
        self, context: RunContextWrapper[Any], from_agent: Agent, to_agent: Agent
    ) -> None:
        self._seats.handed(from_agent.name, to_agent.name)


@pattern("openai-agents:handoff")
def handoff(setup: Setup) -> Foreign:
    """A first agent that hands the conversation over, and specialists who hand it back."""

    async def ask(seats: Seats, request: str) -> Any:
        first = _agent(seats, FIRST)
        first.handoffs = [
            _agent(seats, each, handoff_description=each.description, handoffs=[first])
            for each in setup.agents
        ]
        return await _answer(first, request, _Told(seats))

    return Foreign(name=FIRST.name, ask=ask)


@pattern("openai-agents:router")
def router(setup: Setup) -> Foreign:
    """Orchestrating by code: an agent with an output type chooses, the chosen run at once."""

    async def ask(seats: Seats, request: str) -> Any:
        async def work(each: Described) -> tuple[str, str]:
            with seats.given(each.name, request):
                return each.name, str(await _answer(_agent(seats, each), request))

        chooses = _agent(seats, chooser(setup.agents), output_type=choice(setup.agents))
        named = (await _answer(chooses, request)).agents
        found = await asyncio.gather(*(work(e) for e in setup.agents if e.name in named))
        if len(found) == 1:
            return found[0][1]
        return await _answer(_agent(seats, WRITER), material(request, found))

    return Foreign(name=ROUTER, ask=ask)


@pattern("openai-agents:planner")
def planner(setup: Setup) -> Foreign:
    """Orchestrating by code: an agent with an output type plans, workers run, and one writes."""

    async def ask(seats: Seats, request: str) -> Any:
        workers = {each.name: each for each in setup.agents}

        async def work(task: Any, earlier: Mapping[str, str]) -> str:
            with seats.given(task.worker, task.description):
                worker = _agent(seats, workers[task.worker])
                return str(await _answer(worker, planned.asked(task, earlier)))

        plans = _agent(seats, planned.planner(setup.agents), output_type=planned.form(setup.agents))
        plan = await _answer(plans, request)
        found = await planned.carried_out(plan, work)
        writer = _agent(seats, planned.WRITER)
        return await _answer(writer, planned.material(request, plan, found))

    return Foreign(name=planned.WRITER.name, ask=ask)
