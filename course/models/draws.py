"""Random draws that hang on a key and a name, never on the order in which they are made.

Two patterns that are compared meet the same luck wherever they ask the same agent about the same
matter, and a call that one of them adds shifts no draw of any other agent or matter (common random
numbers). What they ask of different agents is drawn independently, so pairing runs by their seed
gains as much as the patterns ask alike. Measured for a supervisor and one that plans, the standard
error of a paired difference in seconds over that of an unpaired one (`tests/benchmarks/luck.py`):
0.15 where they make the same calls; in the project's six domains at level 3, each planning in its
own way, they share 30 to 100 % of their calls, and it is 0.30 to 0.86, in the middle 0.75.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

from course.models.wire import Key

T = TypeVar("T")
_STANDARD_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Draws:
    """Named draws for one model call, keyed by (seed, run, agent, matter, call, attempt)."""

    seed: int = 0
    key: Key = Key()

    def uniform(self, name: str) -> float:
        """A number in (0, 1) that only ever depends on the seed, the key and `name`."""
        k = self.key
        who = k.owner or k.agent
        where = (who, k.matter) if k.matter else (who,)
        label = repr((self.seed, k.run, *where, k.call, k.attempt, name)).encode()
        number = int.from_bytes(hashlib.blake2b(label, digest_size=7).digest())
        return (number + 0.5) / 2**56

    def normal(self, name: str, mean: float = 0.0, deviation: float = 1.0) -> float:
        """A normally distributed number."""
        return mean + deviation * _STANDARD_NORMAL.inv_cdf(self.uniform(name))

    def lognormal(self, name: str, median: float, sigma: float) -> float:
        """A lognormal number, given by its median and the deviation of its logarithm."""
        return median * math.exp(self.normal(name, 0.0, sigma))

    def chance(self, name: str, probability: float) -> bool:
        """True with the given probability."""
        return self.uniform(name) < probability

    def choice(self, name: str, options: Sequence[T]) -> T:
        """One of `options`, each equally likely; raises IndexError when there are none."""
        return options[int(self.uniform(name) * len(options))]
