"""What can be seen to be wrong with a team before anybody has said a word.

A cycle of handoffs is no mistake in itself: a hub and its specialists are one, and whether a model
goes round it nobody knows beforehand. It is certain, and refused, in two cases: a ladder of tiers
that comes back to a tier (its criteria stay met, so it would climb for ever), and agents that can
do nothing but hand on to one another (no instructions, no tools, and one handoff each).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from course.agent import Agent
from course.errors import ConfigurationError, several
from course.handoff import Handoff
from course.team.human import HUMAN

if TYPE_CHECKING:
    from course.team.escalation import Escalation


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


def _check_handoffs(agent: Agent, named: Mapping[str, Agent]) -> None:
    names = {each.name: "a tool" for each in agent.tools}
    for handoff in several(agent.handoffs, "handoffs"):
        if not isinstance(getattr(handoff, "tool_name", None), str):  # chapter 03 writes its own
            raise ConfigurationError(
                f"'{agent.name}' has a handoff that is none: {handoff!r}; write Handoff(...)"
            )
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
