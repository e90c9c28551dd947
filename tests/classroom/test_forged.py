"""Nobody hands in for somebody else, or at another time than they did, whatever they name a file.

In each download Ada and Bo hand in as they should, and Eve puts Bo's name wherever she can.
"""

import os
import pwd
import zipfile
from pathlib import Path

import pytest

from graders.classroom import owners
from graders.classroom.collected import Collected, read_collected
from tests.classroom.making import CHAPTER, right
from tests.classroom.test_collecting import collect, counted, laid_out, packed

Printed = pytest.CaptureFixture[str]
ROSTER = (
    "student,name,canvas,moodle\n"
    "ada,Ada Love,101,9001\nbo,Bo Ross,102,9002\neve,Eve Moss,103,9003\n"
)
HERS = right(ex_0_1="whose = 'eve'")
ZIPPED = packed({"bo/x.ipynb": HERS, "Bo Ross_9002_assignsubmission_file_/x.ipynb": HERS})
NAMES = (
    "Bo Ross_9002_assignsubmission_file_x.ipynb",
    "rossbo_102_99999999_x.ipynb",
    "bo+00_start_here+2026-11-20 10:00:00 UTC+abc",
    "bo.ipynb",
)
OUTERMOST = {
    "canvas": "{squashed}_{canvas}_50{canvas}_",
    "moodle": "{name}_{moodle}_assignsubmission_file_/",
    "exchange": "{student}+00_start_here+2026-11-20 10:00:00 UTC+abc/",
    "folders": "{student}/",
}
PEOPLE = [dict(zip(ROSTER.splitlines()[0].split(","), row.split(","), strict=True))
          for row in ROSTER.splitlines()[1:]]  # fmt: skip
