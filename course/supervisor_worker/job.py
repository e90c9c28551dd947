"""One run of a supervisor that plans: carrying out the plan, in time, and anew if it must be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial

from course import clock
from course.errors import ModelError
from course.events import Event
from course.limits import Stop
from course.results import Failure, TaskResult
from course.runs import emit
from course.supervisor.workers import settings_of
from course.supervisor_worker.carrying import carry_out
from course.supervisor_worker.case import Shift
from course.supervisor_worker.events import PlanMade, TaskCompleted
from course.supervisor_worker.graph import urgency
from course.supervisor_worker.plan import Plan, PlanError
from course.supervisor_worker.planning import plan_anew, plans_before, unplanned
from course.supervisor_worker.schedule import schedule
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import PlanningSupervisor


@dataclass(kw_only=True)
class Job:
    """One run: what is asked, what there is so far, and where it is written down.

    Attributes:
        begin: when it began, in seconds on the loop's clock.
        failures: of the whole run, by "decomposition" or "aggregation".
    """

    boss: PlanningSupervisor
    request: str
    shift: Shift
    store: Store | None
    begin: float
    plan: Plan
    results: dict[str, TaskResult] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    failures: dict[str, Failure] = field(default_factory=dict)

    @property
    def end(self) -> float | None:
        """When its time is over, in seconds on the loop's clock; None if it has no limit."""
        seconds = self.boss.timeouts.plan
        return None if seconds is None else self.begin + seconds

    def finished(self, id: str, result: TaskResult) -> None:
        """Keep a result, write it down, and tell of it."""
        self.results[id] = result
        if self.store:
            self.store.save_result(self.shift.run_id, result)
        emit(TaskCompleted(system=self.boss.name, result=result))

    def adopt(self, plan: Plan, *, replaces: tuple[str, ...] = ()) -> None:
        """Go on with a plan, write it down, and tell of it."""
        self.plan = plan
        if self.store:
            self.store.save_plan(self.shift.run_id, plan)
        resumed = tuple(task.id for task in plan.tasks if task.id in self.results)
        emit(
            PlanMade(
                system=self.boss.name,
                plan=plan,
                replaces=replaces,
                resumed=resumed,
            )
        )


async def within_time(job: Job) -> None:
    """Carry out the plan until it is over or the time is.

    Built in chapter 08.
    """
    seconds = job.boss.timeouts.plan
    try:
        async with asyncio.timeout_at(job.end) as deadline:
            await carry_out_all(job)
    except TimeoutError:
        if not deadline.expired() or seconds is None:
            raise
        job.shift.stop = Stop("plan_seconds", seconds, clock.now() - job.begin)
        cut_short(job, seconds)


async def carry_out_all(job: Job) -> None:
    """Carry out the plan, and a new one for what failed as often as the policy says.

    Built in chapter 08.
    """
    boss = job.boss
    while True:
        takes = {t.id: settings_of(boss.registry.named[t.worker]).seconds for t in job.plan.tasks}
        await schedule(
            job.plan, partial(carry_out, job.shift), limit=boss.limit,
            priority=urgency(job.plan, takes), done=job.results, on_result=job.finished,
        )  # fmt: skip
        failed = [task for task in job.plan.tasks if not job.results[task.id].done]
        made = plans_before(job.plan)
        if boss.policy.downstream != "replan" or not failed or made >= boss.policy.replans:
            return
        try:
            plan = await plan_anew(job.plan, job.results, boss, job.shift, number=made + 1)
        except (PlanError, ModelError) as error:
            job.failures["decomposition"] = unplanned(error)
            return
        job.adopt(plan, replaces=tuple(task.id for task in failed))


def cut_short(job: Job, seconds: float) -> None:
    """Give every task that is not over the result that its time ran out, or the planning anew.

    Built in chapter 08.
    """
    if all(task.id in job.results for task in job.plan.tasks):  # it was being planned anew
        late = f"no new plan was there when the plan's {seconds:g} s were over"
        job.failures["decomposition"] = Failure("timeout", late, "limit")
    for task in job.plan.tasks:
        if task.id in job.results:
            continue
        case = job.shift.cases.get(task.id)
        when = "not finished" if case else "not begun"
        failure = Failure("timeout", f"{when} when the plan's {seconds:g} s were over", "limit")
        if case:
            case.failure = failure
        skipped = TaskResult(task_id=task.id, worker=task.worker, status="skipped", failure=failure)
        job.finished(task.id, case.result() if case else skipped)
