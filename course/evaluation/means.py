"""The interval of a mean, and the p beside it, which never contradict each other.

An interval holds what its test does not reject, so it never says another thing than the p beside
it. Two tests of a mean stand behind both, and the more careful one counts: the sign test (whole
tasks change their sign; what it does not reject lies between the means of random subsets) and
Student's t, corrected for differences that lean to one side. Below six tasks no pattern of signs is
rare enough, and t stands alone.

Sources: Hartigan, "Using Subsample Values as Typical Values" (1969) for the inverted sign test;
Hall, "On the Removal of Skewness by Transformation" (1992) for the corrected t; Hanley and
Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?" (1983) for 3/n.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from scipy import special  # and not scipy.stats, which takes 45 MB to import

SUBSETS = 4999
"""Of the tasks, drawn for the sign test where all of them are more than that."""

SAME_TO = 1e-9
"""Share of a value below which two differ by nothing but the order in which floats were added."""

ALPHA = 0.05


def interval(values: Any, *, within: tuple[float, float] | None = None) -> tuple[float, float]:
    """The 95 % interval of a mean of independent values, one for each task: the means that are not
    rejected by `p_value`.

    Args:
        values: one for each task.
        within: the least and the greatest value there can be, such as (0, 1) of a share.

    Returns:
        Low and high, the same each time; NaN for fewer than two. Where all values are equal, it is
        that value, and with bounds besides what 3/n allows: so many of the tasks may differ.
    """
    array = np.asarray(values, dtype=float)
    if len(array) < 2:
        return nan, nan
    low, high = within or (-inf, inf)
    if equal(array):
        middle, others = float(array[0]), 3 / len(array)
        reach = (
            max(low, middle - others * (middle - low)),
            min(high, middle + others * (high - middle)),
        )
        return reach if within else (middle, middle)
    ends = [_corrected_interval(array)]
    means, place = subset_means(array), rejected(array)
    if place:
        means.sort()
        ends.append((float(means[place - 1]), float(means[-place])))
    return max(low, min(each[0] for each in ends)), min(high, max(each[1] for each in ends))


def p_value(values: Any) -> float:
    """How often chance alone would give so large a mean of independent differences, where the true
    one is 0: the larger of the p of the sign test and of the corrected t. NaN for fewer than two.
    """
    array = np.asarray(values, dtype=float)
    if len(array) < 2:
        return nan
    if equal(array):
        return min(1.0, 2.0 ** (1 - len(array))) if array.any() else 1.0
    found = [_corrected_p(array)]
    if rejected(array):
        means = subset_means(array)
        side = min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
        found.append(min(1.0, 2 * (1 + side) / (1 + len(means))))
    return max(found)


def subset_means(array: Any) -> Any:
    """The mean of each subset of the values, of all where they are few: flipping the signs of a
    subset around a mean makes the whole as extreme as the subset's own mean is on the other side.
    """
    count = len(array)
    if 2**count <= SUBSETS:
        drawn = (np.arange(1, 2**count)[:, None] >> np.arange(count)) & 1
        means = drawn @ array / drawn.sum(axis=1)
    else:
        rng, parts, size = np.random.default_rng(0), [], max(1, 4_000_000 // count)
        for begin in range(0, SUBSETS, size):
            drawn = rng.integers(0, 2, (min(size, SUBSETS - begin), count), dtype=np.int8)
            parts.append(drawn @ array / np.maximum(1, drawn.sum(axis=1, dtype=int)))
        means = np.concatenate(parts)
    means[np.abs(means) < SAME_TO * np.abs(array).max()] = 0.0  # sums of floats that cancel out
    return means


def rejected(array: Any) -> int:
    """How many subsets' means lie outside of the interval on each side; 0 for too few values."""
    return int(ALPHA / 2 * min(2 ** min(len(array), 30), SUBSETS + 1))


def skewness(array: Any) -> float:
    """How far the values lean to one side; 0 where they are equal."""
    if equal(array):
        return 0.0
    count, off = len(array), np.asarray(array, dtype=float) - np.mean(array)
    lean = np.mean(off**3) / np.mean(off**2) ** 1.5
    return float(lean * (count * (count - 1)) ** 0.5 / (count - 2)) if count > 2 else float(lean)


def _corrected_p(array: Any) -> float:
    """Student's two-sided p of a mean of 0, after Hall's cubic transformation of t."""
    count, spread = len(array), float(np.std(array, ddof=1))
    t, lean = float(np.mean(array)) / (spread / count**0.5), skewness(array) / (3 * count**0.5)
    moved = t + lean * t**2 + lean**2 * t**3 / 3 + lean / 2
    return float(2 * special.stdtr(count - 1, -abs(moved)))


def _corrected_interval(array: Any) -> tuple[float, float]:
    """The means that `_corrected_p` does not reject."""
    count, lean = len(array), skewness(array) / (3 * len(array) ** 0.5)
    error = float(np.std(array, ddof=1)) / count**0.5
    most = float(special.stdtrit(count - 1, 1 - ALPHA / 2))

    def back(moved: float) -> float:
        """The t that the transformation turns into this."""
        if abs(lean) < SAME_TO:
            return moved
        root = np.cbrt(1 + 3 * lean * (moved - lean / 2))
        return float((root - 1) / lean)

    middle = float(np.mean(array))
    return middle - back(most) * error, middle - back(-most) * error


def equal(values: Any) -> bool:
    """Whether all are the same but for what sums of floats are off."""
    array = np.asarray(values, dtype=float)
    return bool(np.allclose(array, array[:1], rtol=SAME_TO, atol=0))


def holm(p_values: Any) -> Any:
    """p-values corrected for their number by Holm's method, in their order; NaN stays NaN.

    Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    array = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(array))
    rising = known[np.argsort(array[known])]
    stepped = np.maximum.accumulate(array[rising] * np.arange(len(rising), 0, -1))
    corrected = np.full(array.shape, nan)
    corrected[rising] = np.minimum(stepped, 1)
    return corrected


def power(effect: float, units: int) -> float:
    """How often a paired t-test shows an effect of so many standard deviations."""
    free = units - 1
    least, moved = special.stdtrit(free, 1 - ALPHA / 2), effect * units**0.5
    below, under = special.nctdtr(free, moved, (least, -least))
    # Far from the middle scipy gives NaN: there the effect is shown for certain.
    return float(1 - np.nan_to_num(below) + np.nan_to_num(under))
