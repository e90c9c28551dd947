"""The words and numbers that the page, the drawing and the terminal share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from course.terminal import plain
from graders.records.comparison import Comparison
from graders.records.report import Report
from graders.records.verdict import Bar, Sign
from graders.records.wording import clip, one_line

SIGNS: Mapping[Sign, str] = {"passed": "✓", "not yet": "✗", "not attempted": "○"}
NOTHING_YET = "not attempted yet"
"""A message that says no more than its sign."""

CONTRACT = "The exercise says:"
"""Before the contract's sentence that was broken."""

LONGEST_LABEL = 44
LONGEST_REMARK = 40
LONGEST_OUTPUT = 6_000  # characters of one exercise's output
_NEVER, _ALWAYS = 1e-6, 1e12  # virtual seconds; worlds keep whole microseconds


def signed(sign: Sign) -> str:
    """Sign and word: "✓ passed"."""
    return f"{SIGNS[sign]} {sign}"


def points(score: float, most: float) -> str:
    """Points earned of those there are: "1 of 2"."""
    return f"{score:g} of {most:g}"


def standing(report: Report) -> str:
    """The whole in one line: "7 of 10 points · 4 passed, 1 not yet, 1 not attempted"."""
    signs = [trial.verdict.sign for each in report.exercises for trial in each.trials]
    told = ", ".join(f"{signs.count(sign)} {sign}" for sign in SIGNS if sign in signs)
    return f"{points(report.score, report.max_score)} points" + (f" · {told}" if told else "")


def label(bar: Bar) -> str:
    """What stands beside a bar, on one line."""
    return clip(one_line(bar.label), LONGEST_LABEL)


def remark(bar: Bar) -> str:
    """When it ran, and what is to be said of it: "1 to 2.5 s · cancelled"."""
    said = clip(one_line(bar.remark), LONGEST_REMARK)
    return " · ".join(filter(None, (when(bar), said)))


def when(bar: Bar) -> str:
    """Its time in virtual seconds: "1 to 2.5 s", "at 3 s" or "from 2 s on"."""
    if bar.end is None:
        return f"from {number(bar.start)} s on"
    if number(bar.end) == number(bar.start):
        return f"at {number(bar.start)} s"
    return f"{number(bar.start)} to {number(bar.end)} s"


def number(value: float) -> str:
    """Seconds for reading: at most milliseconds, no needless zeros."""
    return f"{round(value, 3):g}" if math.isfinite(value) else "?"


def extent(bars: Sequence[Bar]) -> float:
    """The seconds that a picture of these bars has to show; never 0."""
    ends = [bar.start if bar.end is None else bar.end for bar in bars]
    last = max((end for end in ends if math.isfinite(end) and end < _ALWAYS), default=0.0)
    if any(bar.end is None for bar in bars):
        last *= 1.15  # so that what never ended is seen to go on
    return last if last > _NEVER else 1.0


def share(time: float, total: float) -> float:
    """Where a time lies on the axis, from 0 to 1."""
    return min(max(time / total, 0.0), 1.0) if math.isfinite(time) else 1.0


def told(bars: Sequence[Bar]) -> str:
    """The picture in words, for those who do not see it."""
    if not bars:
        return ""
    each = "; ".join(_told(bar) for bar in bars)
    marked = sum(bar.marked for bar in bars)
    meant = f", {marked} marked because the message speaks of it" if marked else ""
    return f"Timeline of {len(bars)} steps in virtual seconds{meant}: {each}."


def compared(beside: Comparison) -> str:
    """The picture of two runs in words."""
    runs = (("Your run", beside.yours), ("A right run", beside.right))
    each = (f"{name}: {'; '.join(map(_told, bars)) or 'nothing'}." for name, bars in runs)
    return f"Two runs on one axis of virtual seconds. {' '.join(each)}"


def _told(bar: Bar) -> str:
    mark = " (marked)" if bar.marked else ""
    return f"{label(bar)}{mark}, {remark(bar)}"


def readable(text: str, longest: int = LONGEST_OUTPUT, *, lines: int = 1_000) -> str:
    """A program's output without what steers a terminal or turns text around; cut to size."""
    kept = "\n".join(text[:longest].replace("\r\n", "\n").split("\n")[:lines])
    clean = plain(kept, mark="�")
    left = len(text) - len(kept)
    return clean.strip("\n") + (f"\n… and {left} characters more" if left > 1 else "")
