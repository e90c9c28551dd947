"""How late something was handed in, and what that costs: raw points and penalty stand apart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from pathlib import Path

from course.errors import ConfigurationError
from graders.classroom.collected import Collected
from graders.classroom.csv_cells import read_table, write_table
from graders.classroom.lms_names import read_time
from graders.classroom.settings import Late
from graders.records.wording import one_line

FILE = "due.csv"
DAY = 86_400.0
Key = tuple[str, str]
"""A student and a chapter."""

Attempt = tuple[str, str, int]
"""A student, a chapter, and which attempt: 1 for the first, 0 for the last."""

_MOODLE = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d/%m/%Y, %H:%M", "%d/%m/%y, %H:%M")
"""How Moodle's worksheet writes a time: strftimedaydatetime and strftimedatetimeshort of its
English, and these with 24 hours."""

_WHOLE = re.compile(r":\d\d.*(?:[+-]\d\d:?\d\d|Z|UTC|GMT)$", re.IGNORECASE)


@dataclass(frozen=True)
class Deadlines:
    """When what is due, and for whom at another time; what was said once is kept in `due.csv`.

    Attributes:
        due: by student and chapter; student "" for everybody, chapter "" for all chapters.
        times: when an attempt was handed in, where the LMS's file does not say.
    """

    due: Mapping[Key, datetime] = field(default_factory=dict)
    times: Mapping[Attempt, datetime] = field(default_factory=dict)

    def of(self, student: str, chapter: str) -> datetime | None:
        """When it is due for this student."""
        keys = (student, chapter), (student, ""), ("", chapter), ("", "")
        return next((self.due[key] for key in keys if key in self.due), None)

    def handed_in(self, student: str, chapter: str, number: int, *, last: bool) -> datetime | None:
        """When a table says that this student handed this attempt in."""
        numbers = (number, 0) if last else (number,)
        keys = [(student, name, each) for name in (chapter, "") for each in numbers]
        return next((self.times[key] for key in keys if key in self.times), None)

    def tells(self, student: str, chapter: str) -> bool:
        """Whether a table says when this student handed something of this chapter in."""
        return any(each[:2] in ((student, chapter), (student, "")) for each in self.times)

    def extended(self, student: str, chapter: str) -> bool:
        """Whether this student has another time than the others."""
        return bool(student) and not {(student, chapter), (student, "")}.isdisjoint(self.due)

    def with_due(self, chapters: Mapping[str, datetime]) -> Deadlines:
        """The same, with these chapters due for everybody at these times."""
        return replace(self, due={**self.due, **{("", name): at for name, at in chapters.items()}})

    def updated(self, other: Deadlines) -> Deadlines:
        """What both say, the other in the last word."""
        return Deadlines({**self.due, **other.due}, {**self.times, **other.times})


def read_deadlines(path: Path) -> Deadlines:
    """Extensions, and times of handing in, from a table: student, chapter, due, submitted_at.

    An empty student means everybody, an empty chapter all of them; times are in ISO 8601. A column
    `attempt` says which one it was that was handed in then; without it, it was the last.

    Raises:
        ConfigurationError: it cannot be read, or a time is none.
    """
    due: dict[Key, datetime] = {}
    times: dict[Attempt, datetime] = {}
    for line, row in read_table(path).records():
        if "student" not in row or not {"due", "submitted_at"} & row.keys():
            raise ConfigurationError(f"{path} needs the columns student, chapter, due")
        place, whose = f"{path}, line {line}:", (row["student"], row.get("chapter", ""))
        if text := row.get("due", ""):
            due[whose] = told_time(text, place)
        if text := row.get("submitted_at", ""):
            number = row.get("attempt", "") or "0"
            if not number.isdecimal():
                raise ConfigurationError(f"{place} '{one_line(number)}' is no attempt: 1 is")
            times[*whose, int(number)] = told_time(text, place)
    return Deadlines(due, times)


def write_deadlines(deadlines: Deadlines, path: Path) -> None:
    """Keep them for the next collect, in one step, where there is something to keep."""
    if not deadlines.due and not deadlines.times:
        return
    rows: list[list[object]] = [
        [*key, "", time.isoformat(), ""] for key, time in sorted(deadlines.due.items())
    ]
    rows += [
        [student, chapter, number or "", "", time.isoformat()]
        for (student, chapter, number), time in sorted(deadlines.times.items())
    ]
    write_table(path, ["student", "chapter", "attempt", "due", "submitted_at"], rows)


def told_time(text: str, place: str) -> datetime:
    """A time that a person wrote. A date alone, or no zone, would be hours away from what is meant.

    Raises:
        ConfigurationError: it is no time, or leaves out a part; `place` says where it stands.
    """
    time = read_time(text) if _WHOLE.search(text) else None
    if time is None:
        raise ConfigurationError(
            f"{place} '{one_line(text)}' is no time with a zone: 2026-11-20T23:59:00+01:00 is"
        )
    return time


def worksheet_time(text: str, zone: tzinfo) -> datetime | None:
    """A time in Moodle's grading worksheet, which says no zone; None where it is none."""
    for form in _MOODLE:
        with suppress(ValueError):
            return datetime.strptime(text.strip(), form).replace(tzinfo=zone)
    return None


def seconds_late(time: datetime | None, due: datetime | None) -> float | None:
    """Seconds after it was due, at least 0; None when one of both is not known."""
    return None if time is None or due is None else max((time - due).total_seconds(), 0.0)


def days_late(row: Collected | None, rule: Late) -> int:
    """Started days after it was due; what the LMS marks as late without a time is one day late."""
    if row is None:
        return 0
    late = float(row.late_s) if row.late_s else DAY if row.late and not row.submitted_at else 0.0
    return 0 if late <= rule.grace_minutes * 60 else math.ceil(late / DAY)


def penalty(days: int, score: float, rule: Late) -> float:
    """Points that so many late days take off, to the hundredth."""
    percent = min(days * rule.percent_per_day, rule.cap, 100.0)
    return round(score * percent / 100, 2)


def charged(rows: Iterable[Collected], rule: Late) -> dict[Collected, int]:
    """For each submission of one student the late days that cost something: credit comes first."""
    credit, found = rule.credit_days, {}
    for row in sorted(rows, key=lambda each: (each.submitted_at, each.chapter)):
        late = days_late(row, rule)
        found[row] = max(late - credit, 0)
        credit = max(credit - late, 0)
    return found
