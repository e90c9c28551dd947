"""Where a run that failed parts from a right one on the same trial, as data."""

from __future__ import annotations

from dataclasses import dataclass

from graders.records.verdict import Bar


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of one trial on one clock.

    Attributes:
        time: virtual seconds until which they are the same.
        cause: where they part, and why, in a sentence or two.
        yours: what ran in the run that failed, around that moment; what parts there is marked.
        right: the same of the right run.
        calls: how many calls each of them made in all.
    """

    time: float
    cause: str
    yours: tuple[Bar, ...]
    right: tuple[Bar, ...]
    calls: tuple[int, int]
