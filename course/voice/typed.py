"""A LiveKit session without a room and without sound: what is said is typed.

LiveKit's own way of testing agents: `session.run(user_input=...)` answers with a `RunResult`, whose
`expect` asserts what happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from livekit.agents import Agent, AgentSession, ConversationItemAddedEvent, JobContext
from livekit.agents.ipc.mock_room import create_mock_room
from livekit.agents.llm import ChatMessage
from livekit.agents.testing import fake_job_context
from livekit.agents.types import ATTRIBUTE_SIMULATOR_DISPATCH
from livekit.agents.voice.run_result import RunResult

from course.errors import ConfigurationError
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI
from course.trace import Trace, span
from course.voice.bridge import SETTLING_SECONDS
from course.voice.model import live_model
from course.voice.observed import Observer
from course.voice.spans import join_spans
from course.voice.stand_ins import stand_ins

MAX_TOOL_STEPS = 10
"""How many rounds of tools LiveKit lets a model have in one reply; an agent's own limits stand
below it."""

TEXT_ALONE = '{"simulationRunId": "typed"}'
"""How a job is told that it has no ears and no voice: LiveKit's word for a simulated caller who
types, of whom it asks no more than that there is a run."""


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
    step = span("invoke_workflow", agent.id, {"gen_ai.workflow.name": agent.id})
    with trace.record(), Observer(session, agent.id).run.active(), step:
        try:
            await session.start(agent, record=False)
            yield session
        finally:
            await session.aclose()


@asynccontextmanager
async def typed_job(
    entrypoint: Callable[[JobContext], Awaitable[None]],
    *,
    client: AsyncOpenAI | None = None,
    trace: Trace | None = None,
) -> AsyncIterator[AgentSession[Any]]:
    """Begin a typed session with a program that is written for LiveKit, by its entrypoint.

    The program makes session and agent itself; its job is one without a room, in which LiveKit
    leaves ears and voice away. What it names of other makers is stood in for (`stand_ins`).

    Args:
        entrypoint: what the program gives a LiveKit worker for each call.
        client: answers in place of its models; None connects one.
        trace: records the session, LiveKit's own spans included; a new one without it.

    Raises ConfigurationError: the entrypoint starts no session.
    """
    join_spans()
    name = getattr(entrypoint, "__name__", "entrypoint")
    trace = trace or Trace(f"session by {name}", seed=getattr(client, "seed", 0))
    with (
        stand_ins(client),
        fake_job_context(room=create_mock_room()) as job,
        trace.record(),
        span("invoke_workflow", name, {"gen_ai.workflow.name": name}),
    ):
        job.job.attributes[ATTRIBUTE_SIMULATOR_DISPATCH] = TEXT_ALONE
        await entrypoint(job)
        try:
            session = job.primary_session
        except RuntimeError:
            raise ConfigurationError(f"'{name}' starts no session of LiveKit") from None
        try:
            with Observer(session, name).run.active():
                await quiet(session)  # whoever answers may greet
                yield session
        finally:
            await session.aclose()


def words(result: RunResult[Any]) -> str:
    """What the person hears in one run, the agents' messages one after the other."""
    messages = [event.item for event in result.events if event.type == "message"]
    return " ".join(each.text_content or "" for each in messages if each.role == "assistant")


async def exchange(session: AgentSession[Any], text: str) -> str:
    """Say something, and give all that the person hears until the session is quiet again.

    LiveKit's own `session.run` may end before an agent that awaited a task goes on.
    """
    heard = list[str]()

    def hear(event: ConversationItemAddedEvent) -> None:
        item = event.item
        if isinstance(item, ChatMessage) and item.role == "assistant" and item.text_content:
            heard.append(item.text_content)

    session.on("conversation_item_added", hear)
    try:
        await session.run(user_input=text)
        await quiet(session)
    finally:
        session.off("conversation_item_added", hear)
    return " ".join(heard)


async def quiet(session: AgentSession[Any]) -> None:
    """Until a session's agents have said all they want to say."""
    await asyncio.sleep(SETTLING_SECONDS)
    await session.wait_for_idle()


async def hold(
    session: AgentSession[Any], person: Callable[[str], Awaitable[str]], *, first: str
) -> tuple[tuple[str, str], ...]:
    """Let a function speak for the person until it raises an EOFError.

    Gives what was said, in pairs: the person's words, of which `first` begin, and the answer.
    """
    exchanged, text = list[tuple[str, str]](), first
    while True:
        exchanged.append((text, await exchange(session, text)))
        try:
            text = await person(exchanged[-1][1])
        except EOFError:
            return tuple(exchanged)
