"""What judging costs: `python -m tests.benchmarks.judge` prints one table.

Each number stands beside its aim as a ratio. With `--burners` right answers are judged beside 8 and
24 programs that do nothing but compute; none may fail. With `--edited` every chapter is judged with
all cells edited that are no solution: how long it takes, and the points it loses. Nothing here is a
test.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from graders.chapters import released
from graders.exercises import exercises_of
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, judge
from graders.judge.proof import doubt
from graders.records.report import Report
from tests.benchmarks.__main__ import Row, line
from tests.grading.odd import MANGLED, as_file
from tests.judge.attacking import PLACES, Assault, hand_in
from tests.notebooks import kit

RUNS = 20
EDITED = (
    "a comment in every cell",
    "every cell formatted",
    "windows line ends",
    "blanks at every line's end",
    "all demonstrations endless",
)


def chapter(number: str) -> Chapter:
    """A released chapter."""
    return next(each for each in released() if each.name.startswith(number))


def three_trials(number: str) -> Chapter:
    """A chapter with one exercise, three trials and one seed of it: three fresh boxes."""
    whole = chapter(number.partition(".")[0].zfill(2))
    [exercise] = [each for each in whole.exercises if each.number == number]
    short = replace(exercise, trials=exercise.trials[:3], hidden_seeds=(2,))
    return replace(whole, exercises=(short,))


def solved(name: str) -> Path:
    """The chapter with its reference solutions."""
    return kit.ROOT / "solutions" / name / f"{name}.ipynb"


def project() -> Chapter:
    """The project's chapter, its solved notebook taken as what students got."""
    name = "11_the_project"
    return Chapter(name, kit.read(solved(name)), exercises_of("11"))


def timed(chapters: Sequence[Chapter], paper: Path, samples: int) -> float:
    """Median seconds to judge a notebook, the warmed process not counted."""
    with judge(chapters=chapters) as ready:
        return statistics.median(_seconds(lambda: ready.submission(paper)) for _ in range(samples))


def proved(tried: Chapter, samples: int) -> float:
    """Median seconds in which the judge proves itself on a chapter."""
    tried = replace(tried, reference=solved(tried.name))
    with judge(chapters=[tried]) as ready:
        return statistics.median(_seconds(lambda: _doubted(ready, tried)) for _ in range(samples))


def _doubted(ready: Judge, tried: Chapter) -> None:
    if told := doubt(ready, tried):
        raise RuntimeError(told)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def rows(samples: int) -> Iterator[Row]:
    """The table of costs."""
    plain, client = three_trials("1.3"), three_trials("1.4")
    one = solved("01_one_agent")
    yield Row("one exercise, 3 trials in fresh boxes", "s", timed([plain], one, samples), 0.25)
    yield Row("- one that needs openai", "s", timed([client], one, samples), 0.25)
    one_of = chapter("01")
    yield Row("chapter 01 whole, 2 seeds", "s", timed([one_of], one, samples), 1.5)
    zero = chapter("00")
    usual = timed([zero], solved(zero.name), samples)
    yield Row("chapter 00 whole, 2 seeds", "s", usual)
    whole = project()
    yield Row("the project, 34 trials", "s", timed([whole], solved(whole.name), samples), 3.0)
    for each in (one_of, whole):
        took = proved(each, samples)
        yield Row(f"- that the judge judges {each.name} rightly", "s", took, 2.0)
    for name, what, reach in (
        ("spins in a coroutine", "an endless loop in a coroutine costs", 5.0),
        ("awaits for ever", "an await for ever costs", 0.5),
    ):
        with tempfile.TemporaryDirectory() as folder:
            paper = hand_in(Assault(name, "0.2", PLACES[0]), Path(folder))
            yield Row(what, "s", timed([zero], paper, 1) - usual, reach)


HANGS = {
    "waits in real time": "import select\nselect.select([], [], [], 60)",
    "loops without end": "while True:\n    pass",
    "is a regular expression without end": "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
    "trickles bytes": "import ctypes, os\nwhile True:\n    os.write(3, b' ')\n"
    "    ctypes.PyDLL(None).sleep(1)",
    "says idle without end": 'import os\nline = b\'{"do":"idle","until":0,"held":""}\\n\'\n'
    'os.write(3, b\'{"do":"began","notes":[]}\\n\')\nwhile True:\n    os.write(3, line * 1000)',
    "says small values": 'import os\nos.write(3, b\'{"do":"began","notes":[]}\\n\')\n'
    'line = b\'{"do":"returned","trace":null,"running":[],"result":[\' + b\'{},\' * 300_000\n'
    "left = line + b'{}]}\\n'\nwhile left:\n    left = left[os.write(3, left) :]",
}
"""What stands above every answer of the worst notebooks."""

