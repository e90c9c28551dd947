"""What goes out: grades, the LMS's own file with nothing else changed, pages, an overview."""

import csv
import json
import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from graders import cli
from graders.chapters import released
from graders.classroom.collected import Collected, write_collected
from graders.classroom.gradebook import write_gradebook
from graders.classroom.results import Hashes, Result, Results
from graders.classroom.similar import pairs
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import not_yet, passed
from tests.classroom.making import CHAPTER
from tests.grading.answers import of_chapter
from tests.grading.odd import as_file

Printed = pytest.CaptureFixture[str]
PROJECT = "11_the_project"
CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,00 Start Here (771),Essay (772),"
    "Final Score\r\n"
    ",,,,,Manual Posting,,(read only)\r\n"
    "    Points Possible,,,,,6.0,10,(read only)\r\n"
    '"Love, Ada",101,s1,ada@uni,"A ""1"", B",,9,80.1\r\n'
    '"Öz, Bo",102,s2,bo@uni,B,"3",8,\r\n'
    "Young Cy,103,s3,cy@uni,,2,,\r\n"
    '"Student, Test",104,,x,,,,\r\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Feedback comments\n"
    'Participant 9001,Ada Love,a@uni,"Submitted, late",,"6,00",\n'
    'Participant 9002,Bo Öz,b@uni,Submitted,"3,00","6,00","well,\ndone"\n'
    "Participant 9003,Cy Young,c@uni,No submission,,,\n"
)


def report(score: float, chapter: str = CHAPTER, number: str = "0.1") -> Report:
    wrong = not_yet("greeting.wrong", "expected <b>Ada</b>, got nothing; look at the name")
    trials = (
        TrialVerdict("says it", score, passed()),
        TrialVerdict("and this", 6 - score, passed() if score == 6 else wrong, "x" * 3000),
    )
    return Report("x.ipynb", chapter, (ExerciseReport(number, trials),))


def results() -> list[Result]:
    return [
        Result("ada", CHAPTER, report=report(6)),
        Result("bo", CHAPTER, report=report(2.5)),
        Result("cy", CHAPTER, status="ungraded", code="notebook.not_json", message="no <JSON>"),
    ]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    build = tmp_path / "build"
    build.mkdir()
    Results(build).settle(results())
    (build / "roster.csv").write_text(
        "student,name,canvas,moodle\n"
        "ada,Ada Love,101,9001\nbo,Bo Öz,102,9002\ncy,Cy Young,103,9003\n"
    )
    file = "Ada Love_9001_assignsubmission_file_/x.ipynb"
    rows = [Collected(file, "ada", CHAPTER, late_s="4000", counts="yes", attempt=2)]
    rows += [Collected("Bo Öz_9002_assignsubmission_file_y.ipynb", "bo", CHAPTER, counts="yes")]
    write_collected(rows, build)
    return build


def publish(*arguments: str) -> int:
    return cli.main(["publish", *arguments])


def grades() -> dict[str, dict[str, str]]:
    rows = csv.DictReader(Path("build/grades.csv").read_text(encoding="utf-8").splitlines())
    return {row["student"]: row for row in rows}


def test_what_is_ungraded_has_no_points_in_the_table(here: Path) -> None:
    assert publish() == 3
    rows = grades()
    assert [rows[name]["final"] for name in ("ada", "bo", "cy")] == ["6.0", "2.5", ""]
    assert (rows["cy"]["status"], rows["cy"]["code"]) == ("ungraded", "notebook.not_json")
    assert (rows["ada"]["0.1"], rows["ada"]["attempt"], rows["cy"]["raw"]) == ("6.0", "2", "")


def test_a_penalty_stands_beside_the_points(here: Path) -> None:
    Path("class.toml").write_text("[late]\npercent_per_day = 10\n")
    publish()
    told = [grades()["ada"][name] for name in ("raw", "penalty", "final", "late_s")]
    assert told == ["6.0", "0.6", "5.4", "4000"]


def test_canvas_file_is_filled_and_no_other_byte_changes(here: Path) -> None:
    Path("export.csv").write_bytes(CANVAS.encode())
    assert publish("--lms", "canvas", "--template", "export.csv", "--overwrite") == 3
    wanted = CANVAS.replace('B",,9', 'B",6,9').replace('B,"3",8', 'B,"2.5",8')
    assert Path("build/upload/export.csv").read_bytes() == wanted.encode()


def test_moodle_file_is_filled_and_no_other_byte_changes(here: Path) -> None:
    Path("sheet.csv").write_bytes(MOODLE.encode())
    assert publish("--lms", "moodle", "--template", "sheet.csv", "--overwrite") == 3
    wanted = MOODLE.replace('late",,', 'late",6,').replace('"3,00"', '"2,5"')
    assert Path("build/upload/sheet.csv").read_bytes() == wanted.encode()


