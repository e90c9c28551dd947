"""A level at which patterns can differ: where nobody fails, success compares nothing.

The rate is sought at which the first arm, the baseline, is right in about seven runs of ten. Luck
hangs on what is asked and not on the rate, so that a higher one spoils what a lower one did and
more; halving the distance finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from course.lab.one import play
from course.lab.spec import Cell, Experiment

NEAR, OFF = 0.7, 0.1
"""The success that is sought, and how far off is near."""
RUNS, HALVINGS = 40, 6


@dataclass(frozen=True)
class Level:
    """Where a baseline stands, and what would bring it near 0.7.

    Attributes:
        arm: the baseline.
        success: its share of right runs, as the experiment has it.
        runs: on how many this stands.
        knob: what was turned, such as "fault.tool"; "" where nothing brings it there.
        rate, there: the knob's setting, and the success at it.
    """

    arm: str
    success: float
    runs: int
    knob: str = ""
    rate: float = 0.0
    there: float = 0.0

    def __str__(self) -> str:
        found = f"near {NEAR} at {self.knob} = {self.rate:.2g} ({self.there:.2f})"
        if not self.knob:
            found = f"no rate of faults or flaws brings it near {NEAR}: take a bench of more steps"
        return f"baseline {self.arm}: success {self.success:.2f} in {self.runs} runs; {found}"


def level(experiment: Experiment) -> Level | None:
    """Where the first arm that an oracle plays stands, and the rate at which it is near 0.7; None
    where no oracle plays.

    First the experiment's own faults are tried, of tools where it has none, and then the flaw
    `invented`, which is how often somebody says another value than was found.
    """
    oracle = (cell for cell in experiment.cells() if cell.model == "oracle")
    first = next(oracle, None)
    if first is None:
        return None
    same = (cell for cell in experiment.cells() if cell.arm == first.arm)
    cells = list(islice(same, RUNS))
    here = _success(cells)
    kinds: Any = {
        "fault_kind": experiment.fault.kind[0],
        "tool_kind": experiment.fault.tool_kind[0],
    }
    known = [axis for axis in ("tool", "move", "model") if any(getattr(experiment.fault, axis))]
    for knob in (*(f"fault.{axis}" for axis in known or ("tool",)), "flaw.invented"):
        rate, there = _sought([replace(cell, **kinds) for cell in cells], knob)
        if abs(there - NEAR) <= OFF:
            return Level(first.arm, here, len(cells), knob, rate, there)
    return Level(first.arm, here, len(cells))


def _sought(cells: list[Cell], knob: str) -> tuple[float, float]:
    """The rate at which success comes nearest to 0.7, and what it is there."""
    low, high, tried = 0.0, 1.0, list[tuple[float, float]]()
    for _ in range(HALVINGS):
        rate = (low + high) / 2
        tried.append((rate, _success(list(_turned(cells, knob, rate)))))
        low, high = (rate, high) if tried[-1][1] > NEAR else (low, rate)
    return min(tried, key=lambda each: abs(each[1] - NEAR))


def _turned(cells: list[Cell], knob: str, rate: float) -> Iterator[Cell]:
    axis = knob.partition(".")[2]
    for cell in cells:
        changed: dict[str, Any] = {f"fault_{axis}": rate}
        if knob.startswith("flaw"):
            kept = tuple(each for each in cell.flaw if each[0] != axis)
            changed = {"flaw": (*kept, (axis, rate))}
        yield replace(cell, spans=False, measures=(), **changed)


def _success(cells: list[Cell]) -> float:
    """The share of right runs among those that count."""
    told = [play(cell).row["success"] for cell in cells]
    counted = [each for each in told if each is not None]
    return sum(counted) / len(counted) if counted else 0.0
