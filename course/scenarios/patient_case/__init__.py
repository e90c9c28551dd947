"""Patient cases: what the laboratory measured, what is taken, and what letters say of it.

`Hospital(seed=7)` gives a hospital of its own to each run, `workers(hospital)` those who work
in it, `REQUESTS` are five questions, and `rubric(hospital, request, answer)` judges the answers.
Patients, limits and ranges are made up for teaching; nothing here is for treating anybody.
"""

from __future__ import annotations

from course.scenarios.patient_case.requests import REQUESTS
from course.scenarios.patient_case.workers import Hospital, workers
from course.scenarios.world.domain import Domain

DOMAIN = Domain("patient case", Hospital, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Hospital", "workers"]
