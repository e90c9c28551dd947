"""Contract review: what contracts say as amended, what breaks the playbook, what follows.

`Files(seed=7)` gives a legal department's files to each run, `workers(files)` those who
work on them, `REQUESTS` are five questions, and `rubric(files, request, answer)` judges answers.
"""

from __future__ import annotations

from course.scenarios.contract_review.requests import REQUESTS
from course.scenarios.contract_review.workers import Files, workers
from course.scenarios.world.domain import Domain

DOMAIN = Domain("contract review", Files, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Files", "workers"]
