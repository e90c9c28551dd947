"""Approval: the run pauses, a person says yes or no, and no answer is a no.

Who is asked is a function in a test or a script, buttons in a notebook.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from textwrap import shorten
from typing import Any

from pydantic_core import to_json

from course import clock
from course.errors import ToolError, UnexpectedRequest, VirtualTimeError
from course.tools import Tool, in_time
from course.trace import span

APPROVAL_SECONDS = 60.0
"""How long a person has for a decision before it counts as a refusal (seconds)."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a person is asked to approve. Built in chapter 04.

    `what` will happen if the answer is yes; `details` are more to decide by (JSON values).
    """

    what: str
    details: Mapping[str, Any] = field(default_factory=dict)
    asked_by: str = ""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The answer to a question, and how it came about. Built in chapter 04.

    `by` is "nobody" when the time ran out; `seconds` is how long the run paused for it.
    """

    approved: bool
    by: str = "a person"
    reason: str = ""
    seconds: float = 0.0


Approver = Callable[[Question], Awaitable[Decision | bool] | Decision | bool]
"""Asks a person (or stands for one) and gives the decision; may take its time if it awaits."""


async def ask_approval(
    question: Question,
    approver: Approver,
    *,
    timeout: float = APPROVAL_SECONDS,  # noqa: ASYNC109 - what it says is the caller's, as in Tool
) -> Decision:
    """Pause until a question is decided, in the trace as well. Built in chapter 04.

    `timeout` is in seconds; the approver is cancelled when they are over.
    """
    attributes = {
        "switchboard.approval.asked_by": question.asked_by or None,
        "switchboard.approval.details": to_json(question.details, fallback=str).decode(),
    }
    with span("approve", shorten(question.what, 80, placeholder=" ..."), attributes) as step:
        begin = clock.now()
        with span("pause", attributes={"switchboard.approval.timeout": timeout}):
            decided = await decide(question, approver, seconds=timeout)
        decision = replace(decided, seconds=clock.now() - begin)
        with span("decide", "approved" if decision.approved else "refused") as last:
            last.set("switchboard.approval.decided_by", decision.by)
            last.set("switchboard.approval.reason", decision.reason or None)
        step.set("switchboard.approval.approved", decision.approved)
        step.set("switchboard.approval.seconds", decision.seconds)
    return decision


async def decide(question: Question, approver: Approver, *, seconds: float) -> Decision:
    """What an approver says in time; anything but a clear yes in time is a refusal.
    Built in chapter 04, exercise 4.5.

    Args:
        question: what is to be approved.
        approver: whom to ask, a plain function or an asynchronous one.
        seconds: how long it may take; it is cancelled then.

    Returns:
        The decision. Where the time ran out, the approver failed, or what it gave is neither a
        bool nor a `Decision`: a refusal by "nobody", with the reason.

    Raises:
        VirtualTimeError, UnexpectedRequest: the experiment is set up wrongly.
    """
    try:
        async with asyncio.timeout(seconds) as deadline:
            said = approver(question)
            if inspect.isawaitable(said):
                said = await said
    except (VirtualTimeError, UnexpectedRequest):
        raise  # that is nobody's decision
    except Exception as error:  # whatever breaks between the person and us is no consent
        late = isinstance(error, TimeoutError) and deadline.expired()
        return refusal(f"nobody decided within {seconds:g} s" if late else failed(error))
    if isinstance(said, bool):
        return Decision(approved=said)
    if isinstance(said, Decision):
        return said
    return refusal(f"the approver gave {said!r}, not True, False or a Decision")


def refusal(reason: str) -> Decision:
    """The decision that stands for one that nobody made. Built in chapter 04."""
    return Decision(approved=False, by="nobody", reason=reason)


def failed(error: Exception) -> str:
    """Why nobody decided, when the approver broke. Built in chapter 04."""
    return f"the approver failed: {type(error).__name__}: {error}"


def needs_approval(
    tool: Tool, approver: Approver, *, asked_by: str = "", timeout: float = APPROVAL_SECONDS
) -> Tool:
    """A tool that does the same, and looks the same to a model, but asks before each call.

    `asked_by` has it, for the person to know, who has `timeout` seconds; the tool's own timeout
    begins after that. A refused call raises a ToolError that gives the reason.
    """

    @wraps(tool.function)
    async def asked(**arguments: Any) -> Any:
        question = Question(what=f"call {tool.name}", details=arguments, asked_by=asked_by)
        decision = await ask_approval(question, approver, timeout=timeout)
        if not decision.approved:
            raise ToolError(refused(tool.name, decision))
        outcome = tool.function(**arguments)
        return await in_time(tool, outcome) if inspect.isawaitable(outcome) else outcome

    return replace(tool, function=asked, timeout=None)


def refused(what: str, decision: Decision) -> str:
    """One line for an agent: what was refused, by whom and why, and not to try it again."""
    why = f": {decision.reason}" if decision.reason else ""
    return f"{what} was refused by {decision.by}{why}; do not ask again, go on without it"
