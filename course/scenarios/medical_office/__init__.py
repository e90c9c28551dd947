"""A medical office on the phone: four agents under a supervisor, each with a rule in code.

`Office(seed=7)` gives an office of its own to each run, `Line(office)` answers its callers.
"""

from __future__ import annotations

from course.scenarios.medical_office.desks import Line, staff
from course.scenarios.medical_office.office import Office
from course.scenarios.medical_office.rules import Call

__all__ = ["Call", "Line", "Office", "staff"]
