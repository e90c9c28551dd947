"""What a stage returns becomes plain values, whatever kind of number it is."""

from fractions import Fraction

import numpy as np

from graders.child.plain import plain


def test_numbers_and_truth_values_of_other_kinds_are_what_they_say() -> None:
    told = {
        "n": np.int64(3), "x": np.float32(0.5), "is": np.True_, "all": np.arange(2),
        "half": Fraction(1, 2),
    }  # fmt: skip
    made = plain(told)
    assert made == {"n": 3, "x": 0.5, "is": True, "all": [0, 1], "half": 0.5}
    assert [type(made[key]) for key in ("n", "x", "is")] == [int, float, bool]
