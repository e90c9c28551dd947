"""When a limit is reached: somebody else takes over, an agent or a person."""

from __future__ import annotations

from course.agent import Agent
from course.budget import BudgetExceeded
from course.chat import assistant_message
from course.context import Context
from course.session import Session, ToolAttempt
from course.supervisor.results import what_there_is
from course.supervisor.shift import Shift
from course.systems import carry_out
from course.team import HUMAN, HumanQueue
from course.team.human import PUT_THROUGH
from course.trace import span


async def take_over(shift: Shift, context: Context) -> Context:
    """Pass the request on with what was found; what is said then is the answer.

    Used in chapter 04.
    """
    target = shift.boss.escalate_to
    name = target.name if isinstance(target, Agent) else HUMAN
    reason = str(shift.hit)
    with span("escalate", f"{shift.boss.name} -> {name}") as step:
        step.set("switchboard.escalation.reason", reason)
        shift.escalated_to = name
        if isinstance(target, Agent):
            said = await _ask_agent(shift, target, context)
        else:
            queue = target if isinstance(target, HumanQueue) else HumanQueue()
            said = _queue(shift, queue, context, reason)
    return context.add(assistant_message(said))


async def _ask_agent(shift: Shift, target: Agent, context: Context) -> str:
    """What the other agent says, from a fresh context that holds the request and the results."""
    found = what_there_is(shift.delegations, shift.hit)
    words = f"{_request(context)}\n\nWhat others found before you:\n{found}"
    try:
        with shift.budget.in_force(last=True):
            result = await carry_out(target, words, client=shift.client)
    except BudgetExceeded:
        return found
    return result.answer or found


def _queue(shift: Shift, queue: HumanQueue, context: Context, reason: str) -> str:
    """Make a ticket with the request, what was tried and the whole conversation."""
    session = Session(active=shift.boss.name, context=context)
    session.note(*context.copy(exclude_instructions=True).messages)
    session.attempts = tuple(
        ToolAttempt(each.worker, each.task, each.result or str(each.failure), bool(each.failure))
        for each in shift.delegations.values()
    )
    shift.ticket = queue.put(session, sender=shift.boss.name, reason=reason)
    session.active = HUMAN
    return PUT_THROUGH


def _request(context: Context) -> str:
    """What the person said last."""
    said = (m.get("content") for m in reversed(context.messages) if m["role"] == "user")
    return str(next(said, "") or "")
