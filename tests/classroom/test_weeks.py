"""A term has many downloads: what was said of one week stays when the next one is collected."""

import json
from pathlib import Path

import pytest

from graders import cli
from graders.classroom.collected import Collected, read_collected
from tests.classroom.making import CHAPTER, right
from tests.classroom.test_collecting import ROSTER, collect, counted, laid_out, packed
from tests.grading.odd import solved

Printed = pytest.CaptureFixture[str]
NEXT = "01_one_agent"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text(ROSTER, encoding="utf-8")


def later() -> bytes:
    return json.dumps(solved(NEXT)).encode()


def exchanged(folder: str, student: str, chapter: str, day: int) -> None:
    place = Path(f"{folder}/{student}+{chapter}+2026-11-{day:02} 12:00:00 UTC")
    place.mkdir(parents=True)
    (place / "x.ipynb").write_bytes(right() if chapter == CHAPTER else later())


def of(rows: dict[tuple[str, str], Collected], student: str) -> dict[str, str]:
    return {chapter: row.late_s for (name, chapter), row in rows.items() if name == student}


@pytest.mark.parametrize("due", [["--due", "2026-11-18T00:00:00Z"], []])
def test_the_next_week_changes_nothing_of_the_last_one(due: list[str]) -> None:
    for student in ("ada", "bo"):
        exchanged("week1", student, CHAPTER, 10)
        exchanged("week2", student, NEXT, 17)
    Path("later.csv").write_text("student,chapter,due\n101,00,2026-11-11T00:00:00Z\n")
    collect("week1", "--due", "2026-11-09T00:00:00Z", "--extensions", "later.csv")
    wanted = {"ada": {CHAPTER: "0"}, "bo": {CHAPTER: "129600"}}
    assert {name: of(counted(), name) for name in wanted} == wanted
    for downloads in (["week2"], ["week1"], ["week1", "week2"]):
        collect(*downloads, *(due if downloads == ["week2"] else []), roster=False)
        found = {name: of(counted(), name) for name in wanted}
        wanted = {name: {NEXT: "0" if due else "", **told} for name, told in wanted.items()}
        assert found == wanted, downloads


def test_a_lms_download_is_of_one_assignment(capsys: Printed) -> None:
    names = ("loveada_101_5_x.ipynb", "bo_102_6_x.ipynb")
    twice = {"loveada_101_4_x.ipynb": right(ex_0_1="x = 1")}
    Path("week1.zip").write_bytes(packed(twice | dict.fromkeys(names, right())))
    collect("week1.zip", "--due", "2026-11-09T00:00:00Z")
    assert "the last of 2 counts" in capsys.readouterr().err
    files = {**dict.fromkeys(names, later()), "cy_LATE_103_7_x.ipynb": right()}
    Path("week2.zip").write_bytes(packed(files))
    assert collect("week2.zip", "--due", "2026-11-18T00:00:00Z") == 0
    assert (
        f"cy_LATE_103_7_x.ipynb: of {CHAPTER}, in a download of {NEXT}" in capsys.readouterr().err
    )
    days = {key: row.due[8:10] for key, row in counted().items()}
    assert days == {
        ("ada", CHAPTER): "09", ("bo", CHAPTER): "09", ("cy", CHAPTER): "09",
        ("ada", NEXT): "18", ("bo", NEXT): "18",
    }  # fmt: skip


def test_a_file_that_is_called_the_same_every_week_is_two(capsys: Printed) -> None:
    name = "Cy Young_9003_assignsubmission_file_/my answer.docx"
    for week, book in enumerate((right(), later())):
        other = f"Ada Love_9001_assignsubmission_file_/{week}.ipynb"
        Path(f"{week}.zip").write_bytes(packed({other: book, name: b"hello"}))
        assert collect(f"{week}.zip") == 3
    refused = {row.chapter for row in read_collected(Path("build")) if row.refused}
    assert refused == {CHAPTER, NEXT}


def test_a_table_names_students_as_the_roster_does_and_strangers_are_told(capsys: Printed) -> None:
    exchanged("x", "ada", CHAPTER, 10)
    rows = "101,00,{0}\nadaa,,{0}\nbo,00_strat,{0}\n,01,{0}\n".format("2026-11-11T00:00:00Z")
    Path("later.csv").write_text("Student;Chapter;Due\n" + rows.replace(",", ";"))
    assert collect("x", "--due", "2026-11-09T00:00:00Z", "--extensions", "later.csv") == 0
    said = capsys.readouterr().err
    assert "later.csv: there is no chapter '00_strat'\n" in said
    assert "adaa may hand in at another time, and is nobody here\n" in said
    assert counted()["ada", CHAPTER].late_s == "0"


@pytest.mark.parametrize("time", ["2026-11-20", "2026-11-20T23:59", "20.11.2026 23:59", "soon"])
def test_a_time_that_could_mean_another_hour_is_refused(time: str, capsys: Printed) -> None:
    exchanged("x", "ada", CHAPTER, 10)
    Path("later.csv").write_text(f"student,chapter,due\nada,,{time}\n")
    assert collect("x", "--due", time) == collect("x", "--extensions", "later.csv") == 2
    said = capsys.readouterr().err
    assert said.count(f"'{time}' is no time with a zone: 2026-11-20T23:59:00+01:00 is") == 2
    assert not laid_out()


def test_a_roster_that_is_put_right_after_grading_leaves_nobody_behind(capsys: Printed) -> None:
    cut = {"loveada_101_5_x.ipynb": right(), "bo_102_6_x.ipynb": b"{"}
    Path("download.zip").write_bytes(packed(cut))
    assert collect("download.zip", roster=False) == 0
    cli.main(["grade", "--no-gradebook"])
    assert collect("download.zip") == 0
    assert laid_out() == {f"{name}/{CHAPTER}/{CHAPTER}.ipynb" for name in ("ada", "bo")}
    assert not Path("build/submitted/101").exists()
    capsys.readouterr()
    assert cli.main(["grade", "--no-gradebook"]) == 3
    assert capsys.readouterr().out.splitlines()[-1] == "1 graded, 1 ungraded, 1 missing"
    told = Path("build/results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["student"] for line in told] == ["ada", "bo", "cy"]


def test_a_chapter_that_is_said_later_leaves_no_unknown_behind() -> None:
    Path("download.zip").write_bytes(packed({"loveada_101_5_x.ipynb": b"{"}))
    collect("download.zip")
    assert laid_out() == {"ada/unknown/unknown.ipynb"}
    collect("download.zip", "--chapter", "00")
    assert laid_out() == {f"ada/{CHAPTER}/{CHAPTER}.ipynb"}


def test_what_was_changed_by_hand_or_cleared_up_stays_as_it_is() -> None:
    Path("download.zip").write_bytes(packed({"loveada_101_5_x.ipynb": right()}))
    collect("download.zip", roster=False)
    mine = Path(f"build/submitted/101/{CHAPTER}/{CHAPTER}.ipynb")
    mine.write_bytes(later())
    Path("other.zip").write_bytes(packed({"bo_102_6_x.ipynb": later()}))
    for path in Path("build/attempts").rglob("*.ipynb"):
        path.unlink()
    assert collect("other.zip", roster=False) == 0
    collect("download.zip")
    assert mine.read_bytes() == later()
    assert {row.student for row in read_collected(Path("build"))} == {"ada", "102"}
