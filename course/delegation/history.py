"""What flows between a task and whoever awaits it, and how much of it.

Into the task: the conversation it was given (`context=`), without its asker's instructions.
Back out: what was said in the task, before the call that awaited it, without the tool calls.
"""

from __future__ import annotations

from collections.abc import Iterable

from course.context import Context, summary_of
from course.models.wire import AsyncOpenAI, Message
from course.trace.messages import as_json

MAX_EXCHANGES = 20
"""How many things a person may have said before a group is given a summary of them."""

KEPT = 4
"""How many of the last messages a summary leaves as they are."""


def merge(context: Context, other: Context, *, exclude_function_call: bool = True) -> Context:
    """Add to a conversation what was said in another one that began with (a part of) it.
    Built in chapter 05, exercise 5.4.

    Args:
        context: the asker's conversation.
        other: the task's, after its end.
        exclude_function_call: leave out tool calls and their results; what was said beside a call
            stays.

    Returns:
        `context`, and after it the messages of `other` that it does not hold yet, in their order,
        without instructions. A message is known by being the same object, not by its words: a
        person may say "yes" twice.

    Source: LiveKit Agents, `ChatContext.merge`, which knows messages by their ids.
    """
    known = {id(message) for message in context.messages}
    new = Context(tuple(message for message in other.messages if id(message) not in known))
    kept = new.copy(exclude_instructions=True, exclude_tool_calls=exclude_function_call)
    return context.add(*kept.messages)


def new_in(context: Context, before: Context) -> tuple[Message, ...]:
    """The messages of a conversation that were not in it before."""
    known = {id(message) for message in before.messages}
    return tuple(message for message in context.messages if id(message) not in known)


def exchanges(context: Context) -> int:
    """How many times the person spoke. Built in chapter 05."""
    return sum(message["role"] == "user" for message in context.messages)


async def condensed(
    context: Context, client: AsyncOpenAI, *, max_exchanges: int = MAX_EXCHANGES
) -> Context:
    """The conversation, its older part summarised if there are more than `max_exchanges`.

    One model call, or none. Built in chapter 05.
    """
    if exchanges(context) <= max_exchanges:
        return context
    return await context.summarise(client, keep=KEPT)


async def summed_up(messages: tuple[Message, ...], client: AsyncOpenAI) -> Message:
    """What was said and done as one message, told by the assistant; one model call.

    Source: LiveKit Agents, whose groups leave `<chat_history_summary>` behind. Built in chapter 05.
    """
    answer = await summary_of(messages, client)
    summary = f"<chat_history_summary>\n{answer.message['content']}\n</chat_history_summary>"
    return {"role": "assistant", "content": summary}


def said(messages: Iterable[Message]) -> str:
    """Messages as a span carries them (`course.trace.messages`), instructions left out."""
    return as_json(Context(tuple(messages)).copy(exclude_instructions=True).messages)
