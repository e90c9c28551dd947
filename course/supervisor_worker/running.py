"""The run of a supervisor that plans: plan, carry out, plan anew if it must be, answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from course import clock
from course.budget import ANSWER_TOKENS, Budget
from course.chat import Usage, assistant_message
from course.context import Context
from course.errors import ConfigurationError
from course.models.line import guarded
from course.models.rates import RateLimit
from course.supervisor_worker.aggregate import Aggregated, Material, aggregate
from course.supervisor_worker.case import Shift
from course.supervisor_worker.events import Event, Finished
from course.supervisor_worker.job import Job, within_time
from course.supervisor_worker.plan import Plan
from course.supervisor_worker.settling import plan_in_time
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import PlanningSupervisor, PlanResult
from course.trace import Trace, current, span

if TYPE_CHECKING:
    from openai import AsyncOpenAI


async def run(
    boss: PlanningSupervisor,
    request: str,
    *,
    client: AsyncOpenAI,
    plan: Plan | None = None,
    store: Store | None = None,
    on_event: Callable[[Event], None] | None = None,
    trace: Trace | None = None,
    run_id: str = "run",
) -> PlanResult:
    """Let a supervisor plan a request, have the plan carried out, and make one answer of it.

    Args:
        boss: the supervisor.
        request: what a person wants.
        client: reaches the model, of everybody.
        plan: carry out this one, such as one that a person has edited, instead of making one.
        store: keeps what is done; a run of the same `run_id` goes on where it was, with the plan
            that it had.
        on_event: gets every event; it must not take long. `stream` gives them one by one.
        trace: record into this one; without it, into the current one or a new one.
        run_id: names the run, in the store and for the simulated model's draws.

    Returns:
        The result. Failed tasks, limits and a plan that ran out of time are results, not errors.

    Raises:
        PlanError: there is no plan that could be carried out, or not in time; nothing was run.
        PlannerError: the planner's model cannot be used; nothing was run. It is a ModelError.
        BudgetExceeded: not even a plan can be paid.
        ConfigurationError: something is of another kind, or `run_id` is another request's.
        ValueError: the request is empty, or no text.

    Built in chapter 07; with failures in chapter 08.
    """
    refuse_misuse(boss, request, client=client, plan=plan, store=store)
    trace = trace or current() or Trace(f"{boss.name}: {shorten(request, 80, placeholder=' ...')}")
    tell = on_event or _tell_nobody
    with trace.record(), span("invoke_workflow", boss.name, {"gen_ai.workflow.name": boss.name}):
        result = await lead(
            boss, request, client=client, run_id=run_id, tell=tell, plan=plan, store=store
        )
    tell(Finished(supervisor=boss.name, result=result, at=clock.now()))
    return result


def refuse_misuse(boss: Any, request: Any, *, client: Any, plan: Any, store: Any) -> None:
    """Refuse what is of another kind, before anything is asked.

    Raises:
        ConfigurationError, ValueError: one line with the way out.
    """
    kinds = (
        (boss, "a PlanningSupervisor", "PlanningSupervisor(name=..., registry=Registry((...)))",
         isinstance(boss, PlanningSupervisor)),
        (plan, "a Plan", "Plan.from_json(text) or Plan.model_validate(values)",
         plan is None or isinstance(plan, Plan)),
        (store, "a Store", "Store(path)", store is None or isinstance(store, Store)),
        (client, "a client", "connect(...)", hasattr(client, "with_options")),
    )  # fmt: skip
    for given, what, way, fits in kinds:
        if not fits:
            raise ConfigurationError(
                f"supervisor_worker.run needs {what}, not {type(given).__name__}: {way}"
            )
    if not isinstance(request, str):
        raise ValueError(f"the request is a text, not {type(request).__name__}")
    if request.encode(errors="ignore").decode() != request:
        raise ValueError("the request holds half a character (a lone surrogate): leave it out")


def _tell_nobody(event: Event) -> None:
    """Where nobody listens."""


async def stream(
    boss: PlanningSupervisor,
    request: str,
    *,
    client: AsyncOpenAI,
    plan: Plan | None = None,
    store: Store | None = None,
    trace: Trace | None = None,
    run_id: str = "run",
) -> AsyncIterator[Event]:
    """Run as `run` does and give every event as it happens; the last one is `Finished`.

    Whoever stops reading early, or is cancelled, cancels the run: nothing of it goes on. In
    `async with contextlib.aclosing(stream(...)) as events` that is over when the block is left;
    without it, a moment later.

    Raises:
        PlanError, PlannerError, ValueError, ...: as `run`.

    Built in chapter 07.
    """
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    running = asyncio.ensure_future(
        run(
            boss, request, client=client, plan=plan, store=store, on_event=events.put_nowait,
            trace=trace, run_id=run_id,
        )
    )  # fmt: skip
    running.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        await running  # an error of the run is the reader's
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await running


async def lead(
    boss: PlanningSupervisor,
    request: str,
    *,
    client: AsyncOpenAI,
    run_id: str,
    tell: Callable[[Event], None],
    plan: Plan | None = None,
    store: Store | None = None,
) -> PlanResult:
    """A supervisor's run under its budget, as a step in the current trace.

    Raises:
        PlanError, PlannerError, ValueError, ...: as `run`.

    Built in chapter 07.
    """
    budget = budget_of(boss)
    with span("invoke_agent", boss.name, {"gen_ai.agent.name": boss.name}) as step:
        with budget.in_force():
            job = open_job(boss, request, client, run_id, tell, store)
            await plan_in_time(job, plan)
            await within_time(job)
        with budget.in_force(last=True):
            made = await answer(job)
        if store and made.failure is None:  # else another run may have an answer written
            store.save_answer(run_id, made.answer)
        step.set("gen_ai.usage.input_tokens", budget.read)
        step.set("gen_ai.usage.output_tokens", budget.written)
        step.set("switchboard.stop", str(job.shift.stop) if job.shift.stop else None)
    return outcome(job, made, Usage(budget.read, budget.written))


async def lead_team(
    boss: PlanningSupervisor, words: str, *, run_id: str, store: Store | None, **more: Any
) -> PlanResult:
    """As `lead`, for a try at a task of another supervisor; the team's tasks are kept too.

    What is kept of the same try in other words is left alone.
    """
    name = store.free_name(run_id, words) if store else run_id
    return await lead(boss, words, run_id=name, store=store, **more)


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
    tell: Callable[[Event], None],
    store: Store | None,
) -> Job:
    """A run that begins now, or goes on with what the store has of it.

    Raises:
        ValueError: the request is empty.
    """
    if not request.strip():
        raise ValueError("the request is empty: say what you want, in a sentence")
    events: list[Event] = []

    def told(event: Event) -> None:
        events.append(event)
        tell(event)

    rate = RateLimit(
        requests_per_minute=boss.requests_per_minute, tokens_per_minute=boss.tokens_per_minute
    )
    line = guarded(client, rate=rate, backoff=boss.policy.backoff, timeout=boss.timeouts.call)
    inner = partial(lead_team, store=store)
    shift = Shift(boss=boss, client=line, run_id=run_id, tell=told, lead=inner)
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
        run_id=job.shift.run_id,
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
