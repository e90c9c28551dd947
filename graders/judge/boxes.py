"""Boxes made one ahead: while a stage is played, the next box is already being built."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

from graders.box import Box, Lent, Limits, Parent

FRESH = 10.0
"""Seconds a box may have waited for its turn: its own time runs from when it was made."""


class Boxes(Protocol):
    """Whatever makes fresh boxes, such as a `graders.box.Parent`."""

    def box(self, limits: Limits | None = None) -> AbstractContextManager[Box]:
        """A fresh box, ended with all that lives in it when the block is left."""
        ...


class OneAhead:
    """Makes boxes of one kind of limits, each ordered when the one before is taken.

    Where a parent can hold only one box at a time, nothing is ordered ahead.
    """

    def __init__(self, parent: Parent | Lent, limits: Limits) -> None:
        self._parent = parent
        self._limits = limits
        self._next: tuple[ExitStack, Box, float] | None = None

    @contextmanager
    def box(self, limits: Limits | None = None) -> Iterator[Box]:
        """The box that was ordered last; other limits than the usual get one of their own."""
        if not self._parent.several or (limits is not None and limits != self._limits):
            with self._parent.box(limits or self._limits) as single:
                yield single
            return
        stack, box = self._take()
        with stack:
            self._next = self._order()
            yield box

    def close(self) -> None:
        """End the box that nobody took."""
        if self._next is not None:
            self._next[0].close()
            self._next = None

    def _take(self) -> tuple[ExitStack, Box]:
        if self._next is not None and time.monotonic() - self._next[2] > FRESH:
            self.close()
        stack, box, _ = self._next or self._order()
        self._next = None
        return stack, box

    def _order(self) -> tuple[ExitStack, Box, float]:
        stack = ExitStack()
        box = stack.enter_context(self._parent.box(self._limits))
        return stack, box, time.monotonic()
