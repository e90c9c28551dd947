"""A supervisor that plans, as data: who works for it, what it may use up, how it meets failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import shorten
from typing import Any, Literal, get_args

from course import clock
from course.agent import Agent
from course.answers import Usage
from course.budget import ANSWER_TOKENS, Budget, Piece
from course.contradictions import Contradiction
from course.errors import ConfigurationError, CourseError, several
from course.events import Event
from course.fallback import fallback_faults, kept_for
from course.limits import ANSWER_SHARE, Limits, Stop, Time
from course.models.breaker import Breaker, State
from course.models.line import Backoff
from course.models.wire import AsyncOpenAI
from course.results import Attempt, Evidence, Failure, Gap, TaskResult
from course.runs import emit, next_matter
from course.session import Ticket
from course.supervisor_worker.confidence import Confidences, confidence
from course.supervisor_worker.cost import Cost, paid_for, spare_answer, task_cost
from course.supervisor_worker.plan import MOST_TASKS, Plan, PlanTask
from course.supervisor_worker.store import Store
from course.supervisor_worker.workers import Registry, registry_problems
from course.systems import Result
from course.team.human import HumanQueue
from course.trace import Recording

LEAST_CONTEXT = 400
"""Tokens of results that a request for an answer must at least be able to hold."""

Retry = Literal["refine", "repeat", "never"]
"""What becomes of a task that failed: rewritten from its error, sent again word for word, or not
tried again."""

Downstream = Literal["skip", "mark", "replan"]
"""What becomes of tasks that wait for a failed one: not begun, run with the gap marked, or planned
anew together with the failed one."""


@dataclass(frozen=True, kw_only=True)
class FailurePolicy:
    """How failures are met. Built in chapter 08.

    Attributes:
        tries: of one task by one worker, the first included.
        replans: how often it is planned anew under "replan".
        breaker_failures: failures in a row after which a worker is left alone, for
            `cooldown` seconds.
        backoff: how calls are made again whose way failed, and tools that broke.

    Raises ConfigurationError: there is no such choice or breaker, or less than one try.
    """

    retry: Retry = "refine"
    tries: int = 3
    downstream: Downstream = "mark"
    replans: int = 1
    breaker_failures: int = 3
    cooldown: float = 30.0
    backoff: Backoff = field(default_factory=Backoff)

    def __post_init__(self) -> None:
        for name, choices in (("retry", Retry), ("downstream", Downstream)):
            if (value := getattr(self, name)) not in (known := get_args(choices)):
                raise ConfigurationError(f"{name} can be {', '.join(known)}, not '{value}'")
        if self.tries < 1:
            raise ConfigurationError(f"a task needs 1 or more tries, not {self.tries}")
        Breaker(failures=self.breaker_failures, cooldown=self.cooldown)  # refuses what it cannot be


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long things may take, in seconds. None means no limit of that kind. Built in chapter 08.

    Attributes:
        call: one model call; it counts as a failed way then and is made again.
        task: one task, with all its tries, but without the time it waits for a rate limit.
        answer: making the answer at the end. 0 makes it without a model, at once.

    The time of everything together is the supervisor's `limits.max_seconds`.

    Raises ConfigurationError: one of them is below 0.
    """

    call: float | None = 30.0
    task: float | None = 120.0
    answer: float | None = 60.0

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if seconds is not None and not (isinstance(seconds, int | float) and seconds >= 0):
                raise ConfigurationError(
                    f"the time for a {name} is 0 or more seconds, not {seconds!r}; None is no limit"
                )


