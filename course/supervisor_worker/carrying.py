"""One task from its start to its end: tries, rewriting, a worker's breaker, another worker, time.

Whatever goes wrong becomes a result of the task, so that one failure never takes the rest of the
plan with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from textwrap import shorten

from course import agent, clock
from course.agent import Result
from course.budget import BudgetExceeded
from course.errors import ModelError, UnexpectedRequest, VirtualTimeError
from course.models.wire import Key
from course.supervisor_worker.breaker import BreakerOpen
from course.supervisor_worker.case import Case, Shift
from course.supervisor_worker.events import TaskRetried, TaskStarted
from course.supervisor_worker.patience import patience
from course.supervisor_worker.plan import PlanError, Task
from course.supervisor_worker.refining import refine
from course.supervisor_worker.registry import Worker
from course.supervisor_worker.results import Attempt, Failure, TaskResult
from course.supervisor_worker.supervisor import PlanningSupervisor, PlanResult
from course.supervisor_worker.working import (
    briefing,
    evidence_in,
    given_to,
    shortfall,
    words_for,
)
from course.trace import span


async def carry_out(shift: Shift, task: Task, results: Mapping[str, TaskResult]) -> TaskResult:
    """Do one task of a plan, given the results of its dependencies, failed ones among them.

    Returns:
        Its result. Failing is one, and so is being skipped because a dependency failed.

    Built in chapter 07; what happens when something fails, in chapter 08.
    """
    missing = {id: str(each.failure) for id, each in results.items() if not each.done}
    if missing and shift.boss.policy.downstream != "mark":
        return skipped(task, missing)
    case = Case(task=task, given=given_to(task, results), missing=missing, words=task.description)
    case.tries, case.begin = list(shift.earlier.get(task.id, ())), clock.now()
    shift.cases[task.id] = case
    attributes = {
        "switchboard.task.id": task.id,
        "switchboard.task.worker": task.worker,
        "switchboard.task.description": task.description,
        "switchboard.task.dependencies": ", ".join(task.dependencies) or None,
        "switchboard.task.without": ", ".join(missing) or None,
    }
    shift.tell(
        TaskStarted(supervisor=shift.boss.name, task_id=task.id, worker=task.worker, at=clock.now())
    )
    with span("dispatch", task.id, attributes) as step, case.meter.in_force():
        case.step = step
        await in_time(shift, case)
        step.set("switchboard.task.status", "failed" if case.failure else "done")
        step.set("switchboard.task.attempts", len(case.tries))
        step.set("switchboard.task.result", case.answer or None)
        if case.failure:
            step.fail(case.failure.error, kind=case.failure.kind)
    return case.result()


def skipped(task: Task, missing: Mapping[str, str]) -> TaskResult:
    """The result of a task that is not begun, because what it builds on is missing.

    Built in chapter 08.
    """
    error = f"not begun, for want of {', '.join(missing)}"
    return TaskResult(
        task_id=task.id,
        worker=task.worker,
        status="skipped",
        failure=Failure("worker", error, "dependency"),
        without=tuple(missing),
    )


async def in_time(shift: Shift, case: Case) -> None:
    """Try a task with its worker and those that stand in for it, within its time.

    Built in chapter 08.
    """
    seconds = shift.boss.timeouts.task
    try:
        async with patience(seconds) as deadline:
            await with_all(shift, case)
    except TimeoutError:
        if not deadline.expired():
            raise
        case.failure = Failure("timeout", f"no result within {seconds:g} s", "unavailable")


async def with_all(shift: Shift, case: Case) -> None:
    """Try a task with its own worker, then with others while it is the worker that fails.

    Built in chapter 08.
    """
    registry = shift.boss.registry
    first = registry.named[case.task.worker]
    workers = (first, *registry.stand_ins(first.name))
    for worker in workers:
        await with_one(shift, case, worker, last=worker is workers[-1])
        if case.failure is None or case.failure.cause in ("task", "limit"):
            return


async def with_one(shift: Shift, case: Case, worker: Worker, *, last: bool) -> None:
    """Try a task with one worker until it works or its tries are used up.

    Args:
        last: nobody else can do it, so a worker that is left alone is waited for, once.

    Built in chapter 08, exercise 8.4.
    """
    policy = shift.boss.policy
    most = 1 if policy.retry == "never" else policy.tries
    made = sum(each.worker == worker.name for each in case.tries)
    case.failure = case.tries[-1].failure if case.tries else None
    while made < most and (made == 0 or helps(case.failure)):
        if made:
            await prepare(shift, case, worker, made)
        made += 1
        if not await through_breaker(shift, case, worker, last=last, used_up=made == most):
            return


async def through_breaker(
    shift: Shift, case: Case, worker: Worker, *, last: bool, used_up: bool
) -> bool:
    """One try of a task, if the worker's breaker lets it through; the breaker hears how it ended.

    Args:
        last: nobody else can do it, so wait for a worker that is left alone instead of giving up.
        used_up: it is the last try by this worker.

    Returns:
        Whether it was tried.

    Built in chapter 08.
    """
    breaker = shift.breaker(worker.name)
    try:
        probe = await breaker.enter() if last else breaker.admit()
    except BreakerOpen as refusal:
        case.failure = Failure("worker", str(refusal), "unavailable")
        return False
    worked: bool | None = None
    try:
        case.failure = await attempt(shift, case, worker)
        worked = counts(case.failure, used_up=used_up)
    finally:
        breaker.settle(worked, probe=probe)
    return True


def helps(failure: Failure | None) -> bool:
    """Whether another try by the same worker may help."""
    return failure is not None and failure.cause in ("task", "unavailable")


def counts(failure: Failure | None, *, used_up: bool) -> bool | None:
    """What a try says about the worker: it works (True), it fails (False), or nothing.

    A task that was put badly is not the worker's fault, until it was put in several ways.

    Built in chapter 08.
    """
    if failure is None:
        return True
    if failure.cause == "limit" or (failure.cause == "task" and not used_up):
        return None
    return False


async def prepare(shift: Shift, case: Case, worker: Worker, made: int) -> None:
    """Before another try: put the task differently, or wait, as the last failure asks for.

    Built in chapter 08.
    """
    policy, failure = shift.boss.policy, case.failure
    assert failure is not None
    name = f"{shift.run_id}/{case.task.id}"
    if failure.cause == "unavailable":
        seconds = policy.backoff.wait(made, key=Key(name, worker.name, made))
        with span("wait", "backoff", {"switchboard.error": failure.error}):
            await asyncio.sleep(seconds)
    elif policy.retry == "refine":
        case.words = await refine(
            case.tries[-1].words,
            failure,
            worker,
            client=shift.client,
            model=shift.boss.model,
            agent=f"{shift.boss.name} refining",
            call=made,
            run_id=name,
        )
    told = TaskRetried(
        supervisor=shift.boss.name,
        task_id=case.task.id,
        worker=worker.name,
        failure=failure,
        words=case.words,
        at=clock.now(),
    )
    shift.tell(told)


async def attempt(shift: Shift, case: Case, worker: Worker) -> Failure | None:
    """Let a worker try a task once, and look at what it did.

    Returns:
        Why there is no result, or None; `case` holds what was said and done.

    Built in chapter 06; the failures in chapter 08.
    """
    begin, number = clock.now(), len(case.tries) + 1
    error = case.tries[-1].failure.error if case.tries and case.tries[-1].failure else ""
    if shift.boss.policy.retry == "repeat":
        error = ""  # the plain policy: the very same words
    words = words_for(case.words, case.given, error=error, missing=case.missing)
    case.worker = worker.name
    failure: Failure | None
    try:
        run = await work(shift, worker, words, f"{shift.run_id}/{case.task.id}/{number}")
        failure = looked_at(case, worker, run)
        shift.heard(run.stop)
    except (VirtualTimeError, UnexpectedRequest):
        raise  # the experiment is set up wrongly; no retry can help
    except BudgetExceeded as error_:
        shift.stop = shift.stop or error_.stop
        failure = Failure("worker", str(error_), "limit")
    except ModelError as error_:
        failure = Failure("worker", str(error_), "model")
    except PlanError as error_:  # of a worker that plans itself
        failure = Failure("decomposition", str(error_))
    except asyncio.CancelledError:
        here = asyncio.current_task()
        if here is None or here.cancelling():  # it is this run that is being cancelled
            raise
        failure = Failure("worker", "what it waited for was cancelled", "unavailable")
    except Exception as error_:  # a worker that breaks must not take the others with it
        failure = Failure("worker", f"{type(error_).__name__}: {error_}", "unavailable")
    case.tried(Attempt(worker.name, case.words, failure, clock.now() - begin))
    if failure:  # a try that worked is kept with its result, or else it is there without one
        shift.keep(case.task.id, case.tries[-1])
    return failure


def looked_at(case: Case, worker: Worker, run: Result) -> Failure | None:
    """Take over what a worker said and did, and say what it lacks."""
    case.answer, case.evidence, case.failure = run.answer.strip(), evidence_in(run.context), None
    lack = shortfall(run, case.evidence)
    if isinstance(run, PlanResult):  # its answer says itself what it lacks, unless that is all
        case.evidence = tuple(each for source in run.sources.values() for each in source)
        lack = None if run.sources else (nothing_done(run), "task")
    if lack is None and worker.check is not None:
        reason = worker.check(case.result())
        return Failure("worker", reason) if reason else None
    return Failure("worker", *lack) if lack else None


def nothing_done(run: PlanResult) -> str:
    """Why a team's run has no result at all: what each of its tasks met, in a line.

    Built in chapter 10.
    """
    reasons = "; ".join(f"{id}: {each.error}" for id, each in run.failures.items())
    return shorten(f"none of its tasks has a result ({reasons})", 400, placeholder=" ...")


async def work(shift: Shift, worker: Worker, words: str, run_id: str) -> Result:
    """One run of a worker in a context of its own: its instructions and these words."""
    if isinstance(worker, PlanningSupervisor):
        inner: Result = await shift.lead(
            worker, words, client=shift.client, run_id=run_id, tell=shift.tell
        )
        return inner
    told = replace(worker, instructions=briefing(worker.instructions))
    return await agent.run(told, words, client=shift.client, run_id=run_id)
