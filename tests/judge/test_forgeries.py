"""Programs that forge what is measured in the judged process earn no more than without.

Each stands above a wrong answer, in a box, and only trials that this answer loses are played, two
of them at the most: none may be won. A program forges what a chapter's exercises measure together,
so with `pytest --long` it meets one answer of every chapter, and else of one; the answers of a
chapter take turns.
"""

import ast
import functools
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import pytest

from graders.box import Parent, warm
from graders.records.scenario import Exercise
from tests.grading.answers import answers
from tests.grading.judging import Script, cells_of, inside, outside
from tests.judge.boxes import strongest
from tests.judge.forgeries import ARMED, FORGERIES, HELPERS, WRONG
from tests.judge.mutants import EXERCISES
from tests.marking import LONG
from tests.notebooks import kit

pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")

BY_NUMBER = {each.number: each for each in EXERCISES}
ANSWERS = {
    chapter: [(number, name) for number in numbers for name in WRONG[number]]
    for chapter, numbers in groupby(WRONG, key=lambda number: number.partition(".")[0])
}


def met(turn: int) -> Iterator[tuple[tuple[str, str], bool]]:
    """The answers that a program meets, one of each chapter, and whether in every run."""
    for place, theirs in enumerate(ANSWERS.values()):
        others, own = divmod(turn, len(ANSWERS))
        yield theirs[others % len(theirs)], place == own


CASES = [
    pytest.param(
        forgery, *answer, id=f"{answer[0]} {answer[1]}: {forgery}", marks=() if usual else LONG
    )
    for turn, forgery in enumerate(FORGERIES)
    for answer, usual in met(turn)
]


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


def armed_script(number: str, forgery: str, source: str) -> Script:
    """The program above an answer, with the chapter's cells that the answer alone needs.

    By the names that a program happens to use it would need demonstrations too, which last.
    """
    needed = scripted(number, source)
    cells = scripted(number, forged(BY_NUMBER[number], forgery, source))
    return [each for each in cells if each.get("own", True) or each in needed]


def scripted(number: str, source: str) -> Script:
    [chapter] = [p.stem for p in kit.ROOT.glob(f"solutions/{int(float(number)):02d}_*/*.ipynb")]
    return cells_of(chapter, BY_NUMBER[number], source)


def forged(exercise: Exercise, forgery: str, source: str) -> str:
    """The wrong answer below the program, armed: it is told when the answer begins and ends."""
    armed = ARMED.replace("NAME", exercise.definitions[-1])
    return f"{HELPERS}\n\n{FORGERIES[forgery]}\n\n\n{source}{armed}"


@functools.cache
def lost(number: str, wrong: str) -> tuple[int, ...]:
    """The trials that the wrong answer loses, by their places."""
    verdicts = inside(BY_NUMBER[number], scripted(number, dict(answers(number).wrong)[wrong]))
    return tuple(place for place, each in enumerate(verdicts) if not each.passed)


@pytest.mark.parametrize(("forgery", "number", "wrong"), CASES)
def test_nothing_is_gained(parent: Parent, forgery: str, number: str, wrong: str) -> None:
    exercise = BY_NUMBER[number]
    cells = armed_script(number, forgery, dict(answers(number).wrong)[wrong])
    trials = tuple(exercise.trials[place] for place in lost(number, wrong)[:2])
    assert trials
    for verdict in outside(parent, replace(exercise, trials=trials), cells):
        assert not verdict.passed
        assert verdict.message


def test_an_armed_answer_is_still_itself(parent: Parent) -> None:
    exercise = BY_NUMBER["7.1"]
    [own] = [c["source"] for c in scripted("7.1", "") if "def concurrently" in c["source"]]
    armed = scripted("7.1", f"{HELPERS}\n\n{own}{ARMED.replace('NAME', 'concurrently')}")
    assert all(each.passed for each in inside(exercise, armed))


def test_the_programs_are_many_and_each_is_python() -> None:
    assert len(FORGERIES) >= 40
    assert len(WRONG) >= 10
    usual = [answer for turn in range(len(FORGERIES)) for answer, each in met(turn) if each]
    assert set(usual) == {answer for answers in ANSWERS.values() for answer in answers}
    for source in FORGERIES.values():
        ast.parse(source)
