"""A LiveKit session without a room and without sound: what is said is typed.

LiveKit's own way of testing agents: `session.run(user_input=...)` answers with a `RunResult`, whose
`expect` asserts what happened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from livekit.agents import Agent, AgentSession
from livekit.agents.voice.run_result import RunResult

from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.trace import Trace, span
from course.voice.bridge import live_model
from course.voice.spans import join_spans

MAX_TOOL_STEPS = 10
"""How many rounds of tools LiveKit lets a model have in one reply; an agent's own limits stand
below it."""


@asynccontextmanager
async def typed_session(
    agent: Agent,
    *,
    client: AsyncOpenAI,
    userdata: Any = None,
    trace: Trace | None = None,
    model: str = SMALL,
) -> AsyncIterator[AgentSession[Any]]:
    """Begin a typed session with an agent, and close it at the end of the block.

    Args:
        agent: a LiveKit agent, written for it or made by `course.voice.bridge`.
        client: answers for agents without a model of their own, and writes LiveKit's summaries.
        userdata: what all agents share, such as a course `Session`.
        trace: records the session, LiveKit's own spans included; a new one without it.
        model: the name of the session's model.
    """
    join_spans()
    trace = trace or Trace(f"session with {agent.id}", seed=getattr(client, "seed", 0))
    session = AgentSession[Any](
        llm=live_model(client, model),
        vad=None,
        turn_handling={"turn_detection": None},
        max_tool_steps=MAX_TOOL_STEPS,
        userdata=userdata,
        user_away_timeout=None,
    )
    with trace.record(), span("invoke_workflow", agent.id, {"gen_ai.workflow.name": agent.id}):
        try:
            await session.start(agent, record=False)
            yield session
        finally:
            await session.aclose()


def words(result: RunResult[Any]) -> str:
    """What the person hears in one run, the agents' messages one after the other."""
    messages = [event.item for event in result.events if event.type == "message"]
    return " ".join(each.text_content or "" for each in messages if each.role == "assistant")


async def hold(
    session: AgentSession[Any], person: Callable[[str], Awaitable[str]], *, first: str
) -> tuple[tuple[str, str], ...]:
    """Let a function speak for the person until it raises an EOFError.

    Gives what was said, in pairs: the person's words, of which `first` begin, and the answer.
    """
    exchanged, text = list[tuple[str, str]](), first
    while True:
        exchanged.append((text, words(await session.run(user_input=text))))
        try:
            text = await person(exchanged[-1][1])
        except EOFError:
            return tuple(exchanged)
