"""Hostile submissions through the whole judge: no point gained, nothing harmed, the rest judged.

Each attack is played in an exercise of chapter 00 in the box that `auto` takes, and but for those
that go on until a bound is met in one of chapter 01 in Landlock; the bounds are lower here.
`pytest --long` plays both in every box, with the real bounds; in chapter 01 every exercise meets
attacks in every place.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from graders.box.none import LimitsOnly
from graders.records.wording import UNREADABLE
from tests.judge.attacking import (
    GUESSES,
    PLACES,
    Arena,
    Assault,
    chosen,
    everywhere,
    opened,
    sample,
)
from tests.judge.attacks import ATTACKS, FORGED, SLOW
from tests.judge.boxes import BACKENDS, needed, strongest
from tests.marking import LONG

PAIRS = [
    pytest.param(
        name,
        each,
        id=f"{name}-{each.number}-{each.attack} {each.place}",
        marks=() if each in chosen(name) else LONG,
    )
    for name in BACKENDS
    for each in everywhere()
]


@pytest.fixture(scope="module")
def arenas() -> Iterator[Callable[[str], Arena]]:
    """One for each kind of box, opened when it is first attacked."""
    with ExitStack() as stack:
        yield functools.cache(lambda box: stack.enter_context(opened(needed(box))))


@pytest.fixture
def bounds(request: pytest.FixtureRequest, assault: Assault) -> None:
    """What goes on until a bound is met meets a lower one."""
    if assault.attack in SLOW and not request.config.getoption("long"):
        request.getfixturevalue("few_requests")
        request.getfixturevalue("impatient")


@pytest.mark.parametrize(("box", "assault"), PAIRS)
@pytest.mark.usefixtures("bounds")
def test_nothing_is_gained(
    arenas: Callable[[str], Arena], tmp_path: Path, box: str, assault: Assault
) -> None:
    outcome = arenas(box).play(assault, tmp_path)
    assert (outcome.gained, outcome.lost, outcome.harm) == (0, 0, ())
    [attacked] = [each for each in outcome.report.exercises if each.number == assault.number]
    assert all(trial.verdict.message for trial in attacked.trials)
    forged = FORGED in ATTACKS[assault.attack].does  # a result of any shape
    assert forged or UNREADABLE not in outcome.codes
    assert len(attacked.output) <= 70_000


def test_harm_is_seen_where_nothing_holds_it(tmp_path: Path) -> None:
    strongest()  # the harm is looked for as in the other boxes, so only where they work
    with opened(LimitsOnly()) as arena:
        outcome = arena.play(Assault("writes the gradebook", "0.2", PLACES[0]), tmp_path)
    assert outcome.harm == ("gradebook.db: '297'", "gradebook.db: '3'")
    assert (outcome.gained, outcome.lost) == (0, 0)


def test_the_sample_leaves_nothing_out() -> None:
    sampled = sample("01")
    assert [each.attack for each in sampled] == list(ATTACKS)
    numbers = [number for number in GUESSES if number.startswith("1.")]
    assert {(each.number, each.place) for each in sampled} == {
        (number, place) for number in numbers for place in PLACES
    }
    assert set(SLOW) < set(ATTACKS)