@dataclass(frozen=True, kw_only=True)
class PlanningSupervisor(Agent):
    """An agent that plans, has it done, and answers. Built in chapter 07.

    Its instructions are for the planning; its tools are its workers'. It is a worker
    itself: its budget and deadline hold for everything inside.

    Attributes:
        limits: their `max_seconds` are those of the whole run, ten minutes by default. The last
            eighth of them, `timeouts.answer` at the most, is kept back for the answer: tasks
            under way are cancelled when it begins.
        fallback: who takes over where there is no plan, or a limit leaves tasks undone: an
            agent, which has the last quarter of the seconds, a `HumanQueue`, `HUMAN` or a
            sentence. Without one the answer says what was and was not done.
        shared: names of the tools that several workers may have.
        most_tasks: tasks that a plan may have.
        limit: tasks under way at once; None is no limit.
        requests_per_minute, tokens_per_minute: of all model calls of one run together.
            Runs side by side share a limit if their client is a `Line` with a `RateLimit`.
        max_calls, max_tokens: of everybody together, the last answer kept back.
        context_tokens: of results that fit into one request; more are reduced.
    """

    workers: tuple[Agent, ...]
    shared: tuple[str, ...] = ()
    most_tasks: int = MOST_TASKS
    limit: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    failure_policy: FailurePolicy = field(default_factory=FailurePolicy)
    timeouts: Timeouts = field(default_factory=Timeouts)
    limits: Limits = Limits(max_turns=None, max_seconds=600.0)
    fallback: Agent | HumanQueue | str | None = None
    context_tokens: int = 8000

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "workers", several(self.workers, "workers"))
        for problem in (*registry_problems(self.workers, self.shared), *settings_problems(self)):
            raise ConfigurationError(f"'{self.name}': {problem}")

    @cached_property
    def registry(self) -> Registry:
        """The workers, as a plan can name them."""
        return Registry(self.workers, self.shared)


def settings_problems(boss: PlanningSupervisor) -> Iterator[str]:
    """What a supervisor's settings cannot be, each in a line with the way out."""
    for name, kind in (("failure_policy", FailurePolicy), ("timeouts", Timeouts)):
        if not isinstance(value := getattr(boss, name), kind):
            kinds = f"{kind.__name__}, not {type(value).__name__}"
            yield f"{name} is a {kinds}: {name}={kind.__name__}(...)"
    ones = ("limit", "most_tasks", "requests_per_minute", "tokens_per_minute")
    for name in (*ones, "max_calls", "max_tokens"):
        value, least = getattr(boss, name), int(name in ones)
        if value is not None and (not isinstance(value, int) or value < least):
            yield f"{name} must be a whole number, {least} or more, not {value!r}"
    if boss.limits.max_tokens is not None:
        yield "limits has its seconds; tokens are of everybody together: max_tokens=..."
    yield from fallback_faults(boss.fallback, "fallback")
    if boss.tools or boss.handoffs or boss.settings or boss.client:
        yield "who plans has no tools, handoffs, settings or client: give them to a worker"
    if boss.context_tokens < LEAST_CONTEXT:
        yield f"context_tokens is {boss.context_tokens}; results need {LEAST_CONTEXT} or more"


@dataclass(frozen=True, kw_only=True)
class PlanResult(Result):
    """How a run ended; `usage` counts everybody's tokens. Built in chapter 07.

    Attributes:
        plan: what was carried out, new tasks of a second plan included.
        results: what came of each task, by id, in the plan's order.
        gaps: what the answer should rest on and does not.
        failures: everything that went wrong for good: tasks by id, "aggregation",
            "decomposition".
        escalated_to: who took over, if anybody did, and the `ticket` that a person finds.
    """

    plan: Plan
    results: Mapping[str, TaskResult]
    gaps: tuple[Gap, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)
    escalated_to: str | None = None
    ticket: Ticket | None = None
    events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def sources(self) -> dict[str, tuple[Evidence, ...]]:
        """The tool calls that worked behind each result, by task."""
        return {
            id: tuple(e for e in each.evidence if not e.failed)
            for id, each in self.results.items()
            if each.done
        }

    @property
    def confidence(self) -> Confidences:
        """How sure the answer and each part may be."""
        listed = "aggregation" in self.failures
        return confidence(self.results, self.gaps, self.contradictions, listed=listed)

    @property
    def failure(self) -> Failure | None:
        """None of its tasks has a result."""
        if self.sources:
            return None
        return Failure("worker", nothing_done(self), "model" if helpless(self) else "task")


