"""Whether an answer that is called sure is right: `python -m tests.benchmarks.confidence`.

The cloud providers' request at a share of tool calls that go wrong (slow, broken, a wrong digit,
half a result), each run with a seed of its own; once with workers that do a task once, and once
with `Repeated` ones. Nothing here is a test; tests/lab/test_confidence.py plays a few of the runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from course import PlanningSupervisor, connect, run_sync
from course.models.injection import profile_with
from course.scenarios.cloud_providers import REQUEST, Providers, workers, wrong_figures
from course.supervisor_worker import Repeated
from course.supervisor_worker.confidence import Confidences


@dataclass(frozen=True)
class Played:
    """One run: whether its answer was right, and how sure it was said to be."""

    right: bool
    told: Confidences


def play(runs: int, *, faults: float, twice: bool, kind: str = "mixed") -> Iterator[Played]:
    """Runs of the request, each with its own seed."""
    profile = profile_with("calm", tool=faults, tool_kind=kind)
    for seed in range(runs):
        with Providers(seed=seed) as world:
            staff = workers(world)
            if twice:
                staff = tuple(Repeated.of(w, attempts=4) if w.tools else w for w in staff)
            client = connect("simulated", profile=profile, seed=seed, wire=False)
            boss = PlanningSupervisor(name="boss", workers=staff)
            result = run_sync(boss, REQUEST, client=client)
            yield Played(not wrong_figures(world, result.answer), result.confidence)


def main() -> None:
    """Play the runs and print a line for each kind of worker."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=1000)
    asked.add_argument("--faults", type=float, default=0.2)
    given = asked.parse_args()
    print("worker | runs | right | called sure | sure but wrong | right when unsure")
    for twice in (False, True):
        played = list(play(given.runs, faults=given.faults, twice=twice))
        sure = [each for each in played if each.told.answer.sure]
        unsure = [each for each in played if not each.told.answer.sure]
        wrong = sum(not each.right for each in sure)
        name = "repeated" if twice else "once"
        share = f"{wrong / len(sure):.1%}" if sure else "none"
        right, later = sum(e.right for e in played), sum(e.right for e in unsure)
        print(f"{name} | {len(played)} | {right} | {len(sure)} | {wrong} ({share})"
              f" | {later} of {len(unsure)}")  # fmt: skip


if __name__ == "__main__":
    main()
