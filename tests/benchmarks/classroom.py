"""What grading a class costs: `python -m tests.benchmarks.classroom` prints one table.

Made submissions of one chapter, of four kinds: right, one exercise wrong, nothing done, an endless
loop in one exercise. They are graded as an instructor does it, by `python -m graders grade`, and
once more with another number of judges: both must say the same. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from graders.chapters import released
from tests.benchmarks.__main__ import Row, line
from tests.grading.odd import Json, is_answer, solved, stub
from tests.notebooks import kit

SAMPLE = 0.5  # seconds between looks at the memory


def hand_in(folder: Path, chapter: str, students: int, spinning: int) -> None:
    """Put so many submissions into a folder; so many of them never end."""
    for number in range(students):
        book = copy.deepcopy(solved(chapter))
        answers = [cell for cell in book["cells"] if is_answer(cell)]
        if number < spinning:
            spin(answers[0])
        elif number % 4 == 1:
            answers[number % len(answers)].update(source="raise ValueError('not today')")
        elif number % 4 == 2:
            for cell in answers:
                cell["source"] = stub(cell)
        path = folder / f"student{number:03}" / chapter / f"{chapter}.ipynb"
        path.parent.mkdir(parents=True)
        book["metadata"]["student"] = number  # of files alike to the byte one is judged
        path.write_text(json.dumps(book))


def spin(cell: Json) -> None:
    """Its function never gives control back."""
    head = "".join(cell["source"]).partition(":\n")[0]
    cell["source"] = f"{head}:\n    while True: pass\n"


def grade(home: Path, workers: int) -> tuple[float, float]:
    """Grade the class; returns seconds on the clock, and the highest memory in MB (PSS)."""
    command = [sys.executable, "-m", "graders", "grade", "-j", str(workers), "--no-gradebook"]
    environment = {**os.environ, "PYTHONPATH": str(kit.ROOT)}
    begun, highest = time.monotonic(), 0
    with subprocess.Popen(command, cwd=home, env=environment, start_new_session=True) as running:
        while running.poll() is None:
            highest = max(highest, memory(running.pid))
            time.sleep(SAMPLE)
    return time.monotonic() - begun, highest / 1000


def memory(root: int) -> int:
    """Proportional set size of a process and all that it started, in kB."""
    parents, found = {}, {root}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    for _ in parents:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            break
        found |= more
    return sum(proportional(each) for each in found)


def proportional(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(each.split()[1]) for each in lines if each.startswith("Pss:")), 0)


def results(home: Path) -> list[Json]:
    return [json.loads(each) for each in (home / "build/results.jsonl").read_text().splitlines()]


def plain(found: Sequence[Json]) -> list[Json]:
    return [{key: each[key] for key in each if "seconds" not in key} for each in found]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--chapter", default="01")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--spinning", type=int, default=1)
    chosen = parser.parse_args(arguments)
    chapter = next(each.name for each in released() if each.name.startswith(chosen.chapter))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        hand_in(home / "build/submitted", chapter, chosen.students, chosen.spinning)
        load = os.getloadavg()[0]
        seconds, highest = grade(home, chosen.workers)
        first = results(home)
        (home / "build/results.jsonl").unlink()
        grade(home, 4 if chosen.workers != 4 else 1)
        again = results(home)
    processor = sum(each["cpu_seconds"] for each in first) / len(first)
    differ = sum(one != other for one, other in zip(plain(first), plain(again), strict=True))
    aim = chosen.students if chapter.startswith("01") else None
    for row in (
        Row(f"{chosen.students} x {chapter}, {chosen.workers} judges", "s", seconds, aim),
        Row("processor time of one submission", "s", processor, 1.8),
        Row("peak memory of the run", "MB", highest, 400),
        Row("lines lost", "", chosen.students - len(first), 0),
        Row("lines that differ with another number of judges", "", differ, 0),
    ):
        print(line(row.cells()))
    print(f"load before: {load:.1f}; {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
