"""Right answers in other styles, and wrong ones, in the notebook and in boxes: the same verdicts.

Every chapter whose module in tests/grading/ has `RIGHT` beside `WRONG` is here. All answers are
judged in the notebook's way, wrong ones until they have failed in a trial; of each exercise one
right answer in another style and one wrong one go to a box as well. `pytest --long` takes all of
them to a box, through all trials. An answer that is there to break a sentence of the contract goes
through all of them as well: it breaks no other.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from graders.box import Parent, warm
from graders.exercises import exercises_of
from graders.records.scenario import Exercise
from graders.records.verdict import Verdict
from tests.grading.judging import both, cells_of, inside, misjudged
from tests.judge.boxes import strongest
from tests.notebooks import kit

pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")


LEAST = {"WRONG": 5, "RIGHT": 3}
"""How many answers of each kind an exercise has, besides the chapter's own."""
PROJECT = "11"
"""Its submissions are whole systems, judged by test_projects.py."""


def answers(number: str) -> Any:
    """The module with a chapter's answers, or None."""
    try:
        return importlib.import_module(f"tests.grading.wrong_{number}")
    except ModuleNotFoundError:
        return None


def told_of(chapter: str, exercise: Exercise, kind: str) -> list[tuple[str, str]]:
    """An exercise's answers; none where there are none yet, which a test of its own says."""
    found: list[tuple[str, str]] = getattr(answers(chapter[:2]), kind).get(exercise.number, [])
    return found


CHAPTERS = [
    path.stem
    for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
    if hasattr(answers(path.stem[:2]), "RIGHT")
]
CASES = [
    pytest.param(
        chapter, exercise, name, source, right, place == boxed, id=f"{exercise.number} {name}"
    )
    for chapter in CHAPTERS
    for exercise in exercises_of(chapter[:2])
    for right, boxed, told in (
        (True, 1, [("the chapter's own", ""), *told_of(chapter, exercise, "RIGHT")]),
        (False, 0, told_of(chapter, exercise, "WRONG")),
    )
    for place, (name, source) in enumerate(told)
]


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


def until_it_fails(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    for verdict in verdicts:
        yield verdict
        if not verdict.passed:
            break


@pytest.mark.parametrize(("chapter", "exercise", "name", "source", "right", "boxed"), CASES)
def test_an_answer_is_judged_right_and_the_same_in_both_ways(
    request: pytest.FixtureRequest,
    chapter: str,
    exercise: Exercise,
    name: str,
    source: str,
    right: bool,
    boxed: bool,
) -> None:
    cells = cells_of(chapter, exercise, source)
    broken = [] if right else [each for each in exercise.contract if each.broken_by == name]
    if boxed or request.config.getoption("long"):
        verdicts = list(both(request.getfixturevalue("parent"), exercise, cells))
        assert [here for here, _ in verdicts] == [there for _, there in verdicts]
        judged = [here for here, _ in verdicts]
    elif right or broken:
        judged = list(inside(exercise, cells))
    else:
        judged = list(until_it_fails(inside(exercise, cells)))
    assert list(misjudged(exercise, name, judged, right=right)) == []


def test_the_chapters_with_answers_are_all_but_the_project() -> None:
    assert [chapter[:2] for chapter in CHAPTERS] == [
        path.stem[:2]
        for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
        if path.stem[:2] != PROJECT
    ]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_answers_enough(chapter: str) -> None:
    few = [
        f"tests/grading/wrong_{chapter[:2]}.py: {exercise.number} has fewer than {least} in {kind}"
        for exercise in exercises_of(chapter[:2])
        for kind, least in LEAST.items()
        if len(told_of(chapter, exercise, kind)) < least
    ]
    assert few == []