def test_moodle_comments_are_filled_where_nobody_wrote_one(here: Path) -> None:
    Path("sheet.csv").write_bytes(MOODLE.replace("No submission,,,", "No submission,,,,").encode())
    publish("--lms", "moodle", "--template", "sheet.csv", "--comments")
    filled = list(csv.DictReader(Path("build/upload/sheet.csv").read_text().splitlines(True)))
    assert [row["Feedback comments"] for row in filled] == ["6 of 6 points", "well,\ndone", ""]
    plain = MOODLE.replace('"well,\ndone"', "").replace('"3,00"', "")
    Path("sheet.csv").write_bytes(plain.encode())
    publish("--lms", "moodle", "--template", "sheet.csv", "--comments")
    _, bo, _ = csv.DictReader(Path("build/upload/sheet.csv").read_text().splitlines(True))
    said = "2.5 of 6 points · 0.1: expected <b>Ada</b>, got nothing; look at the name"
    assert bo["Feedback comments"] == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("102,s2", "777,s2"), "nobody in the class, or somebody twice, is Öz, Bo"),
        (("102,s2", "101,s2"), "nobody in the class, or somebody twice, is Öz, Bo"),
        (("SIS Login ID,", "SIS,"), None),
        ((",ID,", ",Number,"), "has no column 'ID'"),
        (("10", "66"), "is it another course's?"),
    ],
)
def test_a_template_that_does_not_fit_is_refused(
    here: Path, capsys: Printed, change: tuple[str, str], said: str | None
) -> None:
    text = CANVAS.replace("s3", "9" if said and "another" in said else "s3").replace(*change)
    Path("export.csv").write_bytes(text.encode())
    code = publish("--lms", "canvas", "--template", "export.csv")
    assert (code == 2) is (said is not None)
    assert (said or "filled in") in capsys.readouterr().err
    assert Path("build/upload/export.csv").exists() is (said is None)


def test_points_are_scaled_to_those_of_the_lms_and_it_is_said(here: Path, capsys: Printed) -> None:
    Path("export.csv").write_bytes(CANVAS.replace("6.0,10", "100,10").encode())
    publish("--lms", "canvas", "--template", "export.csv", "--overwrite")
    assert '"41.67"' in Path("build/upload/export.csv").read_text(encoding="utf-8")
    assert "6 points here, 100 in the LMS: grades are scaled" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Essay (772)", ""),
        ("essay", ""),
        ("Novel", f"has no column 'Novel' for {CHAPTER}, as class.toml says"),
        ("twice", f"has no column 'twice' for {CHAPTER}, as class.toml says"),
    ],
)
def test_a_column_is_named_as_a_person_reads_it(
    here: Path, capsys: Printed, heading: str, line: str
) -> None:
    text = CANVAS.replace("00 Start Here (771)", "Twice (771)").replace("Final Score", "Twice (7)")
    Path("export.csv").write_bytes(text.encode())
    Path("class.toml").write_text(f'[columns]\n{CHAPTER} = "{heading}"\n')
    publish("--lms", "canvas", "--template", "export.csv", "--overwrite")
    said = capsys.readouterr().err
    assert line in said and ("0 grades for 3 students filled in" in said) is bool(line)


def test_the_files_of_one_week_hold_that_week_alone(here: Path, capsys: Printed) -> None:
    other = Result("ada", "01_one_agent", report=report(6, "01_one_agent", "1.1"))
    Results(here).settle([*results(), other])
    Path("sheet.csv").write_bytes(MOODLE.encode())
    sheet = ("--lms", "moodle", "--template", "sheet.csv", "--feedback-zip")
    assert publish(*sheet) == 2
    assert f"(make class: CHAPTER=), one of {CHAPTER}, 01_one_agent\n" in capsys.readouterr().err
    assert publish(*sheet, "--chapter", "77") == 2
    assert "--chapter 77: there is no such one; there are 00_" in capsys.readouterr().err
    assert publish(*sheet, "--chapter", "01") == 3
    assert "1 grades for 3 students filled in" in capsys.readouterr().err
    with zipfile.ZipFile("build/feedback.zip") as archive:
        assert archive.namelist() == ["ada/01_one_agent.html"]


def test_feedback_goes_into_a_zip_that_moodle_takes(here: Path) -> None:
    publish("--feedback-zip")
    with zipfile.ZipFile("build/feedback.zip") as archive:
        names = set(archive.namelist())
        page = archive.read(f"Ada Love_9001_assignsubmission_file_/{CHAPTER}.html").decode()
    assert names == {
        f"Ada Love_9001_assignsubmission_file_/{CHAPTER}.html",
        f"Bo Öz_9002_assignsubmission_file_{CHAPTER}.html",
        f"cy/{CHAPTER}.html",
    }
    assert "<dt>attempt</dt><dd>2</dd>" in page and "Ada Love" in page
    assert len(page) < 1_000_000


