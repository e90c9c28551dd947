"""A time of its own for what of a notebook is not the answer's: not counted, and not long."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, process_time
from types import FrameType

from .cells import Interrupted
from .watch import LOOK

ONE = 1.5  # processor seconds for one statement
LONGEST = 20.0  # real seconds for it; a busy machine gives it little of each
_IDLE = 0.01  # share of the real time below which a process does nothing but wait


class Aside:
    """Interrupts a statement that takes too long.

    Args:
        cpu: processor seconds for all of them.
        real: seconds in which they may do nothing but wait.

    Attributes:
        turns: how often one began or ended.
    """

    def __init__(self, cpu: float, real: float) -> None:
        self.turns = 0
        self._cpu = cpu
        self._real = real
        self._began: tuple[float, float] | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Interrupted is raised in the block when its time is over."""
        self.turns += 1
        self._began = process_time(), monotonic()
        for timer, told in _TIMERS.items():
            signal.signal(told, self._look)
            signal.setitimer(timer, LOOK, LOOK)
        try:
            yield
        finally:
            used, passed = self._passed()
            self._began = None
            for timer in _TIMERS:
                signal.setitimer(timer, 0)
            self.turns += 1
            self._cpu -= used
            self._real -= passed if _waits(used, passed) else 0.0

    def _passed(self) -> tuple[float, float]:
        cpu, real = self._began or (process_time(), monotonic())
        return process_time() - cpu, monotonic() - real

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self._began is None:
            return
        used, passed = self._passed()
        most = min(ONE, max(self._cpu, LOOK))
        if used > most:
            raise Interrupted(f"it took more than {most:g} s of the processor, and was stopped")
        if passed > LONGEST or (passed > min(1.0, max(self._real, LOOK)) and _waits(used, passed)):
            raise Interrupted(f"it waited for {passed:.1f} s, and was stopped")


def _waits(used: float, passed: float) -> bool:
    return passed > LOOK and used < _IDLE * passed


_TIMERS = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
