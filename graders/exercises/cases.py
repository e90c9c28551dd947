"""The usual exercise: a function is asked about some cases, and what it says is compared."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from graders.checks import equals
from graders.exercises.expected import Checks
from graders.records.scenario import Scenario, ScenarioMaker
from graders.records.verdict import Check

Maker = Callable[[random.Random], Any]
"""Draws one case, of plain JSON values."""


def stage_of(expression: str, *, given: str = "") -> str:
    """A stage that gives what `expression` says of each `case`, such as "student.double(case)".

    Args:
        expression: of `case`, `student` and `bench`.
        given: lines that stand above, such as imports.
    """
    return f"""{given}

async def stage(bench, student):
    return [{expression} for case in bench.params["cases"]]
"""


def cases(*makers: Maker, made: Callable[[Any], Any] | None = None, **also: Any) -> ScenarioMaker:
    """A world without tools; its param `cases` is what each of these draws, one after the other.

    Args:
        makers: one for each case.
        made: what is handed over of each, such as the plan of some tasks; as it is when None.
        also: more params, the same for every seed.
    """

    def world(draw: random.Random) -> Scenario:
        drawn = [make(draw) for make in makers]
        return Scenario(params={"cases": list(map(made, drawn)) if made else drawn, **also})

    return world


def compared(
    wanted: Callable[[Any], Any], by: Callable[..., Check] = equals, **how: Any
) -> Callable[[str], Checks]:
    """Checks that differ in where to look alone: of each case the stage says what `wanted` does.

    Args:
        wanted: of one case.
        by: `equals`, or `fits` where tests stand among the values or not all of them matter.
        how: more for that check, such as `within`.
    """

    def checks(look: str) -> Checks:
        return lambda world: [
            by([wanted(each) for each in world.params["cases"]], look=f"look at {look}", **how)
        ]

    return checks
