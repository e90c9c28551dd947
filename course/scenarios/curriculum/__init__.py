"""A curriculum: what builds on what, how many hours it asks for, and who passes.

`College(seed=7)` gives a college of its own to each run, `workers(college)` those who work
in it, `REQUESTS` are five questions, and `rubric(college, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.curriculum.requests import REQUESTS
from course.scenarios.curriculum.workers import College, workers
from course.scenarios.world.domain import Domain

DOMAIN = Domain("curriculum", College, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "College", "workers"]
