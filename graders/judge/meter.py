"""What one run uses up, looked at while it goes on, and the reasons to end it."""

from __future__ import annotations

import time
from typing import Protocol

from graders.box import Used
from graders.child.watch import LOOK
from graders.judge.budget import Budget, Seconds

_STILL = 0.002  # processor seconds between two looks; who uses less is asleep
_LATER = Seconds(4 * LOOK, 4 * LOOK)  # for a box to see it itself, and to name the line


class Asleep(Exception):
    """The box sleeps, in real time and without a word."""


class Endless(Exception):
    """The box computes without a word, or has used up the processor time of a run."""


class Busy(Exception):
    """The box keeps the judge itself busy."""


class Overdrawn(Exception):
    """What was left for the run is used up; says what."""


class _Box(Protocol):
    def used(self) -> Used: ...


class Meter:
    """Measures a run from now on.

    Args:
        box: what is run in.
        budget: what runs may use.
        left: what this one may, where that is less.
    """

    def __init__(self, box: _Box, budget: Budget, left: Seconds) -> None:
        self._box = box
        self._budget = budget
        self._left = left
        self._begin = self._looked = time.monotonic()
        self._cpu = time.process_time()
        self._delayed = delayed()
        self._before = Used()
        self._heard = 0
        self._still = 0
        self._silent_from = 0.0  # processor seconds of the box when it was last heard

    def own(self) -> float:
        """Processor seconds of this process since the run began."""
        return time.process_time() - self._cpu

    def used(self, box: Used) -> Seconds:
        """What run and judge have used, given what the box has.

        What a busy machine let either of them wait for a processor counts for neither.
        """
        cpu = self.own() + box.cpu_seconds
        waited = box.delayed + delayed() - self._delayed
        return Seconds(cpu, max(cpu, time.monotonic() - self._begin - waited))

    def look(self, heard: int, *, began: bool) -> None:
        """Look, if it is time to.

        Args:
            heard: how much was heard so far.
            began: whether the notebook is built up.

        Raises:
            Asleep, Endless, Busy, Overdrawn: as they say.
        """
        if time.monotonic() - self._looked < LOOK:
            return
        self._looked = time.monotonic()
        box = self._box.used()
        still = heard == self._heard and box.cpu_seconds - self._before.cpu_seconds < _STILL
        self._still = self._still + 1 if still else 0
        if heard > self._heard:
            self._silent_from = box.cpu_seconds
        self._before, self._heard = box, heard
        quiet = self._budget.quiet + _LATER
        if not began:  # it may still be at what is not the answer's
            quiet += self._budget.aside
        used, run = self.used(box), self._budget.run + self._budget.aside
        if self._still * LOOK >= quiet.real:
            raise Asleep
        if box.cpu_seconds - self._silent_from > quiet.cpu:
            raise Endless
        if used.cpu > run.cpu:
            raise Busy if self.own() > box.cpu_seconds else Endless
        if used.real > run.real:
            raise Asleep
        if (self._left - used).gone:
            raise Overdrawn


def delayed() -> float:
    """Seconds for which this thread was ready and had to wait for a processor."""
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
