"""The supervisor's run: receive, decompose, delegate, monitor, and again, until it synthesises.

It is the loop of chapter 01 with steps of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import Any, cast

from course import fallback
from course.agent import Agent, Hooks, answers, ask, invoked, loop, opening
from course.answers import Answer, Usage
from course.budget import BudgetExceeded
from course.chat import assistant_message
from course.context import Context
from course.errors import ModelError
from course.fallback import Taken, Unsettled
from course.figures import marked
from course.limits import LAST_SHARE, Stop, Time, in_time
from course.models.wire import AsyncOpenAI, Message
from course.person import from_a_person, put_through, way_out
from course.runs import leading
from course.session import ToolAttempt
from course.supervisor.delegating import delegate
from course.supervisor.state import SupervisorRun
from course.supervisor.supervisor import (
    DELEGATE,
    Supervisor,
    SupervisorResult,
    what_there_is,
)
from course.systems import carry_out
from course.team import HUMAN
from course.tools import tool_message
from course.trace import span


@carry_out.register(Supervisor)
async def run_supervisor(
    boss: Supervisor,
    request: str | Context,
    *,
    client: AsyncOpenAI,
    on_text: Callable[[str], None] | None = None,
) -> SupervisorResult:
    """Let a supervisor answer with the help of its workers, within its limits and its budget.

    Limits and failed delegations are results, not errors; a ModelError is of its own model.
    """
    run, theirs = SupervisorRun(boss, client, on_text), from_a_person()
    with invoked(boss) as step, leading(boss.name), run.budget.in_force():
        if boss.start_early:
            run.on_text = run.early = Early(run, on_text)
        with span("receive", boss.name) as received:
            context = opening(boss, request)
            received.set("switchboard.request", str(context.messages[-1].get("content") or ""))
            received.set("switchboard.workers", ", ".join(w.name for w in boss.open_to))
        try:
            reached_person = await _reach_person(run, context) if theirs else None
            context = reached_person or await persist(run, context)
        finally:
            if run.early:
                run.early.cancel()
        if run.delegations and run.escalated_to is None:
            context = with_mark(run, context)
        usage = Usage(run.budget.read, run.budget.written)
        stop = run.limit_reached or run.answer_cut_off
        step.used(usage.input, usage.output, stop)
    return SupervisorResult(
        answer=context.answer,
        context=context,
        usage=usage,
        stop=stop,
        delegations=run.delegations,
        escalated_to=run.escalated_to,
        ticket=run.ticket,
    )


def with_mark(run: SupervisorRun, context: Context) -> Context:
    """The conversation, its answer with a sentence on the figures that nothing before it holds."""
    *before, last = context.messages
    held = [what_there_is(run.delegations, run.limit_reached), *(str(m["content"]) for m in before)]
    said = marked(answer := str(last["content"]), held)
    if said == answer:
        return context
    if run.on_text is not None:
        run.on_text(said.removeprefix(answer))
    return Context((*before, assistant_message(said)))


class Early:
    """Reads along while the supervisor's message streams, and begins each delegation in it at once.

    A message that breaks off is asked for again; what was begun for it is cancelled.
    """

    def __init__(self, run: SupervisorRun, on_text: Callable[[str], None] | None) -> None:
        self.run, self._on_text = run, on_text
        self._context = copy_context()  # a delegation is a step of the run, not of the model call
        self.begun: dict[str, asyncio.Task[Message]] = {}

    def __call__(self, text: str) -> None:
        """Pass a piece of text on to whoever reads the answer."""
        if self._on_text:
            self._on_text(text)

    def on_call(self, call: dict[str, Any]) -> None:
        """Begin what a call asks for, if it is a delegation and nothing stands in its way."""
        run = self.run
        run.refused_by = run.limited()
        if call["function"]["name"] == DELEGATE and call["id"] not in self.begun:
            self.begun[call["id"]] = asyncio.create_task(
                delegate(run, call), context=self._context.copy()
            )

    def cancel(self) -> None:
        """End what nobody will ask for any more."""
        for task in self.begun.values():
            task.cancel()
        self.begun.clear()


class Supervising(Hooks):
    """A supervisor's steps of the loop of chapter 01. Built in chapter 04."""

    def __init__(self, run: SupervisorRun) -> None:
        self.run = run

    def limit(self, agent: Agent, context: Context, **used: Any) -> Stop | None:
        """Keep back what the last answer needs, and say which limit leaves no more than that."""
        self.run.keep_back(context)
        return self.run.limited()

    def seconds(self, agent: Agent) -> float | None:
        """Those of `persist`, which count over all that the model is asked again."""
        return None

    async def ask(self, agent: Agent, context: Context, **settings: Any) -> Answer:
        """One model call: it decomposes, or with its answer it synthesises."""
        return await take_turn(self.run, context)

    async def go_on(self, agent: Agent, context: Context, message: Message) -> Context | None:
        """The conversation with the results of all that the message asks for."""
        calls = message.get("tool_calls")
        if not calls:
            return None
        context = context.add(message)
        return context.add(*await answer_message(self.run, context, calls))


