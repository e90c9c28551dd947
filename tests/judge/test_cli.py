"""`python -m graders check`: what is printed, what is written, and what a slip gets."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graders import cli, handed_in
from graders.box import BoxError, bwrap, landlock
from graders.checks import equals
from graders.judge.chapters import Chapter
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.scenario import Exercise, Scenario, Trial
from graders.records.verdict import Bar, not_yet, passed
from tests.judge.boxes import strongest
from tests.notebooks import kit

Printed = pytest.CaptureFixture[str]
Change = Callable[[Any], None]
REPORT = Report(
    "a.ipynb",
    "90_fixture",
    (
        ExerciseReport(
            "90.1",
            (
                TrialVerdict("doubles", 2, passed()),
                TrialVerdict("is quick", 1, not_yet("slow", "expected less", Bar("a()", 0, 1))),
            ),
        ),
    ),
)
STAGE = "async def stage(bench, student):\n    return student.double(bench.params['x'])\n"


def exercise() -> Exercise:
    def world(draw: Any) -> Scenario:
        return Scenario(params={"x": draw.randint(100, 999)})

    def checks(scenario: Scenario) -> Any:
        return [equals(2 * scenario.params["x"], look="look at the factor")]

    return Exercise("90.1", ("double",), (Trial("doubles", STAGE, world, checks, points=2),))


@pytest.fixture
def chapter(monkeypatch: pytest.MonkeyPatch) -> Chapter:
    """The judge knows one small chapter; its boxes are real."""
    strongest()
    released = kit.chapter()
    kit.by_id(released, "ex_90_1").source = "def double(x):\n    raise NotImplementedError()"
    made = Chapter(kit.CHAPTER, released, (exercise(),))
    monkeypatch.setattr(handed_in, "released", lambda: (made,))
    return made


@pytest.fixture
def canned(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A judge that says what REPORT says; what it is asked is noted."""
    asked: dict[str, Any] = {}

    def judge(notebook: Path, **options: Any) -> Report:
        asked.update(options, notebook=notebook)
        if options["progress"] is not None:
            options["progress"]("90.1")
        return REPORT

    monkeypatch.setattr(handed_in, "judge_submission", judge)
    return asked


def handed(chapter: Chapter, path: Path, source: str = "def double(x):\n    return 2 * x") -> Path:
    book = copy.deepcopy(chapter.released)
    kit.by_id(book, "ex_90_1").source = source
    return kit.write(book, path)


