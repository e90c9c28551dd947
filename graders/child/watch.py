"""Watching judged code that says nothing: does it compute without end, or sleep in real time?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from linecache import getline
from time import process_time
from types import FrameType
from typing import Any

from .failures import cut, own_line
from .stuck import used

LOOK = 0.25  # real seconds between two looks
LONGEST_LINE = 200  # characters of the student's own line that are told
_STILL = 0.002  # processor seconds between two looks; who uses less is asleep


class Watch:
    """Looks at the threads of a run.

    Looks count, not seconds: on a machine so busy that nothing runs nobody looks either.

    Args:
        word: gives what is equal twice only when nothing was said in between, no answer was waited
            for, which is no sleep of its own, and nobody is about to find out who waits for whom,
            which tells more.
        namespace: the names of the student's notebook: code that has them is the student's.
        cpu: processor seconds without a word that are an endless loop.
        real: seconds asleep without a word that are too many.
    """

    def __init__(
        self,
        word: Callable[[], object],
        namespace: Mapping[str, Any],
        *,
        cpu: float,
        real: float,
    ) -> None:
        self._word = word
        self._namespace = namespace
        self._cpu = cpu
        self._real = real
        self._said: object = None
        self._began = 0.0
        self._used: dict[int, float] = {}
        self._asleep = 0

    def look(self, threads: Mapping[int, int]) -> dict[str, str] | None:
        """The message that ends the run, or None while all is well.

        Args:
            threads: those that are at work, by their identifier the number that the system gives.
        """
        before, self._used = self._used, used(threads.values())
        said = self._word()
        if said != self._said:
            self._said, self._began, self._asleep = said, process_time(), 0
            return None
        if process_time() - self._began >= self._cpu:
            return {"do": "spinning", "line": self._place(threads, _line)}
        grown = sum(self._used.values()) - sum(before.values())
        still = before.keys() == self._used.keys() and grown < _STILL
        self._asleep = self._asleep + 1 if still else 0
        if self._asleep * LOOK >= self._real:
            return {"do": "asleep", "line": self._place(threads, _call)}
        return None

    def _place(self, threads: Mapping[int, int], told: Any) -> str:
        frames = sys._current_frames()
        own = (self._own(frames.get(each)) for each in threads)
        return next((cut(told(frame), LONGEST_LINE) for frame in own if frame is not None), "")

    def _own(self, frame: FrameType | None) -> FrameType | None:
        """The innermost frame of the student's own."""
        while frame is not None and frame.f_globals is not self._namespace:
            frame = frame.f_back
        return frame


def _line(frame: FrameType) -> str:
    return own_line(frame.f_code.co_filename, frame.f_lineno)


def _call(frame: FrameType) -> str:
    """What is called there, such as "select.select in line 3"; else the line."""
    first, last, begin, end = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    text = getline(frame.f_code.co_filename, first or 0).encode()
    if first is not None and first == last:
        name = _callee(text[begin:end].decode("utf-8", "replace"))
        if name:
            return f"{name} in line {first}"
    return _line(frame)


def _callee(call: str) -> str:
    """What stands before the last pair of parentheses, where a call ends in one."""
    depth = 0 if call.endswith(")") else len(call)
    for place in reversed(range(len(call))):
        depth += {")": 1, "(": -1}.get(call[place], 0)
        if depth == 0:
            return call[:place]
    return ""
