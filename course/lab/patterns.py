"""The patterns that are compared: each makes a system of the same agents, and `course.run` runs it.

A pattern of your own is a function of a `Setup`, and enters with a decorator:

    @pattern("two heads")
    def two_heads(setup):
        return Supervisor(name="lead", workers=setup.agents[:2])

What it returns is anything that `course.run` takes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any, TypeVar

from pydantic import ConfigDict, create_model

from course.agent import Agent
from course.benches.bench import ROUNDS, all_in_one
from course.errors import ConfigurationError
from course.limits import Limits
from course.models.breaker import Breaker
from course.models.line import CALL_SECONDS, Backoff
from course.pipeline import Pipeline, Stage
from course.routing import HybridRouter, ModelRouter, Router, StaticRouter, descriptions
from course.routing.choosers import IntentClassifier, stems
from course.routing.sentences import Sentence
from course.supervisor import Supervisor
from course.supervisor_worker.supervisor import FailurePolicy, PlanningSupervisor, Timeouts
from course.systems import carry_out
from course.team import Guards, consultation, escalation, hub_and_spoke

LEAD = "lead"
_LEADS = "You lead others. Give every part of a request to whom it belongs, then answer with all."
FIRST = Agent(name=LEAD, description="who is met first", instructions=_LEADS, limits=ROUNDS)
_GUARDS = Guards(max_turns=60, max_repeats=6)
_ONE = " Give one task at a time and wait for its result."


@dataclass(frozen=True)
class Way:
    """A policy: what is done about failures, on the line to the model and in a plan.

    Attributes:
        tries: of a model call whose way failed.
        breaker: whether calls are refused at once while the service is down.
        plan: what a plan does about a failed task.
    """

    tries: int = 3
    breaker: bool = False
    plan: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> dict[str, Any]:
        """The settings of the line to the model, which is the same for every pattern."""
        breaker = Breaker(failures=3, cooldown=10.0) if self.breaker else None
        return {"backoff": Backoff(tries=self.tries), "timeout": CALL_SECONDS, "breaker": breaker}


_NO_BREAKER = {"breaker_failures": 1_000_000}
POLICIES: Mapping[str, Way] = {
    "none": Way(1, plan={"retry": "never", **_NO_BREAKER}),
    "retry": Way(plan={"retry": "never", **_NO_BREAKER}),
    "repeat": Way(plan={"retry": "repeat", **_NO_BREAKER}),
    "refine": Way(plan={"retry": "refine", **_NO_BREAKER}),
    "breaker": Way(breaker=True, plan={"retry": "refine"}),
    "replan": Way(plan={"retry": "refine", "downstream": "replan"}),
}
"""What is done about failures. On the line to the model: "none" makes a call once, the others
three times; "breaker" leaves a service alone that fails three times in a row. In a plan besides:
"retry" tries no task again, "repeat" word for word, "refine" rewritten; "replan" plans anew."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a pattern is made of.

    Attributes:
        agents: the specialists, each with its tools and a description.
        shared: names of the tools that several of them have.
        policy: what is done about failures; the line to the model keeps to it anyway.
        deadline: seconds until an answer is due; None is no deadline.
        chain: the bench's own pipeline, where it has one.
    """

    agents: tuple[Agent, ...]
    shared: tuple[str, ...] = ()
    policy: Way = POLICIES["retry"]
    deadline: float | None = None
    chain: Pipeline[Any] | None = None


Pattern = Callable[[Setup], Any]
PATTERNS: dict[str, Pattern] = {}
"""Every pattern by its name."""

P = TypeVar("P", bound=Pattern)


def pattern(name: str) -> Callable[[P], P]:
    """Enter a function of a `Setup` as the pattern of this name; a later one takes its place."""

    def enter(make: P) -> P:
        PATTERNS[name] = make
        return make

    return enter


@pattern("single")
def single(setup: Setup) -> Agent:
    """One agent with everybody's tools."""
    return all_in_one(setup.agents)


@pattern("pipeline")
def pipeline(setup: Setup) -> Pipeline[Any]:
    """Every agent in a fixed order, each with the request and what those before it found."""
    if setup.chain is not None:
        return setup.chain
    notes = [f"notes_{number}" for number in range(len(setup.agents))]
    fields: dict[str, Any] = {"request": (str, ...), **dict.fromkeys(notes, (str, ""))}
    state: Any = create_model("Notes", __config__=ConfigDict(frozen=True), **fields)
    told = "Do your part, and say what you and those before you have found."
    stages = tuple(
        Stage(
            name=agent.name,
            work=replace(agent, instructions=f"{agent.instructions}\n{told}", limits=ROUNDS),
            reads=("request", *notes[max(0, n - 1) : n]),
            writes=(notes[n],),
        )
        for n, agent in enumerate(setup.agents)
    )
    return Pipeline(name="chain", stages=stages, state=state)


@pattern("handoff")
def handoff(setup: Setup) -> Any:
    """A hub that hands the conversation over, and specialists who hand it back; no list is kept."""
    return hub_and_spoke(FIRST, _patient(setup), guards=_GUARDS, matters=False)


@pattern("consultation")
def consulting(setup: Setup) -> Any:
    """An agent that keeps the conversation and asks specialists."""
    return consultation(FIRST, _patient(setup), guards=_GUARDS)


@pattern("escalation")
def climbing(setup: Setup) -> Any:
    """A ladder of the agents in their order, which ends at a person."""
    return escalation(_patient(setup), guards=_GUARDS)


