"""A conversation: one person on one line, and an agent whose tools may let tasks take the floor.

`say` is the person's end of the line: a test calls it, and so does an input box in a notebook.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

from course.agent import Agent, opening
from course.answers import Usage
from course.clock import ScaledLoop, VirtualLoop
from course.context import Context
from course.delegation.dialogue import Channel, Floor, speak
from course.errors import CourseError, ModelError
from course.limits import in_time
from course.models.wire import AsyncOpenAI, Message
from course.runs import Run
from course.trace import Trace, span

ANSWER_SECONDS = 120.0
"""How long the person waits for an answer before the conversation is given up (seconds)."""


class ConversationError(CourseError):
    """Something was said where nobody listens: too early, too late, or to a silent line."""


class Conversation:
    """An agent and a person, over many turns. Used in chapter 05.

    The agent has the floor. While a tool of it awaits a task, what the person says reaches that
    task, whose dialogue stays in the agent's context.

    Args:
        agent: who has the floor first; its limits count for each of its turns.
        context: what was said before, without instructions.
        answer_seconds, reply_seconds: how long the person waits for an answer, and a task for the
            person; None waits for ever.
        trace: record into this one instead of a new one.
        run_id: names the run for the simulated model's draws.

    `usage` counts the tokens of all turns that are over. After `async with`, or `close`, nothing is
    left running, and a task that still has the floor is cancelled.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        client: AsyncOpenAI,
        context: Context | None = None,
        answer_seconds: float | None = ANSWER_SECONDS,
        reply_seconds: float | None = None,
        trace: Trace | None = None,
        run_id: str = "conversation",
    ) -> None:
        self.agent = agent
        self.answer_seconds = answer_seconds
        seed = getattr(client, "seed", 0)
        self.trace = trace or Trace(f"conversation with {agent.name}", seed=seed, run_id=run_id)
        self._channel = Channel(person=self._person, client=client, reply_seconds=reply_seconds)
        self._before = context or Context()
        self._run_id = run_id
        self._heard: asyncio.Queue[str] = asyncio.Queue()
        self._said: asyncio.Queue[str | ModelError] = asyncio.Queue()
        self._floor: Floor | None = None
        self._work: asyncio.Task[None] | None = None
        self.usage = Usage()
        self._home: asyncio.AbstractEventLoop | None = None
        self._busy = self._closed = False

    @property
    def context(self) -> Context:
        """What the agent has in view; while a task has the floor, up to its beginning."""
        return self._floor.context if self._floor else self._before

    @property
    def floor(self) -> tuple[str, ...]:
        """Who is on the line: the agent, the task that has its floor, ...; the last one speaks."""
        return self._floor.speakers if self._floor else (self.agent.name,)

    async def say(self, text: str) -> str:
        """Say something, and wait for what whoever has the floor says next.

        After a ModelError say it again. Raises ValueError for an empty text, and ConversationError
        when the conversation is closed or of another run, the last answer is still awaited, or none
        came in time, which closes it.
        """
        here = asyncio.get_running_loop()
        home = self._home = self._home or here
        if home is here:
            return await self._say(text)
        if home.is_closed() or isinstance(here, VirtualLoop | ScaledLoop):
            raise ConversationError(
                "the conversation belongs to another run: keep all of it within one clock.simulate"
            )
        # a notebook handles a click in whichever of its threads is free
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._say(text), home))

    async def _say(self, text: str) -> str:
        if not text.strip():
            raise ValueError("there is nothing to say: the text is empty")
        if self._closed:
            raise ConversationError("the conversation is closed: begin a new one")
        if self._busy:
            raise ConversationError("the last answer is still awaited: say one thing at a time")
        self._busy = True
        while not self._said.empty():  # words that nobody waited for: they are in the context
            self._said.get_nowait()
        self._heard.put_nowait(text)
        self._work = self._work or asyncio.ensure_future(self._talk())
        try:
            async with asyncio.timeout(self.answer_seconds):
                answer = await self._next(self._work)
        except asyncio.CancelledError:
            await self.close()  # or the answer would be taken for that to the next words
            raise
        except TimeoutError:
            await self.close()
            raise ConversationError(
                f"no answer within {self.answer_seconds:g} s: the conversation is closed;"
                " allow more with answer_seconds"
            ) from None
        finally:
            self._busy = False
        if isinstance(answer, ModelError):
            raise answer
        return answer

    async def hold(
        self, person: Callable[[str], Awaitable[str]], *, first: str
    ) -> tuple[tuple[str, str], ...]:
        """Let a function speak for the person, until it raises `PersonLeft` (or any EOFError).

        Gives the pairs of the person's words, which begin with `first`, and the answer.
        """
        exchanged, text = list[tuple[str, str]](), first
        while True:
            exchanged.append((text, await self.say(text)))
            try:
                text = await person(exchanged[-1][1])
            except EOFError:
                return tuple(exchanged)

    async def close(self) -> None:
        """Hang up: whatever runs is cancelled and over when this returns. Twice does no harm."""
        self._closed = True
        if self._work:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _next(self, work: asyncio.Task[None]) -> str | ModelError:
        """The next words, or what ended the conversation instead."""
        words = asyncio.ensure_future(self._said.get())
        try:
            await asyncio.wait((words, work), return_when=asyncio.FIRST_COMPLETED)
            if words.done():
                return words.result()
            self._closed = True
            if not work.cancelled():
                work.result()  # raises what broke
            raise ConversationError("the conversation was closed meanwhile: begin a new one")
        finally:
            words.cancel()
            await asyncio.gather(words, return_exceptions=True)

    async def _talk(self) -> None:
        """The agent's side, from the first words to the end; its limits count for each turn."""
        name = self.agent.name
        step = span("invoke_workflow", name, {"gen_ai.workflow.name": name})
        with self.trace.record(), Run(self._run_id).active(), step:
            first: Message = {"role": "user", "content": await self._heard.get()}
            context = opening(self.agent, self._before.add(first))
            here = self._floor = Floor(channel=self._channel, speaker=self.agent, context=context)
            try:
                while True:
                    here.count_anew()
                    said: str | ModelError
                    try:
                        async with in_time(self.agent.limits.max_seconds) as time:
                            words = await speak(here)
                        stop = time.stop or here.stop
                        said = stop.told if stop else words
                    except ModelError as error:
                        said = error
                    finally:
                        self.usage += here.usage
                    reply = await self._person(said)
                    here.context = here.context.add({"role": "user", "content": reply})
            except asyncio.CancelledError:
                if not self._closed:  # hanging up is no failure
                    raise
            finally:
                here.over.set()

    async def _person(self, said: str | ModelError) -> str:
        self._said.put_nowait(said)
        return await self._heard.get()
