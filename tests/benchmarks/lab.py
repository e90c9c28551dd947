"""What the lab costs: `python -m tests.benchmarks.lab NAME` prints JSON.

`plans`: 10,000 oracle runs of a plan of 17 waits on two cores, and memory after 2,000 and at the
end. `report`: an experiment of 2,000 runs from the command to its report. `pairing`: the standard
error of supervisor minus planner, paired over unpaired.
"""

from __future__ import annotations

import json
import resource
import subprocess
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


def report() -> dict[str, float]:
    """Seconds from `lab run` with 2,000 runs to the report, on two cores."""
    spec = """
name = "faults"
bench = "calls:1-5"
pattern = "single, handoff, router, supervisor, planner"
policy = "none, refine"
fault = { model = [0, 0.1] }
seeds = "0:10"
tasks = 2
"""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "spec.toml", str(Path(folder) / "out")
        path.write_text(spec)
        lab = [sys.executable, "-m", "course", "lab"]
        begin = time.perf_counter()
        subprocess.run([*lab, "run", str(path), "--out", out, "--jobs", "2"], check=True,
                       capture_output=True)  # fmt: skip
        ran = time.perf_counter()
        subprocess.run([*lab, "report", out], check=True, capture_output=True)
        return {"run": ran - begin, "report": time.perf_counter() - ran}


def pairing() -> dict[str, float]:
    """The standard errors of a difference of latencies, over 5 tasks and 100 seeds."""
    from statistics import fmean, stdev

    from course.lab.one import play
    from course.lab.spec import Experiment

    found: dict[str, list[float]] = {"supervisor": [], "planner": []}
    axes = {"name": "pairs", "bench": "calls:3", "pattern": list(found), "tasks": 5}
    for cell in Experiment(**axes, seeds="0:100", spans=False).cells():
        found[cell.pattern].append(play(cell).row["latency_s"])
    one, other = found.values()
    root = len(one) ** 0.5
    paired = stdev([a - b for a, b in zip(one, other, strict=True)]) / root
    unpaired = (stdev(one) ** 2 + stdev(other) ** 2) ** 0.5 / root
    return {"difference": fmean(one) - fmean(other), "paired": paired, "unpaired": unpaired,
            "ratio": paired / unpaired}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]()))
