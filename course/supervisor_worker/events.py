"""What a run tells while it runs.

Each event says which supervisor it comes from, since one may work for another, and when it was:
`at` is in seconds on the loop's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from course.models.breaker import State
from course.supervisor_worker.plan import Plan
from course.supervisor_worker.results import Failure, TaskResult

if TYPE_CHECKING:
    from course.supervisor_worker.supervisor import PlanResult


@dataclass(frozen=True, kw_only=True)
class PlanMade:
    """There is a valid plan, and nothing of it has run yet.

    Attributes:
        replaces: ids of the tasks that it replaces, if an earlier plan could not be finished.
        resumed: ids of the tasks that an earlier, interrupted run has finished.

    Built in chapter 07.
    """

    supervisor: str
    plan: Plan
    at: float
    replaces: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TaskStarted:
    """A task was given to a worker.

    Built in chapter 07.
    """

    supervisor: str
    task_id: str
    worker: str
    at: float


@dataclass(frozen=True, kw_only=True)
class TaskRetried:
    """A task failed and is tried again: in these words, by this worker.

    Built in chapter 08.
    """

    supervisor: str
    task_id: str
    worker: str
    failure: Failure
    words: str
    at: float


@dataclass(frozen=True, kw_only=True)
class TaskCompleted:
    """A task is over: done, failed or skipped.

    Built in chapter 07.
    """

    supervisor: str
    result: TaskResult
    at: float


@dataclass(frozen=True, kw_only=True)
class BreakerChanged:
    """A worker's breaker opened, lets one try through, or closed again.

    Built in chapter 08.
    """

    supervisor: str
    worker: str
    state: State
    at: float


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The run is over; always the last event.

    Built in chapter 07.
    """

    supervisor: str
    result: PlanResult
    at: float


Event: TypeAlias = PlanMade | TaskStarted | TaskRetried | TaskCompleted | BreakerChanged | Finished
