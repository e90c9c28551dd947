"""What a stage returns becomes plain values, whatever kind of number it is."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from graders.child.plain import NotPlain, plain


class Meters:
    def __float__(self) -> float:
        return 2.5


class Floor:
    def __index__(self) -> int:
        return 3


def test_numbers_and_truth_values_of_other_kinds_are_what_they_say() -> None:
    told = {
        "n": np.int64(3), "x": np.float32(0.5), "is": np.True_, "all": np.arange(2),
        "half": Fraction(1, 2),
    }  # fmt: skip
    made = plain(told)
    assert made == {"n": 3, "x": 0.5, "is": True, "all": [0, 1], "half": 0.5}
    assert [type(made[key]) for key in ("n", "x", "is")] == [int, float, bool]


@pytest.mark.parametrize(
    ("value", "number"),
    [(Meters(), 2.5), (Floor(), 3), (Decimal("2.5"), 2.5), (np.array(2.5), 2.5), (np.uint8(3), 3)],
)
def test_what_says_which_number_it_is_is_that_number(value: Any, number: float) -> None:
    assert (plain(value), type(plain(value))) == (number, type(number))


@pytest.mark.parametrize("value", [print, (n for n in ()), object(), 2j, int])
def test_what_is_no_data_stays_none(value: Any) -> None:
    with pytest.raises(NotPlain, match=type(value).__name__):
        plain(value)
