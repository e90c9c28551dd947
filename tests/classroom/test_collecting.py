"""Whatever an LMS gives to download finds its place; what does harm is refused by name."""

import csv
import io
import json
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from graders import cli
from graders.chapters import released
from graders.classroom import archives
from graders.classroom.collected import Collected, read_collected
from graders.classroom.lateness import charged, days_late, penalty
from graders.classroom.lms_names import read_part
from graders.classroom.roster import folder_name, read_roster
from graders.classroom.settings import Late
from graders.classroom.submitted import submissions
from tests.classroom.kinds import mangled
from tests.classroom.making import CHAPTER, right
from tests.grading.odd import solved

Printed = pytest.CaptureFixture[str]
ROSTER = (
    "student,name,canvas,moodle\n"
    "ada,Ada Love,101,9001\nbo,Bo O'Neil-Ängström,102,9002\ncy,Cy Young,103,9003\n"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text(ROSTER, encoding="utf-8")
    return tmp_path


def packed(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def collect(*arguments: str, roster: bool = True) -> int:
    return cli.main(["collect", *arguments, *(["--roster", "roster.csv"] if roster else [])])


def counted() -> dict[tuple[str, str], Collected]:
    return {(row.student, row.chapter): row for row in read_collected(Path("build")) if row.counts}


def laid_out() -> set[str]:
    found = Path("build/submitted").rglob("*.ipynb")
    return {path.relative_to("build/submitted").as_posix() for path in found}


EVERYBODY = {f"{name}/{CHAPTER}/{CHAPTER}.ipynb" for name in ("ada", "bo", "cy")}


def test_a_canvas_zip(capsys: Printed) -> None:
    second = right(ex_0_1="def greeting(name):\n    return name")
    files = {
        "loveada_101_501_final-1.ipynb": second,
        "loveada_101_500_final.ipynb": right(),
        "oneilbo_LATE_102_502_Kopie von.ipynb": mangled(CHAPTER, "no metadata"),
        "youngcy_103_503_all.zip": packed({"a/b/Untitled.ipynb": right(), "a/notes.txt": b"hello"}),
    }
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 0
    assert laid_out() == EVERYBODY
    assert Path(f"build/submitted/ada/{CHAPTER}/{CHAPTER}.ipynb").read_bytes() == second
    rows = counted()
    assert (rows["ada", CHAPTER].attempt, rows["bo", CHAPTER].late) == (2, "yes")
    assert len(list(Path("build/attempts/ada").rglob("*.ipynb"))) == 2
    said = "ada 00_start_here: the last of 2 counts: loveada_101_501_final-1.ipynb\n"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["hw.pdf", "hw.py", "my answers.tar.gz", "hw.docx", "hw"])
@pytest.mark.parametrize("begun", ["youngcy_LATE_103_503_", "Cy Young_9003_assignsubmission_file_"])
def test_who_handed_in_something_else_is_not_missing(
    capsys: Printed, name: str, begun: str
) -> None:
    moodle = "Ada Love_9001_assignsubmission_file_.ipynb"
    other = "loveada_101_501_x.ipynb" if "LATE" in begun else moodle
    Path("download.zip").write_bytes(packed({other: right(), begun + name: b"hello"}))
    for _ in range(2):  # told again by the next download, although somebody is there by now
        assert collect("download.zip") == 3
        said = capsys.readouterr().err
        assert f"{begun}{name}: no notebook, so it was left out\n" in said
        assert "bo: nothing handed in" in said and "cy: nothing handed in" not in said
    cli.main(["grade", "--only", "cy", "--no-gradebook"])
    assert "(submission.refused)" in capsys.readouterr().out


@pytest.mark.parametrize("attempts", ["last", "first", "best"])
def test_what_a_program_adds_to_a_zip_is_no_attempt(attempts: str, capsys: Printed) -> None:
    Path("class.toml").write_text(f'attempts = "{attempts}"\n')
    files = {
        "__MACOSX/hw/._00 mine.ipynb": b"\0\5\x16\7 Mac OS X",
        "hw/.ipynb_checkpoints/00 mine-checkpoint.ipynb": b"{}",
        "hw/.DS_Store": b"Bud1",
        "hw/00 mine.ipynb": right(),
    }
    Path("download.zip").write_bytes(packed({"loveada_101_501_hw.zip": packed(files)}))
    assert collect("download.zip") == 0
    assert "counts" not in capsys.readouterr().err
    assert Path(f"build/submitted/ada/{CHAPTER}/{CHAPTER}.ipynb").read_bytes() == right()
    assert len(list(Path("build/attempts").rglob("*.ipynb"))) == 1


def test_the_later_upload_counts_whatever_its_name_is() -> None:
    second = right(ex_0_1="h = 2")
    for number, name, book in ((1, "998_b", right()), (2, "1002_a", second)):
        Path(f"{number}.zip").write_bytes(packed({f"loveada_101_{name}.ipynb": book}))
    for downloads in (["1.zip"], ["2.zip"], ["1.zip"], ["2.zip", "1.zip"]):
        collect(*downloads)
    assert Path(f"build/submitted/ada/{CHAPTER}/{CHAPTER}.ipynb").read_bytes() == second
    assert counted()["ada", CHAPTER].attempt == 2


def test_a_zip_with_backslashes_and_a_folder_above_a_name_like_an_lms() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in ("hw\\ada\\x.ipynb", "hw/bo/hw_2024_11_x.ipynb"):
            entry = zipfile.ZipInfo("x")
            entry.filename = name
            archive.writestr(entry, right())
    Path("download.zip").write_bytes(made.getvalue())
    assert collect("download.zip") == 0
    assert {student for student, _ in counted()} == {"ada", "bo"}


@pytest.mark.parametrize("name", ["../ada", "__init__", ".x", "..", "_.x", "a/../b", "Mu\u0308"])
def test_no_folder_of_a_student_is_hidden_from_grade(name: str) -> None:
    folder = Path("build/submitted") / folder_name(name) / CHAPTER
    folder.mkdir(parents=True)
    assert folder.resolve() == Path.cwd() / folder
    (folder / "x.ipynb").write_bytes(right())
    [found] = submissions(Path("build/submitted"), released())
    assert (found.student, found.chapter, found.code) == (folder_name(name), CHAPTER, "")


def test_a_moodle_zip_with_folders_and_without() -> None:
    files = {
        "Ada Love_9001_assignsubmission_file_/x.ipynb": right(),
        "Bo O'Neil-Ängström_9002_assignsubmission_file_/sub/Übung (1).ipynb": right(),
        "Cy Young_9003_assignsubmission_file_my_answer.ipynb": right(),
        "Ada Love_9001_assignsubmission_onlinetext_/onlinetext.html": b"<p>see file",
    }
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 0
    assert laid_out() == EVERYBODY


def test_folders_and_flat_files_and_the_exchange() -> None:
    for place in (
        "one/one/ada/whatever/x.ipynb",
        "two/bo_final version.ipynb",
        "three/cy+00_start_here+2026-11-20 10:00:00 UTC+abc/x.ipynb",
    ):
        Path(place).parent.mkdir(parents=True)
        Path(place).write_bytes(right())
    stamp = Path("three/cy+00_start_here+2026-11-20 10:00:00 UTC+abc/timestamp.txt")
    stamp.write_text("2026-11-20 12:00:01.5 UTC")
    assert collect("one", "two", "three", "--due", "2026-11-20T11:00:00+00:00") == 0
    assert laid_out() == EVERYBODY
    assert counted()["cy", CHAPTER].late_s == "3602"
    assert counted()["ada", CHAPTER].late_s == ""


def test_another_lms_by_a_pattern(capsys: Printed) -> None:
    Path("x").mkdir()
    Path("x/hw-ada@2026-11-21T00:00:00+01:00.ipynb").write_bytes(right())
    pattern = r"hw-(?P<student>\w+)@(?P<time>[^/]+)\.ipynb"
    assert collect("x", "--pattern", pattern) == 0
    assert counted()["ada", CHAPTER].submitted_at == "2026-11-21T00:00:00+01:00"
    assert collect("x", "--pattern", "hw-(.*)") == 2
    assert "it needs a group (?P<student>...)" in capsys.readouterr().err


def test_the_chapter_is_in_the_notebook_and_not_in_its_name() -> None:
    Path("x/ada").mkdir(parents=True)
    Path("x/ada/00_start_here.ipynb").write_text(json.dumps(solved("02_pipeline")))
    Path("x/ada/02_pipeline.ipynb").write_bytes(right())
    assert collect("x") == 0
    assert laid_out() == {f"ada/{each}/{each}.ipynb" for each in (CHAPTER, "02_pipeline")}
    told = json.loads(Path(f"build/submitted/ada/{CHAPTER}/{CHAPTER}.ipynb").read_text())
    assert told == json.loads(right())


def test_a_file_that_cannot_be_read_is_of_the_chapter_of_all_others() -> None:
    files = {"a_101_1_x.ipynb": right(), "b_102_2_x.ipynb": b'{"cells": [', "c_103_3_x.ipynb": b""}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 0
    assert laid_out() == EVERYBODY


def test_what_does_harm_is_refused_by_name(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LARGEST", 1_000_000)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../up_101_1_x.ipynb", right())
        archive.writestr("/etc/down_102_1_x.ipynb", right())
        archive.writestr("bomb_103_1_x.ipynb", b" " * 2_000_000)
        link = zipfile.ZipInfo("link_101_2_x.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("ok_101_3_x.ipynb", right())
        archive.writestr("broken_102_4_x.zip", b"PK\x03\x04 no zip")
        deep = packed({"x.ipynb": right()})
        for _ in range(4):
            deep = packed({"in.zip": deep})
        archive.writestr("deep_103_5_x.zip", deep)
    Path("download.zip").write_bytes(made.getvalue())
    Path("linked").mkdir()
    Path("linked/bo.ipynb").symlink_to("/etc/passwd")
    assert collect("download.zip", "linked") == 3
    said = capsys.readouterr().err
    assert laid_out() == {f"ada/{CHAPTER}/{CHAPTER}.ipynb"}
    for name, reason in {
        "../../up_101_1_x.ipynb": "its path leads out of the download",
        "etc/down_102_1_x.ipynb": "its path leads out of the download",
        "bomb_103_1_x.ipynb": "it is larger than 1 MB, unpacked",
        "link_101_2_x.ipynb": "it is a link, and links are not followed",
        "bo.ipynb": "it is a link, and links are not followed",
        "broken_102_4_x.zip": "cannot be read",
        "deep_103_5_x.zip/in.zip/in.zip": "zips lie in zips more than 3 deep",
    }.items():
        assert [line for line in said.splitlines() if name in line and reason in line], name
    assert not list(Path("build").glob(".unpacked*"))
    told = {row.student: row for row in read_collected(Path("build")) if row.refused}
    assert {student: row.chapter for student, row in told.items()} == dict.fromkeys(
        ("ada", "bo", "cy"), CHAPTER
    )
    cli.main(["grade", "--only", "bo", "--only", "cy", "--no-gradebook"])
    said = capsys.readouterr().out
    assert "✗ cy 00_start_here: deep_103_5_x.zip/in.zip/in.zip: zips lie in zips" in said
    assert said.splitlines()[-1] == "0 graded, 2 ungraded, 0 missing"


def test_a_roster_that_is_wrong_gets_lines_and_nothing_is_lost(capsys: Printed) -> None:
    Path("roster.csv").write_text(ROSTER + "dé,De,103,9004\n,Nobody,,\nada,Ada,1,1\n")
    files = {f"x_{n}_1_x.ipynb": right() for n in (101, 103, 999)}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 3
    said = capsys.readouterr().err
    for line in (
        "cy and dé have the same 'canvas' 103",
        "line 6: nobody is named in 'student'",
        "line 7: ada is there twice",
        "x_103_1_x.ipynb: nobody, or more than one, is 103 (canvas) in the roster",
        "x_999_1_x.ipynb: nobody, or more than one, is 999 (canvas) in the roster",
        "bo: nothing handed in",
    ):
        assert f"{line}\n" in said
    assert laid_out() == {f"ada/{CHAPTER}/{CHAPTER}.ipynb"}
    Path("roster.csv").write_text(ROSTER)  # put right, and once more
    assert collect("download.zip") == 3
    assert ("cy", CHAPTER) in counted()


def test_a_roster_without_ids_is_refused_in_a_line(capsys: Printed) -> None:
    Path("roster.csv").write_text("Surname;Town\nLove;London\n")
    Path("x").mkdir()
    assert collect("x") == 2
    assert "roster.csv has no column that says who it is" in capsys.readouterr().err


def test_canvas_own_export_is_roster_enough() -> None:
    Path("roster.csv").write_text(
        'Student,ID,SIS Login ID,Section\n    Points Possible,,,\n"Love, Ada",101,ada,S1\n'
    )
    Path("download.zip").write_bytes(packed({"loveada_101_1_x.ipynb": right()}))
    assert collect("download.zip") == 0
    [row] = csv.DictReader(Path("build/roster.csv").read_text().splitlines())
    assert (row["student"], row["name"]) == ("ada", "Love, Ada")


def test_the_attempt_that_counts_is_a_rule_of_the_class() -> None:
    Path("class.toml").write_text(
        f'attempts = "last-before-due"\n[due]\n{CHAPTER} = 2026-11-20T12:00:00Z\n'
    )
    for hour in (9, 11, 13):
        place = Path(f"x/ada+{CHAPTER}+2026-11-20 {hour:02}:00:00 UTC+r")
        place.mkdir(parents=True)
        (place / "x.ipynb").write_bytes(right(ex_0_1=f"h = {hour}"))
    assert collect("x") == 0
    assert counted()["ada", CHAPTER].submitted_at == "2026-11-20T11:00:00+00:00"
    assert len(list(Path("build/attempts/ada").rglob("*.ipynb"))) == 3


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("rule", "late_s"),
    [("last-before-due", "0"), ("first", "0"), ("best", "7200"), ("last", "7200")],
)
def test_the_same_file_handed_in_again_is_handed_in_at_both_times(
    rule: str, late_s: str, at_once: bool
) -> None:
    Path("class.toml").write_text(f'attempts = "{rule}"\n[due]\n{CHAPTER} = 2026-11-20T12:00:00Z\n')
    for hour in (10, 14):
        place = Path(f"{hour}/ada+{CHAPTER}+2026-11-20 {hour}:00:00 UTC+r")
        place.mkdir(parents=True)
        (place / "x.ipynb").write_bytes(right())
    for downloads in [["10", "14"]] if at_once else [["10"], ["14"], ["10"]]:
        assert collect(*downloads) == 0
    rows = read_collected(Path("build"))
    assert [(row.attempt, row.late_s) for row in rows] == [(1, "0"), (2, "7200")]
    assert counted()["ada", CHAPTER].late_s == late_s


def test_a_time_that_a_table_corrects_is_the_time() -> None:
    for n, hour in enumerate((8, 18)):
        Path(f"{n}.zip").write_bytes(packed({f"loveada_101_50{n}_x.ipynb": right()}))
        Path("times.csv").write_text(f"student,submitted_at\nada,2026-11-20T{hour:02}:00:00Z\n")
        assert collect(f"{n}.zip", "--extensions", "times.csv") == 0
    assert [row.submitted_at[11:13] for row in read_collected(Path("build"))] == ["18"]


def test_who_may_hand_in_later_is_not_late() -> None:
    place = Path(f"x/ada+{CHAPTER}+2026-11-20 09:00:00 UTC+r")
    place.mkdir(parents=True)
    (place / "x.ipynb").write_bytes(right())
    Path("later.csv").write_text("student,chapter,due\nada,,2026-11-21T00:00:00Z\n")
    assert collect("x", "--due", "2026-11-19T00:00:00Z", "--extensions", "later.csv") == 0
    assert counted()["ada", CHAPTER].late_s == "0"


@pytest.mark.parametrize(
    ("late_s", "mark", "points"),
    [
        ("0", "", 0),
        ("500", "", 0),
        ("601", "", 1),
        ("90000", "", 2),
        ("9999999", "", 3),
        ("", "yes", 1),
    ],
)
def test_what_lateness_costs(late_s: str, mark: str, points: float) -> None:
    rule = Late(percent_per_day=10, cap=30, grace_minutes=10)
    days = days_late(Collected("x", late_s=late_s, late=mark), rule)
    assert penalty(days, 10.0, rule) == points
    assert penalty(days, 10.0, Late()) == 0


def test_days_of_credit_are_used_up_in_the_order_of_time() -> None:
    rows = [
        Collected("x", "ada", f"0{n}", submitted_at=f"2026-11-0{n}T00:00:00+00:00", late_s=late)
        for n, late in ((1, "90000"), (2, "0"), (3, "90000"))
    ]
    assert list(charged(rows[::-1], Late(credit_days=3)).values()) == [0, 0, 1]


def test_names_of_files_say_who_and_when() -> None:
    named = read_part("doejane_late_12_34_my_work-3.ipynb")
    assert named is not None
    assert (named.system, named.student, named.late, named.attempt) == ("canvas", "12", True, 3)


@pytest.mark.parametrize("head", ["canvas_id", "Canvas ID", "CANVAS-ID", "Canvas_User_Id"])
def test_a_heading_is_understood_however_it_is_written(head: str) -> None:
    Path("roster.csv").write_text(f"Student,{head},Full_Name\nada,101,Ada Love\n")
    people, _ = read_roster(Path("roster.csv"))
    assert people.find("canvas", "101") == "ada"
    assert people.called("Ada Love") == "ada"


def test_several_assignments_in_one_folder_are_told_apart(capsys: Printed) -> None:
    files = {
        f"s{n}_{100 + n}_{n}{number}_x.ipynb": json.dumps(solved(chapter)).encode()
        for n in range(4)
        for number, chapter in enumerate(("00_start_here", "01_one_agent"))
    }
    Path("all.zip").write_bytes(packed(files))
    students = [f"s{n},{100 + n}" for n in range(4)]
    Path("roster.csv").write_text("\n".join(["student,canvas", *students]) + "\n")
    assert collect("all.zip") == 0
    said = capsys.readouterr()
    told = "several assignments, told apart by what each notebook is"
    assert f"collect: all.zip: {told}: 00_start_here, 01_one_agent" in said.err
    assert "in a download of" not in said.err
    assert "8 submissions of 4 students in 00_start_here, 01_one_agent" in said.out


def test_an_anonymous_download_says_that_it_is_one(capsys: Printed) -> None:
    Path("roster.csv").write_text("student,canvas\nada,101\n")
    files = {f"anon_Ab3d{n}_10{n}_x.ipynb": right() for n in range(3)}
    Path("hidden.zip").write_bytes(packed(files))
    assert collect("hidden.zip", "--roster", "roster.csv") == 3
    assert "3 files are anonymous, such as anon_Ab3d0_100_x.ipynb" in capsys.readouterr().err