GONE = {"student": "gone", "name": "Gone Girl", "canvas": "199", "moodle": "9099"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roster.csv").write_text(ROSTER, encoding="utf-8")


def begun(system: str, person: dict[str, str]) -> str:
    squashed = "".join(person["name"].lower().split()[::-1])
    return OUTERMOST[system].format(**person, squashed=squashed)


def begun_by_canvas(person: dict[str, str]) -> str:
    return f"{begun('canvas', person)}x.ipynb"


def forged(kind: str) -> dict[str, bytes]:
    """What stands behind the part that the LMS wrote."""
    if kind == "zip":
        return {"hw.zip": ZIPPED}
    if kind == "folder":
        return {f"{name.removesuffix('.ipynb')}/{name}": HERS for name in NAMES}
    return {f"{name.removesuffix('.ipynb')}.ipynb": HERS for name in NAMES}


def download(system: str, kind: str, forger: dict[str, str], packing: str) -> str:
    """A download as this LMS gives it, in a zip or unpacked; returns its name."""
    files = {f"{begun(system, each)}x.ipynb": right() for each in PEOPLE[:2]}
    for name, data in forged(kind).items():
        name = name.replace("/", "-") if system == "canvas" and kind == "folder" else name
        files[begun(system, forger) + name] = data
    Path("download.zip").write_bytes(packed(files))
    if packing == "zip":
        return "download.zip"
    with zipfile.ZipFile("download.zip") as archive:
        archive.extractall("there")
    return "there"


def of_bo() -> list[Collected]:
    return [row for row in read_collected(Path("build")) if row.student == "bo"]


@pytest.mark.parametrize("packing", ["zip", "folder"])
@pytest.mark.parametrize("kind", ["name", "zip", "folder"])
@pytest.mark.parametrize("system", OUTERMOST)
def test_whoever_hands_in_it_is_nobody_elses(
    system: str, kind: str, packing: str, capsys: Printed
) -> None:
    read_twice = system == "canvas" and kind != "zip"  # there people choose their names as well
    assert collect(download(system, kind, PEOPLE[2], packing)) == (3 if read_twice else 0)
    assert [row.sha256 for row in of_bo()] == [counted()["ada", CHAPTER].sha256]
    assert Path(f"build/submitted/bo/{CHAPTER}/{CHAPTER}.ipynb").read_bytes() == right()
    assert Path(f"build/submitted/eve/{CHAPTER}/{CHAPTER}.ipynb").read_bytes() == HERS
    said = capsys.readouterr().err
    assert "it is eve's, who handed it in, though its name says bo\n" in said
    assert (
        "two people can be read in its name: eve and bo, so it is neither's" in said
    ) is read_twice


@pytest.mark.parametrize("kind", ["name", "zip", "folder"])
@pytest.mark.parametrize("system", OUTERMOST)
def test_what_nobody_of_the_class_hands_in_is_nobodys(
    system: str, kind: str, capsys: Printed
) -> None:
    assert collect(download(system, kind, GONE, "zip")) == 3
    assert [row.sha256 for row in of_bo()] == [counted()["ada", CHAPTER].sha256]
    assert laid_out() == {f"{name}/{CHAPTER}/{CHAPTER}.ipynb" for name in ("ada", "bo")}
    said = capsys.readouterr().err
    [one, *_] = [line for line in said.splitlines() if "nobody" in line]
    assert ("gone" in one or "99" in one) and "further down it names bo" in one


@pytest.mark.parametrize("system", OUTERMOST)
def test_who_hands_in_alone_names_nobody_either(system: str, capsys: Printed) -> None:
    Path("download.zip").write_bytes(packed({"gone/" + begun(system, PEOPLE[1]) + "x.ipynb": HERS}))
    assert collect("download.zip") == 3
    assert of_bo() == [] and laid_out() == set()
    assert "everything lies in 'gone', which is nobody" in capsys.readouterr().err


def test_a_number_of_one_and_the_name_of_another_is_nobodys(capsys: Printed) -> None:
    names = ("Bo Ross_9003_", "Bo Ross_9099_")
    files = {f"{name}assignsubmission_file_/x.ipynb": HERS for name in names}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 3
    assert not laid_out()
    said = capsys.readouterr().err
    assert "its number and its name are two people's: 9003 is eve and Bo Ross is bo" in said
    assert "nobody, or more than one, is 9099 (moodle) in the roster" in said
    silent = [line for line in said.splitlines() if "nothing handed in" in line]
    assert silent == ["collect: ada: nothing handed in"]


@pytest.mark.parametrize("called", ["x_102", "rossbo_102_99_", "ross_bo_102_99", "late_102"])
def test_who_calls_herself_after_another_on_canvas_is_neither(called: str, capsys: Printed) -> None:
    files = {f"{called}_103_503_x.ipynb": HERS, "love_ada_LATE_101_501_7_x.ipynb": right()}
    Path("download.zip").write_bytes(packed({**files, "lovebo_102_9_102_9_x.ipynb": right()}))
    assert collect("download.zip") == 3
    assert sorted(student for student, _ in counted()) == ["ada", "bo"]
    assert counted()["ada", CHAPTER].late == "yes"
    said = capsys.readouterr().err
    assert "two people can be read in its name: bo and eve" in said
    assert "nothing handed in" not in said


@pytest.mark.parametrize("late", ["", "LATE_"])
def test_who_is_called_on_canvas_as_moodle_writes_is_neither(late: str, capsys: Printed) -> None:
    files = {f"bo_9002_assignsubmission_file_{late}103_503_x.ipynb": HERS}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 3
    assert not laid_out()
    assert "two people can be read in its name: bo and eve" in capsys.readouterr().err


def test_where_names_alone_decide_two_of_one_name_are_nobody(capsys: Printed) -> None:
    Path("roster.csv").write_text("student,name\nada,Ada Love\nbo,Bo Ross\n")
    names = ("Bo Ross_9002_", "Bo Ross_9003_", "Ada Love_9001_")
    files = {f"{name}assignsubmission_file_/{n}.ipynb": HERS for n, name in enumerate(names)}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 3
    assert [student for student, _ in counted()] == ["ada"]
    assert "two people are called so, and no number: Bo Ross" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["BO ROSS", "Bo  Ross", "Bo Ross ", "Bo's Ross", "Bo\u00a0Ross"])
def test_a_name_written_another_way_is_the_same_name(name: str, capsys: Printed) -> None:
    table = "student,name\nada,Ada Love\nbo,Bo Ross\nbos,Bos Ross\n"
    Path("roster.csv").write_text(table, encoding="utf-8")
    real = "Bos Ross" if "'" in name else "Bo Ross"
    names = (f"{real}_9002_", f"{name}_9003_", "Ada Love_9001_")
    files = {f"{each}assignsubmission_file_/{n}.ipynb": HERS for n, each in enumerate(names)}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip") == 3
    assert [student for student, _ in counted()] == ["ada"]
    assert "two people are called so, and no number" in capsys.readouterr().err


