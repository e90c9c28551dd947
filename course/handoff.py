"""A handoff: to whom an agent may pass the conversation, and how much of it travels along.

Agents are named, so that two can name each other and a saved session can be read back. To a model
a handoff is a tool: it says when to use it, and the call says why.

Source: OpenAI's swarm and Agents SDK (a handoff is a tool the model may call).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from course.context import Context
from course.models.wire import AsyncOpenAI
from course.tools import Tool, object_schema

ContextFilter = Callable[["Context", "AsyncOpenAI"], Awaitable[Context]]
"""Gives the conversation that the next agent sees; its `__name__` is what the trace shows."""
OnEnter = Callable[[Any], Awaitable[str | None]]
"""What an agent does when it takes over; gets the team's `Entry`, gives what it says first."""


async def whole(context: Context, client: AsyncOpenAI) -> Context:
    """Everything, the sender's instructions included. Built in chapter 03."""
    return context


async def without_instructions(context: Context, client: AsyncOpenAI) -> Context:
    """All but the sender's instructions; the default. Built in chapter 03."""
    return context.copy(exclude_instructions=True)


def last(max_items: int) -> ContextFilter:
    """The last messages, calls with their results. Built in chapter 03."""

    async def cut(context: Context, client: AsyncOpenAI) -> Context:
        return context.copy(exclude_instructions=True).truncate(max_items)

    cut.__name__ = f"last {max_items}"
    return cut


def summary(*, keep: int = 4) -> ContextFilter:
    """A summary of all but the last `keep`; one model call. Built in chapter 03."""

    async def summarised(context: Context, client: AsyncOpenAI) -> Context:
        return await context.copy(exclude_instructions=True).summarise(client, keep=keep)

    summarised.__name__ = f"summary, keep {keep}"
    return summarised


@dataclass(frozen=True)
class Handoff:
    """One way out of an agent: to whom, and what travels along. Built in chapter 03.

    Attributes:
        to: the agent that takes over, or its name.
        context: what of the conversation it sees.
        returns: a consultation: the agent that takes over gives control back with its result.
        greeting: what the agent that takes over says first, before its model is asked.
        on_enter: what it does first (`course.team.entering`): an asynchronous function of the
            `Entry`, which looks something up or asks the model, and gives what is said, if any.
    """

    to: str
    context: ContextFilter = without_instructions
    returns: bool = False
    greeting: str = ""
    on_enter: OnEnter | None = None
    agent: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.to, str):
            object.__setattr__(self, "agent", self.to)
            object.__setattr__(self, "to", self.to.name)

    @property
    def tool_name(self) -> str:
        """What the model calls: "transfer_to_<agent>", or "consult_<agent>" if it comes back."""
        return tool_name("consult" if self.returns else "transfer_to", self.to)


def tool_name(verb: str, agent: str) -> str:
    """A name that APIs take: letters, digits, "_" and "-", 64 of them at most."""
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", f"{verb}_{agent}")[:64]


def handoff_tool(handoff: Handoff, description: str) -> Tool:
    """The tool with which a model makes a handoff that its agent declares.
    Built in chapter 03, exercise 3.1.

    Args:
        handoff: to whom, and whether control comes back.
        description: of the agent that takes over: the model chooses by it.

    Returns:
        For a transfer a tool named `handoff.tool_name` with one argument, `reason`, and the
        result "Transferred to <agent>."; for a consultation (`returns`) one with the argument
        `request` and the result "Asked <agent>.", which its answer takes the place of.
    """
    to = handoff.to

    def transfer(reason: str) -> str:
        return f"Transferred to {to}."

    def consult(request: str) -> str:
        return f"Asked {to}."

    if handoff.returns:
        told = f"Ask {to} and get its result back: {description}"
        takes = text_argument("request", f"what {to} should find out or do, in full sentences")
        return Tool(handoff.tool_name, told, takes, consult)
    told = f"Hand the conversation over to {to}: {description}"
    takes = text_argument("reason", f"why, in one sentence; {to} reads it")
    return Tool(handoff.tool_name, told, takes, transfer)


def return_tool(sender: str) -> Tool:
    """The tool that gives control back to the `sender`. Built in chapter 03."""

    def give_back(result: str) -> str:
        return f"Returned to {sender}."

    told = f"Give control back to {sender} with your result, once what was asked is done."
    takes = text_argument("result", "what you found out or did, in full sentences")
    return Tool(tool_name("return_to", sender), told, takes, give_back)


def text_argument(name: str, description: str) -> dict[str, Any]:
    """The JSON schema of a tool that takes one text. Built in chapter 03."""
    return object_schema({name: {"type": "string", "description": description}})
