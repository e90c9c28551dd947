"""How whoever has the floor talks: a turn of the model, words for the person, their answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from course import clock
from course.agent import Agent, Hooks, answer_calls, loop
from course.chat import Answer
from course.context import Context
from course.delegation.floor import Floor
from course.delegation.results import TaskFailed
from course.limits import Stop, reached
from course.models.wire import Message
from course.trace import span

if TYPE_CHECKING:
    from course.delegation.task import Task

MAX_SILENCES = 2
NUDGE = "You said nothing. Ask the person for what is missing, or call complete or cancel_task."

T = TypeVar("T")


class Ended(Exception):
    """Whoever has the floor has ended while it waited for the model or for the person."""


async def dialogue(task: Task[Any], here: Floor) -> None:
    """Let the model and the person talk until the task has ended.
    Built in chapter 05, exercise 5.3.

    Args:
        task: ends through `complete`, which its tools call.
        here: its floor; `speak` gives words for the person, `listen` brings theirs.

    Raises:
        TaskFailed: a limit was reached, or the model said nothing, again and again.
        ModelError, PersonLeft, TimeoutError: as they come.
    """
    silences = 0
    while not task.done():
        words = await speak(here)
        if here.stop:
            raise TaskFailed(task.name, "limit", str(here.stop), stop=here.stop)
        if words.strip():
            silences = 0
            await listen(here, words)
        elif not task.done():
            silences += 1
            if silences > MAX_SILENCES:
                raise TaskFailed(task.name, "silent", f"the model said nothing {silences} times")
            here.context = here.context.add({"role": "system", "content": NUDGE})


class Speaking(Hooks):
    """The loop of chapter 01 for whoever has the floor. Built in chapter 05.

    It counts over all turns of its speaker, ends as soon as the speaker has, and a task that a tool
    awaits leaves its dialogue in the context, before the call.
    """

    def __init__(self, here: Floor) -> None:
        self.here = here

    def limit(self, agent: Agent, context: Context, **used: Any) -> Stop | None:
        """The limit that the speaker has reached, in all its turns together."""
        here = self.here
        if here.over.is_set():
            raise Ended
        seconds, tokens = clock.now() - here.begin, here.usage.total
        here.stop = reached(agent.limits, turns=here.turns, tokens=tokens, seconds=seconds)
        return here.stop

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
        results = await answer_calls(calls, agent.tools)
        self.here.context = self.here.context.add(message, *results)
        return self.here.context


async def speak(here: Floor) -> str:
    """One turn: model, tools, model, tools, until there are words for the person.
    Built in chapter 05.

    Gives those words: none when the speaker has ended, when a limit is reached (then `stop` says
    which), or when the model said nothing. A ModelError's `context` is the conversation so far.
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
    """What an awaitable gives; `Ended`, and it is cancelled, where `over` is set first.
    Built in chapter 05.
    """
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
