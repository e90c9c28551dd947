"""Settling on a plan before anything runs: the kept one, a given one, or one that is made now."""

from __future__ import annotations

import asyncio

from course.budget import BudgetExceeded
from course.errors import ModelError
from course.supervisor_worker.graph import remaining
from course.supervisor_worker.job import Job
from course.supervisor_worker.plan import Plan, PlanError, PlannerError
from course.supervisor_worker.planning import make_plan, verdict
from course.supervisor_worker.problems import problems
from course.trace import span


async def plan_in_time(job: Job, given: Plan | None) -> None:
    """Have a valid plan before the time of the whole run is over.

    Raises:
        PlanError: there is none, or not in time.
        PlannerError: the planner's model cannot be used.
        BudgetExceeded: not even a plan can be paid.
    """
    try:
        async with asyncio.timeout_at(job.end) as deadline:
            await settle_plan(job, given)
    except TimeoutError:
        if not deadline.expired():
            raise
        seconds = job.boss.timeouts.plan
        late = PlanError(f"there was no plan within {seconds:g} s: allow more time")
        late.kind = "timeout"
        raise late from None


async def settle_plan(job: Job, given: Plan | None) -> None:
    """Have a valid plan: the one that is given, the one that was made before, or a new one.

    Raises:
        PlanError: there is none.
        PlannerError: the planner's model cannot be used.
        BudgetExceeded: not even a plan can be paid.
    """
    store = job.store
    kept = store.plan(job.shift.run_id) if store else None
    if ready := kept or given:
        plan = taken_over(job, ready, kept=kept is not None)
    else:
        plan = await planned(job)
    job.adopt(plan)
    await asyncio.sleep(0)  # who reads the events can stop here, before the first task begins


async def planned(job: Job) -> Plan:
    """The plan that the supervisor's model writes.

    Raises:
        PlanError, PlannerError, BudgetExceeded: as `settle_plan`.
    """
    boss = job.boss
    try:
        return await make_plan(
            job.request, boss.registry, client=job.shift.client, model=boss.model,
            instructions=boss.instructions, most=boss.most_tasks, agent=f"{boss.name} planning",
        )  # fmt: skip
    except BudgetExceeded:
        raise
    except ModelError as error:
        raise PlannerError(f"no plan could be made: {error}") from error


def taken_over(job: Job, plan: Plan, *, kept: bool) -> Plan:
    """A plan that nobody has to make any more, checked: a step in the trace like one that is made.

    Where a run goes on, that step holds what is left of its plan, and names what was over before.

    Args:
        kept: it was valid when it was kept; since then only the workers may have changed.

    Raises:
        PlanError: it cannot be carried out.
    """
    boss = job.boss
    with span("plan", f"{boss.name} planning", {"switchboard.plan.given": True}) as step:
        found = problems(plan, boss.registry, most=boss.most_tasks)
        if kept:
            found = tuple(each for each in found if each.flaw == "unknown_worker")
        if not found:
            step.set("switchboard.plan", remaining(plan, job.results).to_json())
            over = [task.id for task in plan.tasks if task.id in job.results]
            step.set("switchboard.plan.resumed", ", ".join(over) or None)
            return plan
        error = PlanError(verdict(plan, found, boss.registry), plan=plan, problems=found)
        step.fail(str(error), kind="decomposition")
    raise error
