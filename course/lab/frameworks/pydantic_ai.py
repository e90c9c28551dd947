"""pydantic-ai in the lab: one agent, and agent delegation by a tool, as its documentation writes
them. A handoff is there a matter of the program around the agents, so there is none here.
Source: pydantic-ai 2.68, docs on tools, usage limits and multi-agent applications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from pydantic_ai import Agent, NativeOutput, Tool
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

from course import tools as ours
from course.agent import Agent as Described
from course.benches.bench import all_in_one
from course.foreign import Foreign, Seats
from course.lab.frameworks import planned
from course.lab.frameworks.routed import ROUTER, WRITER, choice, chooser, material
from course.lab.patterns import FIRST, Setup, pattern
from course.models.names import SMALL

UNLIMITED = UsageLimits(request_limit=None)  # the run's own limits hold


def _tool(seats: Seats, tool: ours.Tool) -> Tool:
    async def use(**arguments: Any) -> str:
        return await seats.use(tool, json.dumps(arguments, ensure_ascii=False))

    return Tool.from_schema(use, tool.name, tool.description, tool.parameters)


def _agent(seats: Seats, each: Described, *tools: Tool, **more: Any) -> Agent:
    model = OpenAIChatModel(SMALL, provider=OpenAIProvider(openai_client=seats.seat(each.name)))
    theirs = [*(_tool(seats, tool) for tool in each.tools), *tools]
    return Agent(model, instructions=each.instructions, tools=theirs, **more)


async def _answer(agent: Agent, request: str) -> str:
    return str((await agent.run(request, usage_limits=UNLIMITED)).output)


@pattern("pydantic-ai:single")
def single(setup: Setup) -> Foreign:
    """One agent with everybody's tools."""

    async def ask(seats: Seats, request: str) -> str:
        return await _answer(_agent(seats, all_in_one(setup.agents)), request)

    return Foreign(name="single", ask=ask)


@pattern("pydantic-ai:supervisor")
def supervisor(setup: Setup) -> Foreign:
    """Agent delegation: an agent whose tools run other agents."""

    async def ask(seats: Seats, request: str) -> str:
        tools = [_delegation(seats, each) for each in setup.agents]
        return await _answer(_agent(seats, FIRST, *tools), request)

    return Foreign(name=FIRST.name, ask=ask)


def _delegation(seats: Seats, each: Described) -> Tool:
    worker = _agent(seats, each)

    async def ask(request: str) -> str:
        with seats.given(each.name, request):
            return await _answer(worker, request)

    return Tool(ask, name=f"ask_{each.name}".replace(" ", "_"), description=each.description)


@pattern("pydantic-ai:router")
def router(setup: Setup) -> Foreign:
    """Programmatic hand-off: an agent with an output type chooses, the chosen run at once."""

    async def ask(seats: Seats, request: str) -> str:
        async def work(each: Described) -> tuple[str, str]:
            with seats.given(each.name, request):
                return each.name, await _answer(_agent(seats, each), request)

        form = NativeOutput(choice(setup.agents))
        chooses = _agent(seats, chooser(setup.agents), output_type=form)
        named = (await chooses.run(request, usage_limits=UNLIMITED)).output.agents
        found = await asyncio.gather(*(work(e) for e in setup.agents if e.name in named))
        if len(found) == 1:
            return found[0][1]
        return await _answer(_agent(seats, WRITER), material(request, found))

    return Foreign(name=ROUTER, ask=ask)


@pattern("pydantic-ai:planner")
def planner(setup: Setup) -> Foreign:
    """Programmatic: an agent with an output type plans, workers run, and one writes."""

    async def ask(seats: Seats, request: str) -> str:
        workers = {each.name: each for each in setup.agents}

        async def work(task: Any, earlier: Mapping[str, str]) -> str:
            with seats.given(task.worker, task.description):
                worker = _agent(seats, workers[task.worker])
                return await _answer(worker, planned.asked(task, earlier))

        form = NativeOutput(planned.form(setup.agents))
        plans = _agent(seats, planned.planner(setup.agents), output_type=form)
        plan = (await plans.run(request, usage_limits=UNLIMITED)).output
        found = await planned.carried_out(plan, work)
        return await _answer(_agent(seats, planned.WRITER), planned.material(request, plan, found))

    return Foreign(name=planned.WRITER.name, ask=ask)
