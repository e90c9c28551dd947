"""Giving one task to one worker: what is checked before, what runs, what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from course import clock
from course.approval import Question, ask_approval, refused
from course.budget import BudgetExceeded, Piece
from course.conditions import in_the_way
from course.errors import ModelError, ToolError, UnexpectedRequest, VirtualTimeError
from course.limits import Stop
from course.models.breaker import BreakerOpen
from course.models.wire import Message
from course.results import Failure, Kind, TaskResult, evidence_in
from course.runs import next_matter, undelivered, within, working_on
from course.supervisor.state import Order, SupervisorRun
from course.supervisor.supervisor import DELEGATE, Delegation, Supervisor, settings_of, told
from course.systems import Result, carry_out
from course.team import Team
from course.tools import parse_arguments, tool, tool_message
from course.trace import span

_depth: ContextVar[tuple[int, float]] = ContextVar("switchboard_depth", default=(0, float("inf")))


@tool(name=DELEGATE)
def delegation_call(worker_agent: str, task: str, constraints: str = "") -> None:
    """Give one worker a task: the shape of a call; nobody calls this. Built in chapter 04."""


def read_order(boss: Supervisor, arguments: str) -> Order:
    """Turn the arguments of a call of `delegate_to_agent` into an order.
    Built in chapter 04, exercise 4.1.

    Args:
        boss: the supervisor whose model wrote them.
        arguments: JSON text with `worker_agent`, `task` and perhaps `constraints`.

    Returns:
        The worker itself, and the words without the space around them.

    Raises:
        ToolError: the arguments do not fit, there is no such worker (the message names those that
            there are), the supervisor names itself, or the task is empty.
    """
    given = parse_arguments(delegation_call, arguments)
    name, task = given["worker_agent"], given["task"].strip()
    known = ", ".join(worker.name for worker in boss.open_to) or "none"
    if name == boss.name:
        raise ToolError(f"you are '{name}' and cannot delegate to yourself; the workers: {known}")
    if name not in boss.named:
        raise ToolError(f"there is no worker '{name}'; the workers: {known}")
    if not task:
        raise ToolError(f"the task for '{name}' is empty: say what is to be done, in a sentence")
    return Order(boss.named[name], task, given["constraints"].strip())


async def delegate(run: SupervisorRun, call: Mapping[str, Any]) -> Message:
    """Carry out one call of `delegate_to_agent`; whatever goes wrong becomes its result."""
    try:
        order = read_order(run.boss, call["function"]["arguments"])
    except ToolError as error:
        with span("delegate", attributes={"gen_ai.tool.call.id": call["id"]}) as step:
            step.fail(str(error), kind="ToolError")
        return tool_message(call, str(error), "refused")
    attributes = {
        "gen_ai.tool.call.id": call["id"],
        "switchboard.delegation.task": order.task,
        "switchboard.delegation.constraints": order.constraints or None,
    }
    name, given = order.worker.name, order.constraints
    with span("delegate", name, attributes) as step:
        begin, meter, key = clock.now(), Piece(shared=run.budget), run.started(call["id"], order)
        cut_off = Failure("timeout", f"{name} was cut off before it was done")
        done = Delegation(
            call_id=key, worker=name, task=order.task, constraints=given, failure=cut_off
        )
        try:
            outcome, failure = None, run.repeated(order) or unlooked(run, order)
            if failure is None:
                failure = await objection(run, order)
            if failure is None and (said := undelivered(name)):
                failure = Failure("error", said, "unavailable")
            if failure is None:
                with meter.at_work():
                    outcome, failure = await while_healthy(run, order)
            result = outcome.answer if outcome else ""
            done = replace(done, result=result, failure=failure, outcome=outcome)
        finally:  # what is cut off has been begun all the same
            tokens, seconds = meter.read + meter.written, clock.now() - begin
            done = replace(done, tokens=tokens, seconds=seconds)
            run.completed(done)
        step.set("switchboard.delegation.status", done.status)
        if done.failure:
            step.fail(done.failure.error, kind=done.failure.kind)
    return tool_message(call, done.content())


def unlooked(run: SupervisorRun, order: Order) -> Failure | None:
    """Why an order for what the request makes hang on a condition waits, or is not carried out."""
    found = [each.result for each in run.delegations.values() if not each.failure]
    objection = in_the_way(order.words, run.context.messages, found, run.boss.tools)
    return Failure("refused", objection) if objection else None


async def while_healthy(run: SupervisorRun, order: Order) -> tuple[Result | None, Failure | None]:
    """As `confirmed`; who failed several times in a row is left alone for a while, whatever it is:
    an agent, a team, or a supervisor all of whose workers fail.
    """
    breaker, worked = run.breaker(order.worker.name), None
    try:
        probe = breaker.admit()
    except BreakerOpen as refusal:
        return None, Failure("error", str(refusal), "unavailable")
    try:
        outcome, failure = await confirmed(run, order)
        if failure is None or failure.kind not in ("limit", "refused"):  # those are not its fault
            worked = failure is None
    finally:
        breaker.settle(worked, probe=probe)
    return outcome, failure


async def confirmed(run: SupervisorRun, order: Order) -> tuple[Result | None, Failure | None]:
    """As `attempt`; what the worker's own check refuses is asked for once more, with the reason.

    A second result that it refuses too is kept, and fails as one that could not be confirmed.
    """
    check, words = settings_of(order.worker).check, order.constraints
    outcome, failure = await attempt(run, order)
    for last in (False, True):
        if check is None or failure or outcome is None:
            break
        name, found = order.worker.name, evidence_in(outcome.context)
        lacks = check(TaskResult(task_id=name, worker=name, result=outcome.answer, evidence=found))
        if not lacks:
            break
        if last:
            return outcome, Failure("unconfirmed", f"{name} could not confirm it: {lacks}")
        again = f"{words}\nThe first answer would not do: {lacks}".strip()
        outcome, failure = await attempt(run, replace(order, constraints=again))
    return outcome, failure


async def objection(run: SupervisorRun, order: Order) -> Failure | None:
    """Why an order may not be carried out, or None. Built in chapter 04."""
    boss, worker = run.boss, order.worker
    if run.refused_by:
        return Failure("limit", told(run.refused_by))
    if full := depth_reached(boss):
        return Failure("depth", told(full))
    policy = settings_of(worker).policy
    if policy == "never":
        return Failure("policy", f"'{worker.name}' may never be given a task; go on without it")
    if policy == "needs approval" and boss.approve is not None:
        question = Question(
            what=f"delegate to {worker.name}: {order.task}",
            details={"task": order.task, "constraints": order.constraints},
            asked_by=boss.name,
        )
        decision = await ask_approval(question, boss.approve, timeout=boss.approval_seconds)
        if not decision.approved:
            return Failure("refused", refused(f"delegating to {worker.name}", decision))
    return None


async def attempt(run: SupervisorRun, order: Order) -> tuple[Result | None, Failure | None]:
    """Let the worker do its task within the time, so that whatever goes wrong is a value.
    Built in chapter 04, exercise 4.4.

    Gives the worker's run, if it came to its end within the `delegation_seconds` of the
    run's `boss`, and why it has no result, or None if it has one. Only VirtualTimeError
    and UnexpectedRequest are raised: no supervisor can help a wrong experiment.
    """
    try:
        async with asyncio.timeout(run.boss.delegation_seconds) as deadline:
            outcome = await work(run, order)
    except (VirtualTimeError, UnexpectedRequest):
        raise
    except Exception as error:  # a worker that breaks must not take its siblings with it
        return None, broken(run, order.worker.name, error, late=deadline.expired())
    return outcome, shortfall(order.worker.name, outcome)


def shortfall(name: str, outcome: Result) -> Failure | None:
    """Why a worker's run is no result: stopped, empty, or a guess. Built in chapter 04."""
    if outcome.stop:
        stop = outcome.stop
        said = f"{stop.reason} is {stop.limit:g}, reached {stop.value:g}"
        return Failure("limit", f"{name} was stopped before it was done: {said}")
    if not outcome.answer.strip():
        return Failure("error", f"{name} gave an empty answer")
    if failed := outcome.failure:
        kind: Kind = "refused" if failed.kind == "refused" else "error"
        return Failure(kind, f"{name} could not do it: {failed.error}", failed.cause)
    return None


