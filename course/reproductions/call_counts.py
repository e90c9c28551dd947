"""LangChain's table of model calls, counted again: one request in three patterns.

Source: LangChain's documentation, "Multi-agent", section "Performance comparison" (read November
2026): one request takes 4 calls with subagents, 3 with handoffs, 3 with a router; a request and its
repetition 8, 5 and 6; a request for three domains of 2,000 tokens each 5, at least 7, and 5. Its
fourth pattern, skills (3, 5 and 3), has no counterpart here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course import clock, routing, team
from course.agent import Agent
from course.models.wire import AsyncOpenAI
from course.runner import run
from course.supervisor import Supervisor
from course.systems import Result
from course.tools import tool

if TYPE_CHECKING:
    from collections.abc import Callable


EXPERTS = {
    "python": "Python is served on the web by frameworks such as Django.",
    "javascript": "JavaScript runs in every browser on the web.",
    "rust": "Rust compiles to WebAssembly for the web.",
}
ONE = "Buy milk."
AGAIN = "Buy milk again."
THREE = (
    "What is Python good for on the web, what is JavaScript good for on the web, and what is Rust"
    " good for on the web?"
)


@tool
def buy_milk(litres: int = 1) -> str:
    """Buy milk at the shop."""
    return f"bought {litres} l of milk"


def handbook(name: str) -> str:
    """About 2,000 tokens that an expert has to read before it can say anything."""
    notes = (
        f"Note {n}: chapter {n} of the {name} manual is on shelf {n % 31}." for n in range(120)
    )
    return " ".join((f"You know {name}.", EXPERTS[name], *notes))


SHOPPERS = (
    Agent(name="milk", description="buys milk at the shop", tools=(buy_milk,)),
    Agent(name="post", description="sends letters and parcels"),
)
ADVISERS = tuple(
    Agent(name=name, description=f"knows the language {name}", instructions=handbook(name))
    for name in EXPERTS
)
LEAD = "You lead the others. Delegate to your workers and answer with what they report."
DOOR = "You talk to people. Leave to the others what they are there for."


@dataclass
class CallCount:
    """Model calls, turn by turn, and the tokens and the answer of the last one."""

    calls: list[int]
    tokens: int = 0
    answer: str = ""

    def add(self, result: Result) -> None:
        """Count a turn's calls."""
        self.calls.append(sum(step.operation == "chat" for step in result.trace.spans))
        self.tokens, self.answer = result.usage.total, result.answer


async def subagents(agents: tuple[Agent, ...], turns: list[str], client: AsyncOpenAI) -> CallCount:
    """A supervisor delegates; its second turn goes on from the first."""
    boss = Supervisor(name="main", instructions=LEAD, workers=agents)
    counted = CallCount([])
    request: Any = turns[0]
    for number in range(1, len(turns) + 1):
        result = await run(boss, request, client=client, run_id=f"turn {number - 1}")
        counted.add(result)
        request = result.context.add({"role": "user", "content": turns[number % len(turns)]})
    return counted


async def handoffs(agents: tuple[Agent, ...], turns: list[str], client: AsyncOpenAI) -> CallCount:
    """Agents hand the conversation on; where several are asked, they are consulted."""
    main = Agent(name="main", description="talks to people", instructions=DOOR)
    several = agents is ADVISERS
    hub = team.hub_and_spoke(main, agents, matters=False)  # whose counts are published has no list
    wired = team.consultation(main, agents) if several else hub
    session = wired.begin()
    counted = CallCount([])
    for number, words in enumerate(turns):
        result = await run(wired, words, client=client, session=session, run_id=f"turn {number}")
        counted.add(result)
    return counted


async def _router(agents: tuple[Agent, ...], turns: list[str], client: AsyncOpenAI) -> CallCount:
    """A router puts each turn through anew."""
    desk = routing.Router(agents=agents)
    counted = CallCount([])
    for number, words in enumerate(turns):
        result = await run(desk, words, client=client, run_id=f"turn {number}")
        counted.add(result)
    return counted


PATTERNS = {"subagents": subagents, "handoffs": handoffs, "router": _router}
PUBLISHED = {
    "subagents": {"one": [4], "again": [4, 4], "three": [5]},
    "handoffs": {"one": [3], "again": [3, 2], "three": [7]},
    "router": {"one": [3], "again": [3, 3], "three": [5]},
}
SCENARIOS = {
    "one": (SHOPPERS, [ONE]),
    "again": (SHOPPERS, [ONE, AGAIN]),
    "three": (ADVISERS, [THREE]),
}


def counted(pattern: str, scenario: str, client: AsyncOpenAI) -> CallCount:
    """The model calls of a pattern in a scenario: one of "one", "again" and "three"."""
    agents, turns = SCENARIOS[scenario]
    count: Callable[..., Any] = PATTERNS[pattern]
    found: CallCount = clock.simulate(count(agents, turns, client))
    return found
