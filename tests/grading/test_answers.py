"""Right answers in other styles, and wrong ones, in the notebook and in boxes: the same verdicts.

Every exercise but the project's is here, with the answers of its file in tests/answers. All are
judged in the notebook's way, wrong ones until they have failed in a trial; of each exercise one
right answer in another style and one wrong one go to a box as well. `pytest --long` takes all of
them to a box, through all trials. An answer that is there to break a sentence of the contract goes
through all of them as well: it breaks no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from graders.box import Parent, warm
from graders.exercises import exercises_of
from graders.records.scenario import Exercise
from graders.records.verdict import Verdict
from tests.grading.answers import LEAST, PROJECT, answers
from tests.grading.judging import both, cells_of, inside, misjudged
from tests.judge.boxes import strongest
from tests.notebooks import kit

pytestmark = [
    pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning"),
    pytest.mark.usefixtures("few_requests"),
]


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


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_answers_enough(chapter: str) -> None:
    few = [
        f"tests/answers/{exercise.number}.txt: there are fewer than {least} {kind} ones"
        for exercise in exercises_of(chapter[:2])
        for kind, least in LEAST.items()
        if len(getattr(answers(exercise.number), kind)) < least
    ]
    assert few == []
