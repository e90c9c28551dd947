"""A cell that never ends is stopped after a minute of CPU, also one that was saved and forgotten.

The Stop button ends a cell for somebody who watches. Run All on a notebook with an endless loop in
it would go on for ever, and nothing would say why.
"""

from __future__ import annotations

import signal
import threading
from typing import Any

from course.tab import TAB

LIMIT = 60.0  # seconds of CPU; every cell of the course takes less than a quarter of that
AGAIN = 5.0  # seconds of CPU until it is stopped once more, if it went on


class Leash:
    """Stops a running cell, as the Stop button does, when it has used up its seconds.

    It counts the CPU time of this process, so waiting is free. It works on Unix, where the shell
    runs in the main thread; elsewhere, and in a browser's tab, it does nothing.

    Args:
        seconds: of CPU that one cell may use.
    """

    def __init__(self, seconds: float = LIMIT) -> None:
        self.seconds, self._stopped = seconds, False

    def fasten(self, shell: Any) -> None:
        """Watch each cell that `shell` runs from the next one on, in the place of another leash."""
        main = threading.current_thread() is threading.main_thread()
        if TAB or not hasattr(signal, "SIGPROF") or not main:
            return
        for event, callback in (("pre_run_cell", self.begin), ("post_run_cell", self.end)):
            for other in list(shell.events.callbacks[event]):
                if isinstance(getattr(other, "__self__", None), Leash):
                    shell.events.unregister(event, other)
            shell.events.register(event, callback)

    def begin(self, _info: object = None) -> None:
        """A cell begins: count from here."""
        signal.signal(signal.SIGPROF, self._stop)
        signal.setitimer(signal.ITIMER_PROF, self.seconds, AGAIN)

    def end(self, _result: object = None) -> None:
        """A cell ended: count no more, and say so if it was stopped."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        if self._stopped:  # said here, where what is printed is known to be the cell's
            self._stopped = False
            print(
                f"■ Stopped after {self.seconds:g} s of computing: does a loop of this cell never"
                " end? start(seconds=600) lets cells go on for longer."
            )

    def _stop(self, _number: int, _frame: object) -> None:
        self._stopped = True
        signal.raise_signal(signal.SIGINT)
