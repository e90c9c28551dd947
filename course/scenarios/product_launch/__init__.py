"""Product launches: when the shops get it, what it costs, who makes it, and what may go wrong.

`Launches(seed=7)` gives launches of its own to each run, `workers(launches)` those who work
on them, `REQUESTS` are five questions, and `rubric(launches, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.product_launch.requests import REQUESTS
from course.scenarios.product_launch.workers import Launches, workers
from course.scenarios.world.domain import Domain

DOMAIN = Domain("product launch", Launches, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Launches", "workers"]
