"""Exercises that share cells, played in worlds made for what a submission chose."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nbformat import NotebookNode, writes
from nbformat.v4 import new_code_cell, new_notebook

from graders.checks import equals
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, grade_id, judge, judge_inside
from graders.records.report import Report
from graders.records.scenario import Exercise, Scenario, Trial
from tests.grading.judging import names_of

STAGE = """
async def stage(bench, student):
    return student.greet(bench.params["town"])
"""
SHARED = ("ex_9_town", "ex_9_greet")


def town(draw: Random, chosen: str) -> Scenario:
    return Scenario(params={"town": chosen or "nowhere"})


def hello(scenario: Scenario) -> list[Any]:
    return [equals(f"Hello {scenario.params['town']}")]


def exercise(number: str, *cells: str) -> Exercise:
    trial = Trial("greets the town", STAGE, town, hello)
    return Exercise(number, ("TOWN", "greet"), (trial,), cells=cells, choice="TOWN")


EXERCISES = (exercise("9.1", *SHARED), exercise("9.2", *SHARED), exercise("9.3", SHARED[1]))


def solution(name: str, source: str) -> NotebookNode:
    about = {"grade_id": name, "solution": True, "locked": False, "grade": False}
    return new_code_cell(source, metadata={"nbgrader": about}, id=name)


def book(town: str, greet: str) -> NotebookNode:
    return new_notebook(cells=[solution("ex_9_town", town), solution("ex_9_greet", greet)])


STUB = 'def greet(town):\n    raise NotImplementedError("Exercise 9.2 not attempted yet")'
GREET = "def greet(town):\n    return f'Hello {town}'"
RELEASED = Chapter("09_fixture", book("TOWN = ''", STUB), EXERCISES)


@pytest.fixture(scope="module")
def ready() -> Iterator[Judge]:
    with judge(box="none", own_work=True, chapters=[RELEASED]) as made:
        yield made


def handed_in(ready: Judge, folder: Path, made: NotebookNode) -> Report:
    path = folder / "09_fixture.ipynb"
    path.write_text(writes(made))  # type: ignore[no-untyped-call]
    return ready.submission(path)


def codes(report: Report) -> list[str]:
    return [trial.verdict.code for each in report.exercises for trial in each.trials]


@pytest.mark.parametrize("says", ["TOWN = 'Oslo'", "towns = ['Lima']\nTOWN = towns[0]"])
def test_the_world_is_made_for_what_was_chosen(ready: Judge, tmp_path: Path, says: str) -> None:
    assert codes(handed_in(ready, tmp_path, book(says, GREET))) == ["ok"] * 3


@pytest.mark.parametrize(
    ("says", "code"),
    [("TOWN = 7", "ok"), ("1 / 0", "ok"), ("pass", "ok"), ("TOWN = exit()", "died.exit")],
)
def test_what_is_no_text_chooses_nothing(
    ready: Judge, tmp_path: Path, says: str, code: str
) -> None:
    blind = "def greet(town):\n    return 'Hello nowhere'"
    judged = codes(handed_in(ready, tmp_path, book(says, blind)))
    assert judged == [code, code, "ok"]  # what ends the program beside an answer is left out


def test_a_missing_cell_is_missed_by_those_that_need_it(ready: Judge, tmp_path: Path) -> None:
    made = book("TOWN = 'Oslo'", GREET)
    del made.cells[0]
    assert codes(handed_in(ready, tmp_path, made)) == ["cell.missing"] * 2 + ["ok"]


def test_a_stub_that_several_share_names_the_one_to_do_first(ready: Judge, tmp_path: Path) -> None:
    report = handed_in(ready, tmp_path, book("TOWN = 'Oslo'", STUB))
    said = [trial.verdict.message for each in report.exercises for trial in each.trials]
    assert said == ["needs exercise 9.2 first", "not attempted yet", "needs exercise 9.2 first"]


def test_the_notebook_chooses_alike() -> None:
    names = names_of([{"name": "1", "source": f"TOWN = 'Oslo'\n{GREET}"}])
    [judged] = judge_inside(EXERCISES[0], names)
    assert judged.verdict.passed
    [judged] = judge_inside(EXERCISES[0], {**names, "TOWN": None})
    assert judged.verdict.passed  # greeted nowhere


def test_an_exercise_has_the_cell_of_its_number_unless_it_says_otherwise() -> None:
    alone = Exercise("9.4", ("greet",), ())
    assert alone.grade_ids == (grade_id(alone),) == ("ex_9_4",)
    assert EXERCISES[0].grade_ids == SHARED
