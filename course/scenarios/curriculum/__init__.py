"""A curriculum: what builds on what, how many hours it asks for, and who passes.

`open_college(seed=7)` gives a college of its own to each run, `workers(college)` those who work
in it, `REQUESTS` are five questions, and `rubric(college, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.curriculum.requests import REQUESTS
from course.scenarios.curriculum.workers import College, open_college, workers
from course.scenarios.world.domain import Domain
from course.scenarios.world.rubric import right, rubric

DOMAIN = Domain("curriculum", open_college, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "College", "open_college", "right", "rubric", "workers"]