@pytest.mark.parametrize("others", [True, False])
@pytest.mark.parametrize(
    "begun",
    [
        "e_ve_103_503_{}+b+2026-01-01+c",
        "bo_x_103_503_{}",
        "bo_9_assignsubmission_file_103_503_{}",
    ],
)
def test_one_student_does_not_decide_which_lms_a_download_is_by(begun: str, others: bool) -> None:
    files = {f"{begun.format(n)}.ipynb": right(ex_0_1=f"whose = {n}") for n in range(9)}
    for each in PEOPLE[:2] if others else PEOPLE[:1]:
        files[begun_by_canvas(each)] = right()
    Path("download.zip").write_bytes(packed(files))
    collect("download.zip")
    assert {student for student, _ in counted()} - {"eve"} == {"ada", "bo"} - (
        set() if others else {"bo"}
    )
    del files[begun_by_canvas(PEOPLE[0])]
    Path("alone.zip").write_bytes(packed({n: d for n, d in files.items() if "103_503" in n}))
    collect("alone.zip", "--out", "alone")
    assert {row.student for row in read_collected(Path("alone"))} <= {"eve", ""}


@pytest.mark.parametrize("name", ["evemoss", "x_103_9", "e_ve"])
def test_a_name_hides_no_late_mark(name: str) -> None:
    Path("download.zip").write_bytes(packed({f"{name}_LATE_103_503_x.ipynb": HERS}))
    assert collect("download.zip") == 0
    assert counted()["eve", CHAPTER].late == "yes"


def test_a_folder_of_the_exchange_is_no_html_for_formgrader() -> None:
    for student in ('<img src=x onerror="top.marks=1">', 'x" onmouseover="top.marks=1'):
        place = Path("inbound", f"{student}+{CHAPTER}+2026-11-20 10:00:00 UTC+r")
        place.mkdir(parents=True)
        (place / "x.ipynb").write_bytes(HERS)
    assert collect("inbound", roster=False) == 0
    assert len(counted()) == 2
    assert not [student for student, _ in counted() if set(student) & set('<>"')]


def test_a_number_of_one_lms_says_nothing_of_another() -> None:
    Path("download.zip").write_bytes(packed({"x_9002_1_x.ipynb": HERS, "x_101_2_x.ipynb": right()}))
    assert collect("download.zip") == 3
    assert [student for student, _ in counted()] == ["ada"]


def test_what_a_pattern_finds_further_down_is_nobodys() -> None:
    files = {"hw-ada@x/n.ipynb": right(), "hw-eve@x/hw-bo@x.ipynb": HERS, "y/hw-bo@x.ipynb": HERS}
    Path("download.zip").write_bytes(packed(files))
    assert collect("download.zip", "--pattern", r".*hw-(?P<student>\w+)@") == 3
    assert [student for student, _ in counted()] == ["ada"]
    assert collect("download.zip", "--pattern", r"hw-(?P<student>\w+)@") == 3
    assert sorted(student for student, _ in counted()) == ["ada", "eve"]


@pytest.mark.parametrize("wrapped", ["submissions/", "submissions (2)/", "hw/"])
def test_the_downloads_own_folder_is_nobodys_and_is_seen_through(
    wrapped: str, capsys: Printed
) -> None:
    names = [begun("moodle", each) for each in PEOPLE]
    files = {f"{wrapped}{name}x.ipynb": right() for name in names}
    Path("submissions (1).zip").write_bytes(packed(files))
    assert collect("submissions (1).zip") == 0
    assert len(laid_out()) == 3
    taken = "which was taken for the download's own folder" in capsys.readouterr().err
    assert taken is (wrapped == "hw/")


ACCOUNTS = {"ada": "ada", "bo": "eve", "eve": "eve"}


