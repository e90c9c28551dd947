"""What the kit costs: `python -m tests.benchmarks` prints one table and keeps it as JSON.

Every sample is a fresh process, medians are reported, and each number stands beside its aim as
a ratio, since ratios survive a change of machine better than seconds. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from course.lab.frameworks import FRAMEWORKS, OURS, installed

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build/benchmarks.json"


@dataclass(frozen=True)
class Row:
    """A measured number and what it should be: at most `reach`, or at least when `at_least`."""

    what: str
    unit: str
    measured: float
    reach: float | None = None
    at_least: bool = False

    @property
    def ok(self) -> bool | None:
        if self.reach is None:
            return None
        return self.measured >= self.reach if self.at_least else self.measured <= self.reach

    def cells(self) -> list[str]:
        measured = f"{self.measured:{'.0f' if self.measured >= 100 else '.3g'}} {self.unit}"
        if self.reach is None:
            return [self.what, "", measured, "", ""]
        sign = ">=" if self.at_least else "<="
        return [
            self.what,
            f"{sign} {self.reach:g} {self.unit}",
            measured,
            f"{self.measured / self.reach:.2f}" if self.reach else "",
            "ok" if self.ok else "NOT REACHED",
        ]


def sample(name: str, module: str = "measures") -> dict[str, Any]:
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"measuring {name} failed: {done.stderr.strip().splitlines()[-1]}")
    numbers: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def medians(name: str, samples: int, module: str = "measures") -> dict[str, float]:
    taken = [sample(name, module) for _ in range(samples)]
    return {key: statistics.median(one[key] for one in taken) for key in taken[0]}


def seconds_to_run(program: str, samples: int) -> float:
    def once() -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
        return time.perf_counter() - begin

    once()  # so that bytecode and disk are warm
    return statistics.median(once() for _ in range(samples))


def loop_rows(samples: int) -> Iterator[Row]:
    loop = medians("agent_loop", samples)["ms_per_call"]
    yield Row("agent loop, 50 tool turns, CPU per model call", "ms", loop, 0.85)
    create = medians("create_alone", samples)["ms_per_call"]
    yield Row("- chat.completions.create alone, same turns", "ms", create)


def waiting_rows(samples: int) -> Iterator[Row]:
    many = medians("many_agents", samples)
    yield Row("1000 agents at once, 50 ms model latency, wall", "s", many["seconds"], 1.0)
    yield Row("- memory above idle", "MB", many["mb_above_idle"], 30.0)
    three = medians("three_calls", samples)["over_critical_path"]
    yield Row("three 200 ms tool calls in one message, over the critical path", "x", three, 1.03)
    fast = medians("virtual_time", samples)["times_real"]
    yield Row("virtual time, 20 calls of 1.5 s, times real time", "x", fast, 1000, at_least=True)


def lab_rows(samples: int) -> Iterator[Row]:
    took = sample("luck", "luck")
    yield Row("same questions, seconds of supervisor and planner, correlation", "",
              took["alike"]["supervisor-planner"], 0.64, at_least=True)  # fmt: skip
    yield Row("- standard error of their difference, paired over unpaired", "x",
              took["alike"]["paired_over_unpaired"], 0.6)  # fmt: skip
    yield Row("- where each plans its own way, paired over unpaired", "x",
              took["own_way"]["paired_over_unpaired"])  # fmt: skip


MEASURES = {
    "loop": ("CPU per model call, 50 tool turns", "ms", 1.08),
    "handoff": ("CPU per handoff", "ms", 1.15),
    "supervisor": ("CPU of a supervisor with three workers", "ms", 1.12),
    "crowd": ("CPU of 1000 agents at once, 50 ms model latency", "s", 1.2),
    "crowd unswept": ("the same without Python's collector", "s", None),
}
"""What peers are measured by: the unit, and what ours may take of what raw takes."""


def peer_rows(samples: int) -> Iterator[Row]:
    """The course and the frameworks that are installed, each beside the raw client."""
    for framework in (OURS, *filter(installed, FRAMEWORKS)):
        found = sample(framework, "peers")
        for name, (what, unit, reach) in MEASURES.items():
            if name in found:
                took, raw, ratio = found[name]
                yield Row(f"{framework}: {what}", unit, took)
                yield Row(f"- raw {raw:.3g} {unit}, ours over it" if framework == OURS
                          else f"- raw {raw:.3g} {unit}, it over that", "x", ratio,
                          reach if framework == OURS else None)  # fmt: skip


def speech_rows(samples: int) -> Iterator[Row]:
    words = sample("words", "speech")
    yield Row("one-word answers heard, of 40, with the field's values", "", words["with"], 36,
              at_least=True)  # fmt: skip
    yield Row("- without", "", words["without"])
    names = sample("names", "speech")
    for voice, right in names.items():
        yield Row(f"names taken for the right record after the question back, of 10, {voice}", "",
                  right, 9, at_least=True)  # fmt: skip
    for where, ear, cut in (("call", 0.9, 0.6), ("room", 1.3, 0.9)):
        of = sample(where, "speech")
        yield Row(f"spoken {where}, end of speech to first audio, mean of 8 turns", "s", of["ear"],
                  ear)  # fmt: skip
        yield Row("- of it until the transcript", "s", of["transcript"])
        yield Row(
            "- the same by LiveKit's metric", "s", of["e2e"], 0.8 if where == "room" else None
        )
        yield Row("- barge-in, until the agent is silent", "s", of["silent_after"], cut)
        yield Row("- peak memory", "MB", of["mb"], 900 if where == "call" else 1200)
        if where == "room":
            yield Row("- join to first agent audio", "s", of["join"], 1.0)


def loading_rows(samples: int) -> Iterator[Row]:
    bare = seconds_to_run("pass", samples)
    course = seconds_to_run("import course", samples) - bare
    yield Row("import course, beyond the interpreter", "s", course, 0.3)
    whole = seconds_to_run("from course import connect, run, Trace; connect()", samples) - bare
    yield Row("- with connect() and all an agent needs", "s", whole)
    for name, seconds in medians("chapters", max(1, samples // 3)).items():
        yield Row(f"chapter {name}, executed whole", "s", seconds, 15.0)


KINDS = (loop_rows, waiting_rows, peer_rows, lab_rows, speech_rows, loading_rows)


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--samples", type=int, default=5, help="fresh processes per number")
    names = {each.__name__.removesuffix("_rows"): each for each in KINDS}
    parser.add_argument("--only", choices=names, nargs="+", default=list(names), help="these rows")
    told = parser.parse_args()
    samples, kinds = told.samples, [names[each] for each in told.only]
    before = machine()
    print("Python {python} on {platform}, {cores} cores, load {load:.1f}\n".format(**before))
    print(line(["what", "reach", "measured", "measured / reach", ""]))
    print(line(["---"] * 5))
    rows = []
    for row in chain(*(rows_of(samples) for rows_of in kinds)):
        print(line(row.cells()), flush=True)
        rows.append(asdict(row))
    if busy := max(before["load"], os.getloadavg()[0]) > before["cores"]:
        print("\nThis machine was busy with other work: read the CPU and memory rows only.")
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({"machine": before, "busy": busy, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