def broken(run: SupervisorRun, name: str, error: Exception, *, late: bool) -> Failure:
    """What an error means that ended a worker's run. Built in chapter 04."""
    if late and isinstance(error, TimeoutError):
        seconds = run.boss.delegation_seconds
        return Failure("timeout", f"{name} gave no answer within {seconds:g} s")
    if isinstance(error, BudgetExceeded):
        return Failure("limit", told(run.reach(error.stop), needs=error.needs))
    if isinstance(error, ModelError):
        return Failure("model", f"{name}: {error}")
    return Failure("error", f"{name} failed: {type(error).__name__}: {error}")


async def work(run: SupervisorRun, order: Order) -> Result:
    """A worker's run: its instructions and the task alone. Built in chapter 04."""
    worker, words = order.worker, order.words
    alone = {"attended": False} if isinstance(worker, Team) else {}  # nobody can be asked
    try:
        with one_deeper(run.boss), working_on(next_matter(worker.name)):
            result: Result = await carry_out(worker, words, client=run.client, **alone)
            return result
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # it is the run that is being cancelled
            raise
        raise RuntimeError("what it waited for was cancelled") from None


def one_deeper(boss: Supervisor) -> AbstractContextManager[None]:
    """Count one more delegation under way, within the `with` block and its tasks."""
    under_way, most = _depth.get()
    return within(_depth, (under_way + 1, min(most, under_way + boss.max_depth)))


def depth_reached(boss: Supervisor) -> Stop | None:
    """The limit of depth, its own or that of a supervisor above, if this one cannot delegate."""
    under_way, most = _depth.get()
    allowed = min(most, under_way + boss.max_depth)
    return Stop("max_depth", allowed, under_way) if under_way >= allowed else None
