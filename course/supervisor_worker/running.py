"""The run of a supervisor that plans: plan, carry out, plan anew if it must be, answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from course import clock
from course.answers import Usage
from course.budget import BudgetExceeded
from course.chat import assistant_message
from course.context import Context
from course.errors import ConfigurationError, ModelError, refuse_empty
from course.fallback import Taken, Unsettled, leads_to_person, reach_person, take_over
from course.limits import in_time
from course.models.line import guarded
from course.models.rates import RateLimit
from course.models.wire import AsyncOpenAI
from course.person import from_a_person
from course.results import Failure
from course.runs import Run, current_run, leading
from course.session import ToolAttempt
from course.supervisor.supervisor import settings_of
from course.supervisor_worker.aggregate import Aggregated, Material, aggregate, listing, size
from course.supervisor_worker.plan import (
    Plan,
    PlanError,
    PlannerError,
    failure_of,
    half_a_character,
    remaining,
    urgency,
)
from course.supervisor_worker.planning import (
    plan_anew,
    planned,
    problems,
    verdict,
)
from course.supervisor_worker.schedule import schedule
from course.supervisor_worker.selecting import candidates, select, strategy_of, without_strategy
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import (
    LEAST_CONTEXT,
    PlanningSupervisor,
    PlanResult,
    PlanRun,
)
from course.supervisor_worker.task_run import carry_out_task, skipped
from course.supervisor_worker.telling import told
from course.systems import carry_out
from course.team.human import HUMAN
from course.trace import span


@carry_out.register(PlanningSupervisor)
async def run_plan(
    boss: PlanningSupervisor,
    request: str,
    *,
    client: AsyncOpenAI,
    plan: Plan | None = None,
    store: Store | None = None,
    name: str = "",
) -> PlanResult:
    """Let a supervisor plan a request, have the plan carried out, and make one answer of it.

    Failed tasks, limits and a plan that ran out of time are results, not errors. `plan` is carried
    out instead of a new one; `store` keeps what is done, under `name` or the run's id, and a run of
    the same name goes on where it was.

    Raises, before anything was run, and where no `fallback` takes over: PlanError: no plan, or not
    in time; PlannerError, a ModelError: the planner's model cannot be used; BudgetExceeded: not
    even a plan can be paid. Their `instead` is what a person hears. Raises besides:
    PlanError: a plan that was given has problems; ConfigurationError, ValueError: something is of
    another kind, or empty, or another's name.
    """
    refuse_misuse(request, plan=plan, store=store)
    if plan is None and from_a_person() and (reached := await person_for(boss, request, client)):
        return reached
    outer = current_run()
    id = outer.id if outer else "run"
    run = _opened(boss, request, client, name or id, store)
    budget = run.budget
    here = Run(id, run.events.append, outer=outer)
    attributes = {"gen_ai.agent.name": boss.name}
    with here.active(), span("invoke_agent", boss.name, attributes) as step, leading(boss.name):
        with budget.in_force():
            await plan_in_time(run, plan)
            async with in_plan_time(run):
                while not run.planless:
                    await schedule(
                        run.plan, partial(carry_out_task, run), limit=boss.limit,
                        priority=priorities(run), done=run.results, on_result=run.finished,
                    )  # fmt: skip
                    if not await planned_anew(run):
                        break
        with budget.in_force(last=True):
            taken = await handed_over(run)
            made = told_of(run, taken) if taken or run.planless else await answer(run)
        # else another run may have an answer written
        if store and made.failure is None and not run.planless:
            store.save_answer(run.name, made.answer)
        step.used(budget.read, budget.written, run.stop)
    results = {task.id: run.results[task.id] for task in run.plan.tasks}
    failed = {id: each.failure for id, each in results.items() if each.failure}
    result = PlanResult(
        answer=made.answer,
        context=Context.of(run.request).add(assistant_message(made.answer)),
        usage=Usage(budget.read, budget.written),
        stop=run.stop,
        plan=run.plan,
        results=results,
        gaps=made.gaps,
        contradictions=made.contradictions,
        failures={**failed, **run.failures},
        escalated_to=taken.to if taken else None,
        ticket=taken.ticket if taken else None,
        events=tuple(run.events),
    )
    if run.planless and not taken:
        run.planless.instead, run.planless.ended = result, boss
        raise run.planless
    return result


async def person_for(
    boss: PlanningSupervisor, request: str, client: AsyncOpenAI
) -> PlanResult | None:
    """The answer to somebody who asks for a person, without a plan; None for everything else, and
    where one of the workers may lead to one.
    """
    taken = await reach_person(boss.fallback, request, sender=boss.name, client=client)
    if taken is None or (not taken.to and any(map(leads_to_person, boss.workers))):
        return None
    return PlanResult(
        answer=taken.answer,
        context=Context.of(request).add(assistant_message(taken.answer)),
        usage=Usage(),
        stop=None,
        plan=Plan(goal="", tasks=()),
        results={},
        escalated_to=taken.to or None,
        ticket=taken.ticket,
    )


def refuse_misuse(request: Any, *, plan: Any, store: Any) -> None:
    """Refuse what is of another kind, in a line with the way out, before anything is asked."""
    plans = "Plan.from_json(text) or Plan.model_validate(values)"
    for given, kind, way in ((plan, Plan, plans), (store, Store, "Store(path)")):
        if given is not None and not isinstance(given, kind):
            what = f"{kind.__name__.lower()} is a {kind.__name__}"
            raise ConfigurationError(f"{what}, not {type(given).__name__}: {way}")
    refuse_empty(request)
    if half_a_character(request):
        raise ValueError("the request holds half a character (a lone surrogate): leave it out")


def _opened(
    boss: PlanningSupervisor, request: str, client: AsyncOpenAI, name: str, store: Store | None
) -> PlanRun:
    """A run that begins now, or goes on with what the store has of it."""
    rate = RateLimit(
        requests_per_minute=boss.requests_per_minute, tokens_per_minute=boss.tokens_per_minute
    )
    backoff, seconds = boss.failure_policy.backoff, boss.timeouts.call
    line = guarded(client, rate=rate, backoff=backoff, timeout=seconds)
    run = PlanRun(boss=boss, request=request, client=line, name=name, store=store)
    if store:
        store.begin(name, request)
        run.earlier, run.results = store.attempts(name), store.results(name)
        run.plans_made = store.plans_made(name)
    return run


async def plan_in_time(run: PlanRun, given: Plan | None) -> None:
    """Have a valid plan before the run's time is over: the kept, the given, or a new one.

    Where none can be made, `planless` of the run says why.
    """
    kept = run.store.plan(run.name) if run.store else None
    if ready := kept or given:
        run.adopt(taken_over(run, ready, kept=kept is not None))
    else:
        try:
            async with in_time(run.time):
                run.adopt(await planned(run, run.request, run.boss.registry))
            if late := run.time.stop:
                error = PlanError(f"there was no plan {run.time.when}: allow more time")
                error.kind, run.planless, run.stop = "timeout", error, late
        except BudgetExceeded as spent:
            run.planless, run.stop = spent, spent.stop
        except PlanError as refusal:
            run.planless = refusal
        except ModelError as broken:
            run.planless = PlannerError(f"no plan could be made: {broken}")
            run.planless.__cause__ = broken
    if run.planless:
        run.failures["decomposition"] = failure_of(run.planless, "decomposition")
    await asyncio.sleep(0)  # who reads the events can stop here, before the first task


def taken_over(run: PlanRun, plan: Plan, *, kept: bool) -> Plan:
    """A plan that nobody has to make any more, checked: a step in the trace like one that is made.

    Of one that was `kept` only the workers may have changed since; the step holds what is left.
    """
    boss = run.boss
    with span("plan", f"{boss.name} planning", {"switchboard.plan.given": True}) as step:
        found = problems(plan, boss.registry, most=boss.most_tasks)
        if kept:
            found = tuple(each for each in found if each.flaw == "unknown_worker")
        if not found:
            step.set("switchboard.plan", remaining(plan, run.results).to_json())
            over = [task.id for task in plan.tasks if task.id in run.results]
            step.set("switchboard.plan.resumed", ", ".join(over) or None)
            return plan
        error = PlanError(verdict(plan, found, boss.registry), plan=plan, problems=found)
        step.fail(str(error), kind="decomposition")
    raise error


@asynccontextmanager
async def in_plan_time(run: PlanRun) -> AsyncIterator[None]:
    """Carry the plan out in the block, until its time ends. Built in chapter 08."""
    async with in_time(run.time):
        yield
    if run.time.stop and not run.planless:
        run.stop = run.time.stop
        cut_short(run, run.time.when)


def priorities(run: PlanRun) -> dict[str, float]:
    """How urgent each task is: the seconds of the longest chain that begins with it."""
    named = run.boss.registry.named
    return urgency(run.plan, {t.id: settings_of(named[t.worker]).seconds for t in run.plan.tasks})


async def planned_anew(run: PlanRun) -> bool:
    """Whether there is a new plan for what failed. Built in chapter 08."""
    policy = run.boss.failure_policy
    failed = tuple(task.id for task in run.plan.tasks if not run.results[task.id].done)
    if not failed or policy.downstream != "replan" or run.plans_made >= policy.replans:
        return False
    try:
        plan = await plan_anew(run)
    except (PlanError, ModelError) as error:
        run.failures["decomposition"] = failure_of(error, "decomposition")
        return False
    run.plans_made += 1
    run.adopt(plan, replaces=failed)
    return True


def cut_short(run: PlanRun, when: str) -> None:
    """Give what is not over the result that time ran out. Built in chapter 08."""
    left = [task for task in run.plan.tasks if task.id not in run.results]
    for task in left:
        if doing := run.tasks.get(task.id):
            doing.failure = Failure("timeout", f"not finished {when}", "limit")
            run.finished(task.id, doing.result())
        else:
            run.finished(task.id, skipped(task, Failure("timeout", f"not begun {when}", "limit")))
    if not left:  # it was being planned anew
        late = Failure("timeout", f"no new plan was there {when}", "limit")
        run.failures["decomposition"] = late


async def handed_over(run: PlanRun) -> Taken | None:
    """Let the fallback take over where there is no plan, or a limit left tasks undone."""
    boss, lacking = run.boss, [id for id, each in run.results.items() if not each.done]
    if boss.fallback is None or not (run.planless or (run.stop and lacking)):
        return None
    found = listing(Material.of(run.request, run.plan, run.results)) if run.results else ""
    tried = (
        ToolAttempt(each.worker, id, each.result or str(each.failure), not each.done)
        for id, each in run.results.items()
    )
    case = Unsettled(
        sender=boss.name, reason=str(run.planless or run.stop), asked=run.request, found=found,
        tried=tuple(tried),
    )  # fmt: skip
    async with in_time(replace(run.time, kept=0.0)):
        return await take_over(boss.fallback, case, client=run.client)
    return Taken(to=getattr(boss.fallback, "name", HUMAN), answer=found)  # it hangs too


def told_of(run: PlanRun, taken: Taken | None) -> Aggregated:
    """The answer where nobody made one of results: of who took over, or that nothing was done."""
    material = Material.of(run.request, run.plan, run.results)
    said = taken.answer if taken else ""
    if run.planless:
        said = f"{said}\n\nNothing was done: {run.planless}".strip()
    return Aggregated(said, "listing", material.gaps, material.contradictions)


async def answer(run: PlanRun) -> Aggregated:
    """One answer out of what there is; the stored one, when the run was over already."""
    boss = run.boss
    material = Material.of(run.request, run.plan, run.results)
    material = replace(material, instruction=without_strategy(material.instruction))
    kept = run.store.answer(run.name) if run.store else None
    if kept is not None:
        return Aggregated(kept, "kept", material.gaps, material.contradictions)
    begin, seconds, room = clock.now(), run.seconds_to_answer, boss.context_tokens
    if seconds != 0:
        material = await without_rivals(run, material, seconds)
    if strategy_of(run.plan) == "reduce":  # though all of it may fit
        room = min(room, max(LEAST_CONTEXT, size(material.results) // 2))
    left = seconds and max(0.0, seconds - (clock.now() - begin))
    asked = run.asking("answering")
    made = await aggregate(material, seconds=left, context_tokens=room, **asked)
    if made.failure:
        run.failures["aggregation"] = made.failure
    late = left == 0 or (made.failure is not None and made.failure.kind == "timeout")
    if late and seconds != boss.timeouts.answer:  # the run's own limit was the shorter one
        run.stop = run.stop or run.time.over()
    return replace(made, answer=told(made, run, material))


async def without_rivals(run: PlanRun, material: Material, seconds: float | None) -> Material:
    """What an answer is made of, less what a judge did not select of tasks that do the same.

    All of it where the judge cannot be used, or not in time.
    """
    plan, results, lost = run.plan, run.results, list[str]()
    try:
        async with asyncio.timeout(seconds):
            for group in candidates(plan) if strategy_of(plan) == "select" else ():
                if len(there := [id for id in group if results[id].done]) > 1:
                    asked = dict.fromkeys(plan.by_id[id].description for id in there)
                    words = run.request if len(asked) > 1 else next(iter(asked))
                    said = [results[id].result for id in there]
                    best = await select(words, said, **run.asking("judging"))
                    lost += [id for n, id in enumerate(there) if n != best]
    except (ModelError, TimeoutError):
        return material
    texts = {k: text for k, text in material.results.items() if k.split(" (")[0] not in lost}
    kept = [c for c in material.contradictions if not any(id in lost for id, _ in c.said)]
    return replace(material, results=texts, contradictions=tuple(kept))