def test_the_overview_loads_nothing_and_names_nobody_unless_asked(here: Path) -> None:
    publish()
    page = Path("build/class.html").read_text(encoding="utf-8")
    assert "src=" not in page and "href=" not in page and "<script" not in page
    assert "no &lt;JSON&gt;" in page and "expected &lt;b&gt;Ada&lt;/b&gt;" in page
    assert not [name for name in ("ada", "cy<", ">bo") if name in page]
    publish("--names")
    assert "<td>bo</td>" in Path("build/class.html").read_text(encoding="utf-8")


def test_the_overview_says_what_changed_since_the_last_time(here: Path) -> None:
    publish()
    Results(here).settle([replace(results()[1], report=report(4)), *results()[::2]])
    publish("--names")
    told = json.loads(Path("build/class.json").read_text(encoding="utf-8"))
    assert told["changed"] == [{"submission": f"bo/{CHAPTER}", "before": 2.5, "after": 4}]
    [chapter] = told["chapters"]
    assert chapter["codes"][0]["students"] == ["bo"]
    assert sum(each["count"] for each in chapter["bins"]) == chapter["graded"] == 2


def test_what_is_known_of_a_class_names_nobody_unless_that_is_wanted(here: Path) -> None:
    (here / "secret").write_bytes(b"s" * 32)
    publish()
    for name in ("class.json", "class.html"):
        told = (here / name).read_text(encoding="utf-8")
        assert not any(f'"{who}"' in told or f"{who}/" in told for who in ("ada", "bo", "cy"))
    assert json.loads((here / "class.json").read_text())["ungraded"][0]["chapter"] == CHAPTER
    publish("--names")
    assert '"student": "cy"' in (here / "class.json").read_text()


def test_feedback_goes_into_a_zip_that_canvas_takes_again(here: Path) -> None:
    """By the first two numbers of a name it knows whose upload is answered."""
    parts = {"ada": "loveada_101_5006_x-1.ipynb", "bo": "bo_LATE_102_5007_my_work.ipynb"}
    write_collected(
        [Collected(part, name, CHAPTER, counts="yes") for name, part in parts.items()], here
    )
    publish("--feedback-zip")
    with zipfile.ZipFile("build/feedback.zip") as archive:
        assert archive.namelist()[:2] == [
            f"loveada_101_5006_{CHAPTER}.html",
            f"bo_LATE_102_5007_{CHAPTER}.html",
        ]


@pytest.fixture
def project(here: Path) -> tuple[list[Result], Path]:
    """One submission of the project: some points by the judge, two texts for a person."""
    result = Result("ada", PROJECT, report=report(4, PROJECT, "11.1"))
    path = as_file(PROJECT, lambda book: None, here / "there")
    Results(here).settle([result])
    assert write_gradebook([result], {result.key: path}, here) == []
    return [result], path


def test_a_text_that_nobody_read_has_no_points_and_neither_has_the_whole(
    here: Path, project: tuple[list[Result], Path]
) -> None:
    assert publish() == 3
    row = grades()["ada"]
    assert (row["raw"], row["final"]) == ("4.0", "")
    assert row["waiting"] == "ex_11_memo ex_11_reflection"


def test_what_a_person_gave_survives_and_counts(
    here: Path, project: tuple[list[Result], Path]
) -> None:
    from nbgrader.api import Gradebook

    [result], path = project
    with Gradebook(f"sqlite:///{here / 'gradebook.db'}", "switchboard") as book:
        for name, points in (("ex_11_memo", 9), ("ex_11_reflection", 0)):
            grade = book.find_grade(name, PROJECT, PROJECT, "ada")
            assert (grade.auto_score, grade.needs_manual_grade) == (None, True)
            grade.manual_score, grade.needs_manual_grade = points, False
        comment = book.find_comment("ex_11_memo", PROJECT, PROJECT, "ada")
        comment.manual_comment = "clear and short"
        book.db.commit()
    better = replace(result, report=report(6, PROJECT, "11.1"))
    Results(here).settle([better])
    assert write_gradebook([better], {result.key: path}, here) == []
    with Gradebook(f"sqlite:///{here / 'gradebook.db'}", "switchboard") as book:
        submission = book.find_submission(PROJECT, "ada")
        assert (submission.score, submission.needs_manual_grade) == (15, False)
        told = book.find_comment("ex_11_memo", PROJECT, PROJECT, "ada").manual_comment
    assert told == "clear and short"
    assert publish() == 0
    assert (grades()["ada"]["manual"], grades()["ada"]["final"]) == ("9.0", "15.0")
    assert "clear and short" in Path(f"build/feedback/ada/{PROJECT}.html").read_text()


