"""What a person wrote stays: grades and comments in the LMS, and when something was handed in."""

import csv
import sqlite3
import zipfile
from pathlib import Path

import pytest

from graders import cli
from graders.classroom.collected import Collected, read_collected, write_collected
from graders.classroom.gradebook import write_gradebook
from graders.classroom.grading import _lateness
from graders.classroom.results import Hashes, Result, Results
from graders.classroom.roster import Roster
from graders.classroom.settings import Late, Settings
from tests.classroom.making import CHAPTER, right
from tests.classroom.test_publishing import report

Printed = pytest.CaptureFixture[str]
CANVAS = "Student,ID,00 Start Here (7)\nPoints Possible,,6\nAda,101,{}\nBo,102,{}\nCy,103,{}\n"
MOODLE = (
    "Identifier,Full name,Status,Grade,Maximum Grade,Feedback comments\n"
    'Participant 101,Ada,Submitted,"{}","6,00","{}"\n'
)
DUE = "2026-11-20T23:59:00+01:00"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    build = tmp_path / "build"
    build.mkdir()
    (build / "roster.csv").write_text(
        "student,canvas,moodle\nada,101,101\nbo,102,102\ncy,103,103\n"
    )
    settle(build, 2.5, 4.5, 6)
    return build


def settle(build: Path, *scores: float) -> None:
    named = zip(("ada", "bo", "cy"), scores, strict=False)
    Results(build).settle(Result(name, CHAPTER, report=report(score)) for name, score in named)


def publish(lms: str, text: str, *arguments: str) -> list[list[str]]:
    """Fill an export in; gives the rows of the file that goes up again."""
    Path("export.csv").write_text(text)
    assert cli.main(["publish", "--lms", lms, "--template", "export.csv", *arguments]) == 0
    return list(csv.reader(Path("build/upload/export.csv").open()))


def column(rows: list[list[str]]) -> list[str]:
    return [row[2] for row in rows[2:]]


def test_what_is_not_ours_is_told_and_kept(here: Path, capsys: Printed) -> None:
    foreign = CANVAS.format("EX", "3.5", "")
    assert column(publish("canvas", foreign)) == ["EX", "3.5", "6"]
    said = capsys.readouterr().err
    assert "2 grades that are not ours are kept: Ada has EX; Bo has 3.5; --overwrite" in said
    assert "1 grades for 3 students filled in" in said
    assert column(publish("canvas", foreign, "--overwrite")) == ["2.5", "4.5", "6"]


def test_what_is_ours_is_made_anew_twice(here: Path, capsys: Printed) -> None:
    first = publish("canvas", CANVAS.format("", "", ""))
    settle(here, 3, 4.5, 5)
    again = CANVAS.format("2.50", "EX", column(first)[2])  # as Canvas exports ours, and Bo's excuse
    assert column(publish("canvas", again)) == ["3", "EX", "5"]
    settle(here, 4, 4.5, 5)
    assert column(publish("canvas", again)) == ["4", "EX", "5"]  # that upload was left out
    assert "1 grades that are not ours are kept: Bo has EX" in capsys.readouterr().err


def test_numbers_are_written_as_the_file_has_them(here: Path) -> None:
    rows = publish("canvas", CANVAS.format('"3,5"', '"4,50"', ""))
    assert column(rows) == ["3,5", "4,5", "6"]
    assert publish("moodle", MOODLE.format("", ""))[1][3] == "2,5"


def test_a_comment_of_ours_goes_with_its_grade(here: Path, capsys: Printed) -> None:
    first = publish("moodle", MOODLE.format("", ""), "--comments")[1]
    assert first[5].startswith("2.5 of 6 points")
    settle(here, 6)
    said = MOODLE.format(first[3], f"<p>{first[5]}</p>")
    assert publish("moodle", said)[1][3:6:2] == ["6", "6 of 6 points"]
    theirs = MOODLE.format(first[3], "come and see me")
    assert publish("moodle", theirs, "--comments")[1][3:6:2] == ["6", "come and see me"]
    assert "1 comments that are not ours are kept: Participant 101" in capsys.readouterr().err
    both = publish("moodle", theirs, "--comments", "--overwrite")
    assert both[1][3:6:2] == ["6", "6 of 6 points"]


