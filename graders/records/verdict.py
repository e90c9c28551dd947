"""What a check says: a code, points, and a sentence with its evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from graders.records.log import Log

Sign = Literal["passed", "not yet", "not attempted"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of evidence: what ran from `start` to `end` (virtual seconds), and a remark.

    `end` is None for what never ended. `marked` says that the message speaks of this one.
    """

    label: str
    start: float
    end: float | None
    remark: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check on one run.

    Attributes:
        sign: passed, not yet, or not attempted.
        code: short and stable, such as "parallel.one_at_a_time"; "ok" when passed.
        message: what was expected, what happened, where to look; one line.
        evidence: bars that a notebook and a feedback page can draw; empty when nothing is to see.
        cause: what is behind it, the same for verdicts that one mistake explains; empty: nobody
            knows more than the message says.
    """

    sign: Sign
    code: str
    message: str
    evidence: tuple[Bar, ...] = ()
    cause: str = ""

    @property
    def passed(self) -> bool:
        """Whether the check found what it looks for."""
        return self.sign == "passed"


Check = Callable[[Log], Verdict]
"""A pure function: the same log, the same verdict."""


def passed(message: str = "") -> Verdict:
    """The verdict of a check that found what it looks for."""
    return Verdict("passed", "ok", message)


def not_yet(code: str, message: str, *evidence: Bar) -> Verdict:
    """The verdict of a check that did not: a stable code, a sentence, and what to look at."""
    return Verdict("not yet", code, message, tuple(evidence))
