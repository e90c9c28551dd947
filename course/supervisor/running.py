"""The supervisor's loop: receive, decompose, delegate, monitor, and again, until it synthesises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from course.agent import answer_call, cut_off, opening
from course.budget import BudgetExceeded
from course.chat import Answer, Usage, assistant_message, complete
from course.context import Context
from course.errors import ModelError
from course.models.wire import Message
from course.supervisor.declared import DELEGATE, Supervisor
from course.supervisor.delegating import delegate
from course.supervisor.escalating import take_over
from course.supervisor.results import SupervisorResult, what_there_is
from course.supervisor.shift import Shift
from course.systems import carry_out
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@carry_out.register(Supervisor)
async def _(
    boss: Supervisor,
    request: str | Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
) -> SupervisorResult:
    """Let a supervisor answer with the help of its workers, within its limits and its budget.

    Limits and failed delegations are results, not errors.

    Args:
        boss: the supervisor.
        request: what it is asked, or a conversation that ends with it.
        client: reaches the model, of everybody.
        on_text: gets the text of the supervisor's own answers as it is written.

    Raises:
        ModelError: the supervisor's own model cannot be used; `context` has the conversation.
        ValueError: the request is empty.
    """
    shift = Shift.of(boss, client=client)
    attributes = {"gen_ai.agent.name": boss.name, "gen_ai.request.model": boss.model}
    with span("invoke_agent", boss.name, attributes) as step, shift.budget.in_force():
        with span("receive", boss.name) as received:
            context = opening(boss, request)
            received.set("switchboard.request", str(context.messages[-1].get("content") or ""))
            received.set("switchboard.workers", ", ".join(w.name for w in boss.open_to))
        context = await work_through(shift, context, on_text)
        budget = shift.budget
        step.set("gen_ai.usage.input_tokens", budget.read)
        step.set("gen_ai.usage.output_tokens", budget.written)
        step.set("switchboard.stop", str(shift.stop) if shift.stop else None)
    return SupervisorResult(
        answer=context.answer,
        context=context,
        usage=Usage(budget.read, budget.written),
        stop=shift.stop,
        trace=current() or Trace(boss.name),
        delegations=shift.delegations,
        escalated_to=shift.escalated_to,
        ticket=shift.ticket,
    )


async def work_through(
    shift: Shift, context: Context, on_text: Callable[[str], None] | None = None
) -> Context:
    """Delegate and look at the results until the model answers or a limit is reached.

    Built in chapter 04.
    """
    while shift.may_go_on(context):
        try:
            answer = await take_turn(shift, context, on_text=on_text)
        except BudgetExceeded as error:
            shift.reach(error.stop)
            break
        context = context.add(answer.message)
        calls = answer.message.get("tool_calls")
        if not calls:
            shift.cut = cut_off(answer)
            return context
        context = context.add(*await answer_message(shift, context, calls))
    if shift.boss.escalate_to is not None and shift.lacks:
        return await take_over(shift, context)
    return await finish(shift, context, on_text)


async def take_turn(
    shift: Shift,
    context: Context,
    *,
    on_text: Callable[[str], None] | None = None,
    last: bool = False,
) -> Answer:
    """One model call of the supervisor: it decomposes, or with its answer it synthesises.

    Args:
        last: it has to answer now; the tools are shown, since the conversation speaks of them, but
            none can be called.

    Raises:
        ModelError: the model cannot be used; `context` of the error is the conversation so far.
        BudgetExceeded: there is no room for the call.

    Used in chapter 04.
    """
    boss = shift.boss
    body: dict[str, Any] = {"model": boss.model, "messages": context.messages, "tools": boss.specs}
    if last:
        body["tool_choice"] = "none"
    with span("decompose", boss.name) as step:
        try:
            answer = await complete(shift.client, body, agent=boss.name, on_text=on_text)
        except ModelError as error:
            error.context = context
            raise
        calls = answer.message.get("tool_calls", ())
        if last or not calls:
            step.rename("synthesise")
        step.set("switchboard.calls", len(calls))
    shift.turns += 1
    shift.usage += answer.usage
    return answer


async def answer_message(shift: Shift, context: Context, calls: Sequence[Any]) -> list[Message]:
    """Answer the calls of one message, with the last answer's share kept back meanwhile."""
    shift.keep_back(context, coming=len(calls))
    shift.closed = shift.limit()  # for all of them alike, whichever begins first
    try:
        return await answer_all(shift, calls)
    except BaseExceptionGroup as group:  # an experiment set up wrongly; the rest was cancelled
        broken = group.exceptions[0]
    raise broken  # out here: IPython shows the whole stack where a group is in the error's context


async def answer_all(shift: Shift, calls: Sequence[Any]) -> list[Message]:
    """Carry out all calls of one message at the same time, delegations and ordinary tools.

    Returns:
        One tool message for each call, in the order of the calls, whichever finished first.

    Built in chapter 04, exercise 4.2.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(answer_one(shift, call)) for call in calls]
        with span("monitor", shift.boss.name, {"switchboard.calls": len(calls)}) as shift.monitor:
            await asyncio.wait(tasks)
    return [task.result() for task in tasks]


async def answer_one(shift: Shift, call: Any) -> Message:
    """Carry out one call: a delegation, or a tool of the supervisor's own."""
    shift.given += 1
    if call["function"]["name"] == DELEGATE:
        return await delegate(shift, call, shift.given)
    return await answer_call(call, shift.boss.tools)


async def finish(
    shift: Shift, context: Context, on_text: Callable[[str], None] | None = None
) -> Context:
    """The last answer, from what there is; where no model call is left, the results themselves.

    Built in chapter 04.
    """
    text = ""
    try:
        with shift.budget.in_force(last=True):
            answer = await take_turn(shift, context, on_text=on_text, last=True)
        text = str(answer.message.get("content") or "")
    except BudgetExceeded as error:
        shift.reach(error.stop)
    return context.add(assistant_message(text or what_there_is(shift.delegations, shift.hit)))
