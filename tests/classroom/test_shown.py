"""What is shown or written down: no formula, no escape code, no password, no open door."""

import csv
import json
import os
import re
import stat
import traceback
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.errors import ConfigurationError
from course.terminal import plain
from graders import cli
from graders.classroom import saying
from graders.classroom import settings as rules
from graders.classroom.address import shown
from graders.classroom.collected import Collected, read_collected, roster_of, write_collected
from graders.classroom.csv_cells import own_rows, write_table
from graders.classroom.differences import Difference, write_differences
from graders.classroom.gradebook import give_zero, manual_scores, write_gradebook
from graders.classroom.lateness import Deadlines, read_deadlines, write_deadlines
from graders.classroom.private import openness
from graders.classroom.results import Result, Results
from graders.classroom.roster import folder_name, read_roster
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from tests.classroom.making import CHAPTER, right
from tests.classroom.test_collecting import collect, packed

Printed = pytest.CaptureFixture[str]
SIGNS = ("=", "+", "-", "@", "\t")
STEERING = {
    "escape": "\x1b]0;PWN\x07",
    "colour": "\x1b[31m",
    "one sign": "\x9b2J",
    "turned": "\u202egnp.",
    "marks": "\u200f\u2066x\u2069",
    "over": "x\r\bcollect: all is well",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def graded(*students: str) -> list[Result]:
    trials = (TrialVerdict("says it", 6, passed()),)
    report = Report("x.ipynb", CHAPTER, (ExerciseReport("0.1", trials),))
    return [Result(each, CHAPTER, report=report) for each in students]


def formulas(path: Path) -> list[str]:
    """Cells that a spreadsheet would compute, whichever of both signs separates them there."""
    text = path.read_text(encoding="utf-8")
    cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
    parts = [part for cell in cells for part in cell.split(";")]
    return [each for each in parts if each.startswith(SIGNS) and not each[1:].isdecimal()]


@pytest.mark.parametrize("sign", SIGNS)
def test_no_table_of_ours_holds_a_formula(sign: str) -> None:
    evil = f'{sign}HYPERLINK("http://x")'
    text = (
        f'student,name,email,canvas\nada,"{evil.replace(chr(34), chr(34) * 2)}","x;{sign}1+1",101\n'
    )
    Path("roster.csv").write_text(text)
    Path("download.zip").write_bytes(packed({f"loveada_101_1_{sign}x.ipynb": right()}))
    Path("x").mkdir()
    Path("x", f"{sign}1+1.ipynb").write_bytes(right())
    assert collect("download.zip", "x") == 3
    Results(Path("build")).settle(graded("ada", f"{sign}2+3"))
    cli.main(["publish"])
    write_differences(
        [Difference(("ada", f"{sign}x", 1), "", 1, 2, evil, held=False)], Path("build")
    )
    late = read_deadlines_of(f"{sign}x")
    write_deadlines(late, Path("build/due.csv"))
    tables = sorted(Path("build").glob("*.csv"))
    assert [each.name for each in tables] == [
        "collect.csv", "due.csv", "grades.csv", "regrade.csv", "roster.csv",
    ]  # fmt: skip
    assert {each.name: formulas(each) for each in tables if formulas(each)} == {}
    assert read_deadlines(Path("build/due.csv")) == late
    assert roster_of(Path("build")) == ["ada"]
    again, _ = read_roster(Path("build/roster.csv"))
    assert again.people["ada"]["name"] == evil.strip() and again.find("canvas", "101") == "ada"
    assert any(
        row.file == f"{sign}1+1.ipynb".replace("\t", "?") for row in read_collected(Path("build"))
    )


def read_deadlines_of(student: str) -> Deadlines:
    due = rules.datetime.fromisoformat("2026-11-20T00:00:00+00:00")
    return Deadlines({(student.strip(), CHAPTER): due}, {})


@given(st.lists(st.text("=+-@\t;'\r\naz1", max_size=8), min_size=2, max_size=2))
def test_a_table_of_ours_says_what_it_said(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "table.csv"
    write_table(path, ["a", "b"], [cells])
    [row] = own_rows(path)
    assert [row.get("a", ""), row.get("b", "")] == cells
    assert not formulas(path)


@pytest.mark.parametrize("mark", STEERING.values(), ids=STEERING)
def test_nothing_that_steers_reaches_a_terminal_or_a_name(mark: str, capsys: Printed) -> None:
    name = f"Ada{mark} Love"
    row = f'"ad{mark}a","{name}",101'
    Path("roster.csv").write_text(f"student,name,canvas\n{row}\nbo,Bo,102\n", newline="")
    inner = packed(
        {f"{mark}/../{mark}.ipynb": b"", f"{mark}.ipynb": right(), f"x{mark}.zip": b"no"}
    )
    outer = f"love{mark}ada_101_5_{mark}"
    files = {f"{outer}.zip": inner, f"{outer}{mark}.zip": b"PK", f"{mark}_9_9_x.ipynb": right()}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 3
    assert cli.main(["grade", "--only", "bo", "--no-gradebook"]) == 0
    [student] = [row.student for row in read_collected(Path("build")) if row.counts]
    Results(Path("build")).settle(graded(student))
    cli.main(["publish", "--feedback-zip"])
    cli.main(["publish", "--lms", "canvas", "--template", f"no{mark}.csv"])
    said = capsys.readouterr()
    names = [path.relative_to("build").as_posix() for path in Path("build").rglob("*")]
    with zipfile.ZipFile("build/feedback.zip") as archive:
        names += archive.namelist()
    tables = [each.read_text(encoding="utf-8") for each in Path("build").glob("*.csv")]
    for text in (said.err, said.out, *tables, *names):
        assert text == plain(text, keep="\n"), [c for c in text if not c.isprintable()]
    assert len(said.err.splitlines()) > 4


def test_feedback_goes_to_whom_it_is_about_and_each_entry_has_a_name_of_its_own() -> None:
    part = "Bo Ross_9002_assignsubmission_file"
    rows = [
        Collected(f"{part}_/x.ipynb", "bo", CHAPTER, counts="yes", handed_in_as=f"{part}_"),
        Collected(f"eve/{part}_/x.ipynb", "eve", CHAPTER, counts="yes", handed_in_as="eve"),
        Collected(f"{part}_/y.ipynb", "twin", CHAPTER, counts="yes", handed_in_as=f"{part}_"),
        Collected("Cy_9_assignsubmission_file/a.ipynb", "cy", CHAPTER, counts="yes"),
        Collected("Di_8_assignsubmission_file_a.ipynb", "di", CHAPTER, counts="yes"),
    ]
    Path("build").mkdir()
    write_collected(rows, Path("build"))
    Results(Path("build")).settle(graded(*(row.student for row in rows)))
    cli.main(["publish", "--feedback-zip"])
    with zipfile.ZipFile("build/feedback.zip") as archive:
        names = archive.namelist()
        whose = {name: archive.read(name).decode() for name in names}
    wanted = {
        "bo": f"{part}_/{CHAPTER}.html",
        "eve": f"eve/{CHAPTER}.html",
        "twin": f"twin/{CHAPTER}.html",
        "cy": f"Cy_9_assignsubmission_file/{CHAPTER}.html",
        "di": f"Di_8_assignsubmission_file_{CHAPTER}.html",
    }
    assert sorted(names) == sorted(wanted.values())
    for student, name in wanted.items():
        assert f"<dd>{student}</dd>" in whose[name]


SECRETS = {
    "plain": "ada:hunter2@127.0.0.1:1/grades",
    "slash": "ada:hunt/ter2@127.0.0.1:1/grades",
    "colon": "ada:hunt:ter2@127.0.0.1:1/grades",
    "at": "ada:hunt@ter2@127.0.0.1:1/grades",
    "question": "ada:hunt?ter2@127.0.0.1:1/grades",
    "encoded": "ada:hunt%2Fter2@127.0.0.1:1/grades",
    "setting": "127.0.0.1:1/grades?user=ada&password=hunter2",
    "setting with an at": "127.0.0.1:1/grades?user=ada&password=hunt@ter2",
    "no host": "ada:hunter2",
    "from the environment": "ada:$WORD@127.0.0.1:1/grades",
}
SHOWN = ("plain", "slash", "colon", "at", "encoded", "setting", "from the environment")


@pytest.mark.parametrize("form", SECRETS)
def test_of_a_databases_address_its_host_and_name_are_shown(
    form: str, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORD", "hunt/ter2")
    database = f"postgresql+pg8000://{SECRETS[form]}"
    expanded = os.path.expandvars(database)
    assert shown(expanded) == (
        "127.0.0.1/grades" if form in SHOWN else "a database by postgresql pg8000"
    )
    said = write_gradebook(graded("ada"), {}, Path(), database=database)
    for ask in (
        lambda: manual_scores(Path(), database),
        lambda: give_zero([("ada", CHAPTER, "x")], Path(), database),
    ):
        with pytest.raises(ConfigurationError) as caught:
            ask()
        said += traceback.format_exception(caught.value)
    Path("class.toml").write_text(f'gradebook = "{database}"\n')
    Path("build").mkdir()
    Results(Path("build")).settle(graded("ada"))
    assert cli.main(["publish"]) == 2
    told = capsys.readouterr()
    text = "".join(said) + told.err + told.out
    assert "hunt" not in text.lower() and "ter2" not in text.lower()
    assert said[0].startswith(shown(expanded))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("sqlite:///build/gradebook.db", "build/gradebook.db"),
        ("postgresql://ada:x@[::1]:5432/grades?sslmode=require", "[::1]/grades"),
        ("postgresql://db.uni", "db.uni"),
        ("hunter2", "the gradebook's database"),
    ],
)
def test_an_address_is_still_known_by_what_is_shown(address: str, told: str) -> None:
    assert shown(address) == told


@pytest.mark.parametrize("mode", [0o700, 0o770])
def test_a_classs_folder_is_as_open_as_it_was_made(mode: int, capsys: Printed) -> None:
    before = os.umask(0o022)
    try:
        if mode != 0o700:
            Path("build").mkdir()
            Path("build").chmod(mode)
        Path("download.zip").write_bytes(packed({"x_101_1_x.ipynb": right()}))
        collect("download.zip", roster=False)
        Results(Path("build")).settle(graded("101"))
        cli.main(["publish"])
    finally:
        os.umask(before)
    folders = [Path("build"), *(each for each in Path("build").rglob("*") if each.is_dir())]
    assert len(folders) > 5
    modes = {stat.S_IMODE(each.stat().st_mode) for each in folders}
    assert modes == ({0o700} if mode == 0o700 else {0o770, 0o750})
    assert openness(Path("build")) == (
        ""
        if mode == 0o700
        else "other accounts of this machine can look into build (770), where grades are: "
        "chmod -R go-rwx build"
    )
    assert openness(Path("nowhere")) == ""


def test_the_doctor_says_whether_others_can_look_in(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graders.box.doctor.doctor", lambda: 0)
    Path("build").mkdir(mode=0o755)
    Path("build").chmod(0o755)
    assert cli.main(["doctor"]) == 0
    assert "look into build (755)" in capsys.readouterr().out
    Path("build").chmod(0o700)
    assert cli.main(["doctor"]) == 0
    assert "look into" not in capsys.readouterr().out


def test_whatever_a_class_is_told_goes_through_the_one_cleaner() -> None:
    own = {"saying.py", "progress.py", "differences.py"}  # the cleaner; a bar, and a prompt
    texts = {each.name: each.read_text() for each in Path(saying.__file__).parent.glob("*.py")}
    assert own <= texts.keys()
    prints = {name for name, text in texts.items() if re.search(r"\bprint\(", text)}
    assert prints == own


def test_a_folders_name_is_to_be_read() -> None:
    assert folder_name("a\x1b[31m\u202eb\u200f") == "a_[31m_b_"
    assert json.loads(json.dumps(folder_name("Zoë O'Neil"))) == "Zoë O'Neil"
