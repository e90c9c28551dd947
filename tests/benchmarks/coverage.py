"""Do the lab's figures hold? `python -m tests.benchmarks.coverage` prints one table.

Tables of known truth are simulated, and it is counted how often the 95 % interval of a mean over
tasks holds that truth, and whether it ever says another thing than the p beside it. Then the
lab itself: outages, errors of tools by pattern, and what pairing gains under every kind of fault.
`python -m tests.benchmarks.coverage NAME` gives one part: weather, tables,
errors, pairing, money (a service on loopback, asked for money) or planned (10,000 runs).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from course.evaluation import means, stats
from tests.benchmarks import money
from tests.benchmarks.__main__ import Row, line, sample

SEEDS = 5


def normal(luck: Any, tasks: int) -> tuple[Any, Any]:
    """Normal in all parts: tasks, what the arms do to each, seeds."""
    task, noise = luck.normal(10, 3, tasks), luck.normal(0, 0.6, (2, SEEDS, tasks))
    return task + noise[0], task + luck.normal(0, 0.8, tasks) + noise[1]


def skewed(luck: Any, tasks: int) -> tuple[Any, Any]:
    """Lognormal in both arms, so that long tasks differ most."""
    task = luck.lognormal(1, 0.8, tasks)
    one, other = (task * luck.lognormal(0, 0.4, (SEEDS, tasks)) for _ in range(2))
    return one, other


def leaning(luck: Any, tasks: int) -> tuple[Any, Any]:
    """The difference itself is lognormal."""
    task, noise = luck.normal(10, 3, tasks), luck.normal(0, 0.2, (2, SEEDS, tasks))
    return task + noise[0], task + luck.lognormal(0, 0.8, tasks) + noise[1]


def share(luck: Any, tasks: int) -> tuple[Any, Any]:
    """Success, right four times of five in both arms."""
    rate = luck.beta(4, 1, tasks)
    one, other = (luck.random((SEEDS, tasks)) < rate for _ in range(2))
    return one.astype(float), other.astype(float)


def rare(luck: Any, tasks: int) -> tuple[Any, Any]:
    """Success in all runs of an arm, and nearly all of the other."""
    rate = 1 - luck.beta(0.15, 9.85, tasks)
    return np.ones((SEEDS, tasks)), (luck.random((SEEDS, tasks)) < rate).astype(float)


SHAPES: Mapping[str, tuple[Callable[[Any, int], tuple[Any, Any]], float]] = {
    "normal": (normal, 0.0),
    "skewed": (skewed, 0.0),
    "leaning": (leaning, float(np.exp(0.32))),
    "share": (share, 0.0),
    "rare": (rare, -0.015),
}
"""How a table is made, and the true difference of its arms."""


@dataclass
class Held:
    """Of so many tables: whose interval holds the truth, or is warned of, or says no other thing
    than its p."""

    tables: int = 0
    covered: int = 0
    told: int = 0
    contradicted: int = 0
    alarms: int = 0


def held(shape: str, tasks: int, tables: int = 600) -> Held:
    """How intervals and p do on tables of this shape, each of so many tasks and five seeds."""
    (make, truth), shares = SHAPES[shape], shape in ("share", "rare")
    found = Held(tables)
    for seed in range(tables):
        one, other = make(np.random.default_rng([seed, tasks]), tasks)
        units = (other - one).mean(axis=0)
        low, high = means.interval(units, within=(-1, 1) if shares else None)
        p, inside = means.p_value(units), low <= truth <= high
        found.covered += inside
        found.told += inside or any(stats.doubts(units, shares=shares))
        found.contradicted += (low > 0 or high < 0) and p > means.ALPHA
        found.alarms += p <= means.ALPHA
    return found


def tables(count: int = 600) -> Iterator[Row]:
    """Coverage by shape and size."""
    for shape in SHAPES:
        for tasks in (10, 20, 40):
            found = held(shape, tasks, count)
            said = f"coverage, {shape}, {tasks} tasks"
            yield Row(said, "", found.covered / count)
            yield Row("- or a warning", "", found.told / count, 0.93, at_least=True)
            yield Row("- contradicts its own p", "", found.contradicted, 0)


FAULTS: Mapping[str, dict[str, Any]] = {
    "no fault": {},
    "tool errors": {"tool": 0.1, "tool_kind": "error"},
    "mixed tool faults": {"tool": 0.1},
    "service": {"model": 0.1},
    "outages": {"model": 0.15, "kind": "outages"},
    "moves": {"move": 0.1},
}


def played(**axes: Any) -> pd.DataFrame:
    """The runs of an experiment."""
    from course.lab.one import play
    from course.lab.spec import Experiment
    from course.lab.tables import RUNS, pandas_type
    from course.lab.tables import table as made

    usual = {"name": "holds", "bench": "calls:3", "policy": "refine", "spans": False}
    cells = Experiment(**{**usual, **axes}).cells()
    return made([play(cell).row for cell in cells], RUNS).to_pandas(types_mapper=pandas_type)


def weather(seeds: int = 200) -> Iterator[Row]:
    """Coverage of supervisor less single under outages: truth is the mean over all seeds."""
    arms = ["single", "supervisor"]
    runs = played(pattern=arms, tasks=12, seeds=f"0:{seeds}", fault=FAULTS["outages"])
    truth = stats.compare(runs, "latency_s", *arms).difference
    for size in (5, 10, 20):
        told = [
            stats.compare(runs[runs["seed"] // size == part], "latency_s", *arms)
            for part in range(seeds // size)
        ]
        share = sum(each.low <= truth <= each.high for each in told) / len(told)
        yield Row(f"coverage, outages, {size} seeds", "", share, 0.93, at_least=True)


PATTERNS = ("single", "handoff", "consultation", "router", "supervisor", "planner")


def errors() -> Iterator[Row]:
    """Errors of tools that a run meets, by pattern, the most over the least."""
    runs = played(pattern=list(PATTERNS), tasks=10, seeds="0:10",
                  fault={"tool": 0.2, "tool_kind": "error"})  # fmt: skip
    met = runs.groupby("pattern")["faults"].mean().astype(float)
    for name in PATTERNS:
        yield Row(f"errors of tools a run, {name}", "", met[name])
    yield Row("- the most over the least", "x", met.max() / met.min(), 1.02)


def pairing() -> Iterator[Row]:
    """Paired over unpaired standard error of latency, the median of all pairs of patterns."""
    for name, fault in FAULTS.items():
        runs = played(pattern=list(PATTERNS), tasks=10, seeds="0:10", fault=fault)
        shares = {}
        for pair in combinations(PATTERNS, 2):
            told = stats.compare(runs, "latency_s", *pair)
            shares[pair] = told.se / told.se_unpaired
        yield Row(f"paired / unpaired error, latency, {name}", "x", median(shares.values()), 0.6)
        asked = [share for pair, share in shares.items() if "single" not in pair]
        yield Row("- without single, which asks none whom others ask", "x", median(asked), 0.6)


def planned() -> Iterator[Row]:
    """Ten thousand planned runs on two cores."""
    told = sample("plans", "lab")["10000"]
    yield Row("10,000 planned runs, two cores", "s", told["seconds"], 40)
    yield Row("- memory of the largest process", "MB", max(told["peak_mb"].values()), 300)


PARTS = {"weather": weather, "tables": tables, "errors": errors, "pairing": pairing,
         "money": money.rows, "planned": planned}  # fmt: skip

if __name__ == "__main__":
    print(line(["what", "reach", "measured", "measured / reach", ""]))
    print(line(["---"] * 5))
    for name in sys.argv[1:] or PARTS:
        for row in PARTS[name]():
            print(line(row.cells()), flush=True)
