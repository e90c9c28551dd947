"""Plans for the worlds of chapter 06, as plain values and as the package reads them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from course.supervisor_worker.plan import Plan

WORKERS = ("plumbing", "carpentry", "painting")
"""Who there is in these worlds."""

_WORK = (
    "Measure the north wall of the hall",
    "Order 12 litres of white paint",
    "Replace the tap in the kitchen",
    "Saw four shelves of 80 cm",
    "Drain the boiler in the cellar",
    "Paint the door of the porch",
)

REGISTRY = """
from course.supervisor import Worker
from course.supervisor_worker import Plan, PlanError, Registry


def registry_of(names):
    return Registry(tuple(
        Worker(name=name, description=f"does {name}", instructions=f"You do {name}.")
        for name in names
    ))
"""
"""How a stage makes a registry out of names."""


def task(
    draw: random.Random, id: str, *needs: str, worker: str = "", says: str = ""
) -> dict[str, Any]:
    """A task that nothing is wrong with by itself."""
    return {
        "id": id,
        "description": says or draw.choice(_WORK),
        "worker": worker or draw.choice(WORKERS),
        "dependencies": list(needs),
        "tools": [],
    }


def plan(tasks: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """A plan with these tasks."""
    return {"goal": "Renovate the hall", "tasks": list(tasks), "final_instruction": "Say it all."}


def read(data: dict[str, Any]) -> Plan:
    """The same as the package's own."""
    return Plan.model_validate(data)


def names(draw: random.Random, many: int) -> list[str]:
    """Ids that say nothing of an order, in no order."""
    return draw.sample([f"{letter}{n}" for letter in "kmprsw" for n in range(1, 6)], many)


def shuffled(draw: random.Random, tasks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tasks in any order: what waits for what is said by the dependencies alone."""
    return draw.sample(list(tasks), len(tasks))
