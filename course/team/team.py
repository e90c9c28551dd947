"""A team: who is in it, who begins, what each is offered where, and whether that can work.

A hub and its specialists are a cycle of handoffs, which is no mistake. Two cycles are refused,
being certain: a ladder that comes back to a tier (its criteria stay met), and agents that can do
nothing but hand on to one another (no instructions, no tools, and one handoff each).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from course.agent import Agent, works_alone
from course.errors import ConfigurationError, refuse, several
from course.handoff import Handoff
from course.session import Session, TypedState
from course.team.human import HUMAN, HUMAN_DESCRIPTION, HumanQueue
from course.team.rules import Escalation, Guards


@dataclass(frozen=True, kw_only=True)
class Team:
    """Agents that share a conversation and a state. Built in chapter 03.

    Attributes:
        name: for the trace.
        agents: who is in it.
        entry: who gets what the person says first; the first agent if left out.
        guards: what one turn of the person may use up.
        fallback: who takes over when a guard ends a turn: an agent's name, or `HUMAN`.
            Without one the person hears that it could not be settled.
        escalations: handoffs that are made by criteria, not by a model.
        queue: where conversations wait for a person.
        description: what it is for, in one line, where it works for a supervisor.
        matters: whether a turn begins with taking down what the person wants, matter by
            matter, which are then served in turn (`course.team.matters`).
        state: what all agents know, as a dataclass or a pydantic model: every write is
            checked. None lets them write any JSON value under any name.

    Raises ConfigurationError: names clash or are unknown, a handoff to itself, a cycle
    that is certain, an agent nobody can choose because it has no description.
    """

    name: str
    agents: tuple[Agent, ...]
    entry: str = ""
    guards: Guards = field(default_factory=Guards)
    fallback: str | None = None
    escalations: tuple[Escalation, ...] = ()
    queue: HumanQueue = field(default_factory=HumanQueue, compare=False, repr=False)
    description: str = ""
    matters: bool = False
    state: type | None = None

    def __post_init__(self) -> None:
        for name in ("agents", "escalations"):
            object.__setattr__(self, name, several(getattr(self, name), name))
        refuse(agent_faults(self.agents))
        if not self.entry:
            object.__setattr__(self, "entry", self.agents[0].name)
        refuse(wiring_faults(self))

    @cached_property
    def named(self) -> dict[str, Agent]:
        """The agents by their names."""
        return {agent.name: agent for agent in self.agents}

    @cached_property
    def escalation_of(self) -> dict[str, Escalation]:
        """The escalations by the tier that hands on."""
        return {each.sender: each for each in self.escalations}

    def begin(self, session: Session | None = None) -> Session:
        """A new conversation with this team, or one that goes on.

        Raises ConfigurationError: it is another team's, whose agents are not here, or none.
        """
        session = Session(self.entry) if session is None else session
        if not isinstance(session, Session):
            raise ConfigurationError(
                f"session is a Session, not {session!r}: read a file with Session.load(path)"
            )
        waiting = [name for frame in session.frames for name in (frame.agent, frame.asked)]
        for name in (session.active, *waiting):
            if name != HUMAN:
                self.agent(name)
        if self.state is not None and not isinstance(session.state, TypedState):
            own = ("severity", "tried", "ticket", "notes", *self.named)  # what the team writes
            session.state = TypedState(self.state, session.state, also=own)
        return session

    def agent(self, name: str) -> Agent:
        """The agent of that name; ConfigurationError where another team's session is resumed."""
        if name not in self.named:
            known = ", ".join(self.named)
            raise ConfigurationError(
                f"the conversation is with '{name}', but team '{self.name}' has: {known}"
            )
        return self.named[name]

    def description_of(self, name: str) -> str:
        """What a member is for, or a person."""
        return HUMAN_DESCRIPTION if name == HUMAN else self.named[name].description


def team_of(agent: Agent) -> Team:
    """The team that an agent's handoffs make: it, and all whom the handoffs lead to.

    Raises ConfigurationError: a handoff leads to nobody, or two different agents have one name.
    """
    found, waiting = {agent.name: agent}, [agent]
    while waiting:
        for handoff in handoffs_of(waiting.pop()):
            other = getattr(handoff, "agent", None)
            if other is not None and handoff.to not in found:
                found[handoff.to] = other
                waiting.append(other)
            elif other is not None:  # two that name each other are made one before the other
                alone = (replace(found[handoff.to], handoffs=()), replace(other, handoffs=()))
                if alone[0] != alone[1]:
                    refuse(agent_faults(alone))
    names = [each.to for here in found.values() for each in here.handoffs]
    if strangers := [name for name in names if name not in found and name != HUMAN]:
        raise ConfigurationError(
            f"'{agent.name}' hands over to '{strangers[0]}', and there is no team: run"
            f" Team(name=..., agents=(...)), or write Handoff({strangers[0].replace(' ', '_')})"
            " with the agent itself"
        )
    return Team(name=agent.name, agents=tuple(found.values()))


