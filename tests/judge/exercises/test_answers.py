"""Every check of the vocabulary: right answers pass, wrong ones are named, in both transports."""

from collections.abc import Iterator

import pytest

import graders.checks
from graders.box import Parent, warm
from tests.judge.boxes import BACKENDS, needed
from tests.judge.exercises import basics, results, waiting
from tests.judge.exercises.case import Case
from tests.judge.exercises.playing import boxed, inside

CASES = [*basics.CASES, *waiting.CASES, *results.CASES]
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
COMBINED = {"all_of", "any_of", "first_failing"}
ANSWERS = [
    *(
        pytest.param(case, "ok", source, id=f"{case.check}: {style}")
        for case in CASES
        for style, source in case.right.items()
    ),
    *(
        pytest.param(case, code, source, id=f"{case.check}: {name}")
        for case in CASES
        for name, (code, source) in case.wrong.items()
    ),
]


@pytest.fixture(scope="module", params=BACKENDS)
def parent(request: pytest.FixtureRequest) -> Iterator[Parent]:
    with warm(needed(request.param)) as warmed:
        yield warmed


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize(("case", "code", "source"), ANSWERS)
def test_both_transports_say_the_same(parent: Parent, case: Case, code: str, source: str) -> None:
    here, there = inside(case, source), boxed(parent, case, source)
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
