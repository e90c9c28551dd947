"""What is known while tasks are under way: of one task, and of one run of a supervisor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from course import clock
from course.budget import Budget
from course.chat import Usage
from course.contradictions import Contradiction
from course.limits import Stop
from course.models.breaker import Breaker
from course.results import Attempt, Evidence, Failure, Gap, TaskResult
from course.runs import emit
from course.supervisor_worker.events import BreakerChanged
from course.supervisor_worker.plan import Task
from course.supervisor_worker.store import Store
from course.supervisor_worker.supervisor import PlanningSupervisor
from course.trace.record import Recording

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(kw_only=True)
class Case:
    """One task as it is being done: its words now, the tries so far, the last thing said.

    Attributes:
        new_words: of the next try, where an interrupted run had put the task differently already.
        step: its step in the trace, which is told each try.
        given: the results that it rests on.
        missing: dependencies without a result, by id: why there is none.
    """

    task: Task
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
class Shift:
    """What one run of a supervisor shares among its tasks.

    Attributes:
        store: where what is done is kept, if anywhere.
        keep: gets every try that failed or follows such a one, so that it can be written down.
        earlier: tries of an interrupted run that failed, by task.
        begun: its tries that followed one of these and were under way, by task.
        cases: the tasks that were begun, by id.
        stop: the limit of the whole run that was reached, if one was.
    """

    boss: PlanningSupervisor
    client: AsyncOpenAI
    run_id: str
    store: Store | None = None
    keep: Callable[[str, Attempt], None] = lambda id, attempt: None
    earlier: Mapping[str, Sequence[Attempt]] = field(default_factory=dict)
    begun: Mapping[str, Attempt] = field(default_factory=dict)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    cases: dict[str, Case] = field(default_factory=dict)
    stop: Stop | None = None

    def heard(self, stop: Stop | None) -> None:
        """Note a limit of this supervisor's own that stopped somebody who works for it."""
        if stop and self.stop is None and stop.limit == getattr(self.boss, stop.reason, None):
            self.stop = stop

    def breaker(self, worker: str) -> Breaker:
        """The worker's breaker, the same for all its tasks."""
        if worker not in self.breakers:
            policy = self.boss.policy
            self.breakers[worker] = Breaker(
                name=worker,
                failures=policy.breaker_failures,
                cooldown=policy.cooldown,
                on_change=lambda state: emit(
                    BreakerChanged(system=self.boss.name, worker=worker, state=state)
                ),
            )
        return self.breakers[worker]
