"""`make test` in fresh clones, on other days, under other hashes and with one worker.

`python -m tests.benchmarks.days` needs libfaketime (Debian: apt install faketime), with which every
program of a clone's tests believes in another date. Calls in a real room are left out on other
days: LiveKit's server is a program without the C library, so it alone would keep today's date and
refuse tokens of tomorrow. Minutes for each row, and one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import telling

ROOT = Path(__file__).parents[2]
LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
ROOMS = ("tests/voice/test_room.py", "tests/browser/test_room_page.py")


@dataclass(frozen=True)
class Row:
    """How one clone is tested: days from now, PYTHONHASHSEED, and workers where not as usual."""

    days: int
    hash: int
    workers: int | None = None

    def environment(self) -> dict[str, str]:
        told = {"PYTHONHASHSEED": str(self.hash)}
        if self.days:
            told |= {"LD_PRELOAD": LIBRARY, "FAKETIME": f"{self.days:+}d", "NO_FAKE_STAT": "1",
                     "FAKETIME_DONT_FAKE_MONOTONIC": "1"}  # fmt: skip
        return told

    def words(self) -> list[str]:
        words = [f"--processes={self.workers}"] if self.workers else []
        return words + [f"--ignore={path}" for path in ROOMS if self.days]


ROWS = (Row(0, 1), Row(2, 2), Row(9, 3), Row(400, 4, workers=1))


def play(row: Row, folder: Path) -> tuple[float, telling.Told, list[str]]:
    """Clone, set up and test; return the seconds of the tests, what they told, and which ran."""
    clone = folder / f"in {row.days} days"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    subprocess.run(["make", ".venv/ready"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
    ran = clone / "build/ran.xml"
    words = [f"--junitxml={ran}", *row.words(), "tests", "solutions"]
    begin = time.monotonic()
    subprocess.run(
        [".venv/bin/python", "-m", "tests", *words],
        cwd=clone,
        env=os.environ | row.environment(),
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return time.monotonic() - begin, telling.read(clone / "build/told.json"), sorted(_ids(ran))


def _ids(junit: Path) -> Iterator[str]:
    import xml.etree.ElementTree as Tree

    for case in Tree.parse(junit).iter("testcase"):  # written by the line above
        yield f"{case.get('classname')} {case.get('name')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=range(len(ROWS)))
    given = parser.parse_args()
    if not Path(LIBRARY).exists():
        print("libfaketime is missing: apt install faketime")
        return 2
    print("| days from now | hash seed | workers | seconds | passed | red |")
    print("|---|---|---|---|---|---|")
    seen: list[Counter[str]] = []
    red = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in (ROWS[place] for place in given.rows):
            seconds, told, ids = play(row, Path(folder))
            seen.append(Counter(each for each in ids if "room" not in each.partition(" ")[0]))
            red += len(told.red)
            print(f"| {row.days} | {row.hash} | {row.workers or 'usual'} | {seconds:.0f} |"
                  f" {told.counts['passed']} | {len(told.red)} |", flush=True)  # fmt: skip
            for each in told.red:
                print(json.dumps(each), file=sys.stderr)
    same = all(each == seen[0] for each in seen)
    print(f"The same tests in each, but for calls in a room: {'yes' if same else 'NO'}")
    return 0 if same and not red else 1


if __name__ == "__main__":
    sys.exit(main())