def kept_back(boss: PlanningSupervisor) -> float:
    """The share of its seconds that is kept back for the answer, or for whoever takes over."""
    seconds, answer = boss.limits.max_seconds, boss.timeouts.answer
    share = ANSWER_SHARE if answer is None or not seconds else min(ANSWER_SHARE, answer / seconds)
    return max(share, kept_for(boss.fallback))


def nothing_done(run: PlanResult) -> str:
    """Why a team's run has no result: task by task. Built in chapter 10."""
    reasons = "; ".join(f"{id}: {each.error}" for id, each in run.failures.items())
    return shorten(f"none of its tasks has a result ({reasons})", 400, placeholder=" ...")


def helpless(result: PlanResult) -> bool:
    """Whether a run has no result for want of answers. Built in chapter 10."""
    failures = [each.failure for each in result.results.values()]
    return all(f and f.cause in ("model", "unavailable", "dependency") for f in failures)


@dataclass(frozen=True, kw_only=True)
class PlanMade(Event):
    """There is a valid plan, and nothing of it has run yet. Built in chapter 07.

    It `replaces` these failed tasks; `resumed` were over in an earlier, interrupted run. What is
    left of it costs this `least`, and the budget is enough for so many of its tasks (`paid`).
    """

    plan: Plan
    replaces: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()
    least: Cost
    paid: int

    @property
    def enough(self) -> bool:
        """Whether the budget may pay for all of it."""
        return self.paid + len(self.resumed) >= len(self.plan.tasks)


@dataclass(frozen=True, kw_only=True)
class TaskStarted(Event):
    """A task was given to a worker. Built in chapter 07."""

    task_id: str
    worker: str


@dataclass(frozen=True, kw_only=True)
class TaskRetried(Event):
    """A task failed and is tried again: in these words, by this worker. Used in chapter 08."""

    task_id: str
    worker: str
    failure: Failure
    words: str


@dataclass(frozen=True, kw_only=True)
class TaskCompleted(Event):
    """A task is over: done, failed or skipped. Built in chapter 07."""

    result: TaskResult


@dataclass(frozen=True, kw_only=True)
class BreakerChanged(Event):
    """A worker's breaker opened, lets one try through, or closed again. Used in chapter 08."""

    worker: str
    state: State


@dataclass(kw_only=True)
class TaskInProgress:
    """A task as it is done: its words, tries, last answer. Built in chapter 08.

    Attributes:
        new_words: of the next try, if an interrupted run had put the task differently.
        given, missing: the results that it rests on; why other dependencies have none.
    """

    task: PlanTask
    given: Mapping[str, TaskResult] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    new_words: str = ""
    tries: list[Attempt] = field(default_factory=list)
    failure: Failure | None = None
    answer: str = ""
    worker: str = ""
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    meter: Piece = field(default_factory=lambda: Piece(shared=Budget()))
    begin: float = 0.0
    step: Recording | None = None

    def tried(self, attempt: Attempt) -> None:
        """Note one more try, in the trace as well."""
        self.tries.append(attempt)
        if self.step:
            error = attempt.failure.error if attempt.failure else ""
            about = {"worker": attempt.worker, "words": attempt.words, "error": error}
            self.step.event("attempt", {**about, "seconds": attempt.seconds})

    def result(self) -> TaskResult:
        """What came of it so far."""
        return TaskResult(
            task_id=self.task.id,
            worker=self.worker or self.task.worker,
            status="failed" if self.failure else "done",
            result=self.answer,
            evidence=self.evidence,
            usage=Usage(self.meter.read, self.meter.written),
            failure=self.failure,
            attempts=tuple(self.tries),
            rests_on=tuple(self.given),
            without=tuple(self.missing),
            gaps=self.gaps,
            contradictions=self.contradictions,
            seconds=clock.now() - self.begin,
        )


