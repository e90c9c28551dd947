"""Programs of the shape in which each framework first shows tools and a handoff or a delegation:
their agents, tools and words, with the client handed over and the run awaited.

Source: the READMEs of langgraph-swarm 0.1, langgraph-supervisor 0.0.31 and agent-framework-core
1.23; the first pages on handoffs of openai-agents 0.24 and on delegation of pydantic-ai 2.68.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from course import Agent, Tool
from course.benches.bench import Case, Named, bench
from course.benches.oracle import Errand
from course.benches.outcome import by_marks
from course.foreign import Foreign
from course.lab.patterns import Setup, pattern
from course.models import SMALL
from course.tools import tool

Client = Callable[[str], Any]


async def openai_agents(client: Client, request: str) -> str:
    from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool

    @function_tool
    def get_weather(city: str) -> str:
        """Get the weather of a city."""
        return f"The weather in {city} is sunny."

    def model(name: str) -> Any:
        return OpenAIChatCompletionsModel(model=SMALL, openai_client=client(name))

    weather = Agent(name="Weather Guide", handoff_description="Knows the weather of a city",
                    instructions="You tell the weather of cities. Use get_weather.",
                    model=model("Weather Guide"), tools=[get_weather])  # fmt: skip
    history = Agent(name="History Tutor", handoff_description="Specialist for history",
                    instructions="You answer historical questions clearly.",
                    model=model("History Tutor"))  # fmt: skip
    triage = Agent(
        name="Triage Agent",
        instructions="You determine which agent to use based on the user's question.",
        model=model("Triage Agent"), handoffs=[history, weather],
    )  # fmt: skip
    quiet = RunConfig(tracing_disabled=True)
    return str((await Runner.run(triage, request, run_config=quiet)).final_output)


async def pydantic_ai(client: Client, request: str) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def model(name: str) -> Any:
        return OpenAIChatModel(SMALL, provider=OpenAIProvider(openai_client=client(name)))

    chooser = Agent(model("chooser"), instructions="Use the joke_factory to get some jokes, then "
                    "choose the best one. You must return just a single joke.")  # fmt: skip
    factory = Agent(model("factory"), instructions="Write jokes with get_joke.")

    @factory.tool_plain
    def get_joke(topic: str) -> str:
        """Get a joke about a topic."""
        return f"Why did the {topic} cross the road?"

    @chooser.tool_plain
    async def ask_factory(request: str) -> str:
        """Ask the factory for jokes."""
        return str((await factory.run(request)).output)

    return str((await chooser.run(request)).output)


async def langgraph_swarm(client: Client, request: str) -> str:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph_swarm import create_handoff_tool, create_swarm

    def add(a: int, b: int) -> int:
        """Add two numbers"""
        return a + b

    to_bob = create_handoff_tool(agent_name="Bob", description="Transfer to Bob")
    to_alice = create_handoff_tool(agent_name="Alice", description="She can help with math")
    alice = create_agent(_chat(ChatOpenAI, client("Alice")), tools=[add, to_bob], name="Alice",
                         system_prompt="You are Alice, an addition expert.")  # fmt: skip
    bob = create_agent(_chat(ChatOpenAI, client("Bob")), tools=[to_alice], name="Bob",
                       system_prompt="You are Bob, you speak like a pirate.")  # fmt: skip
    app = create_swarm([alice, bob], default_active_agent="Bob").compile(InMemorySaver())
    asked: Any = {"messages": [{"role": "user", "content": request}]}
    state = await app.ainvoke(asked, {"configurable": {"thread_id": "1"}})
    return str(state["messages"][-1].content)


async def langgraph_supervisor(client: Client, request: str) -> str:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI
    from langgraph_supervisor import create_supervisor

    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    def web_search(query: str) -> str:
        """Search the web for information."""
        return "Facebook (Meta): 67,317 employees. Apple: 164,000 employees."

    math = create_agent(_chat(ChatOpenAI, client("math_expert")), tools=[add], name="math_expert",
                        system_prompt="You are a math expert. Use one tool at a time.")  # fmt: skip
    research = create_agent(
        _chat(ChatOpenAI, client("research_expert")), tools=[web_search], name="research_expert",
        system_prompt="You are a world class researcher with access to web search.",
    )  # fmt: skip
    told = "You are a team supervisor managing a research expert and a math expert."
    app = create_supervisor([research, math], model=_chat(ChatOpenAI, client("supervisor")),
                            prompt=told).compile()  # fmt: skip
    state = await app.ainvoke({"messages": [{"role": "user", "content": request}]})
    return str(state["messages"][-1].content)


def _chat(kind: Any, seat: Any) -> Any:
    return kind(model=SMALL, api_key="none", root_async_client=seat, max_retries=0,
                async_client=seat.chat.completions)  # fmt: skip


async def agent_framework(client: Client, request: str) -> str:
    from agent_framework import Agent
    from agent_framework.openai import OpenAIChatCompletionClient

    def get_weather(location: Annotated[str, "The location to get the weather for."]) -> str:
        """Get the weather for a given location."""
        return f"The weather in {location} is stormy with a high of 12°C."

    def get_menu_specials() -> str:
        """Get today's menu specials."""
        return "Special Soup: Clam Chowder. Special Salad: Cobb Salad."

    agent = Agent(
        client=OpenAIChatCompletionClient(model=SMALL, async_client=client("assistant")),
        instructions="You are a helpful assistant for weather and restaurant information.",
        tools=[get_weather, get_menu_specials],
    )
    return (await agent.run(request)).text