def test_a_comment_stays_with_a_grade_that_stays(here: Path) -> None:
    first = publish("moodle", MOODLE.format("", ""), "--comments")[1]
    settle(here, 6)
    theirs = MOODLE.format("1,00", first[5])
    assert publish("moodle", theirs, "--comments")[1][3:6:2] == ["1,00", first[5]]


def collect(system: str, files: dict[str, bytes], *arguments: str) -> dict[str, list[Collected]]:
    with zipfile.ZipFile("week.zip", "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    assert cli.main(["collect", "week.zip", "--due", DUE, *arguments]) == 0
    found: dict[str, list[Collected]] = {}
    for row in read_collected(Path("build")):
        found.setdefault(row.student, []).append(row)
    return found


def test_an_extension_beats_a_bare_mark(here: Path, capsys: Printed) -> None:
    Path("later.csv").write_text("student,chapter,due\nada,00,2026-11-30T23:59:00+01:00\n")
    files = {f"{n}_late_{i}_9_x.ipynb": right() for n, i in (("ada", 101), ("bo", 102))}
    files["cy_103_9_x.ipynb"] = right()
    rows = collect("canvas", files, "--extensions", "later.csv")
    assert [rows[name][0].is_late for name in ("ada", "bo", "cy")] == [False, True, False]
    said, told = capsys.readouterr().err, "taken as in time"
    assert f"1 have an extension, and the LMS says only LATE: {told}: ada" in said
    assert f"1 have no time, and a due date is set: {told}" in said


def test_the_times_of_a_worksheet_are_read_as_the_due_date_is_said(here: Path) -> None:
    times = ("Friday, 20 November 2026, 11:58 PM", "Saturday, 21 November 2026, 12:09 AM", "-")
    Path("sheet.csv").write_text(
        "Identifier,Full name,Last modified (submission)\n"
        + "".join(f'Participant {n},P{n},"{time}"\n' for n, time in enumerate(times, start=101))
    )
    files = {f"P{n}_{n}_assignsubmission_file_/x.ipynb": right() for n in (101, 102, 103)}
    rows = collect("moodle", files, "--roster", "sheet.csv")
    found = [rows[f"Participant {n}"][0] for n in (101, 102, 103)]
    assert [row.late_s for row in found] == ["0", "600", ""]
    assert found[0].submitted_at == "2026-11-20T23:58:00+01:00"


def test_each_attempt_has_its_own_time(here: Path) -> None:
    times = "student,chapter,attempt,submitted_at\n"
    times += "ada,00,1,2026-11-19T08:00:00+01:00\nada,00,,2026-11-21T08:00:00+01:00\n"
    Path("times.csv").write_text(times)
    Path("class.toml").write_text('attempts = "last-before-due"\n')
    files = {"ada_101_8_x.ipynb": right(), "ada_101_9_x-1.ipynb": right(ex_0_1="# later")}
    for _ in range(2):  # what was said is kept, and said again it is the same
        rows = collect("canvas", files, "--extensions", "times.csv")["ada"]
        assert [(row.attempt, row.late_s, row.counts) for row in rows] == [
            (1, "0", "yes"),
            (2, "28860", ""),
        ]


def test_the_gradebook_knows_lateness(here: Path) -> None:
    result = Result("ada", CHAPTER, report=report(5), hashes=Hashes("n"))
    row = Collected(
        "x", "ada", CHAPTER, "n", "2026-11-22T00:00:00+01:00", DUE, "86460", counts="yes"
    )
    write_collected([row], here)
    made = Settings(late=Late(percent_per_day=10))
    late = _lateness([result], here, Roster(), made)
    assert write_gradebook([result], {}, here, late=late) == []
    with sqlite3.connect(here / "gradebook.db") as book:
        [(time,)] = book.execute("select timestamp from submitted_assignment")
        [(penalty,)] = book.execute("select late_submission_penalty from submitted_notebook")
    assert (time[:16], penalty) == ("2026-11-21 23:00", 1.0)
