"""A hand-in of a former release is judged by what it was given."""

import json
from pathlib import Path
from typing import cast

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from graders.chapters import released
from graders.judge.boxes import Boxes
from graders.judge.chapters import Chapter, as_given, number_of, read_chapter
from graders.judge.judge import Judge
from graders.judge.submission import read
from graders.records.report import ExerciseReport, Report, TrialVerdict
from graders.records.verdict import passed
from graders.release import FORMER, NUMBER, keep_former
from tests.classroom.making import CHAPTER, right

LOCKED = {"locked": True, "grade": False, "solution": False, "schema_version": 3}


def given(path: Path, number: str, name: str) -> Path:
    """The chapter as a release gives it out whose locked cell defines this name."""
    book = json.loads(right())
    cell: NotebookNode = new_code_cell(f"{name} = 'Ada'", id=f"gives-{name}")  # type: ignore[no-untyped-call]
    cell.metadata["nbgrader"] = {**LOCKED, "grade_id": "given"}
    book["cells"].insert(1, cell)
    book["metadata"]["switchboard"] = {"release": number}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(book))
    return path


@pytest.fixture
def chapter(tmp_path: Path) -> Chapter:
    """A chapter of release 2 that keeps what release 1 gave out."""
    whole = next(each for each in released() if each.name == CHAPTER)
    now = given(tmp_path / f"now/{CHAPTER}.ipynb", "2", "NOW")
    then = given(tmp_path / f"then/{CHAPTER}.ipynb", "1", "THEN")
    return read_chapter(now, whole.exercises[:1], {"1": then})


def book_of(chapter: Chapter, number: str) -> NotebookNode:
    then = chapter.former["1"]
    return read(then if number == "1" else then.parents[1] / "now" / then.name)


@pytest.mark.parametrize("known_by", ["number", "ids", "texts"])
@pytest.mark.parametrize("number", ["1", "2"])
def test_the_release_is_found(chapter: Chapter, known_by: str, number: str) -> None:
    book = book_of(chapter, number)
    if known_by != "number":
        book.metadata = NotebookNode()  # type: ignore[no-untyped-call]
    for cell in book.cells if known_by == "texts" else ():
        cell.id = ""
    found = as_given(chapter, book)
    assert (found is chapter) is (number == "2")
    assert found.released.metadata.switchboard.release == number


def test_in_doubt_it_is_the_last_release(chapter: Chapter) -> None:
    book = book_of(chapter, "1")
    book.metadata = NotebookNode(switchboard={"release": "0"})  # type: ignore[no-untyped-call]
    book.cells = [cell for cell in book.cells if "THEN" not in cell.source]
    assert as_given(chapter, book) is chapter


def report(*scores: float) -> Report:
    verdicts = (TrialVerdict("a trial", each, passed()) for each in scores)
    exercises = (ExerciseReport(f"0.{n}", (each,)) for n, each in enumerate(verdicts, start=1))
    return Report("x.ipynb", CHAPTER, tuple(exercises))


def test_each_exercise_has_the_better_of_what_came_with_it_and_of_today(
    chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package has moved on since: what came with a notebook may not run any more."""
    made = {"1": report(3, 0, 1), "2": report(1, 2, 1)}

    def judged(_self: Judge, _path: Path, _book: object, used: Chapter, *_more: object) -> Report:
        return made[number_of(used.released)]

    monkeypatch.setattr(Judge, "_judged", judged)
    ready = Judge(cast(Boxes, None), [chapter])
    now = chapter.former["1"].parents[1] / "now" / f"{CHAPTER}.ipynb"
    assert ready.submission(now) == report(1, 2, 1)
    assert ready.submission(chapter.former["1"]) == report(3, 2, 1)


def test_a_release_of_another_number_keeps_the_former_cells(tmp_path: Path) -> None:
    for name, number in (("01_a", "0.1"), ("02_b", NUMBER)):
        given(tmp_path / "notebooks" / name / f"{name}.ipynb", number, "NOW")
    keep_former(tmp_path)
    [kept] = (tmp_path / FORMER).rglob("*.ipynb")
    assert kept.relative_to(tmp_path / FORMER).as_posix() == "0.1/01_a.ipynb"
    book = json.loads(kept.read_text())
    assert any(cell["source"] == "NOW = 'Ada'" for cell in book["cells"])
    assert not any(cell.get("outputs") for cell in book["cells"])
    assert {key for cell in book["cells"] for key in cell["metadata"]} == {"nbgrader"}


def test_the_chapters_carry_the_number_of_this_release() -> None:
    for each in released():
        assert each.released.metadata.switchboard.release == NUMBER
        assert NUMBER not in each.former
