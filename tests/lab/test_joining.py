"""Spans that frameworks make themselves join the course's trace, and nothing is there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from course import clock
from course.foreign import Foreign, Seats
from course.models import SMALL, Call, ChatRequest, Reply, connect
from course.runner import run
from course.tools import tool
from course.trace import Span, Trace
from tests import needs


@tool
async def look_up_tide(harbour: str) -> str:
    """Get the tide at a harbour."""
    return "low"


def model(request: ChatRequest) -> Reply:
    """The desk gives away to the office, by whatever there is; the office looks and answers."""
    said = request.messages[-1]
    names = {each.name for each in request.tools}
    if not names or (said["role"] == "tool" and "low" in str(said["content"])):
        return Reply("The tide is low.")
    if "look_up_tide" in names:
        return Reply(calls=(Call("look_up_tide", '{"harbour": "Brest"}'),))
    if said["role"] == "tool":
        return Reply("The tide is low.")
    [door] = request.tools
    return Reply(calls=(Call(door.name, "{}"),))


Use = Callable[..., Awaitable[str]]
Client = Callable[[str], Any]


async def by_openai_agents(client: Client, use: Use) -> str:
    import agents

    from course.joining.openai_agents import AgentsHooks

    agents.set_trace_processors([AgentsHooks()])

    def made(name: str, **more: Any) -> Any:
        asks = agents.OpenAIChatCompletionsModel(model=SMALL, openai_client=client(name))
        return agents.Agent(name=name, instructions=f"You are the {name}.", model=asks, **more)

    look = agents.FunctionTool("look_up_tide", "Get the tide.", look_up_tide.parameters,
                               lambda _, told: use(told), strict_json_schema=False)  # fmt: skip
    desk = made("desk", handoffs=[made("office", tools=[look])])
    return str((await agents.Runner.run(desk, "The tide at Brest?")).final_output)


async def by_pydantic_ai(client: Client, use: Use) -> str:
    from pydantic_ai import Agent, InstrumentationSettings
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from course.joining.otel import provider

    told = InstrumentationSettings(tracer_provider=provider())

    def made(name: str) -> Agent:
        asks = OpenAIChatModel(SMALL, provider=OpenAIProvider(openai_client=client(name)))
        agent = Agent(asks, instructions=f"You are the {name}.", name=name)
        agent.instrument = told
        return agent

    desk, office = made("desk"), made("office")

    @office.tool_plain(name="look_up_tide")
    async def look(harbour: str) -> str:
        """Get the tide at a harbour."""
        return await use(f'{{"harbour": "{harbour}"}}')

    @desk.tool_plain
    async def ask_office() -> str:
        """Ask the office about the tide."""
        return str((await office.run("The tide at Brest?")).output)

    return str((await desk.run("The tide at Brest?")).output)


async def by_langgraph(client: Client, use: Use) -> str:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI
    from langgraph_swarm import create_handoff_tool, create_swarm

    from course.joining.langgraph import GraphHooks

    async def look(harbour: str) -> str:
        """Get the tide at a harbour."""
        return await use(f'{{"harbour": "{harbour}"}}')

    look.__name__ = "look_up_tide"

    def made(name: str, *tools: Any) -> Any:
        seat = client(name)
        asks = ChatOpenAI(model=SMALL, api_key="none", root_async_client=seat,
                          async_client=seat.chat.completions)  # fmt: skip
        return create_agent(asks, list(tools), system_prompt=f"You are the {name}.", name=name)

    desk = made("desk", create_handoff_tool(agent_name="office"))
    graph = create_swarm([desk, made("office", look)], default_active_agent="desk").compile()
    asked: Any = {"messages": [("user", "The tide at Brest?")]}
    state = await graph.ainvoke(asked, {"callbacks": [GraphHooks()]})
    return str(state["messages"][-1].content)


@contextmanager
def otel_for_agent_framework() -> Iterator[None]:
    from agent_framework import observability

    from course.joining.otel import provider

    usual = observability.trace.get_tracer
    observability.trace.get_tracer = lambda *a, **_: provider().get_tracer(a[0] if a else "theirs")
    try:
        yield
    finally:
        observability.trace.get_tracer = usual


async def by_agent_framework(client: Client, use: Use) -> str:
    from agent_framework import Agent, FunctionTool
    from agent_framework.openai import OpenAIChatCompletionClient

    async def look(harbour: str) -> str:
        return await use(f'{{"harbour": "{harbour}"}}')

    def made(name: str, *tools: Any) -> Any:
        asks = OpenAIChatCompletionClient(model=SMALL, async_client=client(name))
        told = f"You are the {name}."
        return Agent(client=asks, name=name, instructions=told, tools=list(tools))

    tide = FunctionTool(name="look_up_tide", description="Get the tide.", func=look,
                        input_model=look_up_tide.parameters)  # fmt: skip
    office = made("office", tide)

    async def ask_office() -> str:
        """Ask the office about the tide."""
        return str((await office.run("The tide at Brest?")).text)

    with otel_for_agent_framework():
        return str((await made("desk", ask_office).run("The tide at Brest?")).text)


PROGRAMS: dict[str, tuple[str, Any]] = {
    "openai-agents": ("agents", by_openai_agents),
    "pydantic-ai": ("pydantic_ai", by_pydantic_ai),
    "langgraph": ("langgraph_swarm", by_langgraph),
    "agent-framework": ("agent_framework", by_agent_framework),
}


async def plainly(arguments: str) -> str:
    return "low"


def without_seats(program: Any) -> list[Span]:
    async def main() -> list[Span]:
        client = connect(model, profile="calm")
        with Trace("theirs").record() as trace:
            assert await program(lambda _: client, plainly) == "The tide is low."
        return trace.spans

    return clock.simulate(main())


def on_seats(program: Any) -> list[Span]:
    async def ask(seats: Seats, request: str) -> str:
        return str(await program(seats.seat, lambda told: seats.use(look_up_tide, told)))

    async def main() -> list[Span]:
        client = connect(model, profile="calm")
        result = await run(Foreign(name="theirs", ask=ask), "The tide?", client=client)
        assert result.answer == "The tide is low."
        return list(result.trace.spans)

    return clock.simulate(main())


@pytest.mark.parametrize("through", [without_seats, on_seats])
@pytest.mark.parametrize("framework", PROGRAMS)
def test_what_a_framework_tells_of_itself_is_there_once_and_where_it_belongs(
    framework: str, through: Any
) -> None:
    package, program = PROGRAMS[framework]
    needs.package(package, "other frameworks")
    spans = through(program)
    told = Counter((each.operation, each.name) for each in spans)
    assert told["invoke_agent", "desk"] == told["invoke_agent", "office"] == 1, told
    assert told["execute_tool", "look_up_tide"] == 1, told
    moves = framework in ("openai-agents", "langgraph")
    assert told["handoff", "desk -> office"] == moves
    assert {each.status for each in spans} == {"ok"}
    chats = [each for each in spans if each.operation == "chat"]
    assert len(chats) == (3 if moves else 4)
    assert all(float(each.attributes["switchboard.cost_usd"]) > 0 for each in chats)
    by_id = {each.span_id: each for each in spans}

    def within(step: Span) -> list[str]:
        above = by_id.get(str(step.parent_id))
        return [] if above is None else [above.name, *within(above)]

    looked = next(each for each in spans if each.name == "look_up_tide")
    assert "office" in within(looked)
    around = Counter("office" if "office" in within(each) else "desk" for each in chats)
    assert around["office"] == 2
    assert all(each.parent_id in by_id or each.parent_id is None for each in spans)
    assert through(program) == spans  # the same whenever it is run


def test_outside_a_trace_a_framework_s_hooks_change_nothing() -> None:
    needs.package("agents", "other frameworks")
    client = connect(model)
    said = clock.simulate(by_openai_agents(lambda _: client, plainly))
    assert said == "The tide is low."
