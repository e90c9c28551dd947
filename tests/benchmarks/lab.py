"""What ten thousand runs of the lab cost: `python -m tests.benchmarks.lab plans` prints JSON.

Oracle runs of a plan of 17 waits on two cores, and memory after 2,000 and at the end. It is the
last part of `python -m tests.benchmarks.coverage`.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PLAN = {"name": "plans", "bench": "calls:5", "pattern": "planner", "tasks": 5}


def peak_mb() -> dict[str, float]:
    """The most memory that this process and the largest of its children have had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        who: round(resource.getrusage(of).ru_maxrss * unit / 1e6)
        for who, of in (("here", resource.RUSAGE_SELF), ("child", resource.RUSAGE_CHILDREN))
    }


def plans(runs: int = 10_000) -> dict[str, Any]:
    """Seconds for so many plans of five tasks: 12 model calls and 5 tool calls each."""
    from course.executors import Pool
    from course.lab.one import play
    from course.lab.spec import Experiment
    from course.lab.sweep import sweep

    told: dict[str, Any] = {}
    one = play(next(Experiment(**PLAN).cells())).row
    told["waits"] = one["requests"] + one["tool_calls"]
    for count in (runs // 5, runs):
        experiment = Experiment(**PLAN, seeds=f"0:{count // 5}", spans=False)
        with tempfile.TemporaryDirectory() as folder:
            begin, used = time.perf_counter(), children()
            sweep(experiment, Path(folder) / "out", executor=Pool(2), progress=False)
            told[str(count)] = {
                "seconds": round(time.perf_counter() - begin, 1),
                "cpu_ms_a_run": round(1000 * (children() - used) / count, 2),
                "peak_mb": peak_mb(),
            }
    return told


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(json.dumps({"plans": plans}[sys.argv[1]]()))
