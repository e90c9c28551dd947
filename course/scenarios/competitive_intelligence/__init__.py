"""Competitive intelligence: who sells what, who grows, and what they announce.

`Market(seed=7)` gives a market of its own to each run, `workers(market)` those who work on
it, `REQUESTS` are five questions, and `rubric(market, request, answer)` judges the answers.
"""

from __future__ import annotations

from course.scenarios.competitive_intelligence.requests import REQUESTS
from course.scenarios.competitive_intelligence.workers import Market, workers
from course.scenarios.world.domain import Domain

DOMAIN = Domain("competitive intelligence", Market, workers, REQUESTS)

__all__ = ["DOMAIN", "REQUESTS", "Market", "workers"]
