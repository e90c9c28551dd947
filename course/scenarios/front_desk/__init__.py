"""A clinic's front desk: patients, doctors, appointments and invoices in SQLite.

`open_desk(seed=7)` gives a desk of its own to each run; `agent(desk)` is an agent who works at
it; `REQUESTS` are sample requests that say what a right answer is.
"""

from __future__ import annotations

from course.scenarios.front_desk.desk import Desk, agent, open_desk
from course.scenarios.front_desk.requests import REQUESTS, Request, Sample, state

__all__ = ["REQUESTS", "Desk", "Request", "Sample", "agent", "open_desk", "state"]
