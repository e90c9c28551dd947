"""How whoever has the floor talks: a turn of the model, words for the person, their answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from course import clock
from course.agent import answer_calls, ask
from course.delegation.endings import TaskFailed
from course.delegation.floor import Floor
from course.errors import ModelError
from course.limits import reached
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

    Args:
        task: ends through `complete`, which its tools call.
        here: its floor; `speak` gives words for the person, `listen` brings theirs.

    Raises:
        TaskFailed: a limit was reached, or the model said nothing, again and again.
        ModelError, PersonLeft, TimeoutError: as they come.

    Built in chapter 05, exercise 5.3.
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


async def speak(here: Floor) -> str:
    """One turn: model, tools, model, tools, until there are words for the person.

    The loop of chapter 01, with three differences: a task that a tool awaits leaves its dialogue
    in the context, before the call; it ends as soon as the speaker has; it counts over all turns.

    Returns:
        What to say to the person; empty when the speaker has ended, when a limit is reached
        (then `stop` says which), or when the model said nothing.

    Raises:
        ModelError: the model cannot be used; its `context` is the conversation so far.

    Built in chapter 05.
    """
    attributes = {"gen_ai.agent.name": here.speaker.name}
    with span("invoke_agent", here.speaker.name, attributes) as step, here.here():
        while not here.over.is_set():
            seconds = clock.now() - here.begin
            limits, tokens = here.speaker.limits, here.usage.total
            here.stop = reached(limits, turns=here.turns, tokens=tokens, seconds=seconds)
            if here.stop:
                step.set("switchboard.stop", str(here.stop))
                break
            message = await next_message(here)
            if message is None:
                break
            calls = message.get("tool_calls")
            if not calls:
                here.context = here.context.add(message)
                return str(message.get("content") or "")
            results = await answer_calls(calls, here.speaker.tools)
            here.context = here.context.add(message, *results)
    return ""


async def next_message(here: Floor) -> Message | None:
    """What the model says next: one model call. None when the speaker has ended meanwhile.

    Raises:
        ModelError: the model cannot be used; its `context` is the conversation so far.

    Built in chapter 05.
    """
    call = ask(
        here.speaker,
        here.context,
        client=here.line.client,
    )
    here.turns += 1
    try:
        answer = await before(here.over, call)
    except Ended:
        return None
    except ModelError as error:
        error.context = here.context
        raise
    here.usage += answer.usage
    return answer.message


async def listen(here: Floor, said: str) -> None:
    """Say something to the person, and put what they answer into the context.

    Raises:
        PersonLeft: the person is gone.
        TimeoutError: they did not answer within the line's `reply_seconds`.

    Built in chapter 05.
    """
    async with asyncio.timeout(here.line.reply_seconds):
        try:
            reply = await before(here.over, here.line.person(said))
        except Ended:
            return
    here.context = here.context.add({"role": "user", "content": reply})


async def before(over: asyncio.Event, awaited: Awaitable[T]) -> T:
    """What an awaitable gives, unless `over` is set first: then it is cancelled.

    Raises:
        Ended: `over` was set first.

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