async def persist(run: SupervisorRun, context: Context) -> Context:
    """Work it through in the time there is, whatever the supervisor's own model does.

    What is under way when the time is over is cancelled; a model that failed is asked again, until
    somebody takes over. Where nobody can, the ModelError is raised.
    """
    boss, run.context = run.boss, context
    run.time = Time(boss.limits.max_seconds, kept=fallback.kept_for(boss.escalate_to))
    async with in_time(run.time):
        while run.failures < boss.max_failures:
            try:
                return await work_through(run, run.context)
            except ModelError:
                run.failures += 1
                if run.early:
                    run.early.cancel()
                if boss.escalate_to is None:
                    raise
        run.reach(Stop("max_failures", boss.max_failures, run.failures))
    if run.time.stop:
        run.reach(run.time.stop)
    if boss.escalate_to is not None:
        return await take_over(run, run.context)
    async with in_time(LAST_SHARE * (boss.limits.max_seconds or 0)):
        with suppress(ModelError):
            return await finish(run, run.context)
    said = what_there_is(run.delegations, run.limit_reached)
    return run.context.add(assistant_message(said))


async def work_through(run: SupervisorRun, context: Context) -> Context:
    """Delegate until the model answers, or at a limit. Built in chapter 04."""
    hooks = Supervising(run)
    try:
        context, _, stop = await loop(run.boss, context, client=run.client, hooks=hooks)
        run.answer_cut_off = stop
    except BudgetExceeded as error:
        run.reach(error.stop)
        context = cast(Context, error.context)
    if run.limit_reached is None:
        return context
    kinds = [each.failure.kind for each in run.delegations.values() if each.failure]
    lacking = not run.delegations or "limit" in kinds
    if run.boss.escalate_to is not None and lacking:
        return await take_over(run, context)
    return await finish(run, context)


async def take_turn(run: SupervisorRun, context: Context, *, last: bool = False) -> Answer:
    """One model call: it decomposes, or it synthesises. Built in chapter 04.

    With `last` it has to answer now: the tools are shown, since the conversation speaks
    of them, but none can be called. Raises BudgetExceeded where there is no room, and
    ModelError.
    """
    boss, more = run.boss, {"tools": run.boss.specs} | ({"tool_choice": "none"} if last else {})
    with span("decompose", boss.name) as step:
        answer = await ask(boss, context, client=run.client, on_text=run.on_text, **more)
        calls = answer.message.get("tool_calls", ())
        if last or not calls:
            step.rename("synthesise")
        step.set("switchboard.calls", len(calls))
    run.turns += 1
    run.usage += answer.usage
    return answer


