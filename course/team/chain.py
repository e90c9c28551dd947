"""A pipeline whose stages may ask specialists: a fixed chain, with a detour and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from course.agent import Agent
from course.errors import ConfigurationError
from course.handoff import Handoff, handoff_tool
from course.pipeline import Pipeline
from course.session import Session
from course.systems import carry_out
from course.team.team import Team
from course.tools import Tool

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def pipeline_with_consultation(
    pipeline: Pipeline[Any],
    consultants: Mapping[str, Sequence[Agent]],
    *,
    client: AsyncOpenAI,
    session: Session,
) -> Pipeline[Any]:
    """The same chain, with specialists whom the agents of some stages may consult.

    Args:
        pipeline: the chain.
        consultants: for the name of a stage, whom its agent may ask.
        client: reaches the specialists' models.
        session: whose state the specialists share and leave their results in. It belongs to one
            run: make a new one, and a new chain, for the next.

    Raises:
        ConfigurationError: no stage is called so, or its work is a function.

    Built in chapter 03.
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
    """The tool `consult_<specialist>` for an agent outside a team.

    Nobody is there to be asked, so whatever the specialist answers is the result. It goes into
    the session's state under the specialist's name as well.

    Built in chapter 03.
    """
    team = Team(name=specialist.name, agents=(specialist,))

    async def consult(request: str) -> str:
        own = Session(specialist.name, state=session.state)
        result = await carry_out(team, request, client=client, session=own, attended=False)
        session.state[specialist.name] = result.answer
        return result.answer

    described = handoff_tool(Handoff(specialist.name, returns=True), specialist.description)
    return replace(described, function=consult)
