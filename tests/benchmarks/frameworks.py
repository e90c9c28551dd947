"""Frameworks compared in virtual time: `python -m tests.benchmarks.frameworks [SEEDS]`.

The same tasks (three errands, three kinds of tool), seeds and faults of the service for each
pattern of each framework, played by the lab on two cores: how often it succeeded, what it took,
and how its seconds go along with those of our own pattern of the kind (r, over pairs of task and
seed). What a framework has not stands there as a gap; at the end a sample is played once more, and
compared to the byte.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from statistics import StatisticsError, correlation, mean
from typing import Any

from course.executors import executor
from course.lab import store
from course.lab.frameworks import FRAMEWORKS, OURS, framework_of
from course.lab.spec import Experiment
from course.lab.sweep import check, sweep

COLUMNS = ("success", "latency_s", "calls", "requests", "tokens_in", "handoffs", "delegations")
CORES = 2
TASKS = 5
KINDS = {"langgraph:supervisor": "supervisor:sequential"}
"""Our own pattern of the kind, where it has another name: langgraph-supervisor gives the
conversation to one worker at a time."""


def main(seeds: int = 20) -> None:
    told: dict[str, Any] = {
        "bench": "calls:3", "fault": {"model": [0.1]}, "seeds": tuple(range(seeds)), "tasks": TASKS,
    }  # fmt: skip
    plans = (
        Experiment(name="frameworks", framework=(OURS, *FRAMEWORKS), **told,
                   pattern=("single", "supervisor", "handoff", "router", "planner")),
        Experiment(name="kinds", pattern=tuple(KINDS.values()), **told),
    )  # fmt: skip
    begin, found = time.perf_counter(), []
    rows = defaultdict[str, list[dict[str, Any]]](list)
    for plan in plans:
        with tempfile.TemporaryDirectory() as folder:
            sweep(plan, folder, executor=executor(jobs=CORES), progress=False)
            for row in store.runs(folder).to_dict("records"):
                rows[str(row["pattern"])].append(row)
            found += check(folder)
    took = time.perf_counter() - begin
    print("| pattern | runs | success | s | calls, requests | tokens in | given away | r |")
    print("|---|---|---|---|---|---|---|---|")
    for pattern, each in rows.items():
        framework = framework_of(pattern)
        ours = pattern if framework == OURS else pattern.removeprefix(f"{framework}:")
        print(line(pattern, each, rows[KINDS.get(pattern, ours)]))
    played = sum(row["status"] != "excluded" for each in rows.values() for row in each)
    print(f"\n{played} runs in {took:.0f} s; played again: {'; '.join(found) or 'to the byte'}")


def line(pattern: str, found: list[dict[str, Any]], ours: list[dict[str, Any]]) -> str:
    scored = [row for row in found if row["status"] == "scored"]
    if not scored:
        return (
            f"| {pattern} | 0 of {len(found)} | {found[0]['why'].partition(': ')[2]} |" + " |" * 5
        )
    told = {name: mean(float(row[name]) for row in scored) for name in COLUMNS}
    return (
        f"| {pattern} | {len(scored)} | {told['success']:.2f} | {told['latency_s']:.2f} "
        f"| {told['calls']:.2f}, {told['requests']:.2f} | {told['tokens_in']:.0f} "
        f"| {told['handoffs'] + told['delegations']:.1f} | {together(ours, found)} |"
    )


def together(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> str:
    """How the seconds of two patterns' runs go along, pair by pair."""
    seconds = [{(r["task_id"], r["seed"]): r["latency_s"] for r in rows} for rows in (ours, theirs)]
    pairs = [(seconds[0][key], seconds[1][key]) for key in seconds[0]]
    try:
        return f"{correlation(*zip(*pairs, strict=True)):.3f}"
    except StatisticsError:
        return ""


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
