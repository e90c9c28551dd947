"""Product launches: when the shops get it, what it costs, who makes it, and what may go wrong.

`open_launches(seed=7)` gives launches of its own to each run, `workers(launches)` those who work
on them, `REQUESTS` are five questions, and `rubric(launches, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.product_launch.requests import REQUESTS
from course.scenarios.product_launch.workers import Launches, open_launches, workers
from course.scenarios.world.domain import Domain
from course.scenarios.world.rubric import right, rubric

DOMAIN = Domain("product launch", open_launches, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Launches", "open_launches", "right", "rubric", "workers"]
