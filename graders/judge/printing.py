"""What judged code prints: counted, and cut off where nobody would read it any more."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

FLOOD = 4 * 1024 * 1024
"""Characters printed; who never gives control back after more than that printed without end."""

ENDLESS = "more than 4 MB of output"


@dataclass
class Printed:
    """How many characters have been printed so far."""

    characters: int = 0

    @property
    def endless(self) -> bool:
        """Whether it is more than anybody prints on purpose."""
        return self.characters > FLOOD


@contextmanager
def counted() -> Iterator[Printed]:
    """Count what this process prints in the block, and keep what is too much to oneself."""
    printed = Printed()
    before = sys.stdout, sys.stderr
    mine = _Counted(sys.stdout, printed), _Counted(sys.stderr, printed)
    sys.stdout, sys.stderr = mine
    try:
        yield printed
    finally:
        if sys.stdout is mine[0]:  # not somebody else's redirection by now
            sys.stdout = before[0]
        if sys.stderr is mine[1]:
            sys.stderr = before[1]


class _Counted:
    """A stream that passes on what is written to it until it is too much."""

    def __init__(self, stream: Any, printed: Printed) -> None:
        self._stream = stream
        self._printed = printed

    def write(self, text: str) -> int:
        """Write text and return its length."""
        self._printed.characters += len(text)
        if not self._printed.endless:
            self._stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
