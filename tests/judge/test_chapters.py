"""Trivial answers earn nothing in any chapter, and what a check cell prints."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from course.notebook import CheckFailed, NotAttempted
from graders.exercises import play, play_hidden
from graders.judge.judge import grade_id
from graders.records.scenario import Exercise
from tests.grading import judging
from tests.grading.answers import answers
from tests.judge.mutants import EXERCISES, SOLVED, solution_cells

CONSTANTS = (
    "[]",
    "()",
    "{}",
    "None",
    "''",
    "0",
    "False",
    "True",
    "(None, None)",
    "(None, None, None)",
    "'Switchboard, good morning.'",
)
BY_NUMBER = {each.number: each for each in EXERCISES}
pytestmark = pytest.mark.usefixtures("few_requests")


def cells(exercise: Exercise, source: str = "") -> judging.Script:
    """The cells of the exercise's chapter with this solution; with its own when it is empty."""
    chapter = SOLVED[exercise.number.split(".")[0].zfill(2)].stem
    return judging.cells_of(chapter, exercise, source)


def names_of(exercise: Exercise, source: str = "") -> dict[str, object]:
    return judging.names_of(cells(exercise, source))


def trivial(exercise: Exercise) -> Iterator[judging.Script]:
    """Its cells with bodies that return a constant or their first argument, or raise."""
    needed = solution_cells(exercise)
    [own] = [each for each in needed if each.grade_id == grade_id(exercise)]
    tree = ast.parse(own.source)
    asked = [each for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    constants = (f"return {value}" for value in CONSTANTS)
    for body in (*constants, "return FIRST", "raise ValueError('no')"):
        for each in asked:
            first = each.args.args[0].arg if each.args.args else "None"
            each.body = ast.parse(body.replace("FIRST", first)).body
        answer = replace(own, source=ast.unparse(tree))
        yield [(answer if each is own else each).script() for each in needed]


@pytest.mark.parametrize("trivially", EXERCISES, ids=lambda each: each.number)
def test_no_trivial_answer_earns_a_trial(trivially: Exercise) -> None:
    for script in trivial(trivially):
        verdicts = judging.inside(trivially, script)
        for trial, verdict in zip(trivially.trials, verdicts, strict=True):
            assert not verdict.passed, (trial.title, script)


def test_a_solved_exercise_is_a_line_for_each_trial(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    exercise = BY_NUMBER["1.3"]
    play("1.3", names_of(exercise)["answer_calls"])  # type: ignore[arg-type]
    lines = capsys.readouterr().out.splitlines()
    assert lines[: len(exercise.trials)] == [
        f"✓ 1.3 {trial.title} — passed" for trial in exercise.trials
    ]


def test_what_is_wrong_is_raised_and_printed_before_the_rest(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    names = names_of(
        BY_NUMBER["1.3"], dict(answers("1.3").wrong)["in the order in which they finish"]
    )
    with pytest.raises(
        CheckFailed, match=r"✗ 1\.3 answers in the order of the calls — not yet: exp"
    ):
        play_hidden("1.3", names["answer_calls"])  # type: ignore[arg-type]
    lines = capsys.readouterr().out.splitlines()
    assert [line[0] for line in lines if line[0] in "✗✓"] == ["✗", "✗", "✗", "✓"]


def test_an_exercise_that_is_not_attempted_is_one_line(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    stub = 'async def answer_calls(calls, tools):\n    raise NotImplementedError("Exercise 1.3")'
    names = names_of(BY_NUMBER["1.3"], stub)
    with pytest.raises(NotAttempted, match=r"○ 1\.3 .* — not attempted yet"):
        play("1.3", names["answer_calls"])  # type: ignore[arg-type]
    assert capsys.readouterr().out.count("○") == 1
