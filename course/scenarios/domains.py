"""The domains of the project, each with worlds, workers and requests of its own."""

from __future__ import annotations

from typing import Any

from course.scenarios import (
    competitive_intelligence,
    contract_review,
    curriculum,
    own,
    patient_case,
    portfolio,
    product_launch,
)
from course.scenarios.world.domain import Domain

DOMAINS: tuple[Domain[Any], ...] = (
    competitive_intelligence.DOMAIN,
    patient_case.DOMAIN,
    portfolio.DOMAIN,
    curriculum.DOMAIN,
    product_launch.DOMAIN,
    contract_review.DOMAIN,
    *own.domains(),
)
"""All domains there are: those of the kit, then your own."""
