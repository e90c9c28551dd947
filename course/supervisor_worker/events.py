"""What the run of a supervisor that plans tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass

from course.events import Event
from course.models.breaker import State
from course.results import Failure, TaskResult
from course.supervisor_worker.plan import Plan


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
