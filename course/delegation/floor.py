"""The floor: whoever has it talks with the person, and takes it back when a task is done.

An agent has it first; a task that one of its tools awaits takes it over, and so do tasks of that
task. So floors lie on top of each other, and only the topmost one speaks.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from course import clock
from course.agent import Agent
from course.chat import Usage
from course.context import Context
from course.limits import Stop
from course.models.wire import AsyncOpenAI

if TYPE_CHECKING:
    from course.delegation.task import Task

Person = Callable[[str], Awaitable[str]]
"""Who is at the other end: gets what is said to them, gives what they answer.

Raises `PersonLeft`, or any EOFError, when they are gone.
"""

NO_FLOOR = (
    "a task is awaited where nobody can be asked: await it in a tool of an agent in a"
    " Conversation, or use course.run(task, person=...)"
)

T = TypeVar("T")


def in_words(person: Person) -> Person:
    """The person, held to what a person is: an asynchronous function that answers with text."""

    async def answers(said: str) -> str:
        coming = person(said)
        if not inspect.isawaitable(coming):
            raise TypeError("the person is an asynchronous function: write `async def`")
        words = await coming
        if not isinstance(words, str):
            raise TypeError(f"the person answers with text, not {words!r}: return what they say")
        return words

    return answers


@dataclass(frozen=True, kw_only=True)
class Channel:
    """The way to the person, and to the model, for all who speak in one conversation.

    `reply_seconds` is how long a task waits for the person; None waits for ever.
    """

    person: Person
    client: AsyncOpenAI
    reply_seconds: float | None = None


@dataclass(kw_only=True, eq=False)
class Floor:
    """One speaker's place in the conversation, as it stands now. Used in chapter 05.

    Attributes:
        context: what the speaker has in view. While its tools run it ends before their calls.
        over: set when the speaker has ended.
        child: the task that has taken the floor from it, if any.
        turns, usage, begin: what counts for the speaker's limits.
        stop: the limit that ended the last turn.
    """

    channel: Channel
    speaker: Agent
    context: Context
    over: asyncio.Event = field(default_factory=asyncio.Event)
    child: Task[Any] | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    begin: float = field(default_factory=clock.now)
    stop: Stop | None = None
    _free: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speaker's name and those of the tasks that took the floor; the last one speaks."""
        return (self.speaker.name, *(self.child.speakers if self.child else ()))

    @contextmanager
    def here(self) -> Iterator[None]:
        """Make this the floor that tools see, within the block."""
        token = _floor.set(self)
        try:
            yield
        finally:
            _floor.reset(token)

    async def lend(self, task: Task[T]) -> T:
        """Let a task have the floor until it has ended; others that want it wait their turn.

        Every task that is awaited comes through here. Where somebody else has the conversation,
        such as a voice session, another kind of floor overrides this method and carries the task
        out there. Raises how the task ended, if it has no result; RuntimeError when the speaker has
        ended meanwhile.
        """
        async with self._free:
            if self.over.is_set():
                raise RuntimeError(f"'{self.speaker.name}' has ended: nobody waits for a task")
            self.child = task
            try:
                return await task.carry_out(self.channel, asker=self)
            finally:
                self.child = None


_floor: ContextVar[Floor | None] = ContextVar("switchboard_floor", default=None)


def current_floor() -> Floor:
    """The floor of whoever runs the tool that calls this; RuntimeError outside a conversation."""
    here = _floor.get()
    if here is None:
        raise RuntimeError(NO_FLOOR)
    return here
