"""A supervisor keeps control: it delegates, looks at what comes back, delegates again, answers.

`Supervisor` and `Worker` say who there is and what is allowed; `course.run(supervisor, request)`
answers a request, and `course.stream` tells what happens as it happens.
"""

from course.supervisor import running as running  # says how it is carried out
from course.supervisor.supervisor import (
    DelegationCompleted,
    DelegationStarted,
    Supervisor,
    SupervisorResult,
    Worker,
)

__all__ = [
    "DelegationCompleted",
    "DelegationStarted",
    "Supervisor",
    "SupervisorResult",
    "Worker",
]