@dataclass(kw_only=True)
class PlanRun:
    """One run of a supervisor: what is asked, what there is so far, and where it is written down.

    Attributes:
        name: of the run in the store; `time`: its seconds, as they pass.
        plan: what is carried out, without tasks until there is one; `plans_made`: how often anew.
        results: of the tasks that are over, by id; `tasks`: those that were begun.
        matters: by task, under which name its worker's model is asked: the first task of a worker
            has the same as the first thing it is asked in any other system, and so has the second.
        earlier: tries of an interrupted run by task; one that was under way has no failure.
        failures: of the whole run, by "decomposition" or "aggregation"; `stop`: its limit.
        planless: why there is no plan, if there is none.
        budget: what everybody may use together.
    """

    boss: PlanningSupervisor
    request: str
    client: AsyncOpenAI
    plan: Plan = field(default_factory=lambda: Plan(goal="", tasks=()))
    name: str = "run"
    store: Store | None = None
    time: Time = field(init=False)
    plans_made: int = 0
    results: dict[str, TaskResult] = field(default_factory=dict)
    tasks: dict[str, TaskInProgress] = field(default_factory=dict)
    matters: dict[str, str] = field(default_factory=dict)
    earlier: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    failures: dict[str, Failure] = field(default_factory=dict)
    stop: Stop | None = None
    planless: CourseError | None = None
    budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        boss, most = self.boss, self.boss.max_tokens
        # what everybody may use together, with the last answer kept back
        kept = 0 if most is None else min(most // 4, boss.context_tokens + ANSWER_TOKENS)
        self.budget = Budget(tokens=most, calls=boss.max_calls, kept_calls=1, kept_tokens=kept)
        self.time = Time(boss.limits.max_seconds, kept=kept_back(boss))

    @property
    def seconds_to_answer(self) -> float | None:
        """What making the answer may take; None is no limit."""
        limits = (self.boss.timeouts.answer, self.time.left)
        return min((each for each in limits if each is not None), default=None)

    def asking(self, doing: str) -> dict[str, Any]:
        """How the supervisor's own model is asked: by which client, and in whose name for what."""
        name = f"{self.boss.name} {doing}"
        return {"client": self.client, "model": self.boss.model, "agent": name}

    def adopt(self, plan: Plan, *, replaces: tuple[str, ...] = ()) -> None:
        """Go on with a plan, instead of some failed tasks of the last one; keep and tell it."""
        self.plan = plan
        for task in plan.tasks:
            if task.id not in self.matters:
                self.matters[task.id] = next_matter(task.worker)
        if self.store:
            self.store.save_plan(self.name, plan, made=self.plans_made)
        resumed = tuple(task.id for task in plan.tasks if task.id in self.results)
        left = [task for task in plan.tasks if task.id not in self.results]
        costs = [task_cost(task, self.boss.registry) for task in left]
        spare_answer(costs, self.budget)
        paid, _ = paid_for(costs, self.budget)
        made = PlanMade(
            system=self.boss.name, plan=plan, replaces=replaces, resumed=resumed,
            least=sum(costs, Cost(1)), paid=paid,
        )  # fmt: skip
        emit(made)

    def finished(self, id: str, result: TaskResult) -> None:
        """Keep a task's result, write it down, and tell of it."""
        self.results[id] = result
        if self.store:
            self.store.save_result(self.name, result)
        emit(TaskCompleted(system=self.boss.name, result=result))

    def keep(self, task: str, attempt: Attempt) -> None:
        """Write down a try that failed, or that follows such a one."""
        if self.store:
            self.store.save_attempt(self.name, task, attempt)

    def heard(self, stop: Stop | None) -> None:
        """Note a limit of this supervisor's own that stopped somebody who works for it."""
        if stop and self.stop is None and stop.limit == getattr(self.boss, stop.reason, None):
            self.stop = stop

    def breaker(self, worker: str) -> Breaker:
        """The worker's breaker, the same for all its tasks."""
        if worker not in self.breakers:
            policy, name = self.boss.failure_policy, self.boss.name
            self.breakers[worker] = Breaker(
                name=worker,
                failures=policy.breaker_failures,
                cooldown=policy.cooldown,
                on_change=lambda now: emit(BreakerChanged(system=name, worker=worker, state=now)),
            )
        return self.breakers[worker]
