"""One search for contradictions, for supervisors and the simulated model alike."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.contradictions import Contradiction, contradictions
from course.models.policy.material import Part
from course.models.policy.synthesis import contradictions as told_by_the_model
from course.statements import in_digits


def _pairs(name: str) -> dict[str, dict[str, list[list[str]]]]:
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


CLAIMS, HALVES = _pairs("pairs_of_claims"), _pairs("pairs_of_statements")
SEEN, UNSEEN = CLAIMS["seen"], CLAIMS["unseen"]


@dataclass
class Said:
    task_id: str
    result: str


def found(*texts: str) -> tuple[Contradiction, ...]:
    return contradictions(Said(f"t{n}", text) for n, text in enumerate(texts))


@pytest.mark.parametrize(("one", "other"), SEEN["equal"] + UNSEEN["equal"])
def test_what_is_of_two_things_or_the_same_is_no_contradiction(one: str, other: str) -> None:
    assert found(one, other) == ()
    assert told_by_the_model([Part("a", one), Part("b", other)]) == []


MISSED = ("The train to Ghent leaves in 20 minutes.",)  # "in 2025" reads the same


@pytest.mark.parametrize(("one", "other"), SEEN["against"] + UNSEEN["against"])
def test_two_figures_of_one_thing_are_one(one: str, other: str) -> None:
    assert len(found(one, other)) == (one not in MISSED)
    assert len(told_by_the_model([Part("a", one), Part("b", other)])) == 1


@pytest.mark.parametrize(("half", "least"), [("development", 28), ("kept", 24)])
def test_dates_times_numbers_in_words_units_and_yes_or_no_are_compared(
    half: str, least: int
) -> None:
    against = [pair for pair in HALVES[half]["against"] if found(*pair)]
    assert len(against) >= least
    assert [pair for pair in HALVES[half]["equal"] if found(*pair)] == []


def test_a_contradiction_said_in_words_is_said() -> None:
    [one] = found("The warranty lasts two years.", "The warranty lasts 3 years.")
    assert str(one) == "The results disagree on warranty: 2 years (t0) and 3 years (t1)."
    assert one.stated_in("The warranty lasts two years or three years.")
    assert not one.stated_in("The warranty lasts two years.")


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("twenty-five", "25"),
        ("one hundred and five days", "105 days"),
        ("three thousand two hundred", "3200"),
        ("one and a half hours", "1.5 hours"),
        ("one month, and that one", "1 month, and that one"),
        ("a dozen", "12"),
        ("two thirds of the", "66.67 % of the"),
        ("at half past ten", "at 10:30"),
        ("EUR 1,200", "1,200 EUR"),
        ("a third party and someone", "a third party and someone"),
    ],
)
def test_numbers_in_words_become_digits(words: str, digits: str) -> None:
    assert in_digits(words) == digits


things = st.sampled_from(("lamp", "T-500", "bridge of Arden", "fund", "article 4711"))
figures = st.integers(min_value=2, max_value=900)
PRICES = ("The {0} costs {1} EUR.", "The price of the {0} is {1} EUR.", "{0}: {1} EUR",
          "The {0} costs {1}.", "The rent of the {0} is {1} EUR per month.")  # fmt: skip
STOCKS = ("The {0} has {1} in stock.", "{0}: {1} units", "The stock of the {0} is {1}.",
          "There are {1} units of the {0} left.", "The {0} weighs {1} kg.")  # fmt: skip


@given(things, figures, figures, st.sampled_from(PRICES), st.sampled_from(STOCKS))
def test_a_price_never_contradicts_a_stock(
    thing: str, price: int, stock: int, one: str, other: str
) -> None:
    assert found(one.format(thing, price), other.format(thing, stock)) == ()


@given(things, figures, figures, st.sampled_from(PRICES + STOCKS))
def test_the_same_words_contradict_each_other_exactly_where_the_figures_differ(
    thing: str, one: int, other: int, words: str
) -> None:
    alike = abs(one - other) <= 0.005 * max(one, other)
    assert (found(words.format(thing, one), words.format(thing, other)) == ()) == alike


@given(st.lists(st.sampled_from([s for p in SEEN["against"] for s in p]), max_size=6))
def test_what_is_found_does_not_hang_on_the_order(texts: list[str]) -> None:
    once = {frozenset(shown for _, shown in each.said) for each in found(*texts)}
    again = {frozenset(shown for _, shown in each.said) for each in found(*reversed(texts))}
    assert len(once) == len(again)


def test_figures_in_json_are_compared_by_their_keys() -> None:
    one = Part("a", "", data={"unit_price": 12, "stock": 240})
    other = Part("b", "", data={"unit_price": 12, "stock": 180})
    (said,) = told_by_the_model([one, other])
    assert said == "The results disagree about stock: 240 according to a and 180 according to b."