def instructions_for(agent: Agent, state: Mapping[str, Any]) -> str:
    """The instructions, and last what all agents know. Built in chapter 03.

    Raises ConfigurationError where the state holds what JSON does not know.
    """
    if not state:
        return agent.instructions
    try:
        known = to_json(state).decode()
    except (PydanticSerializationError, ValueError) as error:
        raise ConfigurationError(
            f"the session's state is no JSON ({error}): keep text, numbers, lists and dictionaries"
        ) from None
    return f"{agent.instructions}\n\nKnown so far: {known}".lstrip()


def agent_faults(agents: Sequence[Any]) -> Iterator[str]:
    """What is wrong with the agents of a team: none, or names missing, reserved or used twice."""
    if not agents:
        yield "a team needs an agent: give at least one"
    seen: set[str] = set()
    for agent in agents:
        if not isinstance(agent, Agent):
            yield f"a team's agents are agents, not {agent!r}"
        if not agent.name.strip():
            yield "an agent has no name: handoffs are declared by names"
        if agent.name == HUMAN:
            yield f"'{HUMAN}' is the person's name: rename the agent"
        if agent.name in seen:
            yield f"two agents are called '{agent.name}': rename one of them"
        seen.add(agent.name)


def wiring_faults(team: Team) -> Iterator[str]:
    """Handoffs that lead nowhere, to their own sender, or certainly round in a circle."""
    named, ladder = team.named, {each.sender: each.to for each in team.escalations}
    leads = [("the entry", team.entry)]
    if team.fallback not in (None, HUMAN):
        leads.append(("the fallback", str(team.fallback)))
    leads += [("an escalation's sender", sender) for sender in ladder]
    leads += [(f"the escalation of '{a}'", to) for a, to in ladder.items() if to != HUMAN]
    yield from _strangers(leads, named)
    for agent in named.values():
        yield from _handoff_faults(agent, named)
    for sender, times in Counter(each.sender for each in team.escalations).items():
        if times > 1:
            yield f"'{sender}' escalates twice: a ladder names each tier once"
    yield from _circles(ladder, "the escalations")
    # agents that cannot do anything but hand on, each with the one it hands on to
    helpless = {
        agent.name: agent.handoffs[0].to
        for agent in named.values()
        if not agent.instructions and not agent.tools and len(agent.handoffs) == 1
        if not agent.handoffs[0].returns
    }
    yield from _circles(helpless, "agents that can only hand on")


def _strangers(leads: Iterable[tuple[str, str]], named: Iterable[str]) -> Iterator[str]:
    for what, name in leads:
        if name not in named:
            yield f"{what} is '{name}', which is no agent here; there are: {', '.join(named)}"


def handoffs_of(agent: Agent) -> tuple[Handoff, ...]:
    """The handoffs that an agent declares.

    Raises ConfigurationError: one of them is none, or the agent leads others and answers itself.
    """
    handoffs: tuple[Handoff, ...] = several(agent.handoffs, "handoffs")
    for handoff in handoffs:
        if not isinstance(getattr(handoff, "tool_name", None), str):  # chapter 03 writes its own
            raise ConfigurationError(
                f"'{agent.name}' has a handoff that is none: {handoff!r}; write Handoff(...)"
            )
    if handoffs and not works_alone(agent):
        raise ConfigurationError(
            f"'{agent.name}' is a {type(agent).__name__}, which keeps control and answers itself:"
            " take its handoffs away, and let another agent hand over to it"
        )
    return handoffs


def _handoff_faults(agent: Agent, named: Mapping[str, Agent]) -> Iterator[str]:
    name, taken = agent.name, {each.name: "a tool" for each in agent.tools}
    for handoff in handoffs_of(agent):
        to = handoff.to
        if to == name:
            yield f"'{name}' hands over to itself: name another agent"
        if to == HUMAN and handoff.returns:
            yield f"'{name}' consults a person, who answers in their own time: hand over"
        if to != HUMAN:
            yield from _strangers([(f"a handoff of '{name}'", to)], named)
            if not named[to].description:
                yield f"'{to}' has no description: '{name}' needs it to know when to hand over"
        if handoff.tool_name in taken:
            yield (
                f"'{name}' has {taken[handoff.tool_name]} called '{handoff.tool_name}' already:"
                f" declare the handoff to '{to}' once, or rename"
            )
        taken[handoff.tool_name] = "a handoff"


def _circles(following: Mapping[str, str], what: str) -> Iterator[str]:
    for start in following:
        path = [start]
        while path[-1] in following and path[-1] not in path[:-1]:
            path.append(following[path[-1]])
        if path[-1] in path[:-1]:
            circle = " -> ".join(path[path.index(path[-1]) :])
            yield f"{what} go round for ever: {circle}; let one of them end at '{HUMAN}'"