async def answer_message(
    run: SupervisorRun, context: Context, calls: Sequence[Any]
) -> list[Message]:
    """Answer the calls of one message, with the last answer's share kept back meanwhile."""
    run.keep_back(context, coming=len(calls))
    run.refused_by = run.limited()
    try:
        return await answer_all(run, calls)
    except asyncio.CancelledError:  # what came in time is known to whoever goes on
        done = run.delegations
        run.context = context.add(*(
            tool_message(call, done[call["id"]].content()) if call["id"] in done
            else tool_message(call, "cut off before it was done", "error")
            for call in calls
        ))  # fmt: skip
        raise
    except BaseExceptionGroup as group:  # an experiment set up wrongly; the rest was cancelled
        broken = group.exceptions[0]
    raise broken  # out here: IPython shows the whole stack where a group is in the error's context


async def answer_all(run: SupervisorRun, calls: Sequence[Any]) -> list[Message]:
    """Carry out all calls of one message at the same time, delegations and ordinary tools.
    Built in chapter 04, exercise 4.2. Gives one tool message for each, in their order.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(answer_one(run, call)) for call in calls]
        with span("monitor", run.boss.name, {"switchboard.calls": len(calls)}) as run.monitor:
            await asyncio.wait(tasks)
    return [task.result() for task in tasks]


async def answer_one(run: SupervisorRun, call: Any) -> Message:
    """Carry out one call: a delegation, or a tool of the supervisor's own."""
    if run.early and (begun := run.early.begun.pop(call["id"], None)):
        return await begun
    if call["function"]["name"] == DELEGATE:
        return await delegate(run, call)
    [message] = await answers(run.boss, [call])
    return message


async def finish(run: SupervisorRun, context: Context) -> Context:
    """The last answer, or without a call the results. Built in chapter 04."""
    text = ""
    try:
        with run.budget.in_force(last=True):
            answer = await take_turn(run, context, last=True)
        text = str(answer.message.get("content") or "")
    except BudgetExceeded as error:
        run.reach(error.stop)
    return context.add(assistant_message(text or what_there_is(run.delegations, run.limit_reached)))


async def take_over(run: SupervisorRun, context: Context) -> Context:
    """Pass the request on with what was found; what is said then is the answer."""
    boss, found = run.boss, what_there_is(run.delegations, run.limit_reached)
    asked = (m.get("content") for m in reversed(context.messages) if m["role"] == "user")
    tried = (
        ToolAttempt(each.worker, each.task, each.result or str(each.failure), bool(each.failure))
        for each in run.delegations.values()
    )
    case = Unsettled(
        sender=boss.name, reason=str(run.limit_reached), asked=str(next(asked, "") or ""),
        found=found, tried=tuple(tried), context=context,
    )  # fmt: skip
    taken = Taken(to=getattr(boss.escalate_to, "name", HUMAN), answer=found)  # if it hangs too
    async with in_time(replace(run.time, kept=0.0)):
        with run.budget.in_force(last=True):
            taken = await fallback.take_over(boss.escalate_to, case, client=run.client)
    run.escalated_to, run.ticket = taken.to, taken.ticket
    return context.add(assistant_message(taken.answer))


async def _reach_person(run: SupervisorRun, context: Context) -> Context | None:
    """The conversation with a person reached for whoever asks for one, without a model; else None.

    A tool of the supervisor's own that leads to people comes first, then the queue that it
    escalates to. Where it has neither it says so: nobody would find a ticket.
    """
    boss, words = run.boss, str(context.messages[-1].get("content") or "")
    if answer := put_through(boss.tools, context.messages):
        context = context.add(answer.message)
        if not (calls := answer.message.get("tool_calls")):
            return context
        return await persist(run, context.add(*await answers(boss, calls)))
    if way_out(boss.tools):
        return None
    taken = await fallback.reach_person(
        boss.escalate_to, words, sender=boss.name, client=run.client, context=context
    )
    if taken is None:
        return None
    run.escalated_to, run.ticket = taken.to or None, taken.ticket
    return context.add(assistant_message(taken.answer))
