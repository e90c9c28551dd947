"""Every check of the vocabulary: right answers pass, wrong ones are named, in both transports.

Walls do not change what is said, so in boxes but the first one right and one wrong answer.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import graders.checks
from graders.box import Parent, warm
from tests.judge.boxes import BACKENDS, needed
from tests.judge.exercises.case import Case
from tests.judge.exercises.cases import CASES
from tests.judge.exercises.playing import boxed, inside

NOT_CHECKS = {
    "Fields",
    "did_fail",
    "is_transient",
    "by_argument",
    "by_model",
    "by_text",
    "by_tool",
    "by_request",
}
COMBINED = {"all_of", "any_of", "first_failing", "viewed"}
WHOLE = next(iter(BACKENDS))  # other boxes get one right and one wrong answer of each check


def answers(case: Case) -> Iterator[tuple[bool, str, str, str]]:
    """Whether it is the first of its kind, name, code and source of each right and wrong answer."""
    for place, (style, source) in enumerate(case.right.items()):
        yield place == 0, style, "ok", source
    for place, (name, (code, source)) in enumerate(case.wrong.items()):
        yield place == 0, name, code, source


ANSWERED = [
    pytest.param(box, case, code, source, id=f"{box}-{case.check}: {name}")
    for box in BACKENDS
    for case in CASES
    for leads, name, code, source in answers(case)
    if leads or box == WHOLE
]


@pytest.fixture(scope="module")
def parents() -> Iterator[Callable[[str], Parent]]:
    """One for each kind of box, warmed when it is first needed."""
    with ExitStack() as stack:
        yield functools.cache(lambda box: stack.enter_context(warm(needed(box))))


@pytest.fixture
def bounds(request: pytest.FixtureRequest, code: str) -> None:
    """What goes on until a bound is met meets it sooner."""
    if code in ("blocked.endless_loop", "flood.output"):
        request.getfixturevalue("impatient")


@pytest.mark.parametrize(("box", "case", "code", "source"), ANSWERED)
@pytest.mark.usefixtures("bounds")
@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_both_transports_say_the_same(
    parents: Callable[[str], Parent], box: str, case: Case, code: str, source: str
) -> None:
    here, there = inside(case, source), boxed(parents(box), case, source)
    assert here.code == code, here.message
    assert here == there


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.check)
def test_there_are_enough_answers(case: Case) -> None:
    assert len(case.right) >= 3
    assert len(case.wrong) >= 5
    sources = [*case.right.values(), *(source for _, source in case.wrong.values())]
    assert len(set(sources)) == len(sources), "two answers are the same"


def test_every_check_has_an_exercise() -> None:
    tried = {case.check.split(" ")[0] for case in CASES}
    left = set(graders.checks.__all__) - NOT_CHECKS - COMBINED - tried
    assert not left
