"""The conversation an agent has in view, and the ways of passing on less than all of it.

A context is a tuple of wire messages. The one rule that every operation keeps: a tool call and
its results stay together, because the API refuses the one without the other.

`merge` is what flows back from a task to whoever awaits it: what was said in it, before the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from course.answers import Answer
from course.chat import complete
from course.models.names import SMALL
from course.models.wire import AsyncOpenAI, Message

SUMMARY_REQUEST = (
    "Summarise the conversation below for a colleague who takes over. Keep names, numbers, dates,"
    " what was asked, what was done and what is still open. Answer with the summary alone."
)

MAX_EXCHANGES = 20
"""How many things a person may have said before a group is given a summary of them."""


@dataclass(frozen=True)
class Context:
    """Messages in wire form, oldest first. Every method returns a new context.
    Used from chapter 01 on, built in chapter 03.
    """

    messages: tuple[Message, ...] = ()

    @classmethod
    def of(cls, request: str, *, instructions: str = "") -> Context:
        """A conversation that begins with `instructions` (if any) and one thing the user says."""
        start = cls().add({"role": "system", "content": instructions}) if instructions else cls()
        return start.add({"role": "user", "content": request})

    def add(self, *messages: Message) -> Context:
        """This conversation with `messages` at its end."""
        return Context((*self.messages, *messages))

    def copy(
        self, *, exclude_instructions: bool = False, exclude_tool_calls: bool = False
    ) -> Context:
        """The conversation, less what the next reader should not see.

        `exclude_instructions` leaves out system and developer messages, `exclude_tool_calls` tool
        results and the calls they answer; what was said beside a call stays.
        """
        kept: list[Message] = []
        for message in self.messages:
            if exclude_instructions and message["role"] in ("system", "developer"):
                continue
            if exclude_tool_calls and message["role"] == "tool":
                continue
            if exclude_tool_calls and message.get("tool_calls"):
                message = {k: v for k, v in message.items() if k != "tool_calls"}
                if not message.get("content"):
                    continue
            kept.append(message)
        return Context(tuple(kept))

    def truncate(self, max_items: int) -> Context:
        """The instructions and as many of the last messages as fit in `max_items`: in whole groups,
        a call with its results, and the last one however long.
        """
        tail: list[Message] = []
        for group in reversed(list(groups(self.copy(exclude_instructions=True)))):
            if tail and len(tail) + len(group) > max_items:
                break
            tail = [*group, *tail]
        return Context((*self.instructions, *tail))

    async def summarise(self, client: AsyncOpenAI, *, keep: int = 4) -> Context:
        """The instructions, a summary of the older messages, and the last `keep` word for word.

        The summary is told as the user, so that it survives another agent's instructions. One model
        call, none where nothing is older; ModelError where the model cannot be used.
        """
        rest = self.copy(exclude_instructions=True)
        recent = rest.truncate(keep).messages
        older = rest.messages[: len(rest.messages) - len(recent)]
        if not older:
            return self

        summary = (await summary_of(older, client)).message["content"]
        told = {"role": "user", "content": f"Summary of the conversation so far: {summary}"}
        return Context((*self.instructions, told, *recent))

    @property
    def instructions(self) -> tuple[Message, ...]:
        """The system and developer messages."""
        return tuple(m for m in self.messages if m["role"] in ("system", "developer"))

    @property
    def answer(self) -> str:
        """What the assistant said last, or empty text."""
        for message in reversed(self.messages):
            if message["role"] == "assistant" and message.get("content"):
                return str(message["content"])
        return ""


def groups(context: Context) -> Iterator[list[Message]]:
    """The messages in groups that must not be split: a call with all its results, else one alone.
    Built in chapter 03, exercise 3.3.
    """
    group: list[Message] = []
    for message in context.messages:
        if message["role"] != "tool" and group:
            yield group
            group = []
        group.append(message)
    if group:
        yield group


async def summary_of(
    messages: tuple[Message, ...], client: AsyncOpenAI, *, model: str = SMALL, agent: str = ""
) -> Answer:
    """A model's summary of what was said and done, as it answers: one model call, or ModelError."""
    asked = Context.of(transcript(messages), instructions=SUMMARY_REQUEST)
    return await complete(client, {"model": model, "messages": asked.messages}, agent=agent)


def transcript(messages: tuple[Message, ...]) -> str:
    """Messages as lines of text, `role: words`, for a reader rather than for the API."""
    lines = []
    for message in messages:
        if message.get("content"):
            lines.append(f"{message['role']}: {message['content']}")
        for call in message.get("tool_calls") or ():
            function = call["function"]
            lines.append(f"{message['role']} called {function['name']}({function['arguments']})")
    return "\n".join(lines)


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
    return await context.summarise(client)


async def summed_up(messages: tuple[Message, ...], client: AsyncOpenAI) -> Message:
    """What was said and done as one message, told by the assistant; one model call.

    Source: LiveKit Agents, whose groups leave `<chat_history_summary>` behind. Built in chapter 05.
    """
    answer = await summary_of(messages, client)
    summary = f"<chat_history_summary>\n{answer.message['content']}\n</chat_history_summary>"
    return {"role": "assistant", "content": summary}
