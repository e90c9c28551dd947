"""The floor, and how whoever has it talks: a turn of the model, words for the person, their answer.

Floors lie on top of each other, the agent's below those of tasks; only the topmost one speaks.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from course import clock
from course.agent import Agent, Hooks, answer_calls, loop
from course.answers import Answer, Usage
from course.conditions import gate
from course.context import Context
from course.limits import Stop, reached
from course.models.wire import AsyncOpenAI, Message
from course.runs import within
from course.trace import span

Person = Callable[[str], Awaitable[str]]
"""Who is at the other end: gets what is said to them, gives what they answer.

Raises `PersonLeft`, or any EOFError, when they are gone.
"""

NO_FLOOR = (
    "a task is awaited where nobody can be asked: await it in a tool of an agent in a"
    " Conversation, or use course.run(task, person=...)"
)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


def in_words(person: Person) -> Person:
    """The person, held to what a person is: an asynchronous function that answers with text."""

    async def answers(said: str) -> str:
        if not inspect.isawaitable(coming := person(said)):
            raise TypeError("the person is an asynchronous function: write `async def`")
        if not isinstance(words := await coming, str):
            raise TypeError(f"the person answers with text, not {words!r}: return what they say")
        return words

    return answers


@dataclass(frozen=True, kw_only=True)
class Channel:
    """The way to the person and to the model; a task waits `reply_seconds` for the person."""

    person: Person
    client: AsyncOpenAI
    reply_seconds: float | None = None


class Taker(Protocol[T_co]):
    """What can take the floor: a task, as far as a floor knows it."""

    @property
    def speakers(self) -> tuple[str, ...]:
        """Its name, and those of the tasks that took the floor from it."""

    def cancel(self) -> None:
        """Give it up."""

    async def talk(self, channel: Channel, *, asker: Floor | None = None) -> T_co:
        """Have the floor until it has ended."""


@dataclass(kw_only=True, eq=False)
class Floor:
    """One speaker's place in the conversation, as it stands now. Used in chapter 05.

    Attributes:
        context: what the speaker has in view. While its tools run it ends before their calls.
        over: set when the speaker has ended.
        child: the task that has taken the floor from it, if any.
        turns, usage, begin: what counts for the limits; `stop` is the one that ended the last turn.
    """

    channel: Channel
    speaker: Agent
    context: Context
    over: asyncio.Event = field(default_factory=asyncio.Event)
    child: Taker[Any] | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    begin: float = field(default_factory=clock.now)
    stop: Stop | None = None
    _free: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speaker's name and those of the tasks that took the floor; the last one speaks."""
        return (self.speaker.name, *(self.child.speakers if self.child else ()))

    def count_anew(self) -> None:
        """Let the speaker's limits count from here."""
        self.turns, self.usage, self.begin = 0, Usage(), clock.now()

    def limit(self) -> Stop | None:
        """The limit that stands against another model call, or None; `stop` keeps it."""
        seconds, tokens = clock.now() - self.begin, self.usage.total
        limits = self.speaker.limits
        self.stop = reached(limits, turns=self.turns, tokens=tokens, seconds=seconds)
        return self.stop

    def here(self) -> AbstractContextManager[None]:
        """Make this the floor that tools see, within the block."""
        return within(_floor, self)

    async def lend(self, taker: Taker[T]) -> T:
        """Let a task have the floor until it has ended; others that want it wait their turn.

        Every awaited task comes through here, so a voice session's floor overrides it. Raises how
        the task ended, if it has no result; RuntimeError when the speaker has ended meanwhile.
        """
        async with self._free:
            if self.over.is_set():
                raise RuntimeError(f"'{self.speaker.name}' has ended: nobody waits for a task")
            self.child = taker
            try:
                return await taker.talk(self.channel, asker=self)
            finally:
                self.child = None


_floor: ContextVar[Floor | None] = ContextVar("switchboard_floor", default=None)


def current_floor() -> Floor:
    """The floor of whoever runs the tool that calls this; RuntimeError outside a conversation."""
    here = _floor.get()
    if here is None:
        raise RuntimeError(NO_FLOOR)
    return here


MAX_SILENCES = 2
NUDGE = "You said nothing. Ask the person for what is missing, or call complete or cancel_task."


class Ended(Exception):
    """Whoever has the floor has ended while it waited for the model or for the person."""


class Speaking(Hooks):
    """The loop of chapter 01 for whoever has the floor. Built in chapter 05.

    It ends as soon as its speaker has. A tool's task leaves its dialogue before the call.
    """

    def __init__(self, here: Floor) -> None:
        self.here = here

    def limit(self, agent: Agent, context: Context, **used: Any) -> Stop | None:
        """The limit that the speaker has reached, in all its turns together."""
        if self.here.over.is_set():
            raise Ended
        return self.here.limit()

    def seconds(self, agent: Agent) -> float | None:
        """The task's or the conversation's, which count the waiting for the person too."""
        return None

    async def ask(self, agent: Agent, context: Context, **settings: Any) -> Answer:
        """One model call; cancelled when the speaker ends meanwhile."""
        self.here.turns += 1
        answer = await before(self.here.over, super().ask(agent, context, **settings))
        self.here.usage += answer.usage
        return answer

    async def go_on(self, agent: Agent, context: Context, message: Message) -> Context | None:
        """The conversation after the tools, with what was said in tasks before the call."""
        calls = message.get("tool_calls")
        if not calls:
            return None
        results = await answer_calls(calls, gate(agent.tools, context.messages))
        self.here.context = self.here.context.add(message, *results)
        return self.here.context


async def speak(here: Floor) -> str:
    """One turn, until there are words for the person. Built in chapter 05.

    Gives those words: none when the speaker has ended, when a limit is reached (then
    `stop` says which), or when the model said nothing. A ModelError's `context` is the
    conversation so far.
    """
    speaker, client = here.speaker, here.channel.client
    with span("invoke_agent", speaker.name, {"gen_ai.agent.name": speaker.name}) as step:
        try:
            with here.here():
                said, *_ = await loop(speaker, here.context, client=client, hooks=Speaking(here))
        except Ended:
            return ""
        if here.stop:
            step.set("switchboard.stop", str(here.stop))
            return ""
    here.context = said
    return str(said.messages[-1]["content"] or "")


async def listen(here: Floor, said: str) -> None:
    """Say something to the person, and put what they answer into the context. Built in chapter 05.

    Raises PersonLeft when they are gone, and TimeoutError after the channel's `reply_seconds`.
    """
    async with asyncio.timeout(here.channel.reply_seconds):
        try:
            reply = await before(here.over, here.channel.person(said))
        except Ended:
            return
    here.context = here.context.add({"role": "user", "content": reply})


async def before(over: asyncio.Event, awaited: Awaitable[T]) -> T:
    """What is awaited; `Ended` where `over` is set first. Built in chapter 05."""
    job, end = asyncio.ensure_future(awaited), asyncio.ensure_future(over.wait())
    try:
        await asyncio.wait((job, end), return_when=asyncio.FIRST_COMPLETED)
        if not job.done():
            raise Ended
        return job.result()
    finally:
        end.cancel()
        job.cancel()
        await asyncio.gather(job, end, return_exceptions=True)
