"""Which moves go wrong: work that is given to somebody and does not get there.

Every way of giving work away meets the same: a handoff, a consultation and its return, a
delegation, a task of a plan, a route. The luck hangs on the run, on who is given something, and on
how often that was, so that patterns that give the same to the same meet the same.
"""

from __future__ import annotations

import re
from collections import Counter

from course.models.draws import Draws
from course.models.wire import Key


class MoveFaults:
    """The moves of one run that fail.

    Args:
        rate: the share of all moves, 0 to 1.
        seed, run: of the draws.
    """

    def __init__(self, rate: float, *, seed: int = 0, run: str = "run") -> None:
        self._rate, self._seed, self._run = rate, seed, run
        self._given: Counter[str] = Counter()

    def strike(self, to: str) -> bool:
        """Whether the next move to somebody of this name fails."""
        to = re.sub(r"[^a-zA-Z0-9_-]+", "_", to)  # as a tool's name writes it
        call = self._given[to]
        self._given[to] += 1
        return Draws(self._seed, Key(self._run, to, call, matter="move")).chance("move", self._rate)
