"""The log as it is being written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graders.records.log import Exchange, Log, Mark, Moment, Outcome


class Ledger:
    """Exchanges, marks and moments in the order in which they came."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.moments: list[Moment] = []
        self.marks: list[Mark] = []

    def written_into(self, log: Log) -> Log:
        """The log with everything up to now."""
        return replace(
            log,
            exchanges=tuple(self.exchanges),
            moments=tuple(self.moments),
            marks=tuple(self.marks),
        )

    def mark(self, time: float, name: str, value: Any) -> None:
        """Note what the stage says."""
        self.marks.append(Mark(time, name, value, len(self.exchanges)))

    def close(self, place: int, end: float, outcome: Outcome, reply: Any = None) -> None:
        """Note how an exchange came to its end."""
        before = self.exchanges[place]
        self.exchanges[place] = replace(before, end=end, outcome=outcome, reply=reply)

    def hold_up(self, what: str, begin: float, end: float) -> None:
        """Note that a loop was held up; what goes on in pieces is one moment."""
        if end <= begin:
            return
        last = self.moments[-1] if self.moments else None
        if last is not None and _goes_on(last, what, begin):
            self.moments[-1] = replace(last, seconds=rounded(end - last.time))
            return
        self.moments.append(Moment("blocked", begin, what, rounded(end - begin)))

    def explain_stall(self, what: str) -> bool:
        """Say what waits, after the run ended in a stall; False when it did not."""
        last = self.moments[-1] if self.moments else None
        if last is None or last.kind != "stalled":
            return False
        self.moments[-1] = replace(last, detail=last.detail or what)
        return True


def _goes_on(last: Moment, what: str, begin: float) -> bool:
    same = last.kind == "blocked" and last.detail == what
    return same and rounded(last.time + last.seconds) == begin


def rounded(seconds: float) -> float:
    """A time to the microsecond, so that sums of tenths compare as they read."""
    return round(seconds, 6)
