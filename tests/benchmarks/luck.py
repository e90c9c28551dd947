"""Do patterns that are compared meet the same luck? `python -m tests.benchmarks.luck` prints JSON.

One request, the same agents and seeds, six patterns: how the seconds of two patterns hang together
over the seeds, and how much surer their difference is when seeds are paired than when they are not.
With `domains`: supervisor and planner in all domains of the project.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

SEEDS = 60
ALIKE = "What is the price of lamp, and what is the stock of chair?"
LEVEL = 3
BEFORE = 0.15
"""Correlation of supervisor and planner while draws hung on what a pattern did in between."""


def systems(agents: tuple[Any, ...]) -> dict[str, Any]:
    """The six patterns, made of the same agents; whoever leads them is the desk."""
    from course import Agent, PlanningSupervisor, Router, Supervisor
    from course.team import consultation, hub_and_spoke

    desk = Agent(
        name="desk",
        description="takes requests and answers them",
        instructions="You answer, with the help of your colleagues.",
    )
    tools = {tool.name: tool for agent in agents for tool in agent.tools}
    return {
        "single": Agent(name="desk", instructions="You answer.", tools=tuple(tools.values())),
        "handoff": hub_and_spoke(desk, agents, matters=False),
        "consultation": consultation(desk, agents),
        "router": Router(name="desk", agents=agents),
        "supervisor": Supervisor(name="desk", instructions="You lead.", workers=agents),
        "planner": PlanningSupervisor(name="desk", workers=agents),
    }


def shop() -> tuple[Any, ...]:
    """Two agents with a tool each, of whom every pattern asks the same."""
    from course import Agent, tool

    @tool
    def find_price(article: str) -> str:
        """Find the price of an article."""
        return f"the {article} costs 12 EUR"

    @tool
    def find_stock(article: str) -> str:
        """Find the stock of an article: how many pieces there are."""
        return f"40 pieces of the {article}"

    return (
        Agent(
            name="prices",
            description="finds the price of an article",
            instructions="You know prices.",
            tools=(find_price,),
        ),
        Agent(
            name="stocks",
            description="finds the stock of an article",
            instructions="You know stocks.",
            tools=(find_stock,),
        ),
    )


Key = tuple[str, str, int]


@dataclass
class Taken:
    """What the runs of a pattern took (virtual seconds, seed by seed), and what it asked whom."""

    seconds: list[float]
    asked: list[set[Key]]


def taken(
    agents: tuple[Any, ...], text: str, *, profile: str, seeds: int, patterns: Sequence[str] = ()
) -> dict[str, Taken]:
    """Each pattern's runs of one request, under the same seeds."""
    from course import clock, connect
    from course.models.profile import load
    from course.models.simulated import Simulated
    from course.runner import run

    async def once(system: Any, seed: int) -> tuple[float, set[Key]]:
        model, asked = Simulated(load(profile), seed), set[Key]()

        def noting(request: Any) -> Any:
            key = request.key
            asked.add((key.owner or key.agent, key.matter, key.call))
            return model(request)

        await run(system, text, client=connect(noting, seed=seed, profile=profile, wire=False))
        return clock.now(), asked

    came = {}
    for name, system in systems(agents).items():
        if not patterns or name in patterns:
            runs = [clock.simulate(once(system, seed)) for seed in range(seeds)]
            came[name] = Taken([took for took, _ in runs], [asked for _, asked in runs])
    return came


def shared(one: Taken, other: Taken) -> float:
    """The share of the calls of two patterns that both make: the same agent's, on the same matter,
    and of the same number."""
    pairs = list(zip(one.asked, other.asked, strict=True))
    return sum(len(a & b) for a, b in pairs) / sum(len(a | b) for a, b in pairs)


def correlation(one: list[float], other: list[float]) -> float:
    """Pearson's; nan where one of them never varies."""
    try:
        return statistics.correlation(one, other)
    except statistics.StatisticsError:
        return math.nan


def errors(one: list[float], other: list[float]) -> tuple[float, float]:
    """Standard errors of the mean difference: seeds paired, and as of two samples apart."""
    paired = statistics.stdev(a - b for a, b in zip(one, other, strict=True))
    alone = math.hypot(statistics.stdev(one), statistics.stdev(other))
    return paired / math.sqrt(len(one)), alone / math.sqrt(len(one))


def told(took: dict[str, Taken]) -> dict[str, float]:
    """Correlations of all pairs, and how sure the difference of supervisor and planner is."""
    found = {
        f"{a}-{b}": round(correlation(took[a].seconds, took[b].seconds), 2)
        for a, b in combinations(took, 2)
    }
    lead, planner = took["supervisor"], took["planner"]
    paired, alone = errors(lead.seconds, planner.seconds)
    return {
        **found,
        "shared_calls": round(shared(lead, planner), 2),
        "paired_error": round(paired, 4),
        "unpaired_error": round(alone, 4),
        "paired_over_unpaired": round(paired / alone, 3),
    }


def luck(profile: str = "calm", seeds: int = SEEDS) -> dict[str, Any]:
    """Where every pattern asks the same agents the same, and where each plans its own way."""
    alike = taken(shop(), ALIKE, profile=profile, seeds=seeds)
    own_way = in_domain("competitive intelligence", profile=profile, seeds=seeds)
    return {"before": BEFORE, "alike": told(alike), "own_way": told(own_way)}


def in_domain(name: str, **how: Any) -> dict[str, Taken]:
    """One request of a domain of the project, at level 3."""
    from tests.project.playing import NAMED

    domain = NAMED[name]
    with domain.open(seed=100) as world:
        text = domain.requests[LEVEL - 1].on(world).text
        return taken(tuple(domain.workers(world)), text, **how)


def every_domain(profile: str = "calm", seeds: int = SEEDS // 2) -> dict[str, Any]:
    """Supervisor and planner in all domains: what they share, and what pairing seeds gains."""
    from course.scenarios.domains import DOMAINS

    pair, came = ("supervisor", "planner"), {}
    for domain in DOMAINS:
        both = in_domain(domain.name, profile=profile, seeds=seeds, patterns=pair)
        kept = ("supervisor-planner", "shared_calls", "paired_over_unpaired")
        came[domain.name] = {name: told(both)[name] for name in kept}
    return came


if __name__ == "__main__":
    print(json.dumps(every_domain() if sys.argv[1:] == ["domains"] else luck()))
