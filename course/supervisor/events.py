"""What a supervisor's run tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from course.limits import Stop
from course.supervisor.results import Delegation, SupervisorResult


@dataclass(frozen=True, kw_only=True)
class DelegationStarted:
    """A worker was given a task; `at` is in seconds on the loop's clock, as in every event.

    Used in chapter 04.
    """

    supervisor: str
    call_id: str
    worker: str
    task: str
    at: float


@dataclass(frozen=True, kw_only=True)
class DelegationCompleted:
    """A delegation came to its end, with a result or a failure.

    Used in chapter 04.
    """

    supervisor: str
    delegation: Delegation
    at: float


@dataclass(frozen=True, kw_only=True)
class LimitReached:
    """A limit was reached: from here on nothing is delegated.

    Used in chapter 04.
    """

    supervisor: str
    stop: Stop
    at: float


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The run is over; always the last event.

    Used in chapter 04.
    """

    supervisor: str
    result: SupervisorResult
    at: float


Event: TypeAlias = DelegationStarted | DelegationCompleted | LimitReached | Finished
