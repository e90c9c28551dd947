"""How large the house is and what a change costs: `python -m tests.benchmarks.house`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from tests.benchmarks import shown
from tests.house import test_rooms
from tests.notebooks.kit import ROOT

PACKAGES = ("course", "graders", "tests")
STAND_IN = ("course/models/policy", "tests/policy", "tests/reading")
BENCH = "import sys; from course.benches.bench import make; make('dag:4x3'); print(*sys.modules)"


def table() -> Iterator[tuple[str, str]]:
    """What is counted, and how many."""
    files = {p: p.relative_to(ROOT).as_posix() for k in PACKAGES for p in (ROOT / k).rglob("*.py")}
    own = [path for path, name in files.items() if not name.startswith(STAND_IN)]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in own)
    yield "Python lines without the stand-in and its tests", f"{lines:,}"
    every = shown.counted({room: list(shown.definitions(room)) for room in shown.ROOMS})
    seen = sum(each.lines for each in every if each.shown) / sum(each.lines for each in every)
    yield "core, lines", f"{sum(map(shown.lines, shown.ROOMS)):,}"
    yield "core, shown in a chapter", f"{seen:.0%}"
    yield "circles, types counted", ", ".join(filter(None, map(circle, PACKAGES))) or "0"
    for kind, count in touched():
        yield f"files to touch for {kind}", count
    loaded = subprocess.run(
        [sys.executable, "-c", BENCH], capture_output=True, text=True, check=True
    ).stdout.split()
    course = [name for name in loaded if name.split(".")[0] == "course"]
    models = [name for name in course if name.startswith("course.models")]
    yield (
        "files that a made bench loads",
        f"{len(course) - len(models)} and {len(models)} of models",
    )


def circle(package: str) -> str:
    """One circle of imports, if there is any."""
    try:
        TopologicalSorter(test_rooms.needs(package, ROOT)).prepare()
    except CycleError as error:
        return " -> ".join(error.args[1])
    return ""


def touched() -> Iterator[tuple[str, str]]:
    """From CONTRIBUTING.md: how many files a kind of change takes."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    yield from re.findall(r"^\| \*\*(.+?)\*\*[^|]*\| (\d+) \|", text, re.MULTILINE)


if __name__ == "__main__":
    for name, value in table():
        print(f"{name:50} {value}")
