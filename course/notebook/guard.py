"""A limit in real seconds on a piece of code that may never come back."""

from __future__ import annotations

import asyncio
import signal
import threading
from types import FrameType
from typing import Any

from course.tab import TAB

AGAIN = 0.5  # seconds between two alarms once the limit has passed


class StillRunning(BaseException):
    """The guarded code used up its seconds.

    Not an ``Exception``: a student's ``except Exception: continue`` must not swallow it.
    """


class StillRunningBelow(StillRunning, KeyboardInterrupt):
    """The same, raised in code that the guarded block called.

    ``course.clock`` waits there for a thread of its own, and ends that thread when it is
    interrupted as by the Stop button: first politely, and with the next alarm by force.
    """


class Guard:
    """Interrupt the code between :meth:`start` and :meth:`stop` after some real seconds.

    Works with ``SIGALRM``, so on Unix, in the main thread, and not in a browser's tab; elsewhere it
    does nothing (:attr:`armed` stays False). It stops blocking code, a spinning coroutine and an
    ``await`` that never ends. It cannot stop code that swallows ``BaseException`` for ever, nor a
    C call that never returns to Python.

    Args:
        seconds: the limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.armed = False
        self.alarms = 0
        self._frame: FrameType | None = None
        self._task: asyncio.Task[Any] | None = None
        self._others: set[asyncio.Task[Any]] = set()
        self._before: Any = None
        self._timer = (0.0, 0.0)

    def start(self, frame: FrameType) -> None:
        """Set the alarm.

        Args:
            frame: the frame whose body is guarded; code called from it can be interrupted directly.
        """
        if TAB or not hasattr(signal, "SIGALRM") or not _in_main_thread():
            return
        self._frame = frame
        self._task = _current_task()
        if self._task is not None:
            self._others = asyncio.all_tasks(self._task.get_loop())
        self._before = signal.signal(signal.SIGALRM, self._on_alarm)
        self.armed = True
        self._timer = signal.setitimer(signal.ITIMER_REAL, self.seconds, AGAIN)

    def stop(self) -> None:
        """Take the alarm back and restore what was set before; harmless when not armed."""
        if not self.armed:
            return
        self.armed = False
        signal.setitimer(signal.ITIMER_REAL, *self._timer)
        signal.signal(signal.SIGALRM, self._before)
        self._frame = None

    def absolve(self, trouble: BaseException | None) -> bool:
        """Say whether ``trouble`` is this guard's doing; clear the cancellation it asked for."""
        if self.alarms and self._task is not None and isinstance(trouble, asyncio.CancelledError):
            self._task.uncancel()
            return True
        return bool(self.alarms) and isinstance(trouble, StillRunning | KeyboardInterrupt)

    def _on_alarm(self, _number: int, frame: FrameType | None) -> None:
        if not self.armed:
            return
        self.alarms += 1
        if _called_from(frame, self._frame):
            raise StillRunningBelow
        # The cell is suspended in an await. Raising here would hit the kernel's own event loop,
        # so the cell's task is cancelled instead. When the loop is held up by a task that the
        # guarded code started, the cancellation never gets its turn: the next alarm raises in it.
        if self.alarms > 1 and self._runs_a_new_task():
            raise StillRunning
        if self._task is not None:
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    def _runs_a_new_task(self) -> bool:
        running = _current_task()
        return running is not None and running is not self._task and running not in self._others


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _called_from(frame: FrameType | None, wanted: FrameType | None) -> bool:
    while frame is not None:
        if frame is wanted:
            return True
        frame = frame.f_back
    return False