@pytest.mark.parametrize(
    ("accounts", "placed", "said"),
    [
        ({"ada": "ada", "bo": "bo", "eve": "eve"}, "ada bo eve", ""),
        ({"ada": "ada", "bo": "eve", "eve": "eve"}, "ada eve", "it says bo, and belongs to eve"),
        ({"ada": "ada", "bo": "x", "eve": "eve"}, "ada eve", "it says bo, and belongs to x"),
        ({"ada": "", "bo": "eve", "eve": ""}, "ada eve", "it says bo, and belongs to eve"),
        ({"ada": "", "bo": "", "eve": ""}, "ada bo eve", ""),
        (dict.fromkeys(("ada", "bo", "eve"), "hub"), "ada bo eve", "nobody can tell who made it"),
    ],
    ids=["own", "a classmate", "a stranger", "by yourself", "a copy", "one account for all"],
)
def test_in_the_exchange_a_folder_is_its_accounts(
    accounts: dict[str, str],
    placed: str,
    said: str,
    capsys: Printed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owners, "account", lambda path: accounts[path.name.partition("+")[0]])
    for each in PEOPLE:
        place = Path("inbound", begun("exchange", each))
        place.mkdir(parents=True)
        (place / "x.ipynb").write_bytes(right())
    assert collect("inbound") == (0 if len(placed.split()) == 3 else 3)
    assert sorted(student for student, _ in counted()) == placed.split()
    assert said in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_an_account_is_read_from_the_file_system(tmp_path: Path) -> None:
    other = next(each for each in pwd.getpwall() if each.pw_uid not in (0, os.geteuid()))
    (tmp_path / "x").mkdir()
    assert owners.account(tmp_path / "x") == ""
    os.chown(tmp_path / "x", other.pw_uid, -1)
    assert owners.account(tmp_path / "x") == other.pw_name
    os.chown(tmp_path / "x", 54321, -1)
    assert owners.account(tmp_path / "x") == "number 54321"


def test_whoever_may_make_folders_cannot_make_the_exchange_another_lms() -> None:
    for name in (begun("exchange", PEOPLE[0]), *(f"rossbo_102_{n}_x" for n in range(9))):
        Path("inbound", name).mkdir(parents=True)
        Path("inbound", name, "x.ipynb").write_bytes(right())
    assert collect("inbound") == 3
    assert [student for student, _ in counted()] == ["ada"]


EARLY, LATE = "2020-01-01 00:00:00 UTC", "2026-11-25 12:00:00 UTC"
ADA_LATE = {
    "a folder of Moodle": {"Ada Love_9001_assignsubmission_file_/{}": "x.ipynb"},
    "a zip on Canvas": {"loveada_LATE_101_501_hw.zip": "x.ipynb"},
    "beside it on Canvas": {"loveada_LATE_101_501_{}": "x.ipynb"},
    "the student's folder": {"ada/{}": "x.ipynb"},
    "a zip in the exchange": {f"ada+{CHAPTER}+{LATE}+r/hw.zip": "x.ipynb"},
    "the exchange": {f"ada+{CHAPTER}+{LATE}+r/{{}}": "x.ipynb"},
}


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize("place", ADA_LATE)
def test_a_time_that_a_student_wrote_is_not_believed(
    place: str, table: bool, capsys: Printed
) -> None:
    [begin] = ADA_LATE[place]
    own = {"x.ipynb": right(), "timestamp.txt": EARLY.encode()}
    if begin.endswith(".zip"):
        files = {begin: packed(own)}
    else:
        files = {begin.format(name): data for name, data in own.items()}
    Path("download.zip").write_bytes(packed(files))
    Path("later.csv").write_text("student,submitted_at\nada,2026-11-21T00:00:00Z\n")
    told = ["--extensions", "later.csv"] if table else []
    collect("download.zip", "--due", "2026-11-20T00:00:00Z", *told)
    row = counted()["ada", CHAPTER]
    assert row.late_s == ("86400" if table else "475200" if "exchange" in place else "")
    assert row.late == ("yes" if "LATE" in begin and "Canvas" in place else "")
    said = capsys.readouterr().err
    if place == "the exchange":
        assert ("says 2020-01-01T00:00:00+00:00: the later time counts" in said) is not table
    elif place not in ("beside it on Canvas", "a zip in the exchange"):
        assert "1 times in files called timestamp.txt are students' words: not read" in said


@pytest.mark.parametrize(("second", "told"), [("40", False), ("20", True)])
def test_a_stamp_may_differ_from_its_folder_by_a_minute(
    second: str, told: bool, capsys: Printed
) -> None:
    place = Path(f"x/ada+{CHAPTER}+2026-11-20 10:00:{second} UTC+r")
    place.mkdir(parents=True)
    (place / "x.ipynb").write_bytes(right())
    (place / "timestamp.txt").write_text("2026-11-20 10:01:30.5 UTC")
    assert collect("x") == 0
    assert counted()["ada", CHAPTER].submitted_at == "2026-11-20T10:01:30.500000+00:00"
    assert ("the later time counts" in capsys.readouterr().err) is told
