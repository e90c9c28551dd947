"""Right answers in other styles, and wrong ones, in the notebook and in boxes: the same verdicts.

Every exercise but the project's is here, with the answers of its file in tests/answers. All are
judged in the notebook's way, wrong ones until they have failed in a trial; of each exercise one
right answer in another style and one wrong one go to a box as well. One that is there to break a
sentence of the contract is played in the trials that look at it and in one other, which it passes.
`pytest --long` takes all of them to a box, through all trials.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pytest

from graders.box import Parent, warm
from graders.exercises import exercises_of
from graders.judge import world
from graders.records.scenario import Exercise, Sentence
from graders.records.verdict import Verdict
from tests.grading.answers import LEAST, PROJECT, answers
from tests.grading.judging import both, cells_at_once, cells_of, inside, misjudged
from tests.judge.boxes import strongest
from tests.notebooks import kit

pytestmark = pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")


CHAPTERS = [
    path.stem
    for path in sorted((kit.ROOT / "solutions").glob("*/*.ipynb"))
    if path.stem[:2] != PROJECT
]
CASES = [
    pytest.param(
        chapter, exercise, name, source, right, place == boxed, id=f"{exercise.number} {name}"
    )
    for chapter in CHAPTERS
    for exercise in exercises_of(chapter[:2])
    for right, boxed, told in (
        (True, 1, [("the chapter's own", ""), *answers(exercise.number).right]),
        (False, 0, answers(exercise.number).wrong),
    )
    for place, (name, source) in enumerate(told)
]


@pytest.fixture(autouse=True)
def few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking without end is over soon. Waits stay as many as they were: some answers need them."""
    monkeypatch.setattr(world, "MOST_REQUESTS", 200)


@pytest.fixture(scope="module")
def parent() -> Iterator[Parent]:
    with warm(strongest()) as warmed:
        yield warmed


def until_it_fails(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    for verdict in verdicts:
        yield verdict
        if not verdict.passed:
            break


def looking_at(broken: Sequence[Sentence], exercise: Exercise) -> Exercise:
    """The exercise with the trials that look at these sentences, and one more, each in its turn."""
    meant = {title for each in broken for title in each.trials}
    others = [each for each in exercise.trials if each.title not in meant]
    turn = exercise.contract.index(broken[0])
    one = others[turn % len(others)] if others else None
    return replace(
        exercise, trials=tuple(t for t in exercise.trials if t.title in meant or t is one)
    )


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
    long = request.config.getoption("long")
    broken = [] if right else [each for each in exercise.contract if each.broken_by == name]
    if boxed or long:
        cells = cells_of(chapter, exercise, source)
        verdicts = list(both(request.getfixturevalue("parent"), exercise, cells))
        judged = [inner for inner, _ in verdicts]
        assert judged == [outer for _, outer in verdicts]
    else:
        exercise = looking_at(broken, exercise) if broken else exercise
        here = inside(exercise, cells_at_once(chapter, exercise, source))
        judged = list(here if right or broken else until_it_fails(here))
    assert list(misjudged(exercise, name, judged, right=right)) == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_answers_enough(chapter: str) -> None:
    few = [
        f"tests/answers/{exercise.number}.txt: there are fewer than {least} {kind} ones"
        for exercise in exercises_of(chapter[:2])
        for kind, least in LEAST.items()
        if len(getattr(answers(exercise.number), kind)) < least
    ]
    assert few == []
