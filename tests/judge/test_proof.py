"""The judge proves itself first: its own trouble is nobody's answer, and gives no points."""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from graders import cli
from graders.box import BoxError, choose, warm
from graders.chapters import released
from graders.classroom import grading
from graders.classroom.judging import Job, Metered, Ready, Setup, Trouble, judged
from graders.classroom.results import Result, Results
from graders.classroom.submitted import Submission
from graders.judge import proof
from graders.judge.judge import Judge, judge
from graders.judge.proof import doubt
from graders.records.report import Report
from tests.classroom.making import CHAPTER, hand_in, right
from tests.classroom.making import KINDS as CLASS
from tests.judge.boxes import strongest
from tests.notebooks import kit

OWN = choose("none", own_work=True)
boxes = import_module("graders.box.warm")  # the package has a function of this name
MUTANTS = {
    "fails before any code of the student's": (
        "main.py",
        "withheld.take(for_good=True)",
        "raise IndexError('list index out of range')",
    ),
    "runs no cell": ("cells.py", "exec(code, self.namespace)", "pass"),
    "never says how it ended": ("main.py", "link.send(ending)", "pass"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_half_of_the_judge_gives_no_points(tmp_path: Path, name: str) -> None:
    file, was, now = MUTANTS[name]
    child = shutil.copytree(boxes.CHILD, tmp_path / "child")
    text = (child / file).read_text()
    assert was in text
    (child / file).write_text(text.replace(was, now))
    paper = tmp_path / f"{CHAPTER}.ipynb"
    paper.write_bytes(right())
    job = Job(Submission("ada", CHAPTER, paper))
    with warm(OWN, child=child) as parent:
        metered = Metered(parent)
        made = Ready(Judge(metered, released()), metered, Setup(b"x" * 32))
        if name == next(iter(MUTANTS)):
            with pytest.raises(BoxError, match="before any code of the student's was run: IndexE"):
                judged(made, job)
            return
        said = judged(made, job)
    assert isinstance(said, Trouble)
    assert said.chapter == CHAPTER
    assert f"nothing of {CHAPTER} is graded, since a right answer gets 0" in said.message


@pytest.fixture
def unproved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class whose judge fails on the reference of its one chapter."""
    strongest()

    def played(jobs: list[Job], setup: Setup, call: object) -> Iterator[tuple[Job, Trouble]]:
        yield from ((job, Trouble("no right answer passes", chapter=CHAPTER)) for job in jobs)

    monkeypatch.setattr(grading, "_played", played)
    monkeypatch.chdir(tmp_path)
    hand_in(tmp_path / "build/submitted", {"ada": CLASS["right"], "bo": CLASS["partly right"]})
    return tmp_path / "build"


def test_a_chapter_without_proof_is_graded_for_nobody(
    unproved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["grade"]) == 2
    assert "grade: no right answer passes" in capsys.readouterr().err
    told = [json.loads(line) for line in Path("build/results.jsonl").read_text().splitlines()]
    assert {each["status"] for each in told} == {"ungraded", "missing"}
    assert {each["score"] for each in told} == {None}
    assert cli.main(["publish"]) == 3
    rows = Path("build/grades.csv").read_text().splitlines()
    assert all(",ungraded,judge.failed,,,,,," in row for row in rows[1:3])
    assert not Path("build/autograded").exists()


def test_what_stood_before_stands(unproved: Path) -> None:
    Results(unproved).settle([Result("ada", CHAPTER, report=Report("x.ipynb", CHAPTER, ()))])
    assert cli.main(["grade", "--regrade", "--accept"]) == 2
    found = {each.student: each.status for each in Results(unproved)}
    assert found == {"ada": "graded", "bo": "ungraded", "nothing": "missing"}


def test_where_no_solution_lies_what_the_package_builds_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter = next(each for each in released() if any(e.finished for e in each.exercises))
    some = [each for each in chapter.exercises if each.finished][:1]
    short = type(chapter)(chapter.name, chapter.released, some)
    asked: list[str] = []
    monkeypatch.setattr(proof, "right_run", lambda *given: asked.append(given[2].title))
    with judge(chapters=[short], box="none", own_work=True) as made:
        told = doubt(made, short)
        assert f"fails in {len(asked)} trials" in told
        assert len(asked) == len(some[0].trials) > 0
        monkeypatch.undo()
        assert doubt(made, short) == ""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of another checkout, whose .pth names that one's course."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = tmp_path / "venv/lib" / version / "site-packages"
    packages.mkdir(parents=True)
    other = tmp_path / "other"
    (other / "course").mkdir(parents=True)
    (other / "course/__init__.py").write_text("raise ImportError('the other course')\n")
    real = [each for each in sys.path if each.endswith("site-packages")]
    (packages / "a.pth").write_text("\n".join([str(other), *real]) + "\n")
    program = tmp_path / "venv/bin/python"
    program.parent.mkdir()
    program.symlink_to(Path(sys.executable).resolve())
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix) / 'bin'}\n")
    monkeypatch.setattr(sys, "executable", str(program))


@pytest.mark.usefixtures("foreign")
def test_a_class_has_the_points_that_it_has_at_home() -> None:
    """In a chapter whose finished versions are taken away, so that the package is read."""
    [whole] = [each for each in released() if each.name.startswith("03")]
    [one] = [each for each in whole.exercises if each.number == "3.3"]
    short = replace(whole, exercises=[one])
    book, points = f"{whole.name}/{whole.name}.ipynb", sum(each.points for each in one.trials)
    papers = {"solutions": points, "notebooks": 0.0}
    with warm(OWN) as parent:
        assert parent._sandbox is not None
        assert parent._sandbox.kit["course"][0] == str(kit.ROOT / "course")
        made = Judge(Metered(parent), [short])
        found = {each: made.submission(kit.ROOT / each / book).score for each in papers}
    assert found == papers


def test_a_box_with_another_kit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    here = boxes._kit(boxes.CHILD)
    assert boxes._differs(here, here) == ""
    for package, (home, _) in here.items():
        told = boxes._differs(here, {**here, package: [home, "other"]})
        assert f"the kit has changed while it ran ({package})" in told
    moved = {**here, "course": ["/elsewhere/course", here["course"][1]]}
    monkeypatch.setattr(boxes, "_kit", lambda child: moved)
    with pytest.raises(BoxError, match=r"^[^\n]* takes its course from [^\n]*$"), warm(OWN):
        raise AssertionError("it started")


def test_two_copies_in_one_process_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boxes.course, "__file__", str(tmp_path / "course/__init__.py"))
    with pytest.raises(BoxError, match="two copies of the kit are mixed"), warm(OWN):
        raise AssertionError("it started")
