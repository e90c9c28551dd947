"""A seeded source of choices for the generators of the scenarios.

Only `random.Random.random()` is used: Python promises that its sequence for a seed never changes
between versions, and promises no such thing for `choice`, `sample` or `shuffle`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices that follow from a seed and from nothing else."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`; raises IndexError when there are none."""
        return options[int(self._random() * len(options))]

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different ones of `options`, in random order (all of them if there are fewer)."""
        shuffled = sorted((self._random(), place) for place in range(len(options)))
        return [options[place] for _, place in shuffled[:count]]
