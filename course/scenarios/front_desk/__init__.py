"""A clinic's front desk: patients, doctors, appointments and invoices in SQLite.

`Desk(seed=7)` gives a desk of its own to each run; `agent(desk)` is an agent who works at
it, `reception(desk)` and `colleagues(desk)` make a team of it; `REQUESTS` are sample requests
that say what a right answer is.
"""

from __future__ import annotations

from course.scenarios.front_desk.desk import Desk, agent
from course.scenarios.front_desk.reception import colleagues, reception
from course.scenarios.front_desk.requests import REQUESTS, Request, Sample, state
from course.scenarios.front_desk.specialists import specialists

__all__ = [
    "REQUESTS",
    "Desk",
    "Request",
    "Sample",
    "agent",
    "colleagues",
    "reception",
    "specialists",
    "state",
]
