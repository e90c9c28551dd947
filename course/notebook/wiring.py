"""A wiring: who is on the board, with which tools, wired how; what comes of it, and its Python.

A pattern is a line of Python here, and that line is what runs, so that the lines which are shown
do what was seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from course.agent import Agent
from course.benches.bench import Bench, Case, Named, make, nearest
from course.errors import ConfigurationError, CourseError
from course.models.connect import connect
from course.runner import run_sync
from course.scenarios.domains import KIT
from course.trace import Trace

SEED = 7
"""Of every world."""


@dataclass(frozen=True)
class Place:
    """A world of the kit: its bench, its package, and what there opens it and gives its agents."""

    bench: str
    package: str
    opened: str
    agents: str


WORLDS = {
    "front desk": Place("front_desk", "front_desk", "Desk", "specialists"),
    "support": Place("support", "support", "HelpDesk", "tiers"),
    **{
        name: Place(name.replace(" ", "_"), package, "DOMAIN.open", "DOMAIN.workers")
        for name, package in KIT.items()
    },
}
"""Whose agents can be wired in any way."""

_TOLD = 'told = "You lead others. Give every part to whom it belongs, then answer with all."'
_LEAD = f'{_TOLD}\nlead = Agent(name="lead", description="who is met first", instructions=told)'
PATTERNS = {
    "one agent": ("course.benches.bench", "all_in_one", "", "all_in_one(agents)"),
    "routing": ("course", "Router", "", "Router(agents=agents)"),
    "handoff": ("course", "Agent, hub_and_spoke", _LEAD, "hub_and_spoke(lead, agents)"),
    "consultation": ("course", "Agent, consultation", _LEAD, "consultation(lead, agents)"),
    "escalation": ("course", "escalation", "", "escalation(agents)"),
    "supervisor": (
        "course",
        "Supervisor",
        _TOLD,
        'Supervisor(name="lead", instructions=told, workers=agents)',
    ),
    "supervisor-worker": (
        "course",
        "PlanningSupervisor",
        "",
        'PlanningSupervisor(name="lead", workers=agents, shared=SHARED)',
    ),
}
"""Each pattern: from where it imports what, what comes first, and the line that wires `agents` so.
`SHARED` stands for the tools that several of them have."""


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """Who is on the board, wired how, and what is asked.

    Attributes:
        world: one of `WORLDS`.
        task: the name of a request of that world (`tasks_of`), which says what a right answer is;
            "" is the first.
        request: other words in its place, of which nobody says what is right.
        pattern: one of `PATTERNS`.
        given: the names of the tools of each specialist on the board; None leaves them all as
            they are.
        seed: of the luck.
    """

    world: str = "front desk"
    task: str = ""
    request: str | None = None
    pattern: str = "supervisor"
    given: Mapping[str, Sequence[str]] | None = None
    seed: int = 0


@dataclass(frozen=True)
class Tried:
    """What came of a wiring: the trace with its messages, the answer ("" where the run broke), its
    success in two words, with a sign, and why it is not whole.
    """

    trace: Trace
    answer: str
    success: str
    why: str = ""


@cache
def _bench(world: str) -> Bench:
    return make(WORLDS[_known(world, WORLDS, "world")].bench, world_seed=SEED)


def tasks_of(world: str) -> dict[str, Named]:
    """The requests of a world by name, in their order."""
    return {each.id.partition("/")[2]: each for each in _bench(world).tasks()}


def note_of(world: str) -> str:
    """What to bear in mind where success is compared in a world; "" where nothing is."""
    return _bench(world).tuned


def opened(wiring: Wiring) -> AbstractContextManager[Case]:
    """Open a fresh world, with the request and with all of its agents.

    Raises ConfigurationError: there is no such world or request.
    """
    tasks = tasks_of(wiring.world)
    return _bench(wiring.world).open(
        tasks[_known(wiring.task or next(iter(tasks)), tasks, "request")]
    )


def tried(wiring: Wiring) -> Tried:
    """Run a wiring in virtual time, in a fresh world, and judge the answer.

    Raises ConfigurationError: there is nothing or nobody to ask, a specialist has no tool, a name
    is unknown, or the pattern does not take these agents. What breaks as it runs is its success.
    """
    with opened(wiring) as case:
        request, agents = _asked(wiring, case), on_board(wiring, case.agents)
        module, imports, *_ = PATTERNS[_known(wiring.pattern, PATTERNS, "pattern")]
        names: dict[str, Any] = {"agents": agents}
        exec(f"from {module} import {imports}\n{_system(wiring.pattern, agents)}", names)
        trace = Trace(f"{wiring.pattern}: {request}", seed=wiring.seed, messages=True)
        client = connect("simulated", seed=wiring.seed)
        try:
            answer = str(run_sync(names["system"], request, client=client, trace=trace).answer)
        except CourseError as error:
            return Tried(trace, "", "✕ broke", f"{type(error).__name__}: {error}")
        if request != case.request:
            return Tried(trace, answer, "not judged", "these words are your own")
        judged = case.judged(answer, by_marks=False)
    sign = "✓" if judged.success else "✕"
    return Tried(trace, answer, f"{sign} {judged.right} of {judged.needed}", judged.why)


def _asked(wiring: Wiring, case: Case) -> str:
    """What is asked. Raises ConfigurationError: nothing is."""
    request = case.request if wiring.request is None else wiring.request
    if not request.strip():
        raise ConfigurationError("There is no request: choose one, or write your own.")
    return request


def on_board(wiring: Wiring, agents: tuple[Agent, ...]) -> tuple[Agent, ...]:
    """The specialists on the board, with the tools that they were given.

    Raises ConfigurationError: nobody is, one has no tool, or a name is unknown.
    """
    if wiring.given is None:
        return agents
    if not wiring.given:
        raise ConfigurationError("Nobody is on the board: tick a specialist.")
    tools = {tool.name: tool for agent in agents for tool in agent.tools}
    for name, given in wiring.given.items():
        _known(name, {agent.name for agent in agents}, "specialist")
        if not given:
            raise ConfigurationError(f"{name} has no tool: give it one, or take it off the board.")
        for each in given:
            _known(each, tools, "tool")
    return tuple(
        replace(agent, tools=tuple(tools[name] for name in wiring.given[agent.name]))
        for agent in agents
        if agent.name in wiring.given
    )


def python(wiring: Wiring) -> str:
    """The lines that do the same. Raises ConfigurationError as `tried` does."""
    with opened(wiring) as case:
        request, own = _asked(wiring, case), case.agents
        agents = on_board(wiring, own)
    place = WORLDS[wiring.world]
    module, names, *_ = PATTERNS[_known(wiring.pattern, PATTERNS, "pattern")]
    common = "connect, run_sync"
    imports = [f"from course import {names}, {common}"]
    if module != "course":
        imports = [f"from course import {common}", f"from {module} import {names}"]
    tools, before = ({a.name: [t.name for t in a.tools] for a in each} for each in (agents, own))
    rewired = tools != before
    return "\n".join(
        [
            *(["from dataclasses import replace", ""] if rewired else []),
            *imports,
            f"from course.scenarios import {place.package}",
            "",
            f"world = {place.package}.{place.opened}(seed={SEED})",
            f"agents = {place.package}.{place.agents}(world)",
            *([_REWIRED.format(json.dumps(tools))] if rewired else []),
            _system(wiring.pattern, agents),
            f"request = {request!r}",
            f'result = run_sync(system, request, client=connect("simulated", seed={wiring.seed}))',
            "print(result.answer)",
        ]
    )


_REWIRED = """\
tools = {{tool.name: tool for agent in agents for tool in agent.tools}}
given = {}
agents = tuple(
    replace(agent, tools=tuple(tools[name] for name in given[agent.name]))
    for agent in agents if agent.name in given
)"""


def _system(pattern: str, agents: Iterable[Agent]) -> str:
    """The lines that make a pattern's system of `agents`."""
    named = [tool.name for agent in agents for tool in agent.tools]
    shared = tuple(dict.fromkeys(name for name in named if named.count(name) > 1))
    *_, before, line = PATTERNS[pattern]
    return f"{before}\nsystem = {line.replace('SHARED', repr(shared))}".lstrip()


def _known(name: str, there: Iterable[str], what: str) -> str:
    """The name, if there is such a one."""
    if name not in there:
        raise ConfigurationError(f"there is no {what} '{name}'{nearest(name, list(there))}")
    return name
