"""A class of thirty from an LMS's download to its file: `python -m tests.benchmarks.download`.

Thirty students hand in four chapters, each in a way of their own: see `tests.classroom.kinds`. What
Canvas and Moodle would give to download goes through `collect`, `grade` and `publish`, as an
instructor does it; then every verdict and every cell is held against what is known to be right.
Nothing here is a test.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from graders.chapters import released
from graders.exercises import exercises_of
from tests.benchmarks.__main__ import Row, line
from tests.benchmarks.classroom import results
from tests.classroom.kinds import Handed, kinds, lost
from tests.grading.odd import Json
from tests.notebooks import kit

Class = Mapping[str, Mapping[str, Handed]]
FIRST = 100  # the LMS's number of the first student
REFUSED = {"notebook.too_large": "submission.refused"}  # what is that large is not unpacked


def packed(name: str, data: bytes, zips: int) -> tuple[str, bytes]:
    for _ in range(zips):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)
        name, data = "answers.zip", made.getvalue()
    return name, data


def downloads(folder: Path, asked: Class, lms: str) -> list[Path]:
    """A zip for each chapter, with names as the LMS gives them."""
    paths = []
    for chapter, students in asked.items():
        paths.append(folder / f"{lms} {chapter[:2]}.zip")
        with zipfile.ZipFile(paths[-1], "w", zipfile.ZIP_DEFLATED) as archive:
            for number, (student, handed) in enumerate(students.items(), start=FIRST):
                if handed.make is None:
                    continue
                file = handed.file or f"{chapter}.ipynb"
                name, data = packed(file, handed.make(), handed.zips)
                archive.writestr(
                    f"{student.replace(' ', '').lower()}_{number}_7{number}_{name}"
                    if lms == "canvas"
                    else f"{student}_{number}_assignsubmission_file_/{name}",
                    data,
                )
    return paths


def template(path: Path, asked: Class, lms: str) -> Path:
    """The LMS's own export: of all chapters Canvas's, of the first one Moodle's."""
    people = list(enumerate(next(iter(asked.values())), start=FIRST))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if lms == "moodle":
            writer.writerow(("Identifier", "Full name", "Status", "Grade", "Maximum Grade"))
            most = points(next(iter(asked)))
            writer.writerows((f"Participant {n}", who, "Submitted", "", most) for n, who in people)
            return path
        heads = [f"{chapter[3:].replace('_', ' ')} (9{chapter[:2]})" for chapter in asked]
        writer.writerow(("Student", "ID", "SIS Login ID", "Section", *heads, "Final Score"))
        most = map(points, asked)
        writer.writerow(("    Points Possible", "", "", "", *most, "(read only)"))
        writer.writerows((who, n, who, "A", *("" for _ in asked), "80.1") for n, who in people)
    return path


def points(chapter: str) -> float:
    by_hand = 20.0 if chapter.startswith("11") else 0.0  # memo and reflection
    return sum(each.points for each in exercises_of(chapter[:2])) + by_hand


def graders(home: Path, *arguments: object) -> int:
    command = [sys.executable, "-m", "graders", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(kit.ROOT)}
    done = subprocess.run(command, cwd=home, env=environment, check=False, stdout=subprocess.PIPE)
    return done.returncode


def odd(asked: Class, found: Sequence[Json]) -> Iterator[str]:
    """What came out otherwise than it is known to be right."""
    told = {(each["student"], each["chapter"]): each for each in found}
    for chapter, students in asked.items():
        for student, handed in students.items():
            result = told.get((student, chapter))
            if result is None:
                yield f"{student} {chapter}: lost"
            elif result["code"] != (code := REFUSED.get(handed.code, handed.code)):
                yield f"{student} {chapter}: {result['code']!r} and not {code!r}"
            elif not handed.code and (falls := lost(result)) != handed.lost:
                yield f"{student} {chapter}: loses {sorted(falls)} and not {sorted(handed.lost)}"


def untrue(before: Path, after: Path, found: Sequence[Json], asked: Class) -> Iterator[str]:
    """Rows of the LMS's file that are not as they have to be."""
    scores = {(each["student"], each["chapter"]): each["score"] for each in found}
    tables = [list(csv.reader(path.open(encoding="utf-8", newline=""))) for path in (before, after)]
    heads = tables[0][0]
    first = heads.index("Grade") if "Grade" in heads else 4
    for old, new in zip(*tables, strict=True):
        student = old[1] if "Grade" in heads else old[0]
        for place, chapter in enumerate(asked, start=first):
            score = scores.get((student, chapter))
            waits = chapter.startswith("11")  # for the points that a person gives
            old[place] = old[place] if score is None or waits else f"{score:g}"
            if "Grade" in heads:
                break
        if old != new:
            yield f"{student}: {new}"


def through(home: Path, asked: Class, lms: str, workers: int) -> Iterator[Row]:
    """The three commands on what one LMS gives to download."""
    sheet = template(home / f"{lms}.csv", asked, lms)
    zips = downloads(home, asked, lms)
    roster = home / "roster.csv"
    with roster.open("w", encoding="utf-8", newline="") as file:
        people = enumerate(next(iter(asked.values())), start=FIRST)
        csv.writer(file).writerows([("student", lms), *((who, n) for n, who in people)])
    begun = time.monotonic()
    codes = [graders(home, "collect", *zips, "--roster", roster)]
    codes.append(graders(home, "grade", "-j", workers))
    graded = time.monotonic() - begun
    codes.append(graders(home, "publish", "--lms", lms, "--template", sheet, "--feedback-zip"))
    found = results(home)
    wrong = list(odd(asked, found))
    rows = list(untrue(sheet, home / "build/upload" / sheet.name, found, asked))
    print("\n".join([*wrong, *rows, f"{lms}: the commands ended with {codes}"]), file=sys.stderr)
    whole = sum(map(len, asked.values()))
    yield Row(f"{lms}: {whole} submissions to file", "s", time.monotonic() - begun)
    yield Row("- of it collected and judged", "s", graded)
    yield Row("- lines in results.jsonl", "", len(found), whole, at_least=True)
    yield Row("- verdicts that are wrong", "", len(wrong), 0)
    yield Row("- rows of the LMS's file that are wrong", "", len(rows), 0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chapters", nargs="+", default=["01", "03", "08", "11"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--lms", nargs="+", default=["canvas", "moodle"])
    chosen = parser.parse_args(arguments)
    names = [each.name for each in released() if each.name[:2] in chosen.chapters]
    asked = {name: kinds(name) for name in names}
    for lms in chosen.lms:
        with tempfile.TemporaryDirectory() as folder:
            mine = asked if lms == "canvas" else {names[0]: asked[names[0]]}
            for row in through(Path(folder), mine, lms, chosen.workers):
                print(line(row.cells()), flush=True)


if __name__ == "__main__":
    main()
