"""The domains of the project, each with worlds, workers and requests of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from course.scenarios import own
from course.scenarios.world.domain import Domain

DOMAINS: tuple[Domain[Any], ...]
"""All domains there are: those of the kit, then your own; loaded when they are asked for."""

KIT = {
    "competitive intelligence": "competitive_intelligence",
    "patient case": "patient_case",
    "portfolio rebalancing": "portfolio",
    "curriculum": "curriculum",
    "product launch": "product_launch",
    "contract review": "contract_review",
}
"""The kit's own domains by name, and the package of each."""


def named(name: str) -> Domain[Any]:
    """The domain of this name; of the kit's, no other one is loaded. KeyError: there is none."""
    if name in KIT:
        domain: Domain[Any] = import_module(f"course.scenarios.{KIT[name]}").DOMAIN
        return domain
    return {domain.name: domain for domain in own.domains()}[name]


def names() -> Iterator[str]:
    """The names of all domains; those of the kit load nothing."""
    yield from KIT
    yield from (domain.name for domain in own.domains())


@cache
def _all() -> tuple[Domain[Any], ...]:
    return (*map(named, KIT), *own.domains())


def __getattr__(name: str) -> Any:
    """Load the domains when all of them are asked for, as a run in one of them does not."""
    if name == "DOMAINS":
        return _all()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
