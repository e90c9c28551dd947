"""Portfolio rebalancing: what clients hold, how it drifted, and what their mandates ask for.

`Book(seed=7)` gives a manager's book of its own to each run, `workers(book)` those who work
on it, `REQUESTS` are five questions, and `rubric(book, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.portfolio.requests import REQUESTS
from course.scenarios.portfolio.workers import Book, workers
from course.scenarios.world.domain import Domain

DOMAIN = Domain("portfolio rebalancing", Book, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Book", "workers"]
