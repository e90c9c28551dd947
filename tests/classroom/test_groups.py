"""Who hands in together: one file is judged, and each member has points, page and entry."""

import csv
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders import cli
from graders.chapters import released
from graders.classroom import grading
from graders.classroom.collected import read_collected
from graders.classroom.hashes import hashes_of
from graders.classroom.judging import Job, Setup
from graders.classroom.results import Result
from tests.classroom.making import CHAPTER, right
from tests.classroom.test_publishing import report
from tests.judge.boxes import strongest

Printed = pytest.CaptureFixture[str]
PAIRS = 4
STUDENTS = [f"s{n:02}" for n in range(2 * PAIRS)]
GROUPS = {name: f"Pair {n // 2}" for n, name in enumerate(STUDENTS)}


@pytest.fixture(autouse=True)
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Four pairs; who was judged, in order."""
    strongest()
    monkeypatch.chdir(tmp_path)
    rows = [f"{name},{100 + n},{900 + n}" for n, name in enumerate(STUDENTS)]
    Path("roster.csv").write_text("\n".join(["student,canvas,moodle", *rows]) + "\n")
    whole = [f"{name},{group}" for name, group in GROUPS.items()]
    Path("groups.csv").write_text("\n".join(["login_id,group_name", *whole]) + "\n")
    asked: list[str] = []
    chapter = next(each for each in released() if each.name == CHAPTER)

    def played(jobs: list[Job], setup: Setup, call: object) -> Iterator[tuple[Job, Result]]:
        for job in jobs:
            asked.append(job.submission.student)
            assert job.submission.path is not None
            hashed = hashes_of(job.submission.path, chapter)
            points = 6.0 if "better" in job.submission.path.read_text() else 2.5
            yield job, Result(*job.submission.key, report=report(points), hashes=hashed)

    monkeypatch.setattr(grading, "_played", played)
    return asked


def paper(pair: int, text: str = "") -> bytes:
    return right(ex_0_1=f"# pair {pair}{text}")


def canvas(pair: int) -> str:
    return f"pair{pair}_{5000 + pair}_{70000 + pair}_x.ipynb"


def moodle(pair: int) -> list[str]:
    """Moodle gives each member's copy."""
    both = (2 * pair, 2 * pair + 1)
    return [f"Pair {pair}-S {n}_{900 + n}_assignsubmission_file_/x.ipynb" for n in both]


def collect(files: dict[str, bytes], *arguments: str) -> int:
    with zipfile.ZipFile("week.zip", "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return cli.main(["collect", "week.zip", "--groups", "groups.csv", *arguments])


def finals() -> dict[str, str]:
    with Path("build/grades.csv").open() as file:
        return {row["student"]: row["final"] for row in csv.DictReader(file)}


@pytest.mark.parametrize("system", ["canvas", "moodle"])
def test_each_member_gets_what_the_one_file_earns(system: str, judged: list[str]) -> None:
    files = {canvas(n): paper(n) for n in range(PAIRS)}
    if system == "moodle":
        files = {name: paper(n) for n in range(PAIRS) for name in moodle(n)}
    assert collect(files, "--roster", "roster.csv") == 0
    assert cli.main(["grade"]) == 0
    assert len(judged) == PAIRS
    assert cli.main(["publish", "--feedback-zip", "--similar"]) == 0
    assert finals() == dict.fromkeys(STUDENTS, "2.5")
    assert all(Path(f"build/feedback/{name}/{CHAPTER}.html").exists() for name in STUDENTS)
    with sqlite3.connect("build/gradebook.db") as book:
        entered = {row[0] for row in book.execute("select student_id from submitted_assignment")}
    assert entered == set(STUDENTS)
    assert len(Path("build/similar.csv").read_text().splitlines()) == 1  # members are alike
    judged.clear()
    Path("later.csv").write_text("student,chapter,due\ns01,00,2026-11-30T23:59:00+01:00\n")
    assert collect({canvas(0): paper(0, " better")}, "--extensions", "later.csv") == 0
    assert cli.main(["grade", "--no-gradebook"]) == 0
    assert cli.main(["publish"]) == 0
    assert judged == ["s00"]
    assert finals() == dict.fromkeys(STUDENTS, "2.5") | {"s00": "6.0", "s01": "6.0"}


def test_a_group_of_the_roster_and_one_alone(judged: list[str]) -> None:
    rows = [f"{name},{100 + n},{'A' if n < 3 else ''}" for n, name in enumerate(STUDENTS[:4])]
    Path("groups.csv").write_text("\n".join(["Student,Canvas_ID,Team", *rows]) + "\n")
    files = {"sone_100_1_x.ipynb": paper(0), "sfour_103_2_x.ipynb": paper(1)}
    assert collect(files, "--roster", "groups.csv") == 0
    found = {row.student: row.group for row in read_collected(Path("build"))}
    assert found == {"s00": "A", "s01": "A", "s02": "A", "s03": ""}


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        ("student,group\ns00,A\ns00,B\n", "groups.csv, line 3: s00 is in two groups, A and B"),
        ("student,group\nx99,A\n", "groups.csv, line 2: x99 is nobody in the roster"),
        ("student,pair\ns00,A\n", "groups.csv has no column 'group'"),
    ],
)
def test_an_odd_table_of_groups_is_told(capsys: Printed, heads: str, said: str) -> None:
    Path("groups.csv").write_text(heads)
    collect({"sone_100_1_x.ipynb": paper(0)}, "--roster", "roster.csv")
    assert said in capsys.readouterr().err


def test_a_group_s_number_that_is_somebody_s_too_is_told(capsys: Printed) -> None:
    """Canvas numbers groups and people apart, so one number may be both."""
    file = {"pair0_104_1_x.ipynb": paper(0)}
    assert collect(file, "--roster", "roster.csv") == 3
    assert "two can be read in its name: the group of s00, and s04" in capsys.readouterr().err
    Path("groups.csv").write_text("student,group,canvas_group_id\ns00,Pair 0,104\ns01,Pair 0,104\n")
    assert collect(file) == 0
    rows = [row.student for row in read_collected(Path("build")) if row.sha256]
    assert rows == ["s00", "s01"]
