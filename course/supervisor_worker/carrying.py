"""One task from its start to its end: tries, rewriting, a worker's breaker, another worker, time.

Whatever goes wrong becomes a result of the task, so that one failure never takes the rest of the
plan with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from course import clock
from course.agent import Agent
from course.models.breaker import BreakerOpen
from course.models.patience import patience
from course.models.wire import Key
from course.results import Failure, TaskResult
from course.runs import emit
from course.supervisor_worker.case import Case, Shift
from course.supervisor_worker.events import TaskRetried, TaskStarted
from course.supervisor_worker.plan import Task
from course.supervisor_worker.refining import refine
from course.supervisor_worker.trying import attempt
from course.supervisor_worker.working import given_to
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
    case = opened(shift, task, given_to(task, results), missing)
    shift.cases[task.id] = case
    attributes = {
        "switchboard.task.id": task.id,
        "switchboard.task.worker": task.worker,
        "switchboard.task.description": task.description,
        "switchboard.task.dependencies": ", ".join(task.dependencies) or None,
        "switchboard.task.without": ", ".join(missing) or None,
    }
    emit(TaskStarted(system=shift.boss.name, task_id=task.id, worker=task.worker))
    with span("dispatch", task.id, attributes) as step, case.meter.in_force():
        case.step = step
        await in_time(shift, case)
        step.set("switchboard.task.status", "failed" if case.failure else "done")
        step.set("switchboard.task.attempts", len(case.tries))
        step.set("switchboard.task.result", case.answer or None)
        if case.failure:
            step.fail(case.failure.error, kind=case.failure.kind)
    return case.result()


def opened(
    shift: Shift, task: Task, given: Mapping[str, TaskResult], missing: Mapping[str, str]
) -> Case:
    """A task that begins, or goes on where an interrupted run was with it, in the same words."""
    case = Case(task=task, given=given, missing=missing, begin=clock.now())
    case.tries = list(shift.earlier.get(task.id, ()))
    case.words = case.tries[-1].words if case.tries else task.description
    if under_way := shift.begun.get(task.id):
        case.new_words = under_way.words
    return case


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
    """Try a task with its worker, then with others while it is the worker that fails.

    Built in chapter 08.
    """
    registry = shift.boss.registry
    first = registry.named[case.task.worker]
    workers = (first, *registry.stand_ins(first.name))
    for worker in workers[given_up(case, workers) :]:
        await with_one(shift, case, worker, last=worker is workers[-1])
        if case.failure is None or case.failure.cause in ("task", "limit"):
            return


def given_up(case: Case, workers: Sequence[Agent]) -> int:
    """How many of the workers an interrupted run gave up: those before the last that tried."""
    names = [worker.name for worker in workers]
    return max((names.index(t.worker) for t in case.tries if t.worker in names), default=0)


async def with_one(shift: Shift, case: Case, worker: Agent, *, last: bool) -> None:
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
    shift: Shift, case: Case, worker: Agent, *, last: bool, used_up: bool
) -> bool:
    """One try of a task, if the worker's breaker lets it; it hears how that ended.

    Args:
        last: nobody else can do it, so wait for a worker that is left alone instead of
            giving up.
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

    A task that was put badly is not the worker's fault, until it was put in several
    ways.

    Built in chapter 08.
    """
    if failure is None:
        return True
    if failure.cause == "limit" or (failure.cause == "task" and not used_up):
        return None
    return False


async def prepare(shift: Shift, case: Case, worker: Agent, made: int) -> None:
    """Before another try: put the task differently, or wait, as the failure asks for.

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
        case.words = case.new_words or await refine(
            case.tries[-1].words,
            failure,
            worker,
            client=shift.client,
            model=shift.boss.model,
            agent=f"{shift.boss.name} refining",
        )
    told = TaskRetried(
        system=shift.boss.name,
        task_id=case.task.id,
        worker=worker.name,
        failure=failure,
        words=case.words,
    )
    emit(told)
