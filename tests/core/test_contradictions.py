"""One search for contradictions, for supervisors and the simulated model alike."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.contradictions import Contradiction, contradictions
from course.models.policy.material import Part
from course.models.policy.synthesis import contradictions as told_by_the_model
from tests.core import pairs_of_claims as pairs


@dataclass
class Said:
    task_id: str
    result: str


def found(*texts: str) -> tuple[Contradiction, ...]:
    return contradictions(Said(f"t{n}", text) for n, text in enumerate(texts))


@pytest.mark.parametrize(("one", "other"), pairs.AGREE_SEEN + pairs.AGREE_UNSEEN)
def test_what_is_of_two_things_or_the_same_is_no_contradiction(one: str, other: str) -> None:
    assert found(one, other) == ()
    assert told_by_the_model([Part("a", one), Part("b", other)]) == []


MISSED = ("The train to Ghent leaves in 20 minutes.",)  # "in 2025" reads the same


@pytest.mark.parametrize(("one", "other"), pairs.CONTRADICT_SEEN + pairs.CONTRADICT_UNSEEN)
def test_two_figures_of_one_thing_are_one(one: str, other: str) -> None:
    assert len(found(one, other)) == (one not in MISSED)
    assert len(told_by_the_model([Part("a", one), Part("b", other)])) == 1


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


@given(st.lists(st.sampled_from([s for p in pairs.CONTRADICT_SEEN for s in p]), max_size=6))
def test_what_is_found_does_not_hang_on_the_order(texts: list[str]) -> None:
    once = {frozenset(shown for _, shown in each.said) for each in found(*texts)}
    again = {frozenset(shown for _, shown in each.said) for each in found(*reversed(texts))}
    assert len(once) == len(again)


def test_figures_in_json_are_compared_by_their_keys() -> None:
    one = Part("a", "", data={"unit_price": 12, "stock": 240})
    other = Part("b", "", data={"unit_price": 12, "stock": 180})
    (said,) = told_by_the_model([one, other])
    assert said == "The results disagree about stock: 240 according to a and 180 according to b."
