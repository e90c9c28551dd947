"""Frameworks compared in virtual time: `python -m tests.benchmarks.frameworks [SEEDS]`.

The same tasks (three errands, three kinds of tool), the same seeds and faults of the service for
each pattern of each framework: how often it succeeded, what it took, and how its seconds go along
with those of our own pattern of the kind (r, over pairs of task and seed).
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from statistics import StatisticsError, correlation, mean

from course.lab.frameworks import FRAMEWORKS, OURS
from course.lab.one import play
from course.lab.spec import Experiment

COLUMNS = ("success", "latency_s", "calls", "requests", "tokens_in", "handoffs", "delegations")


def main(seeds: int = 10) -> None:
    plan = Experiment(
        name="frameworks", bench="calls:3", pattern=("single", "supervisor", "handoff"),
        framework=(OURS, *FRAMEWORKS), fault={"model": [0.1]}, seeds=tuple(range(seeds)), tasks=5,
    )  # fmt: skip
    rows, cpu = defaultdict[str, list[dict]](list), defaultdict[str, float](float)
    begin = time.perf_counter()
    for cell in plan.cells():
        before = time.process_time()
        rows[cell.pattern].append(play(cell).row)
        cpu[cell.pattern] += time.process_time() - before
    print(
        "| pattern | runs | success | s | calls, requests | tokens in | given away | r | CPU, ms |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for pattern, found in rows.items():
        scored = [row for row in found if row["status"] == "scored"]
        if not scored:
            print(
                f"| {pattern} | 0 of {len(found)} | {found[0]['why'].partition(': ')[2]} |"
                + " |" * 6
            )
            continue
        told = {name: mean(float(row[name]) for row in scored) for name in COLUMNS}
        print(
            f"| {pattern} | {len(scored)} | {told['success']:.2f} | {told['latency_s']:.2f} "
            f"| {told['calls']:.2f}, {told['requests']:.2f} | {told['tokens_in']:.0f} "
            f"| {told['handoffs'] + told['delegations']:.1f} "
            f"| {together(rows[pattern.rpartition(':')[2]], found)} "
            f"| {1000 * cpu[pattern] / len(scored):.1f} |"
        )
    print(f"\n{sum(map(len, rows.values()))} runs in {time.perf_counter() - begin:.0f} s")


def together(ours: list[dict], theirs: list[dict]) -> str:
    """How the seconds of two patterns' runs go along, pair by pair."""
    try:
        return (
            f"{correlation(*([row['latency_s'] for row in rows] for rows in (ours, theirs))):.3f}"
        )
    except StatisticsError:
        return ""


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
