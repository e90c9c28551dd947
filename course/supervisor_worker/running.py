"""The run of a supervisor that plans: plan, carry out, plan anew if it must be, answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course import clock
from course.budget import ANSWER_TOKENS, Budget
from course.chat import Usage, assistant_message
from course.context import Context
from course.errors import ConfigurationError
from course.events import Event
from course.models.line import guarded
from course.models.rates import RateLimit
from course.runs import Run, current_run
from course.supervisor_worker.aggregate import Aggregated, Material, aggregate
from course.supervisor_worker.case import Shift
from course.supervisor_worker.job import Job, within_time
from course.supervisor_worker.plan import Plan
from course.supervisor_worker.settling import plan_in_time
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import PlanningSupervisor, PlanResult
from course.systems import carry_out
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@carry_out.register(PlanningSupervisor)
async def _(
    boss: PlanningSupervisor,
    request: str,
    *,
    client: AsyncOpenAI,
    plan: Plan | None = None,
    store: Store | None = None,
    name: str = "",
) -> PlanResult:
    """Let a supervisor plan a request, have the plan carried out, and make one answer of it.

    Failed tasks, limits and a plan that ran out of time are results, not errors.

    Args:
        boss: the supervisor.
        request: what a person wants.
        client: reaches the model, of everybody.
        plan: carry out this one, such as one that a person has edited, instead of making one.
        store: keeps what is done; a run of the same `run_id` goes on where it was, with the plan
            that it had.
        name: of the run in the store; the run's own if left out.

    Raises:
        PlanError: there is no plan that could be carried out, or not in time; nothing was run.
        PlannerError: the planner's model cannot be used; nothing was run. It is a ModelError.
        BudgetExceeded: not even a plan can be paid.
        ConfigurationError: something is of another kind, or `run_id` is another request's.
        ValueError: the request is empty, or no text.
    """
    refuse_misuse(request, client=client, plan=plan, store=store)
    budget, events, outer = budget_of(boss), list[Event](), current_run()
    here = Run(outer.id if outer else "run", events.append, outer=outer)
    with here.active(), span("invoke_agent", boss.name, {"gen_ai.agent.name": boss.name}) as step:
        with budget.in_force():
            job = open_job(boss, request, client, name or here.id, events, store)
            await plan_in_time(job, plan)
            await within_time(job)
        with budget.in_force(last=True):
            made = await answer(job)
        if store and made.failure is None:  # else another run may have an answer written
            store.save_answer(job.shift.run_id, made.answer)
        step.set("gen_ai.usage.input_tokens", budget.read)
        step.set("gen_ai.usage.output_tokens", budget.written)
        step.set("switchboard.stop", str(job.shift.stop) if job.shift.stop else None)
    return outcome(job, made, Usage(budget.read, budget.written))


def refuse_misuse(request: Any, *, client: Any, plan: Any, store: Any) -> None:
    """Refuse what is of another kind, before anything is asked.

    Raises:
        ConfigurationError, ValueError: one line with the way out.
    """
    kinds = (
        (plan, "plan is a Plan", "Plan.from_json(text) or Plan.model_validate(values)",
         plan is None or isinstance(plan, Plan)),
        (store, "store is a Store", "Store(path)", store is None or isinstance(store, Store)),
        (client, "client is a client", "connect(...)", hasattr(client, "with_options")),
    )  # fmt: skip
    for given, what, way, fits in kinds:
        if not fits:
            raise ConfigurationError(f"{what}, not {type(given).__name__}: {way}")
    if not isinstance(request, str):
        raise ValueError(f"the request is a text, not {type(request).__name__}")
    if request.encode(errors="ignore").decode() != request:
        raise ValueError("the request holds half a character (a lone surrogate): leave it out")


def budget_of(boss: PlanningSupervisor) -> Budget:
    """What everybody may use together, with the last answer kept back."""
    most = boss.max_tokens
    kept = 0 if most is None else min(most // 4, boss.context_tokens + ANSWER_TOKENS)
    return Budget(tokens=most, calls=boss.max_calls, kept_calls=1, kept_tokens=kept)


def open_job(
    boss: PlanningSupervisor,
    request: str,
    client: AsyncOpenAI,
    run_id: str,
    events: list[Event],
    store: Store | None,
) -> Job:
    """A run that begins now, or goes on with what the store has of it.

    Raises:
        ValueError: the request is empty.
    """
    if not request.strip():
        raise ValueError("the request is empty: say what you want, in a sentence")
    rate = RateLimit(
        requests_per_minute=boss.requests_per_minute, tokens_per_minute=boss.tokens_per_minute
    )
    line = guarded(client, rate=rate, backoff=boss.policy.backoff, timeout=boss.timeouts.call)
    shift = Shift(boss=boss, client=line, run_id=run_id, store=store)
    nothing = Plan(goal=request, tasks=())
    job = Job(
        boss=boss, request=request, shift=shift, store=store, begin=clock.now(), plan=nothing,
        events=events,
    )  # fmt: skip
    if store:
        store.begin(run_id, request)
        shift.earlier, shift.begun = store.attempts(run_id), store.begun(run_id)
        job.results = store.results(run_id)
        shift.keep = lambda task, attempt: store.save_attempt(run_id, task, attempt)
    return job


async def answer(job: Job) -> Aggregated:
    """One answer out of what there is; the stored one, when the run was over already."""
    boss = job.boss
    material = Material.of(job.request, job.plan, job.results)
    kept = job.store.answer(job.shift.run_id) if job.store else None
    if kept is not None:
        return Aggregated(kept, "kept", material.contradictions)
    made = await aggregate(
        material, client=job.shift.client, model=boss.model, seconds=boss.timeouts.answer,
        context_tokens=boss.context_tokens, agent=f"{boss.name} answering",
    )  # fmt: skip
    if made.failure:
        job.failures["aggregation"] = made.failure
    return made


def outcome(job: Job, made: Aggregated, usage: Usage) -> PlanResult:
    """The run's result."""
    results = {task.id: job.results[task.id] for task in job.plan.tasks}
    failed = {id: each.failure for id, each in results.items() if each.failure}
    said = Context.of(job.request).add(assistant_message(made.answer))
    return PlanResult(
        answer=made.answer,
        context=said,
        usage=usage,
        stop=job.shift.stop,
        trace=current() or Trace(job.boss.name),
        plan=job.plan,
        results=results,
        gaps=Material.of(job.request, job.plan, job.results).gaps,
        contradictions=made.contradictions,
        failures={**failed, **job.failures},
        events=tuple(job.events),
    )