def test_an_empty_text_is_zero_when_a_person_agrees(
    here: Path, project: tuple[list[Result], Path], capsys: Printed
) -> None:
    [result], path = project
    book = json.loads(path.read_text())
    for cell in book["cells"]:
        if (cell["metadata"].get("nbgrader") or {}).get("grade_id") == "ex_11_memo":
            cell["source"] = ["Three workers, since"]
    again = here / "with a memo.ipynb"
    again.write_text(json.dumps(book))
    emptied = replace(result, hashes=Hashes("another"))
    Results(here).settle([emptied])
    assert write_gradebook([emptied], {emptied.key: again}, here) == []
    assert publish() == 3
    assert "1 texts that wait are empty: --empty-is-zero" in capsys.readouterr().err
    assert grades()["ada"]["waiting"] == "ex_11_memo ex_11_reflection"
    assert publish("--empty-is-zero") == 3
    row = grades()["ada"]
    assert (row["waiting"], row["manual"], row["final"]) == ("ex_11_memo", "0", "")


def test_the_notebook_for_formgrader_is_the_release_with_the_verdicts(
    here: Path, project: tuple[list[Result], Path]
) -> None:
    made = json.loads((here / f"autograded/ada/{PROJECT}/{PROJECT}.ipynb").read_text())
    marks = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in made["cells"]]
    [check] = [made["cells"][n] for n, mark in enumerate(marks) if mark == "ex_11_1_check"]
    assert "says it" in check["outputs"][0]["text"][0] + "".join(check["outputs"][0]["text"])
    assert {"ex_11_memo", "ex_11_reflection"} <= set(marks)


def test_a_notebook_that_nbgrader_has_locked_is_written_again(
    here: Path, project: tuple[list[Result], Path]
) -> None:
    [result], path = project
    shown = here / f"autograded/ada/{PROJECT}/{PROJECT}.ipynb"
    shown.chmod(0o444)
    better = replace(result, report=report(6, PROJECT, "11.1"))
    assert write_gradebook([better], {better.key: path}, here) == []
    assert shown.stat().st_mode & 0o200
    assert [each.name for each in shown.parent.iterdir()] == [shown.name]


def test_an_exercise_that_is_new_becomes_a_column(
    here: Path, project: tuple[list[Result], Path]
) -> None:
    from nbgrader.api import Gradebook

    [result], path = project
    with Gradebook(f"sqlite:///{here / 'gradebook.db'}", "switchboard") as book:
        cell = book.find_grade_cell("ex_11_6_check", PROJECT, PROJECT)
        for grade in cell.grades:
            book.db.delete(grade)
        book.db.delete(cell)
        book.db.commit()
    [line] = write_gradebook([result], {result.key: path}, here)
    assert line == f"{PROJECT} has new columns in the gradebook: ex_11_6_check"
    with Gradebook(f"sqlite:///{here / 'gradebook.db'}", "switchboard") as book:
        assert book.find_grade("ex_11_6_check", PROJECT, PROJECT, "ada").auto_score is None


@pytest.mark.parametrize("kind", ["no database", "another course", "locked"])
def test_a_gradebook_that_cannot_be_written_gets_a_line(here: Path, kind: str) -> None:
    path = here / "gradebook.db"
    if kind == "no database":
        path.write_text("hello " * 1000)
    else:
        assert write_gradebook(results(), {}, here) == []
    database = sqlite3.connect(path)
    if kind == "another course":
        with database:
            database.execute("update course set id = 'biology'")
    if kind == "locked":
        database.execute("begin exclusive")
    [line] = write_gradebook(results(), {}, here)
    database.close()
    said = {
        "no database": "no gradebook that can be read",
        "another course": "another course (biology)",
        "locked": "locked",
    }
    assert said[kind] in line
    assert "the results are kept" in line


def test_copies_are_found_and_what_all_share_is_not() -> None:
    shared = {number: {"a": told.wrong[0][1]} for number, told in of_chapter("01").items()}
    chapter = next(each for each in released() if each.name == "01_one_agent")
    stubs = {
        str(cell.metadata.nbgrader.grade_id): cell.source
        for cell in chapter.released.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    own = {
        f"student {n}": {
            "ex_" + number.replace(".", "_"): told.wrong[n % len(told.wrong)][1]
            for number, told in of_chapter("01").items()
        }
        for n in range(3)
    }
    renamed = {
        name: "# mine\n" + source.replace("context", "history").replace("result", "outcome")
        for name, source in own["student 1"].items()
    }
    assert shared
    found = dict(pairs({**own, "copy": renamed}, [stubs]))
    assert ("copy", "student 1") in found
    taken = dict(pairs({**own, "copy": renamed}, [stubs, own["student 1"]]))
    assert ("copy", "student 1") not in taken
