"""The domains of the project, each with worlds, workers and requests of its own."""

from __future__ import annotations

from typing import Any

from course.scenarios import competitive_intelligence, contract_review, portfolio
from course.scenarios.world.domain import Domain

DOMAINS: tuple[Domain[Any], ...] = (
    competitive_intelligence.DOMAIN,
    portfolio.DOMAIN,
    contract_review.DOMAIN,
)
"""All domains there are."""
