"""Every check of the vocabulary: right answers pass, wrong ones are named, in both transports.

An eighth of the answers each day, and all with `--thorough`.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice

import pytest

import graders.checks
from graders.box import Parent, warm
from tests.judge.boxes import BACKENDS, needed
from tests.judge.exercises import basics, results, waiting
from tests.judge.exercises.case import Case
from tests.judge.exercises.playing import boxed, inside
from tests.sampling import part

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
COMBINED = {"all_of", "any_of", "first_failing", "viewed"}
WHOLE = next(iter(BACKENDS))  # other boxes get one right and one wrong answer of each check


def answers(case: Case, *, few: bool) -> Iterator[tuple[str, str, str]]:
    """Name, code and source of each answer, or of the first right and the first wrong one."""
    most = 1 if few else None
    for style, source in islice(case.right.items(), most):
        yield style, "ok", source
    for name, (code, source) in islice(case.wrong.items(), most):
        yield name, code, source


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "code" not in metafunc.fixturenames:
        return
    thorough = metafunc.config.getoption("thorough")
    answered = [
        pytest.param(box, case, code, source, id=f"{box}-{case.check}: {name}")
        for box in BACKENDS
        for case in CASES
        for name, code, source in answers(case, few=box != WHOLE and not thorough)
    ]
    played = part(answered, metafunc.config, of=8)
    metafunc.parametrize(("box", "case", "code", "source"), played)


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