def refused(capsys: Printed, *words: str) -> str:
    """Run a call that has to be refused, and return its one line."""
    assert cli.main(["check", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    return err


def test_a_right_answer_gets_its_points(chapter: Chapter, tmp_path: Path, capsys: Printed) -> None:
    assert cli.main(["check", str(handed(chapter, tmp_path / "a.ipynb"))]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-3:] == [
        "90.1      ✓ passed         2 of 2        doubles",
        "",
        "2 of 2 points · 1 passed",
    ]
    assert err == ""


def test_a_wrong_answer_is_judged_too(chapter: Chapter, tmp_path: Path, capsys: Printed) -> None:
    source = "def double(x):\n    print('hm')\n    return x"
    place = handed(chapter, tmp_path / "a.ipynb", source)
    page = tmp_path / "feedback.html"
    assert cli.main(["check", str(place), "--json", "--seed", "7", "--feedback", str(page)]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["score"], report["max_score"]) == (0, 2)
    [judged] = report["exercises"]
    assert judged["trials"][0]["sign"] == "not yet"
    assert judged["trials"][0]["code"] == "value.differs"
    assert "look at the factor" in judged["trials"][0]["message"]
    assert judged["output"].endswith("hm\n")
    assert err == f"The feedback is in {page}\n"
    written = page.read_text(encoding="utf-8")
    assert "Look at the factor." in written
    assert "student.double" not in written  # the test's own source
    assert set(tmp_path.iterdir()) == {page, place}


def spoilt(book: Any) -> None:
    kit.by_id(book, "ex_90_1").source = "def double(x:\n"


def without_solution(book: Any) -> None:
    book.cells = [cell for cell in book.cells if kit.grade_id(cell) != "ex_90_1"]


@pytest.mark.parametrize(
    ("change", "told"), [(spoilt, "'(' was never closed"), (without_solution, "cell.missing")]
)
def test_a_broken_cell_is_a_verdict(
    chapter: Chapter, tmp_path: Path, capsys: Printed, change: Change, told: str
) -> None:
    book = copy.deepcopy(chapter.released)
    change(book)
    assert cli.main(["check", str(kit.write(book, tmp_path / "a.ipynb"))]) == 0
    out = capsys.readouterr().out
    assert told in out
    assert "0 of 2 points" in out


def test_a_broken_notebook_is_judged_with_its_reason(
    chapter: Chapter, tmp_path: Path, capsys: Printed
) -> None:
    (tmp_path / "no.ipynb").write_text("this is no JSON")
    (tmp_path / "other.ipynb").write_text('{"cells": []}')
    with (tmp_path / "large.ipynb").open("wb") as large:
        large.truncate(100_000_000)
    for name, code in (
        ("no", "notebook.not_json"),
        ("other", "notebook.other_release"),
        ("large", "notebook.too_large"),
    ):
        place, page = tmp_path / f"{name}.ipynb", tmp_path / f"{name}.html"
        assert cli.main(["check", str(place), "--feedback", str(page)]) == 0
        [line] = capsys.readouterr().out.splitlines()
        assert line.startswith(f"✗ {name}.ipynb: ")
        assert line.endswith(f"({code})")
        assert code in page.read_text(encoding="utf-8")


def test_an_odd_name_does_no_harm(chapter: Chapter, tmp_path: Path, capsys: Printed) -> None:
    place = tmp_path / "-a\x1b[31m\nb '\";$(touch x) é\udcff.ipynb"
    handed(chapter, tmp_path / "plain.ipynb").rename(place)
    assert cli.main(["check", "--json", "--", str(place)]) == 0
    out = capsys.readouterr().out
    assert json.loads(out)["notebook"] == place.name
    assert out.isascii()
    assert cli.main(["check", "--", str(place)]) == 0
    out = capsys.readouterr().out
    assert not {"\x1b", "\udcff"} & set(out)
    assert out.splitlines()[0].endswith("judged as 90_fixture")
    assert list(tmp_path.iterdir()) == [place]


def test_no_such_file(chapter: Chapter, tmp_path: Path, capsys: Printed) -> None:
    absent = str(tmp_path / "absent.ipynb")
    assert refused(capsys, absent) == (
        f"check: {absent}: the file cannot be read: No such file or directory\n"
    )
    os.mkfifo(tmp_path / "pipe.ipynb")
    for place in (tmp_path, tmp_path / "pipe.ipynb", "/dev/zero"):
        told = f"check: {place}: it is no file, but a folder, pipe or device\n"
        assert refused(capsys, str(place)) == told


def test_no_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    monkeypatch.setattr(bwrap, "available", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(landlock, "available", lambda: "this kernel has no Landlock")
    told = refused(capsys, str(tmp_path / "a.ipynb"))
    assert "bubblewrap is not installed" in told
    assert "graders doctor" in told
    assert "bubblewrap" in refused(capsys, str(tmp_path / "a.ipynb"), "--box", "bwrap")
    assert "Landlock" in refused(capsys, str(tmp_path / "a.ipynb"), "--box", "landlock")


def test_a_sandbox_that_breaks(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    def broken(*_words: Any, **_options: Any) -> Report:
        raise BoxError("the warmed process\nended")

    monkeypatch.setattr(handed_in, "judge_submission", broken)
    assert refused(capsys, "a.ipynb") == "check: the warmed process ended\n"


def test_the_box_without_walls_is_for_ones_own_work(
    canned: dict[str, Any], capsys: Printed
) -> None:
    assert cli.main(["check", "a.ipynb", "--box", "none", "--seed", "-3"]) == 0
    assert canned["own_work"] is True
    assert (canned["box"], canned["seed"]) == ("none", -3)
    assert capsys.readouterr().err == f"check: {handed_in.NO_WALLS}\n"
    assert cli.main(["check", "a.ipynb"]) == 0
    assert canned["own_work"] is False
    assert (canned["box"], canned["seed"]) == ("auto", 0)
    assert canned["notebook"] == Path("a.ipynb")


def test_a_page_that_cannot_be_written_is_told_before_the_work(
    canned: dict[str, Any], tmp_path: Path, capsys: Printed
) -> None:
    (tmp_path / "folder.html").mkdir()
    for name in ("absent/a.html", "folder.html"):
        told = refused(capsys, "a.ipynb", "--feedback", str(tmp_path / name))
        assert told.startswith("check: cannot write ")
    assert canned == {}


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["check", "a.ipynb", "--box", "paper"],
        ["check", "a.ipynb", "--seed", "x"],
        ["check", "a.ipynb", "--feedback", "a.ipynb"],
        ["chekc"],
    ],
)
def test_a_slip_in_the_call_is_named(words: list[str], capsys: Printed) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("python -m graders")
    assert "error: " in last


def test_progress_is_told_on_a_terminal_only(
    canned: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    assert cli.main(["check", "a.ipynb"]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main(["check", "a.ipynb"]) == 0
    assert capsys.readouterr().err == "\r\x1b[Kjudging 90.1 ...\r\x1b[K"


def test_an_interrupted_check_says_so(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    def pressed(*_words: Any, **_options: Any) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr(handed_in, "judge_submission", pressed)
    assert cli.main(["check", "a.ipynb"]) == 130
    assert capsys.readouterr().err == "graders: interrupted\n"


def test_json_holds_the_evidence(canned: dict[str, Any], capsys: Printed) -> None:
    assert cli.main(["check", "a.ipynb", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["score"], report["max_score"]) == (2, 3)
    [_, late] = report["exercises"][0]["trials"]
    assert (late["code"], late["message"], late["score"]) == ("slow", "expected less", 0)
    assert late["evidence"][0] == {
        "label": "a()",
        "start": 0,
        "end": 1,
        "remark": "",
        "marked": False,
    }


def graders(*words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "graders", *words],
        cwd=kit.ROOT,
        env=os.environ | variables,
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_without_a_command_it_lists_them() -> None:
    helped = graders()
    assert helped.returncode == 0
    for command in (b"release", b"check", b"doctor"):
        assert command in helped.stdout
    assert helped.stderr == b""


def test_a_terminal_without_our_signs_gets_others() -> None:
    script = (
        "import sys; from graders import cli, handed_in; from tests.judge.test_cli import REPORT\n"
        "handed_in.judge_submission = lambda *_, **__: REPORT\n"
        "sys.exit(cli.main(['check', 'a.ipynb']))"
    )
    said = subprocess.run(
        [sys.executable, "-c", script],
        cwd=kit.ROOT,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "? passed" in said.stdout
    assert "? not yet" in said.stdout
