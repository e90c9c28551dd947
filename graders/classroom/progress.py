"""How far a class is, on a terminal: done, seconds left, and what came of it. Silent in a pipe."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType

from graders.records.wording import clip, one_line


class Progress:
    """One line that is written over, and wiped away at the end.

    Args:
        total: how many submissions are to be judged.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._done: Counter[str] = Counter()
        self._begun = time.monotonic()
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        self._say("starting")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def done(self, status: str, name: str) -> None:
        """One more is done: how it ended, and whose it is."""
        self._done[status] += 1
        count = self._done.total()
        left = (time.monotonic() - self._begun) / count * (self._total - count)
        told = ", ".join(f"{number} {each}" for each, number in sorted(self._done.items()))
        self._say(f"{count} of {self._total}, about {left:.0f} s left · {told} · {name}")

    def _say(self, text: str) -> None:
        if self._shown:
            line = clip(one_line(text), 100)
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
