"""What is known while a plan is carried out, of the run and of each task, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from course import clock
from course.budget import Budget
from course.chat import Usage
from course.contradictions import Contradiction
from course.events import Event
from course.limits import Stop
from course.models.breaker import Breaker, State
from course.models.wire import AsyncOpenAI
from course.results import Attempt, Evidence, Failure, Gap, TaskResult
from course.runs import emit, next_matter
from course.supervisor_worker.plan import Plan, PlanTask
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import PlanningSupervisor
from course.trace.record import Recording


@dataclass(frozen=True, kw_only=True)
class PlanMade(Event):
    """There is a valid plan, and nothing of it has run yet. Built in chapter 07.

    Attributes:
        replaces: ids of the tasks that it replaces, if an earlier plan could not be finished.
        resumed: ids of the tasks that an earlier, interrupted run has finished.
    """

    plan: Plan
    replaces: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()


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
    """One task as it is being done: its words now, the tries so far, the last thing said.
    Built in chapter 08.

    Attributes:
        new_words: of the next try, where an interrupted run had put the task differently already.
        step: its step in the trace, which is told each try.
        given: the results that it rests on.
        missing: dependencies without a result, by id: why there is none.
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
    meter: Budget = field(default_factory=Budget)
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
        name: of the run in the store.
        begin: when it began, in seconds on the loop's clock.
        plan: what is carried out; without tasks until there is one.
        plans_made: how often it was planned anew.
        results: of the tasks that are over, by id.
        tasks: those that were begun, by id.
        matters: by task, under which name its worker's model is asked: the first task of a worker
            has the same as the first thing it is asked in any other system, and so has the second.
        earlier: tries of an interrupted run that failed, by task; one that followed these and was
            under way has no failure.
        failures: of the whole run, by "decomposition" or "aggregation".
        stop: the limit of the whole run that was reached, if one was.
    """

    boss: PlanningSupervisor
    request: str
    client: AsyncOpenAI
    plan: Plan = field(default_factory=lambda: Plan(goal="", tasks=()))
    name: str = "run"
    store: Store | None = None
    begin: float = field(default_factory=clock.now)
    plans_made: int = 0
    results: dict[str, TaskResult] = field(default_factory=dict)
    tasks: dict[str, TaskInProgress] = field(default_factory=dict)
    matters: dict[str, str] = field(default_factory=dict)
    earlier: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    failures: dict[str, Failure] = field(default_factory=dict)
    stop: Stop | None = None

    @property
    def end(self) -> float | None:
        """When its time is over, in seconds on the loop's clock; None if it has no limit."""
        seconds = self.boss.timeouts.plan
        return None if seconds is None else self.begin + seconds

    def adopt(self, plan: Plan, *, replaces: tuple[str, ...] = ()) -> None:
        """Go on with a plan, instead of some failed tasks of the last one; keep and tell it."""
        self.plan = plan
        for task in plan.tasks:
            if task.id not in self.matters:
                self.matters[task.id] = next_matter(task.worker)
        if self.store:
            self.store.save_plan(self.name, plan, made=self.plans_made)
        resumed = tuple(task.id for task in plan.tasks if task.id in self.results)
        emit(PlanMade(system=self.boss.name, plan=plan, replaces=replaces, resumed=resumed))

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
            policy = self.boss.failure_policy
            self.breakers[worker] = Breaker(
                name=worker,
                failures=policy.breaker_failures,
                cooldown=policy.cooldown,
                on_change=lambda state: emit(
                    BreakerChanged(system=self.boss.name, worker=worker, state=state)
                ),
            )
        return self.breakers[worker]
