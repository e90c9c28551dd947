"""Ids of traces and spans: for the same run the same ones, for another run others."""

from __future__ import annotations

import hashlib
import itertools


class SeededIds:
    """Ids that depend on a label and a count alone; `trace` has 128 bits, a span's has 64."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._count = itertools.count(1)
        self.trace = self._hash("trace", 16)

    def next_span(self) -> int:
        """The next span's id."""
        return self._hash(str(next(self._count)), 8)

    def resume(self, trace: int, spans: int) -> None:
        """Go on with a trace that was read from a file; its `spans` ids are not given again."""
        self.trace = trace
        self._label += f"/after {spans}"

    def _hash(self, what: str, size: int) -> int:
        label = f"{self._label}/{what}".encode(errors="replace")
        return int.from_bytes(hashlib.blake2b(label, digest_size=size).digest()) or 1
