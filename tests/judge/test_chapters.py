"""Chapters 00 and 01: right and wrong answers, in the notebook and in boxes, in the same words."""

import contextlib
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from course.notebook import CheckFailed, NotAttempted
from graders.box import Parent, warm
from graders.child.cells import Cells
from graders.exercises import play, play_hidden
from graders.exercises.ch00 import EXERCISES as CHAPTER_00
from graders.exercises.ch01 import EXERCISES as CHAPTER_01
from graders.judge.endings import verdict_on
from graders.judge.inside import play_inside
from graders.judge.judge import grade_id, world_of
from graders.judge.outside import play_outside, script_for
from graders.judge.scenario import Exercise
from graders.judge.verdict import Verdict
from tests.grading import wrong_00, wrong_01
from tests.judge.boxes import strongest
from tests.judge.exercises.playing import TOKENS
from tests.judge.mutants import solution_cells

EXERCISES = (*CHAPTER_00, *CHAPTER_01)
WRONG = {**wrong_00.WRONG, **wrong_01.WRONG}
BY_NUMBER = {each.number: each for each in EXERCISES}
CASES = [
    pytest.param(exercise, source, id=f"{exercise.number} {name}")
    for exercise in EXERCISES
    for name, source in [("solved", ""), *WRONG[exercise.number]]
]
pytestmark = [
    pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning"),
    pytest.mark.usefixtures("few_requests"),
]


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


def cells(exercise: Exercise, source: str) -> list[dict[str, str]]:
    """The chapter's cells with another solution; the finished one when `source` is empty."""
    return [
        (replace(c, source=source) if source and c.grade_id == grade_id(exercise) else c).script()
        for c in solution_cells(exercise)
    ]


def names_of(exercise: Exercise, source: str = "") -> dict[str, object]:
    names: dict[str, object] = {"__name__": "__main__"}
    Cells(names).run(cells(exercise, source))
    return names


def both(parent: Parent, exercise: Exercise, source: str) -> Iterator[tuple[Verdict, Verdict]]:
    names = names_of(exercise, source)
    for trial in exercise.trials:
        scenario = world_of(exercise, trial, 5)
        checks = trial.checks(scenario)
        with contextlib.redirect_stdout(io.StringIO()):
            here = play_inside(trial.stage, scenario, TOKENS, names, exercise.builds_on)
        script = script_for(trial.stage, scenario, cells(exercise, source), exercise.builds_on)
        there = play_outside(parent, script, scenario, TOKENS)
        yield tuple(  # type: ignore[misc]
            verdict_on(log, checks, exercise=exercise.number) for log in (here, there.log)
        )


@pytest.mark.parametrize(("exercise", "source"), CASES)
def test_both_transports_say_the_same(parent: Parent, exercise: Exercise, source: str) -> None:
    verdicts = list(both(parent, exercise, source))
    assert [here for here, _ in verdicts] == [there for _, there in verdicts]
    assert all(here.passed for here, _ in verdicts) == (source == "")


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.number)
def test_no_constant_earns_a_trial(exercise: Exercise) -> None:
    name = exercise.definitions[0]
    word = "" if exercise.number in ("0.1", "0.3", "1.1") else "async "
    for value in (
        "None",
        "0",
        "''",
        "'Switchboard, good morning.'",
        "[]",
        "{}",
        "(None, None, None)",
    ):
        names = names_of(exercise)
        exec(f"{word}def {name}(*args, **kwargs):\n    return {value}", names)
        for trial in exercise.trials:
            scenario = world_of(exercise, trial, 5)
            log = play_inside(trial.stage, scenario, TOKENS, names, exercise.builds_on)
            assert not verdict_on(log, trial.checks(scenario)).passed, (trial.title, value)


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
    names = names_of(BY_NUMBER["1.3"], dict(WRONG["1.3"])["in the order in which they finish"])
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
