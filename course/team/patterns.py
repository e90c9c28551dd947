"""The usual teams, wired in one call each: who hands over to whom, and who comes back.

Every function adds handoffs to agents as they are (their own stay). What else a `Team` takes goes
in by name; `context` is what of the conversation the next agent sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeVar

from course.agent import Agent, works_alone
from course.errors import ConfigurationError, several
from course.handoff import ContextFilter, Handoff, handoff_tool, without_instructions
from course.models.wire import AsyncOpenAI
from course.runs import next_matter, working_on
from course.session import Session
from course.systems import carry_out
from course.team.human import HUMAN
from course.team.rules import Criteria, Escalation, rate_severity
from course.team.team import Team
from course.tools import Tool

Chain = TypeVar("Chain", bound=Any)  # a Pipeline, whose room is above this one

FIRST_TIER, LATER_TIERS = Criteria(severity="high"), Criteria(severity="critical")


def hub_and_spoke(
    hub: Agent,
    spokes: Sequence[Agent],
    *,
    context: ContextFilter = without_instructions,
    back: bool = True,
    **team: Any,
) -> Team:
    """A hub that takes down what is wanted, with a specialist for each. Built in chapter 03.

    Args:
        hub: who begins.
        spokes: the specialists.
        context: what of the conversation a specialist sees.
        back: whether a specialist can hand over to the hub when something else is wanted too;
            one that leads others, such as a supervisor, never does.
        team: more of what `Team` takes; `matters=False` leaves out the list and its model call:
            the agents then see to it themselves that nothing is forgotten.
    """
    spokes = several(spokes, "spokes")
    outward = [Handoff(spoke.name, context) for spoke in spokes]
    homeward = [Handoff(hub.name)] if back else []
    agents = (
        with_handoffs(hub, outward),
        *(with_handoffs(spoke, homeward if works_alone(spoke) else []) for spoke in spokes),
    )
    return Team(**{"name": hub.name, "agents": agents, "matters": True, **team})


def escalation(
    tiers: Sequence[Agent],
    *,
    criteria: Sequence[Criteria] | None = None,
    context: ContextFilter = without_instructions,
    **team: Any,
) -> Team:
    """A ladder of tiers, first to last, that ends at a person. Used in chapter 03.

    A tier hands on by its criteria (two failed attempts; a severity that is high at the first, and
    critical at later ones), or by itself. What was tried travels along.

    Raises ConfigurationError: a tier is named twice, or the criteria are not one for each tier.
    """
    return Team(**{"name": "escalation", **_ladder(tiers, criteria, context), **team})


def consultation(
    asker: Agent,
    specialists: Sequence[Agent],
    *,
    context: ContextFilter = without_instructions,
    **team: Any,
) -> Team:
    """An agent that keeps the conversation and asks specialists, whose results come back to it;
    each can ask the person something before it returns. Used in chapter 03.
    """
    specialists = several(specialists, "specialists")
    asks = [Handoff(each.name, context, returns=True) for each in specialists]
    agents = (with_handoffs(asker, asks), *specialists)
    return Team(**{"name": asker.name, "agents": agents, **team})


def hub_with_escalation(
    hub: Agent,
    spokes: Sequence[Agent],
    tiers: Sequence[Agent],
    *,
    criteria: Sequence[Criteria] | None = None,
    **team: Any,
) -> Team:
    """A hub with specialists, and a ladder of tiers for problems: the hub hands over to a
    specialist or to the first tier, and from there it only goes up. Used in chapter 03.
    """
    ladder = _ladder(tiers, criteria, without_instructions)
    spokes, back = several(spokes, "spokes"), [Handoff(hub.name)]
    agents = (
        with_handoffs(hub, [Handoff(each.name) for each in (*spokes, ladder["agents"][0])]),
        *(with_handoffs(spoke, back if works_alone(spoke) else []) for spoke in spokes),
        *ladder["agents"],
    )
    return Team(**{**ladder, "name": hub.name, "agents": agents, **team})


def hub_with_consultation(
    hub: Agent, spokes: Sequence[Agent], consultants: Sequence[Agent], **team: Any
) -> Team:
    """A hub whose specialists may ask consultants. Used in chapter 03."""
    spokes, consultants = several(spokes, "spokes"), several(consultants, "consultants")
    back = [*(Handoff(each.name, returns=True) for each in consultants), Handoff(hub.name)]
    agents = (
        with_handoffs(hub, [Handoff(spoke.name) for spoke in spokes]),
        *(with_handoffs(spoke, back) for spoke in spokes),
        *consultants,
    )
    return Team(**{"name": hub.name, "agents": agents, **team})


def pipeline_with_consultation(
    pipeline: Chain,
    consultants: Mapping[str, Sequence[Agent]],
    *,
    client: AsyncOpenAI,
    session: Session,
) -> Chain:
    """The same chain; the agents of these stages may consult specialists. Used in chapter 03.

    They share the state of `session`, which belongs to one run, and leave their results in it.
    ConfigurationError: no stage is called so, or its work is a function.
    """
    stages = {stage.name: stage for stage in pipeline.stages}
    for name, agents in consultants.items():
        if name not in stages or not isinstance(stages[name].work, Agent):
            able = [each.name for each in pipeline.stages if isinstance(each.work, Agent)]
            raise ConfigurationError(f"no stage '{name}' with an agent; there are: {able}")
        agent = stages[name].agent
        asks = (consult_tool(each, client=client, session=session) for each in agents)
        stages[name] = replace(stages[name], work=replace(agent, tools=(*agent.tools, *asks)))
    return replace(pipeline, stages=tuple(stages.values()))


def consult_tool(specialist: Agent, *, client: AsyncOpenAI, session: Session) -> Tool:
    """The tool `consult_<specialist>` for an agent outside a team, whose answer also goes into the
    session's state under its name. Used in chapter 03.
    """
    team = Team(name=specialist.name, agents=(specialist,))

    async def consult(request: str) -> str:
        own, before = Session(specialist.name, state=session.state), deepcopy(dict(session.state))
        with working_on(next_matter(specialist.name)):
            result = await carry_out(team, request, client=client, session=own, attended=False)
        if session.state.get(specialist.name) == before.get(specialist.name):  # no tool wrote it
            session.state[specialist.name] = result.answer
        return str(result.answer)

    described = handoff_tool(Handoff(specialist.name, returns=True), specialist.description)
    return replace(described, function=consult)


def with_handoffs(agent: Agent, handoffs: Sequence[Handoff]) -> Agent:
    """The agent with these handoffs after its own. Built in chapter 03."""
    own = {each.tool_name for each in agent.handoffs}
    new = [each for each in handoffs if each.tool_name not in own]
    return replace(agent, handoffs=(*agent.handoffs, *new))


def _ladder(
    tiers: Sequence[Agent], criteria: Sequence[Criteria] | None, context: ContextFilter
) -> dict[str, Any]:
    """What `Team` takes for a ladder: tiers that hand on upwards and rate severity, their rules."""
    tiers = several(tiers, "tiers")
    if not tiers:
        raise ConfigurationError("a ladder needs a tier: give at least one agent")
    if criteria is None:
        criteria = (FIRST_TIER, *[LATER_TIERS] * (len(tiers) - 1))
    if len(criteria) != len(tiers):
        raise ConfigurationError(f"{len(tiers)} tiers need {len(tiers)} criteria: give one each")
    agents, rules = [], []
    names = [*(tier.name for tier in tiers[1:]), HUMAN]
    for tier, to, each in zip(tiers, names, criteria, strict=True):
        if all(tool.name != rate_severity.name for tool in tier.tools):
            tier = replace(tier, tools=(*tier.tools, rate_severity))
        agents.append(with_handoffs(tier, [Handoff(to, context)]))
        rules.append(Escalation(sender=tier.name, to=to, criteria=each, context=context))
    return {"agents": tuple(agents), "escalations": tuple(rules), "fallback": HUMAN}
