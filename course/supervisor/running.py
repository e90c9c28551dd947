"""The supervisor's loop: receive, decompose, delegate, monitor, and again, until it synthesises."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from course import clock
from course.agent import answer_call, cut_off, opening
from course.budget import BudgetExceeded
from course.chat import Answer, Usage, assistant_message, complete
from course.context import Context
from course.errors import ConfigurationError, ModelError
from course.models.wire import Message
from course.supervisor.declared import DELEGATE, Supervisor
from course.supervisor.delegating import delegate
from course.supervisor.escalating import take_over
from course.supervisor.events import Event, Finished
from course.supervisor.results import SupervisorResult, what_there_is
from course.supervisor.shift import Shift
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


async def run(
    boss: Supervisor,
    request: str | Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
    on_event: Callable[[Event], None] | None = None,
    trace: Trace | None = None,
    run_id: str = "run",
) -> SupervisorResult:
    """Let a supervisor answer a request with the help of its workers, within its limits.

    Args:
        boss: the supervisor.
        request: what the person says, or a conversation that ends with it.
        client: reaches the model, of everybody.
        on_text: gets the text of the supervisor's own answers as it is written.
        on_event: gets every event; it must not take long. `stream` gives them one by one.
        trace: record into this one; without it, into the current one or a new one.
        run_id: names the run for the simulated model's draws.

    Returns:
        The result. Limits and failed delegations are results, not errors.

    Raises:
        ModelError: the supervisor's own model cannot be used; `context` has the conversation.
        ValueError: the request is empty.
        ConfigurationError: it is no supervisor.

    Used in chapter 04.
    """
    if not isinstance(boss, Supervisor):
        raise ConfigurationError(
            f"supervisor.run needs a Supervisor, not {type(boss).__name__}: make one with"
            " Supervisor(name=..., workers=(...)); course.run runs a plain agent"
        )
    context = opening(boss, request)
    trace = trace or current() or Trace(f"{boss.name}: {_last_words(context)}")
    workflow = {"gen_ai.workflow.name": boss.name}
    tell = on_event or _tell_nobody
    with trace.record(), span("invoke_workflow", boss.name, workflow):
        result = await lead(boss, context, client=client, run_id=run_id, tell=tell, on_text=on_text)
    tell(Finished(supervisor=boss.name, result=result, at=clock.now()))
    return result


def _last_words(context: Context) -> str:
    """What the conversation ends with, short enough for a title."""
    return shorten(str(context.messages[-1].get("content") or ""), 80, placeholder=" ...")


def _tell_nobody(event: Event) -> None:
    """Where nobody listens."""


async def stream(
    boss: Supervisor,
    request: str | Context,
    *,
    client: AsyncOpenAI,
    trace: Trace | None = None,
    run_id: str = "run",
) -> AsyncIterator[Event]:
    """Run as `run` does and give every event as it happens; the last one is `Finished`.

    Whoever stops reading early, or is cancelled, cancels the run: nothing of it goes on. In
    `async with contextlib.aclosing(stream(...)) as events` that is over when the block is left;
    without it, a moment later.

    Raises:
        ModelError, ValueError: as `run`.

    Used in chapter 04.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    running = asyncio.ensure_future(
        run(boss, request, client=client, on_event=events.put_nowait, trace=trace, run_id=run_id)
    )
    running.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        await running  # an error of the run is the reader's
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await running


async def lead(
    boss: Supervisor,
    request: str | Context,
    *,
    client: AsyncOpenAI,
    run_id: str,
    tell: Callable[[Event], None],
    on_text: Callable[[str], None] | None = None,
) -> SupervisorResult:
    """A supervisor's run under its budget, as a step in the current trace.

    Args:
        request: what it is asked, or the conversation as its model is to see it.

    Used in chapter 04.
    """
    shift = Shift.of(boss, client=client, run_id=run_id, tell=tell, lead=lead)
    attributes = {"gen_ai.agent.name": boss.name, "gen_ai.request.model": boss.model}
    with span("invoke_agent", boss.name, attributes) as step, shift.budget.in_force():
        with span("receive", boss.name) as received:
            context = request if isinstance(request, Context) else opening(boss, request)
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
    headers = {
        "x-switchboard-run": shift.run_id,
        "x-switchboard-agent": boss.name,
        "x-switchboard-call": str(shift.turns),
    }
    with span("decompose", boss.name) as step:
        try:
            answer = await complete(shift.client, body, headers=headers, on_text=on_text)
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
