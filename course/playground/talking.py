"""A conversation with any system: what is said goes in as text, and a `Result` comes back.

A team keeps its session, an agent its dialogue and the tasks that take the floor, a supervisor what
was said before; a task or a form asks until it is done; what takes one request alone gets each by
itself. A program for LiveKit has its own session, typed.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic_core import to_json

from course import clock
from course.agent import Agent, works_alone
from course.answers import Usage
from course.context import Context
from course.conversation import Conversation
from course.delegation.results import plain_result
from course.errors import CourseError, in_a_line
from course.models.wire import AsyncOpenAI
from course.playground.loading import is_entrypoint, is_live
from course.runner import run
from course.systems import Result, carrier_of, measured
from course.team import Team
from course.team.team import team_of
from course.trace import Trace

Answering = Callable[[str], Awaitable[str]]


@dataclass(frozen=True)
class OpenLine:
    """A line to a system.

    `say` takes what the person says; its result has the answer, the seconds and the cost of this
    turn. It raises Over when the system has ended the conversation before, and what the system
    raises. `greeting` is what the person hears first.
    """

    say: Callable[[str], Awaitable[Result]]
    greeting: str = ""


class Over(EOFError):
    """The system has ended the conversation."""


@asynccontextmanager
async def talking(system: Any, *, client: AsyncOpenAI, trace: Trace) -> AsyncIterator[OpenLine]:
    """A conversation with a system, until the end of the block.

    Args:
        system: whatever `course.run` takes, an agent of LiveKit, or the entrypoint of a program
            for it.
        client: answers for its agents.
        trace: records all turns.
    """
    async with AsyncExitStack() as held:
        answer, greeting = await _answering(system, client, trace, held)

        async def say(text: str) -> Result:
            place, begin = trace.place, clock.now()
            said = await answer(text)
            context = Context.of(text).add({"role": "assistant", "content": said})
            result = Result(answer=said, context=context, usage=Usage(), stop=None, trace=trace)
            made: Result = measured(result, trace.since(place), clock.now() - begin)
            return made

        yield OpenLine(say, greeting)


async def _answering(
    system: Any, client: AsyncOpenAI, trace: Trace, held: AsyncExitStack
) -> tuple[Answering, str]:
    """What answers for this kind of system, and its greeting; `held` lets go of what it holds."""
    if isinstance(system, Agent) and system.handoffs:
        system = team_of(system)
    if is_entrypoint(system) or is_live(system):
        from course.voice.typed import exchange, quiet, typed_job, typed_session

        begin: Any = typed_job if is_entrypoint(system) else typed_session
        session = await held.enter_async_context(begin(system, client=client, trace=trace))
        await quiet(session)
        said = [each.text_content or "" for each in session.history.messages()]
        return partial(exchange, session), " ".join(said)
    if isinstance(system, Agent) and works_alone(system):
        talk = Conversation(system, client=client, trace=trace, answer_seconds=None)
        return (await held.enter_async_context(talk)).say, ""
    carrier = carrier_of(type(system))
    taken = list(inspect.signature(carrier).parameters.values()) if carrier else []
    if any(each.name == "person" for each in taken):
        dialogue = _Dialogue(system, client, trace)
        held.push_async_callback(dialogue.close)
        return dialogue.say, ""
    if isinstance(system, Team):
        return _remembering(system, client, trace), ""
    whole = len(taken) > 1 and "Context" in str(taken[1].annotation)
    return (_following if whole else _asking)(system, client, trace), ""


def _remembering(team: Team, client: AsyncOpenAI, trace: Trace) -> Answering:
    """A team, which has a session."""
    session = team.begin()

    async def say(text: str) -> str:
        result = await run(team, text, client=client, trace=trace, session=session)
        return "\n".join(result.heard)

    return say


def _following(system: Any, client: AsyncOpenAI, trace: Trace) -> Answering:
    """A system that is shown what was said before."""
    said = Context()

    async def say(text: str) -> str:
        nonlocal said
        said = said.add({"role": "user", "content": text})
        answer = str((await run(system, said, client=client, trace=trace)).answer)
        said = said.add({"role": "assistant", "content": answer})
        return answer

    return say


def _asking(system: Any, client: AsyncOpenAI, trace: Trace) -> Answering:
    """A system that takes each request by itself."""

    async def say(text: str) -> str:
        return str((await run(system, text, client=client, trace=trace)).answer)

    return say


class _Dialogue:
    """A system that asks the person until it is done, such as a task or a form."""

    def __init__(self, system: Any, client: AsyncOpenAI, trace: Trace) -> None:
        self._begin = partial(run, system, client=client, trace=trace, person=self._person)
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._asked: asyncio.Queue[str] = asyncio.Queue()
        self._work: asyncio.Future[Any] | None = None

    async def _person(self, question: str) -> str:
        self._asked.put_nowait(question)
        return await self._heard.get()

    async def say(self, text: str) -> str:
        """What it asks next, or its answer when it is done."""
        if self._work is None:
            self._work = asyncio.ensure_future(self._begin(text))
        elif self._work.done():
            raise Over("the conversation is over")
        else:
            self._heard.put_nowait(text)
        question = asyncio.ensure_future(self._asked.get())
        try:
            await asyncio.wait((question, self._work), return_when=asyncio.FIRST_COMPLETED)
            return question.result() if question.done() else _ending(self._work.result())
        finally:
            question.cancel()

    async def close(self) -> None:
        """Hang up."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)


def _ending(result: Any) -> str:
    """What a task or a group has settled, or else the answer."""
    settled = getattr(result, "result", None)
    if settled is None:
        return str(result.answer)
    return f"Settled: {to_json(plain_result(settled)).decode()}"


async def answered(system: Any, request: str, *, client: AsyncOpenAI, trace: Trace) -> Result:
    """The answer to one request, in a conversation that ends with it.

    Raises CourseError, in a line, for whatever a reader's system raises.
    """
    async with client, talking(system, client=client, trace=trace) as line:
        try:
            return await line.say(request)
        except CourseError:
            raise
        except Exception as trouble:
            raise CourseError(in_a_line(trouble)) from trouble


async def converse(
    system: Any,
    *,
    client: AsyncOpenAI,
    trace: Trace,
    hear: Callable[[], str | None],
    tell: Callable[[Result | str], None],
) -> None:
    """Hold a conversation to its end: the person leaves, or the system is done.

    Args:
        system, client, trace: as for `talking`.
        hear: waits for what the person says; None when they leave. The loop stands still meanwhile.
        tell: gets the greeting, each answer, and a line for what went wrong, after which the
            conversation goes on.
    """
    async with client, talking(system, client=client, trace=trace) as line:
        if line.greeting:
            tell(line.greeting)
        while (text := hear()) is not None:
            try:
                tell(await line.say(text))
            except Over as over:
                tell(str(over))
                return
            except Exception as trouble:  # whatever a reader's system raises is theirs to read
                tell(f"✗ {in_a_line(trouble)}")
