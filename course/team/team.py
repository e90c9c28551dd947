"""A team: who is in it, who begins, what each is offered where, and whether that can work.

A cycle of handoffs is no mistake in itself: a hub and its specialists are one, and whether a model
goes round it nobody knows beforehand. It is certain, and refused, in two cases: a ladder of tiers
that comes back to a tier (its criteria stay met, so it would climb for ever), and agents that can
do nothing but hand on to one another (no instructions, no tools, and one handoff each).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from course.agent import Agent, works_alone
from course.errors import ConfigurationError, several
from course.handoff import Handoff, handoff_tool, return_tool
from course.session import Session
from course.team.human import HUMAN, HUMAN_DESCRIPTION, HumanQueue
from course.team.rules import Escalation, Guards
from course.tools import Tool


@dataclass(frozen=True)
class Offer:
    """What an agent is offered where it stands: it, with the tools that hand over among its tools.

    Attributes:
        agent: as its model is asked.
        tools: its ordinary tools.
        moves: the tools that hand over.
        handoffs: what each of those makes, by the tool's name; None gives control back.

    Used in chapter 03.
    """

    agent: Agent
    tools: tuple[Tool, ...]
    moves: tuple[Tool, ...]
    handoffs: Mapping[str, Handoff | None]


@dataclass(frozen=True, kw_only=True)
class Team:
    """Agents that share a conversation and a state, wired by the handoffs they declare.

    Attributes:
        name: for the trace.
        agents: who is in it.
        entry: who gets what the person says first; the first agent if left out.
        guards: what one turn of the person may use up.
        fallback: who takes over when a guard ends a turn: an agent's name, or `HUMAN`. Without
            one the person hears that it could not be settled.
        escalations: handoffs that are made by criteria, not by a model.
        queue: where conversations wait for a person.
        description: what it is for, in one line, where it works for a supervisor.

    Raises:
        ConfigurationError: two agents of one name, an unknown target, a handoff to itself, a
            cycle that is certain, an agent nobody can choose because
            it has no description.

    Used in chapter 03.
    """

    name: str
    agents: tuple[Agent, ...]
    entry: str = ""
    guards: Guards = field(default_factory=Guards)
    fallback: str | None = None
    escalations: tuple[Escalation, ...] = ()
    queue: HumanQueue = field(default_factory=HumanQueue, compare=False, repr=False)
    description: str = ""
    _offers: dict[tuple[str, ...], Offer] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        for name in ("agents", "escalations"):
            object.__setattr__(self, name, several(getattr(self, name), name))
        check_agents(self.agents)
        if not self.entry:
            object.__setattr__(self, "entry", self.agents[0].name)
        check_wiring(self.named, self.escalations, entry=self.entry, fallback=self.fallback)

    @cached_property
    def named(self) -> dict[str, Agent]:
        """The agents by their names."""
        return {agent.name: agent for agent in self.agents}

    @cached_property
    def escalation_of(self) -> dict[str, Escalation]:
        """The escalations by the tier that hands on."""
        return {each.sender: each for each in self.escalations}

    def begin(self) -> Session:
        """A new conversation with this team."""
        return Session(self.entry)

    def agent(self, name: str) -> Agent:
        """The agent of that name.

        Raises:
            ConfigurationError: there is none, such as when another team's session is resumed.
        """
        if name not in self.named:
            known = ", ".join(self.named)
            raise ConfigurationError(
                f"the conversation is with '{name}', but team '{self.name}' has: {known}"
            )
        return self.named[name]

    def check_session(self, session: Session) -> None:
        """Refuse another team's session, before it is changed.

        Raises:
            ConfigurationError: an agent that it needs is not here.
        """
        waiting = [name for frame in session.frames for name in (frame.agent, frame.asked)]
        for name in (session.active, *waiting):
            if name != HUMAN:
                self.agent(name)

    def offer(self, session: Session, *, moves: bool = True) -> Offer:
        """What the active agent is offered: made once for each place it can stand in.

        Args:
            session: says who is active and who waits for a result.
            moves: without them it can neither hand over nor return, as when it is the fallback.
        """
        waiting = tuple(frame.agent for frame in session.frames) if moves else (" no moves",)
        key = (session.active, *waiting)
        if key not in self._offers:
            self._offers[key] = self._offer(self.agent(session.active), waiting, moves)
        return self._offers[key]

    def _offer(self, agent: Agent, waiting: tuple[str, ...], moves: bool) -> Offer:
        """Who waits for a result cannot be handed the conversation: it is given back instead."""
        if not moves:
            return Offer(replace(agent, handoffs=()), agent.tools, (), {})
        handoffs = [each for each in agent.handoffs if each.to not in waiting]
        tools = [handoff_tool(each, self._description(each.to)) for each in handoffs]
        made: dict[str, Handoff | None] = dict(zip((t.name for t in tools), handoffs, strict=True))
        if waiting:
            tools.append(return_tool(waiting[-1]))
            made[tools[-1].name] = None
        return Offer(replace(agent, tools=(*agent.tools, *tools)), agent.tools, tuple(tools), made)

    def _description(self, name: str) -> str:
        return HUMAN_DESCRIPTION if name == HUMAN else self.named[name].description


def team_of(agent: Agent) -> Team:
    """The team that an agent's handoffs make: it, and all whom the handoffs lead to.

    Raises:
        ConfigurationError: a handoff names somebody by name alone, who is in no team here, or two
            different agents have one name.
    """
    found, waiting = {agent.name: agent}, [agent]
    while waiting:
        for handoff in handoffs_of(waiting.pop()):
            other = getattr(handoff, "agent", None)
            if other is not None and handoff.to not in found:
                found[handoff.to] = other
                waiting.append(other)
            elif other is not None and _alone(other) != _alone(found[handoff.to]):
                check_agents((found[handoff.to], other))
    names = [each.to for here in found.values() for each in here.handoffs]
    if strangers := [name for name in names if name not in found and name != HUMAN]:
        raise ConfigurationError(
            f"'{agent.name}' hands over to '{strangers[0]}', and there is no team: run"
            f" Team(name=..., agents=(...)), or write Handoff({strangers[0].replace(' ', '_')})"
            " with the agent itself"
        )
    return Team(name=agent.name, agents=tuple(found.values()))


def _alone(agent: Agent) -> Agent:
    """An agent without its handoffs: two that name each other are made one before the other."""
    return replace(agent, handoffs=())


def instructions_for(agent: Agent, state: Mapping[str, Any]) -> str:
    """The agent's instructions, and in their last line what all agents know so far.

    Raises:
        ConfigurationError: the state holds what JSON does not know.

    Built in chapter 03.
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