@dataclass(frozen=True)
class Theirs:
    """A program: what it is asked, and what it needs for that, by agent, tool, arguments, truth."""

    package: str
    work: Callable[[Client, str], Awaitable[str]]
    request: str
    needs: tuple[tuple[str, str, dict[str, Any], str], ...]


PROGRAMS = {
    "openai-agents": Theirs(
        "agents", openai_agents, "What is the weather in Tokyo?",
        (("Weather Guide", "get_weather", {"city": "Tokyo"}, "sunny"),),
    ),
    "pydantic-ai": Theirs(
        "pydantic_ai", pydantic_ai, "Tell me a joke about a chicken.",
        (("factory", "get_joke", {"topic": "chicken"}, "chicken"),),
    ),
    "langgraph-swarm": Theirs(
        "langgraph_swarm", langgraph_swarm, "What is 5 + 7?",
        (("Alice", "add", {"a": 5, "b": 7}, "12"),),
    ),
    "langgraph-supervisor": Theirs(
        "langgraph_supervisor", langgraph_supervisor,
        "How many people do Meta and Apple employ? And what is 5 + 7?",
        (("research_expert", "web_search", {"query": "headcount"}, "164,000"),
         ("math_expert", "add", {"a": 5, "b": 7}, "12")),
    ),
    "agent-framework": Theirs(
        "agent_framework", agent_framework, "What is the weather in Amsterdam, and the specials?",
        (("assistant", "get_weather", {"location": "Amsterdam"}, "stormy"),
         ("assistant", "get_menu_specials", {}, "Chowder")),
    ),
}  # fmt: skip


class OneProgram:
    """A bench of the one task that a program was written for."""

    licence, tuned = "MIT", ""

    def __init__(self, name: str) -> None:
        self._theirs = PROGRAMS[name]
        self.listed = (Named(name, name, level=1),)

    def tasks(self) -> tuple[Named, ...]:
        return self.listed

    @contextmanager
    def open(self, task: Named) -> Iterator[Case]:
        needs = {f"m{n}": each for n, each in enumerate(self._theirs.needs, start=1)}
        owned: dict[str, tuple[Tool, ...]] = {}
        for agent, name, _, truth in needs.values():
            owned[agent] = (*owned.get(agent, ()), _standing(name, truth))
        truth = {id: each[3] for id, each in needs.items()}
        yield Case(
            request=self._theirs.request, truth=truth,
            agents=tuple(Agent(name=who, tools=tools) for who, tools in owned.items()),
            errands=tuple(Errand(id, name, arguments, f"Use {name}")
                          for id, (_, name, arguments, _) in needs.items()),
            said=lambda answer: by_marks(answer, truth),
        )  # fmt: skip


def _standing(name: str, truth: str) -> Tool:
    """The bench's tool of this name, in whose place the program has its own."""

    def told() -> str:
        """What the program's own tool tells."""
        return truth

    return tool(name=name)(told)


def enter() -> None:
    """Have the programs entered as benches and patterns of the lab: "theirs:NAME"."""
    bench("theirs")(lambda name, tasks, world_seed: OneProgram(name))
    for name, each in PROGRAMS.items():

        def made(setup: Setup, name: str = name, each: Theirs = each) -> Foreign:
            return Foreign(name=name, ask=lambda seats, request: each.work(seats.seat, request))

        pattern(f"theirs:{name}")(made)
