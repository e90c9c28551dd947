"""A supervisor keeps control: it delegates, looks at what comes back, delegates again, answers.

`Supervisor` and `Worker` say who there is and what is allowed, `run` answers a request, `stream`
does the same and tells what happens as it happens.
"""

from __future__ import annotations

from course.supervisor.declared import Policy, Supervisor, Worker
from course.supervisor.events import (
    DelegationCompleted,
    DelegationStarted,
    Event,
    Finished,
    LimitReached,
)
from course.supervisor.results import Delegation, Failure, SupervisorResult
from course.supervisor.running import run, stream

__all__ = [
    "Delegation",
    "DelegationCompleted",
    "DelegationStarted",
    "Event",
    "Failure",
    "Finished",
    "LimitReached",
    "Policy",
    "Supervisor",
    "SupervisorResult",
    "Worker",
    "run",
    "stream",
]
