"""Branch coverage by room, as tests in this process see it: `python -m tests.covering`.

What kernels, boxes and commands do in processes of their own is not counted. `--keep` writes
what was measured to coverage.json, below which no room may fall.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = Path(__file__).with_name("coverage.json")
BUILD = ROOT / "build/coverage"
BIN = Path(sys.executable).parent
SLACK = 0.3
"""Points of a hundred by which a room may differ, since some lines hang on who is first."""
WITHOUT = ("browser", "classroom", "voice/test_call.py", "voice/test_room.py", "benchmarks",
           "judge/test_hanging.py", "judge/test_attacks.py")  # fmt: skip
"""Tests that drive other processes, or measure what code uses up."""


# More than there are cores: who drives a browser, a kernel or a box often waits for it. Two in
# three wait at a time; eight take about four gigabytes.
SPREAD = ("--processes", str(min(4 * (os.cpu_count() or 1), 8)))


def room_of(path: str) -> str:
    """The room of a file: course/team of course/team/hub.py, and course of course/agent.py."""
    return "/".join(path.split("/")[:-1][:2])


def measure() -> dict[str, float]:
    """Play the tests and return the share of statements and branches covered, in %, by room.

    Raises:
        subprocess.CalledProcessError: no coverage could be read.
    """
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.parent.mkdir(mode=0o700, exist_ok=True)  # grades go there as well
    BUILD.mkdir()
    started = {"COVERAGE_PROCESS_START": str(ROOT / "pyproject.toml")}
    left = (f"--ignore=tests/{path}" for path in WITHOUT)
    command = [str(BIN / "pytest"), "--quiet", *SPREAD, *left, "tests"]
    subprocess.run(command, cwd=ROOT, env=os.environ | started, check=False)
    for words in (["combine", "--quiet"], ["json", "--quiet", "-o", str(BUILD / "by-file.json")]):
        subprocess.run([str(BIN / "coverage"), *words], cwd=ROOT, check=True)
    return by_room(json.loads((BUILD / "by-file.json").read_text())["files"])


def by_room(files: dict[str, dict[str, dict[str, int]]]) -> dict[str, float]:
    """Coverage's own numbers by file, summed by room."""
    covered, there = Counter[str](), Counter[str]()
    for path, each in files.items():
        told, room = each["summary"], room_of(path)
        covered[room] += told["covered_lines"] + told["covered_branches"]
        there[room] += told["num_statements"] + told["num_branches"]
    return {room: round(100 * covered[room] / n, 1) for room, n in sorted(there.items()) if n}


def fallen(measured: dict[str, float], kept: dict[str, float]) -> dict[str, float]:
    """The rooms that are below what was kept, with what they have now."""
    return {
        room: measured.get(room, 0.0)
        for room, least in kept.items()
        if measured.get(room, 0.0) < least - SLACK
    }


def holds(*, keep: bool = False) -> bool:
    """Measure, print a line a room and say whether none has fallen."""
    measured = measure()
    if keep:
        KEPT.write_text(json.dumps(measured, indent=0) + "\n", encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    print("Branch coverage by room, in %:")
    for room, share in measured.items():
        print(f"{share:>6}  {room:<28} kept: {kept.get(room, 'none')}")
    below = fallen(measured, kept)
    for room, share in below.items():
        print(f"✗ {room}: {share} % is covered, {kept[room]} before")
    return not below


if __name__ == "__main__":
    sys.exit(0 if holds(keep="--keep" in sys.argv) else 1)
