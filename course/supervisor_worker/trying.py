"""One try at a task: a worker, or a team, does it, and what came of it is looked at."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from textwrap import shorten
from typing import Any

from course import clock
from course.agent import Agent
from course.budget import BudgetExceeded
from course.errors import ModelError, UnexpectedRequest, VirtualTimeError
from course.results import Attempt, Cause, Failure
from course.runs import working_on
from course.supervisor.workers import settings_of
from course.supervisor_worker.case import Case, Shift
from course.supervisor_worker.plan import PlanError, Task
from course.supervisor_worker.planning import unplanned
from course.supervisor_worker.supervisor import PlanningSupervisor, PlanResult
from course.supervisor_worker.working import briefing, evidence_in, shortfall, words_for
from course.systems import Result, carry_out


async def attempt(shift: Shift, case: Case, worker: Agent) -> Failure | None:
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
    case.worker, case.new_words = worker.name, ""
    if case.tries:  # its words may be a model's, which would not choose the same ones again
        shift.keep(case.task.id, Attempt(worker.name, case.words))
    failure: Failure | None
    try:
        run = await work(shift, case.task, worker, words, number)
        failure = looked_at(case, worker, run)
        shift.heard(run.stop)
    except asyncio.CancelledError:
        here = asyncio.current_task()
        if here is None or here.cancelling():  # it is this run that is being cancelled
            raise
        failure = Failure("worker", "what it waited for was cancelled", "unavailable")
    except (VirtualTimeError, UnexpectedRequest):
        raise  # the experiment is set up wrongly; no retry can help
    except Exception as error_:  # a worker that breaks must not take the others with it
        failure = failure_of(error_)
        if isinstance(error_, BudgetExceeded):
            shift.stop = shift.stop or error_.stop
    case.tried(Attempt(worker.name, case.words, failure, clock.now() - begin))
    if failure:  # a try that worked is kept with its result, or else it is there without one
        shift.keep(case.task.id, case.tries[-1])
    return failure


def failure_of(error: Exception) -> Failure:
    """What an error says about a try that it ended."""
    if isinstance(error, BudgetExceeded):
        return Failure("worker", str(error), "limit")
    if isinstance(error, ModelError):  # a team's planner that cannot be reached among them
        return Failure("worker", str(error), "model")
    if isinstance(error, PlanError):  # of a worker that plans itself
        return unplanned(error)
    return Failure("worker", f"{type(error).__name__}: {error}", "unavailable")


def looked_at(case: Case, worker: Agent, run: Result) -> Failure | None:
    """Take over what a worker said and did, and say what it lacks."""
    case.answer, case.evidence, case.failure = run.answer.strip(), evidence_in(run.context), None
    lack = shortfall(run, case.evidence)
    case.gaps, case.contradictions = (), ()
    if isinstance(run, PlanResult):
        case.evidence = tuple(each for source in run.sources.values() for each in source)
        case.gaps, case.contradictions = run.gaps, run.contradictions
        cause: Cause = "model" if helpless(run) else "task"
        lack = None if run.sources else (nothing_done(run), cause)
    check = settings_of(worker).check
    if lack is None and check is not None:
        reason = check(case.result())
        return Failure("worker", reason) if reason else None
    return Failure("worker", *lack) if lack else None


def nothing_done(run: PlanResult) -> str:
    """Why a team's run has no result at all: what each of its tasks met, in a line.

    Built in chapter 10.
    """
    reasons = "; ".join(f"{id}: {each.error}" for id, each in run.failures.items())
    return shorten(f"none of its tasks has a result ({reasons})", 400, placeholder=" ...")


def helpless(result: PlanResult) -> bool:
    """Whether a run has no result because nothing answered, rather than for its tasks.

    Built in chapter 10.
    """
    failures = [each.failure for each in result.results.values()]
    return all(f and f.cause in ("model", "unavailable", "dependency") for f in failures)


async def work(shift: Shift, task: Task, worker: Agent, words: str, number: int) -> Result:
    """One run of a worker in a context of its own: its instructions and these words."""
    options: dict[str, Any] = {}
    if isinstance(worker, PlanningSupervisor):  # its tasks are kept too, under a name of their own
        name = f"{shift.run_id}/{task.id}/{number}"
        if worker.name != task.worker:
            name += f" by {worker.name}"  # in the store it is not the other team's run
        if shift.store:
            name = shift.store.free_name(name, words)
        options = {"store": shift.store, "name": name}
    else:
        worker = replace(worker, instructions=briefing(worker.instructions))
    with working_on(f"{task.id}/{number}"):
        result: Result = await carry_out(worker, words, client=shift.client, **options)
        return result
