"""What a supervisor's run tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass

from course.events import Event
from course.supervisor.results import Delegation


@dataclass(frozen=True, kw_only=True)
class DelegationStarted(Event):
    """A worker was given a task.

    Used in chapter 04.
    """

    call_id: str
    worker: str
    task: str


@dataclass(frozen=True, kw_only=True)
class DelegationCompleted(Event):
    """A delegation came to its end, with a result or a failure.

    Used in chapter 04.
    """

    delegation: Delegation
