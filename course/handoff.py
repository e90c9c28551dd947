"""A handoff: to whom an agent may pass the conversation, and how much of it travels along.

An agent declares its handoffs by the other agents' names, so that two agents can name each other
and a saved session can be read back. `course.team` wires the names to agents and carries them out.

Source: OpenAI's swarm and Agents SDK (a handoff is a tool the model may call).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.context import Context

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ContextFilter = Callable[["Context", "AsyncOpenAI"], Awaitable[Context]]
"""Gives the conversation that the next agent sees; its `__name__` is what the trace shows."""


async def whole(context: Context, client: AsyncOpenAI) -> Context:
    """Everything, the sender's instructions included.

    Built in chapter 03.
    """
    return context


async def without_instructions(context: Context, client: AsyncOpenAI) -> Context:
    """Everything that was said and done, but not the sender's instructions; the default.

    Built in chapter 03.
    """
    return context.copy(exclude_instructions=True)


def last(max_items: int) -> ContextFilter:
    """The last `max_items` messages, without the sender's instructions; calls keep their results.

    Built in chapter 03.
    """

    async def cut(context: Context, client: AsyncOpenAI) -> Context:
        return context.copy(exclude_instructions=True).truncate(max_items)

    cut.__name__ = f"last {max_items}"
    return cut


def summary(*, keep: int = 4) -> ContextFilter:
    """A summary of what is older than the last `keep` messages, and those; one model call.

    Built in chapter 03.
    """

    async def summarised(context: Context, client: AsyncOpenAI) -> Context:
        return await context.copy(exclude_instructions=True).summarise(client, keep=keep)

    summarised.__name__ = f"summary, keep {keep}"
    return summarised


@dataclass(frozen=True)
class Handoff:
    """One way out of an agent: to whom, and what travels along.

    Attributes:
        to: name of the agent that takes over.
        context: what of the conversation it sees.
        returns: a consultation: the agent that takes over gives control back with its result.

    Built in chapter 03.
    """

    to: str
    context: ContextFilter = without_instructions
    returns: bool = False

    @property
    def tool_name(self) -> str:
        """What the model calls: "transfer_to_<agent>", or "consult_<agent>" if it comes back."""
        return f"{'consult' if self.returns else 'transfer_to'}_{self.to}"