@pattern("router")
def router(setup: Setup) -> Router:
    """A model names the specialists; all answer at once, and a model makes one answer of it."""
    return Router(agents=_patient(setup))


@pattern("router:static")
def router_static(setup: Setup) -> Router:
    """The same, chosen by the words of the specialists' descriptions."""
    return Router(agents=_patient(setup), chooser=StaticRouter(_words(setup)))


@pattern("router:hybrid")
def router_hybrid(setup: Setup) -> Router:
    """The same, chosen by a trained classifier, and by a model where that is unsure."""
    listed = descriptions(setup.agents)
    learned = _classifier(tuple(listed.items()))
    chooser = HybridRouter(classifier=learned, threshold=0.7, otherwise=ModelRouter(listed))
    return Router(agents=_patient(setup), chooser=chooser)


@pattern("supervisor")
def supervisor(setup: Setup) -> Supervisor:
    """A supervisor that delegates to all who are needed at once."""
    return _supervisor(setup, _LEADS)


@pattern("supervisor:sequential")
def supervisor_sequential(setup: Setup) -> Supervisor:
    """A supervisor that delegates one task after the other."""
    return _supervisor(setup, _LEADS + _ONE)


@pattern("supervisor:nested")
def supervisor_nested(setup: Setup) -> Supervisor:
    """A supervisor over supervisors, each with a part of the specialists."""
    teams = tuple(
        _supervisor(replace(setup, agents=group), _LEADS, name=_joined(group))
        for group in _groups(setup.agents)
    )
    return replace(_supervisor(setup, _LEADS), workers=teams, max_depth=3)


@pattern("planner")
def planner(setup: Setup) -> PlanningSupervisor:
    """A supervisor that plans a graph of tasks, runs it and answers from the results."""
    return _planner(setup, limit=None)


@pattern("planner:sequential")
def planner_sequential(setup: Setup) -> PlanningSupervisor:
    """The same, with one task under way at a time."""
    return _planner(setup, limit=1)


@pattern("planner:nested")
def planner_nested(setup: Setup) -> PlanningSupervisor:
    """A supervisor that plans for teams that plan."""
    teams = tuple(
        replace(
            _planner(replace(setup, agents=group, deadline=None), limit=None),
            name=_joined(group), description="; ".join(agent.description for agent in group),
            instructions=f"You plan for {_joined(group)}.",
        )
        for group in _groups(setup.agents)
    )  # fmt: skip
    return _planner(replace(setup, agents=teams, shared=()), limit=None)


@dataclass(frozen=True)
class InTurn:
    """Systems one after the other: each gets the request, and what the one before it answered.
    Built in chapter 12.
    """

    name: str
    systems: tuple[Any, ...]


@carry_out.register(InTurn)
async def in_turn(system: InTurn, request: str, *, client: Any, **options: Any) -> Any:
    """Carry out one system after the other; the last one's result counts. Built in chapter 12."""
    asked = request
    for each in system.systems:
        result = await carry_out(each, asked, client=client, **options)
        asked = f"{request}\n\nA draft of the answer:\n{result.answer}"
    return result


def _patient(setup: Setup) -> tuple[Agent, ...]:
    """The specialists with a limit on their calls that no task of a bench reaches."""
    return tuple(replace(agent, limits=ROUNDS) for agent in setup.agents)


def _supervisor(setup: Setup, told: str, name: str = LEAD) -> Supervisor:
    return Supervisor(
        name=name,
        description="; ".join(agent.description for agent in setup.agents),
        instructions=told,
        workers=_patient(setup),
        coordinates=name != LEAD,
        limits=ROUNDS,
        max_iterations=None,
        delegation_seconds=None,
    )


def _planner(setup: Setup, *, limit: int | None) -> PlanningSupervisor:
    named = {tool.name for agent in setup.agents for tool in agent.tools}
    policy = FailurePolicy(**setup.policy.plan, backoff=Backoff(tries=setup.policy.tries))
    in_time = {} if setup.deadline is None else {"answer": 0.0}
    return PlanningSupervisor(
        name=LEAD,
        workers=setup.agents,
        shared=tuple(name for name in setup.shared if name in named),
        limit=limit,
        most_tasks=64,
        failure_policy=policy,
        timeouts=Timeouts(call=CALL_SECONDS, **in_time),
        limits=Limits(max_turns=None, max_seconds=setup.deadline or 600.0),
    )


def _groups(agents: tuple[Agent, ...]) -> list[tuple[Agent, ...]]:
    """The specialists in groups of about the root of their number, two at least where they can."""
    count = max(1, len(agents) // max(2, math.isqrt(len(agents))))
    return [agents[n * len(agents) // count : (n + 1) * len(agents) // count] for n in range(count)]


def _joined(agents: tuple[Agent, ...]) -> str:
    """The name of a team, which says who is in it."""
    return "+".join(agent.name for agent in agents)


def _words(setup: Setup) -> dict[str, tuple[str, ...]]:
    """For each specialist the words of its description that no other one has."""
    own = {agent.name: set(stems(agent.description).split()) for agent in setup.agents}
    common = {word for word, count in Counter(chain(*own.values())).items() if count > 1}
    for name, words in own.items():
        if not words - common:
            raise ConfigurationError(
                f"router:static needs a word of its own for '{name}': describe it differently"
            )
    return {name: tuple(sorted(words - common)) for name, words in own.items()}


@cache
def _classifier(listed: tuple[tuple[str, str], ...]) -> IntentClassifier:
    """A classifier that has read the descriptions and nothing else."""
    said = [Sentence(text, (name,)) for name, told in listed for text in (name, told)]
    return IntentClassifier(said)