def check_agents(agents: Sequence[Agent]) -> None:
    """Refuse a team without agents, and names that are missing, reserved or used twice.

    Raises:
        ConfigurationError: one line that names the agent and the way out.
    """
    if not agents:
        raise ConfigurationError("a team needs an agent: give at least one")
    seen: set[str] = set()
    for agent in agents:
        if not isinstance(agent, Agent):
            raise ConfigurationError(f"a team's agents are agents, not {agent!r}")
        if not agent.name.strip():
            raise ConfigurationError("an agent has no name: handoffs are declared by names")
        if agent.name == HUMAN:
            raise ConfigurationError(f"'{HUMAN}' is the person's name: rename the agent")
        if agent.name in seen:
            raise ConfigurationError(f"two agents are called '{agent.name}': rename one of them")
        seen.add(agent.name)


def check_wiring(
    named: Mapping[str, Agent],
    escalations: Sequence[Escalation],
    *,
    entry: str,
    fallback: str | None,
) -> None:
    """Refuse handoffs that lead nowhere, to their own sender, or certainly round in a circle.

    Raises:
        ConfigurationError: one line that names the agent and the way out.
    """
    _check_known("the entry", entry, named)
    if fallback not in (None, HUMAN):
        _check_known("the fallback", str(fallback), named)
    for agent in named.values():
        _check_handoffs(agent, named)
    for each in escalations:
        _check_known("an escalation's sender", each.sender, named)
        if each.to != HUMAN:
            _check_known(f"the escalation of '{each.sender}'", each.to, named)
    _check_senders(escalations)
    _check_circle({each.sender: each.to for each in escalations}, "the escalations")
    _check_circle(_helpless(named.values()), "agents that can only hand on")


def _check_known(what: str, name: str, named: Iterable[str]) -> None:
    if name not in named:
        known = ", ".join(named)
        raise ConfigurationError(f"{what} is '{name}', which is no agent here; there are: {known}")


def handoffs_of(agent: Agent) -> tuple[Handoff, ...]:
    """The handoffs that an agent declares.

    Raises:
        ConfigurationError: one of them is none, or the agent leads others and answers itself.
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


def _check_handoffs(agent: Agent, named: Mapping[str, Agent]) -> None:
    names = {each.name: "a tool" for each in agent.tools}
    for handoff in handoffs_of(agent):
        _check_target(agent, handoff, named)
        if handoff.tool_name in names:
            raise ConfigurationError(
                f"'{agent.name}' has {names[handoff.tool_name]} called '{handoff.tool_name}'"
                f" already: declare the handoff to '{handoff.to}' once, or rename"
            )
        names[handoff.tool_name] = "a handoff"


def _check_target(agent: Agent, handoff: Handoff, named: Mapping[str, Agent]) -> None:
    if handoff.to == agent.name:
        raise ConfigurationError(f"'{agent.name}' hands over to itself: name another agent")
    if handoff.to == HUMAN:
        if handoff.returns:
            raise ConfigurationError(
                f"'{agent.name}' consults a person, who answers in their own time: hand over"
            )
        return
    _check_known(f"a handoff of '{agent.name}'", handoff.to, named)
    if not named[handoff.to].description:
        raise ConfigurationError(
            f"'{handoff.to}' has no description: '{agent.name}' needs it to know when to hand over"
        )


def _check_senders(escalations: Sequence[Escalation]) -> None:
    senders = [each.sender for each in escalations]
    for name in senders:
        if senders.count(name) > 1:
            raise ConfigurationError(f"'{name}' escalates twice: a ladder names each tier once")


def _helpless(agents: Iterable[Agent]) -> dict[str, str]:
    """Agents that cannot do anything but hand on, each with the one it hands on to."""
    return {
        agent.name: agent.handoffs[0].to
        for agent in agents
        if not agent.instructions and not agent.tools and len(agent.handoffs) == 1
        if not agent.handoffs[0].returns
    }


def _check_circle(following: Mapping[str, str], what: str) -> None:
    for start in following:
        path = [start]
        while path[-1] in following:
            path.append(following[path[-1]])
            if path[-1] in path[:-1]:
                circle = " -> ".join(path[path.index(path[-1]) :])
                raise ConfigurationError(
                    f"{what} go round for ever: {circle}; let one of them end at '{HUMAN}'"
                )