ADDED = {
    "1,900 cells of 20 kB": ["# " + "x" * 20_000] * 1_900,
    "5,500 lines that use each other": [
        "\n".join(f"v{n} = v{n + 1}" for n in range(k, k + 500)) for k in range(0, 5_500, 500)
    ],
    "1,900 cells that call each other": [f"def f{n}(): f{n + 1}()\nf{n}()" for n in range(1_900)],
    "40 cells that wait": ["import select\nselect.select([], [], [], 60)"] * 40,
}
"""Cells that stand in a solved chapter."""

# The peak as the system tells it of this program: getrusage also counts the one it was forked from.
_ALONE = """
import re, sys, time
from pathlib import Path
from graders.chapters import released
from graders.judge.judge import judge_submission
begin = time.monotonic()
score = judge_submission(Path(sys.argv[1]), chapters=released()).score
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
print(time.monotonic() - begin, peak / 1000, score)
"""


def worst(folder: Path) -> Iterator[tuple[str, Path]]:
    """Notebooks that try to take long, or much memory."""
    name = "04_supervisor"
    for kind, text in HANGS.items():
        book = kit.read(solved(name))
        for cell in book.cells:
            if (cell.metadata.get("nbgrader") or {}).get("solution"):
                cell.source = f"{text}\n{cell.source}"
        yield f"every answer {kind}", _handed(book, folder)
    for kind, texts in ADDED.items():
        book = kit.read(solved(name))
        book.cells[3:3] = [new_code_cell(text) for text in texts]
        yield kind, _handed(book, folder)


def _handed(book: NotebookNode, folder: Path) -> Path:
    path = folder / "04_supervisor.ipynb"
    nbformat.write(book, path)
    return path


def limits() -> Iterator[Row]:
    """Seconds and megabytes of the judge's process for the worst notebooks, each in a fresh one."""
    with tempfile.TemporaryDirectory() as folder:
        for what, paper in worst(Path(folder)):
            command = [sys.executable, "-c", _ALONE, str(paper)]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, megabytes, score = map(float, ran.stdout.split())
            yield Row(f"{what} ({score:g} points)", "s", seconds, 60)
            yield Row("- its memory", "MB", megabytes, 300)


@contextmanager
def burners(many: int) -> Iterator[None]:
    """Programs that compute beside the judge."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(many)]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def edited(ready: Judge) -> Iterator[Row]:
    """How much longer a chapter takes whose other cells were edited, and the points it loses."""
    for each in ready.chapters:
        usual, _ = judged(ready, solved(each.name))
        for way in EDITED:
            with tempfile.TemporaryDirectory() as folder:
                took, lost = judged(ready, as_file(each.name, MANGLED[way], Path(folder)))
            yield Row(f"{each.name}, {way}: time", "x", took / usual, 1.5)
            yield Row("- points lost", "", lost, 0)


def judged(ready: Judge, paper: Path) -> tuple[float, float]:
    """The shorter of two times in seconds, and the points that were lost."""
    reports: list[Report] = []
    took = min(_seconds(lambda: reports.append(ready.submission(paper))) for _ in range(2))
    return took, max(report.max_score - report.score for report in reports)


def under_load(ready: Judge, many: int, paper: Path, best: float) -> Row:
    """How many of the runs did not earn every point."""
    with burners(many):
        scores = [ready.submission(paper, seed=run).score for run in range(RUNS)]
    failed = sum(score != best for score in scores)
    return Row(f"right answers failed beside {many} burners, {RUNS} runs", "", failed, 0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.judge", description=__doc__)
    parser.add_argument("--samples", type=int, default=5, help="runs for each number")
    parser.add_argument("--burners", action="store_true", help="also judge under load (minutes)")
    parser.add_argument("--edited", action="store_true", help="also judge edited chapters")
    parser.add_argument("--worst", action="store_true", help="only the worst notebooks (minutes)")
    chosen = parser.parse_args()
    print(line(["what", "reach", "measured", "measured / reach", ""]))
    print(line(["---"] * 5))
    for row in limits() if chosen.worst else rows(chosen.samples):
        print(line(row.cells()), flush=True)
    if chosen.edited:
        with judge(chapters=released()) as ready:
            for row in edited(ready):
                print(line(row.cells()), flush=True)
    if chosen.burners:
        zero = chapter("00")
        with judge(chapters=[zero]) as ready:
            for many in (0, 8, 24):
                best = sum(each.points for each in zero.exercises)
                row = under_load(ready, many, solved(zero.name), best)
                print(f"{row.what}: {row.measured:g}", flush=True)


if __name__ == "__main__":
    main()
