"""A team: who is in it, who begins, and what each is offered where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from course.agent import Agent
from course.errors import ConfigurationError, several
from course.handoff import Handoff, handoff_tool, return_tool
from course.session import Session
from course.team import checks
from course.team.escalation import Escalation
from course.team.guards import Guards
from course.team.human import HUMAN, HUMAN_DESCRIPTION, HumanQueue
from course.tools import Tool


@dataclass(frozen=True)
class Offer:
    """What an agent is offered where it stands: it, with the tools that hand over among its tools.

    Attributes:
        agent: as its model is asked.
        tools: its ordinary tools.
        moves: the tools that hand over.
        handoffs: what each of those makes, by the tool's name; None gives control back.

    Built in chapter 03.
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

    Raises:
        ConfigurationError: two agents of one name, an unknown target, a handoff to itself, a
            cycle that is certain (see `course.team.checks`), an agent nobody can choose because
            it has no description.

    Built in chapter 03.
    """

    name: str
    agents: tuple[Agent, ...]
    entry: str = ""
    guards: Guards = field(default_factory=Guards)
    fallback: str | None = None
    escalations: tuple[Escalation, ...] = ()
    queue: HumanQueue = field(default_factory=HumanQueue, compare=False, repr=False)
    _offers: dict[tuple[str, ...], Offer] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        for name in ("agents", "escalations"):
            object.__setattr__(self, name, several(getattr(self, name), name))
        checks.check_agents(self.agents)
        if not self.entry:
            object.__setattr__(self, "entry", self.agents[0].name)
        checks.check_wiring(self.named, self.escalations, entry=self.entry, fallback=self.fallback)

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
        ConfigurationError: a handoff names somebody by name alone, who is in no team here.
    """
    found, waiting = {agent.name: agent}, [agent]
    while waiting:
        here = waiting.pop()
        for handoff in here.handoffs:
            if handoff.agent is not None and handoff.to not in found:
                found[handoff.to] = handoff.agent
                waiting.append(handoff.agent)
    names = [each.to for here in found.values() for each in here.handoffs]
    if strangers := [name for name in names if name not in found and name != HUMAN]:
        raise ConfigurationError(
            f"'{agent.name}' hands over to '{strangers[0]}', and there is no team: run"
            f" Team(name=..., agents=(...)), or write Handoff({strangers[0].replace(' ', '_')})"
            " with the agent itself"
        )
    return Team(name=agent.name, agents=tuple(found.values()))


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
