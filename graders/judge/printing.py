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


LINES = 200
CHARACTERS = 6_000
"""What is shown of one run; the rest is counted and left out, in a notebook as in a box."""


@dataclass
class Printed:
    """How much has been printed so far.

    Attributes:
        characters: in all.
        shown: of these, and `lines` of them.
        left: bytes that were left out.
    """

    characters: int = 0
    shown: int = 0
    lines: int = 0
    left: int = 0

    @property
    def endless(self) -> bool:
        """Whether it is more than anybody prints on purpose."""
        return self.characters > FLOOD

    def take(self, text: str) -> str:
        """Count a text; gives what of it is to be shown."""
        fitting = text[: CHARACTERS - self.shown].splitlines(keepends=True)
        kept = "".join(fitting[: LINES - self.lines])
        self.characters += len(text)
        self.shown += len(kept)
        self.lines += kept.count("\n")
        self.left += len(text[len(kept) :].encode("utf-8", "replace"))
        return kept

    def last_words(self) -> str:
        """A line that says what is missing; empty when nothing is."""
        return f"… and {self.left:,} more bytes, left out\n" if self.left else ""


def shortened(output: str, printed: int) -> str:
    """What is shown of the beginning of an output that had so many bytes in all."""
    counting = Printed()
    kept = counting.take(output)
    counting.left = max(0, printed - len(kept.encode("utf-8", "replace")))
    return kept + counting.last_words()


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
        before[0].write(printed.last_words())


class _Counted:
    """A stream that passes on what is written to it until it is too much."""

    def __init__(self, stream: Any, printed: Printed) -> None:
        self._stream = stream
        self._printed = printed

    def write(self, text: str) -> int:
        """Write text and return its length."""
        kept = self._printed.take(text)
        if kept:
            self._stream.write(kept)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
