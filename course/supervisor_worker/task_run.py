"""One task from its start to its end: tries, rewriting, a worker's breaker, another worker, time.

Whatever goes wrong becomes a result of the task, so that one failure never takes the rest of the
plan with it. Asking the same thing again helps when luck was bad. It does not help when a search
found 240 documents because no year was named: then the task itself has to change, and the error
says how.

Source: verbal feedback instead of repetition, Reflexion (Shinn et al., NeurIPS 2023).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager

from course import clock
from course.agent import Agent
from course.chat import complete
from course.context import Context
from course.errors import ModelError
from course.models.breaker import BreakerOpen
from course.models.names import SMALL
from course.models.time_limit import time_limit
from course.models.wire import AsyncOpenAI, Key
from course.results import Failure, TaskResult
from course.runs import emit, working_on
from course.supervisor_worker.attempt import attempt
from course.supervisor_worker.plan import PlanTask
from course.supervisor_worker.plan_run import PlanRun, TaskInProgress, TaskRetried, TaskStarted
from course.trace import span

REFINE_INSTRUCTIONS = """\
A worker could not do the task below. Rewrite the task so that it can: keep what is asked for, and
change what the error says is wrong, missing or too wide. The worker sees nothing but the task.
Answer with the new task alone."""


async def carry_out_task(
    run: PlanRun, task: PlanTask, results: Mapping[str, TaskResult]
) -> TaskResult:
    """Do one task of a plan, given the results of its dependencies, failed ones among them.
    Built in chapter 07; what happens when something fails, in chapter 08.

    Returns:
        Its result. Failing is one, and so is being skipped because a dependency failed.
    """
    missing = {id: str(each.failure) for id, each in results.items() if not each.done}
    if missing and run.boss.failure_policy.downstream != "mark":
        error = f"not begun, for want of {', '.join(missing)}"
        return skipped(task, Failure("worker", error, "dependency"), without=tuple(missing))
    given = {id: each for id, each in results.items() if each.done}
    doing = TaskInProgress(task=task, given=given, missing=missing, begin=clock.now())
    earlier = run.earlier.get(task.id, ())  # go on where an interrupted run was, in its words
    doing.tries = [each for each in earlier if each.failure]
    doing.words = doing.tries[-1].words if doing.tries else task.description
    doing.new_words = "".join(each.words for each in earlier if not each.failure)
    run.tasks[task.id] = doing
    attributes = {
        "switchboard.task.id": task.id,
        "switchboard.task.worker": task.worker,
        "switchboard.task.description": task.description,
        "switchboard.task.dependencies": ", ".join(task.dependencies) or None,
        "switchboard.task.without": ", ".join(missing) or None,
    }
    emit(TaskStarted(system=run.boss.name, task_id=task.id, worker=task.worker))
    with span("dispatch", task.id, attributes) as step, doing.meter.in_force():
        doing.step = step
        async with in_time(run, doing):
            for worker, last in takers(run, doing):
                await with_one(run, doing, worker, last=last)
        step.set("switchboard.task.status", "failed" if doing.failure else "done")
        step.set("switchboard.task.attempts", len(doing.tries))
        step.set("switchboard.task.result", doing.answer or None)
        if doing.failure:
            step.fail(doing.failure.error, kind=doing.failure.kind)
    return doing.result()


def skipped(task: PlanTask, failure: Failure, without: tuple[str, ...] = ()) -> TaskResult:
    """The result of a task that is not begun, for what it builds on is missing or time is over.
    Used in chapter 08.
    """
    return TaskResult(
        task_id=task.id, worker=task.worker, status="skipped", failure=failure, without=without
    )


@asynccontextmanager
async def in_time(run: PlanRun, doing: TaskInProgress) -> AsyncIterator[None]:
    """Give all tries of a task, in the block, its time; it has failed when that is over.
    Built in chapter 08.
    """
    seconds = run.boss.timeouts.task
    try:
        async with time_limit(seconds) as deadline:
            yield
    except TimeoutError:
        if not deadline.expired():
            raise
        doing.failure = Failure("timeout", f"no result within {seconds:g} s", "unavailable")


def takers(run: PlanRun, doing: TaskInProgress) -> Iterator[tuple[Agent, bool]]:
    """Who tries a task: its worker, then others while it is the worker that fails.
    Built in chapter 08.

    Yields:
        A worker, and whether nobody else is left.
    """
    registry = run.boss.registry
    first = registry.named[doing.task.worker]
    workers = (first, *registry.stand_ins(first.name))
    for worker in workers[given_up(doing, workers) :]:
        yield worker, worker is workers[-1]
        if doing.failure is None or doing.failure.cause in ("task", "limit"):
            return


def given_up(doing: TaskInProgress, workers: Sequence[Agent]) -> int:
    """How many of the workers an interrupted run gave up: those before the last that tried."""
    names = [worker.name for worker in workers]
    return max((names.index(t.worker) for t in doing.tries if t.worker in names), default=0)


async def with_one(run: PlanRun, doing: TaskInProgress, worker: Agent, *, last: bool) -> None:
    """Try a task with one worker until it works or its tries are used up.
    Built in chapter 08, exercise 8.4.

    Args:
        last: nobody else can do it, so a worker that is left alone is waited for, once.
    """
    policy = run.boss.failure_policy
    most = 1 if policy.retry == "never" else policy.tries
    made = sum(each.worker == worker.name for each in doing.tries)
    doing.failure = doing.tries[-1].failure if doing.tries else None
    while made < most and (made == 0 or helps(doing.failure)):
        if made:
            await prepare(run, doing, worker, made)
        made += 1
        if not await through_breaker(run, doing, worker, last=last, used_up=made == most):
            return


async def through_breaker(
    run: PlanRun, doing: TaskInProgress, worker: Agent, *, last: bool, used_up: bool
) -> bool:
    """One try of a task, if the worker's breaker lets it; it hears how that ended.
    Built in chapter 08.

    Args:
        last: nobody else can do it, so wait for a worker that is left alone instead of
            giving up.
        used_up: it is the last try by this worker.

    Returns:
        Whether it was tried.
    """
    breaker = run.breaker(worker.name)
    try:
        probe = await breaker.enter() if last else breaker.admit()
    except BreakerOpen as refusal:
        doing.failure = Failure("worker", str(refusal), "unavailable")
        return False
    worked: bool | None = None
    try:
        doing.failure = await attempt(run, doing, worker)
        worked = counts(doing.failure, used_up=used_up)
    finally:
        breaker.settle(worked, probe=probe)
    return True


def helps(failure: Failure | None) -> bool:
    """Whether another try by the same worker may help."""
    return failure is not None and failure.cause in ("task", "unavailable")


def counts(failure: Failure | None, *, used_up: bool) -> bool | None:
    """What a try says about the worker: it works (True), it fails (False), or nothing.
    Built in chapter 08.

    A task that was put badly is not the worker's fault, until it was put in several
    ways.
    """
    if failure is None:
        return True
    if failure.cause == "limit" or (failure.cause == "task" and not used_up):
        return None
    return False


async def prepare(run: PlanRun, doing: TaskInProgress, worker: Agent, made: int) -> None:
    """Before another try: put the task differently, or wait, as the failure asks for.
    Built in chapter 08.
    """
    policy, failure = run.boss.failure_policy, doing.failure
    assert failure is not None
    if failure.cause == "unavailable":
        key = Key(run.name, worker.name, made, matter=doing.task.id)
        seconds = policy.backoff.wait(made, key=key)
        with span("wait", "backoff", {"switchboard.error": failure.error}):
            await asyncio.sleep(seconds)
    elif policy.retry == "refine":
        with working_on(doing.task.id, role="retry"):
            doing.words = doing.new_words or await refine(
                doing.tries[-1].words,
                failure,
                worker,
                client=run.client,
                model=run.boss.model,
                agent=f"{run.boss.name} refining",
            )
    told = TaskRetried(
        system=run.boss.name,
        task_id=doing.task.id,
        worker=worker.name,
        failure=failure,
        words=doing.words,
    )
    emit(told)


async def refine(
    words: str,
    failure: Failure,
    worker: Agent,
    *,
    client: AsyncOpenAI,
    model: str = SMALL,
    agent: str = "refiner",
) -> str:
    """Let a model rewrite a task that failed. Built in chapter 08, exercise 8.2.

    Args:
        words: the task as it was put.
        failure: what went wrong; its error is in the request.
        worker: who is to do it.
        client: reaches the model.
        model: rewrites.
        agent: in whose name it is asked.

    Returns:
        Other words than before. If the model cannot be used or repeats them, the old
        ones with the error added.
    """
    told = f"Task: {words}\n\nError: {failure.error}\n\nWorker: {worker.name}, {worker.description}"
    body = {"model": model, "messages": Context.of(told, instructions=REFINE_INSTRUCTIONS).messages}
    with span("refine", worker.name, {"switchboard.error": failure.error}) as step:
        try:
            answer = await complete(client, body, agent=agent, role="refine")
        except ModelError as error:
            step.fail(str(error), kind="ModelError")
            return by_hand(words, failure)
        new = str(answer.message.get("content") or "").strip().removeprefix("Task:").strip()
        step.set("switchboard.task.words", new)
    return new if new and new != words else by_hand(words, failure)


def by_hand(words: str, failure: Failure) -> str:
    """The task with its error added, where no model rewrites it."""
    return f"{words.rstrip('.')}. Avoid what went wrong before: {failure.error}"
