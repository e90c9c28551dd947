"""How late something was handed in, and what that costs: raw points and penalty stand apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from course.errors import ConfigurationError
from graders.classroom.collected import Collected
from graders.classroom.csv_cells import read_table
from graders.classroom.lms_names import read_time
from graders.classroom.settings import Late
from graders.records.wording import one_line

DAY = 86_400.0


@dataclass(frozen=True)
class Deadlines:
    """When what is due, and for whom at another time.

    Attributes:
        due: by chapter; "" for every chapter that has none of its own.
        extensions: by student and chapter; chapter "" for all of them.
        times: when something was handed in, where the LMS's file does not say.
    """

    due: Mapping[str, datetime] = field(default_factory=dict)
    extensions: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    times: Mapping[tuple[str, str], datetime] = field(default_factory=dict)

    def of(self, student: str, chapter: str) -> datetime | None:
        """When it is due for this student."""
        own = self.extensions.get((student, chapter), self.extensions.get((student, "")))
        return own or self.due.get(chapter, self.due.get(""))


def read_extensions(path: Path) -> tuple[Mapping[tuple[str, str], datetime], ...]:
    """Extensions, and times of handing in, from a table: student, chapter, due, submitted_at.

    An empty chapter means all of them; times are in ISO 8601, in UTC where they have no zone.

    Raises:
        ConfigurationError: it cannot be read, or a time is none.
    """
    found: tuple[dict[tuple[str, str], datetime], ...] = ({}, {})
    for line, row in read_table(path).records():
        if "student" not in row or not {"due", "submitted_at"} & row.keys():
            raise ConfigurationError(f"{path} needs the columns student, chapter, due")
        for column, kept in zip(("due", "submitted_at"), found, strict=True):
            text = row.get(column, "")
            time = read_time(text)
            if text and time is None:
                raise ConfigurationError(f"{path}, line {line}: '{one_line(text)}' is no time")
            if time is not None:
                kept[row["student"], row.get("chapter", "")] = time
    return found


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
