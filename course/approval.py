"""Approval: the run pauses, a person says yes or no, and no answer is a no.

Who is asked is an `Approver`: a function in a test or a script, buttons in a notebook
(`course.notebook.approval`). The pause and the decision are spans.
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
    """What a person is asked to approve.

    Attributes:
        what: what will happen if the answer is yes, in one line.
        details: more to decide by, such as the arguments of a call; JSON values.
        asked_by: the agent that wants it.

    Built in chapter 04.
    """

    what: str
    details: Mapping[str, Any] = field(default_factory=dict)
    asked_by: str = ""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The answer to a question, and how it came about.

    Attributes:
        approved: yes or no.
        by: who decided; "nobody" when the time ran out.
        reason: why, in words that an agent can use.
        seconds: how long the run paused for it.

    Built in chapter 04.
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
    """Pause until a question is decided; only a clear yes in time is a yes.

    Args:
        question: what is to be approved.
        approver: whom to ask; it is cancelled when the time is over.
        timeout: seconds to wait for the decision.

    Returns:
        The decision. It is a refusal when the time runs out, when the approver fails, and when
        it gives anything but True, False or a `Decision`.

    Built in chapter 04, exercise 4.5.
    """
    attributes = {
        "switchboard.approval.asked_by": question.asked_by or None,
        "switchboard.approval.details": to_json(question.details, fallback=str).decode(),
    }
    with span("approve", shorten(question.what, 80, placeholder=" ..."), attributes) as step:
        begin = clock.now()
        with span("pause", attributes={"switchboard.approval.timeout": timeout}):
            decided = await _decision(question, approver, timeout)
        decision = replace(decided, seconds=clock.now() - begin)
        with span("decide", "approved" if decision.approved else "refused") as last:
            last.set("switchboard.approval.decided_by", decision.by)
            last.set("switchboard.approval.reason", decision.reason or None)
        step.set("switchboard.approval.approved", decision.approved)
        step.set("switchboard.approval.seconds", decision.seconds)
    return decision


async def _decision(question: Question, approver: Approver, seconds: float) -> Decision:
    """What the approver says in time, or the refusal that stands for its silence."""
    try:
        async with asyncio.timeout(seconds) as deadline:
            said = approver(question)
            if inspect.isawaitable(said):
                said = await said
    except TimeoutError as error:
        if not deadline.expired():
            return _refusal(f"the approver failed: {error}")
        return _refusal(f"nobody decided within {seconds:g} s")
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # the run is being cancelled, not the question
            raise
        return _refusal("the question was withdrawn before it was decided")
    except (VirtualTimeError, UnexpectedRequest):
        raise  # the experiment is set up wrongly, which is nobody's decision
    except Exception as error:  # whatever breaks between the person and us is no consent
        return _refusal(f"the approver failed: {type(error).__name__}: {error}")
    if isinstance(said, bool):
        return Decision(approved=said)
    if isinstance(said, Decision):
        return said
    return _refusal(f"the approver gave {said!r}, not True, False or a Decision")


def _refusal(reason: str) -> Decision:
    return Decision(approved=False, by="nobody", reason=reason)


def needs_approval(
    tool: Tool, approver: Approver, *, asked_by: str = "", timeout: float = APPROVAL_SECONDS
) -> Tool:
    """A tool that does the same, but asks before each call.

    Args:
        tool: what is to be approved; to a model the new one looks the same.
        approver: whom to ask.
        asked_by: the agent that has the tool, for the person to know.
        timeout: seconds to wait for the decision. The tool's own timeout begins after it.

    Returns:
        The tool. A refused call is answered with a ToolError that gives the reason.

    Built in chapter 04.
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
