"""What was collected, as a table: which file is whose, of which chapter, and handed in when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from graders.classroom.csv_cells import own_rows, write_table

FILE = "collect.csv"
ROSTER = "roster.csv"


@dataclass(frozen=True, slots=True)
class Collected:
    """One file of a download.

    Attributes:
        file: its name in the download, folders and archives included.
        student: empty when nobody knows whose it is. `chapter` likewise.
        sha256: of the file.
        submitted_at: with time zone, in ISO 8601; empty when nobody knows.
        due: when it was due for this student; empty when it was not said.
        late_s: seconds after it was due, at least 0; empty when nobody knows.
        late: the LMS's own mark: "yes" or empty.
        attempt: 1 for the first that was handed in.
        counts: "yes" for the one that is graded.
        reason: why it is not, or what is odd about it.
        group: with whom it was handed in, by the group's name.
        handed_in_as: the part of `file` that the LMS wrote; what follows is the student's word.
    """

    file: str
    student: str = ""
    chapter: str = ""
    sha256: str = ""
    submitted_at: str = ""
    due: str = ""
    late_s: str = ""
    late: str = ""
    attempt: int = 1
    counts: str = ""
    reason: str = ""
    group: str = ""
    handed_in_as: str = ""

    @property
    def refused(self) -> bool:
        """Whether somebody handed it in, and it is nothing that can be graded."""
        return bool(self.student and self.reason and not self.sha256)

    @property
    def is_late(self) -> bool:
        """Whether it was late: by its time where that is known, else by the LMS's mark."""
        return float(self.late_s) > 0 if self.late_s else bool(self.late)

    @property
    def lms_part(self) -> str:
        """The part that the LMS wrote; a table of an earlier version did not tell it apart."""
        return self.handed_in_as or self.file.partition("/")[0]

    @property
    def time(self) -> datetime | None:
        """When it was handed in."""
        return datetime.fromisoformat(self.submitted_at) if self.submitted_at else None


COLUMNS = [each.name for each in fields(Collected)]


def write_collected(rows: Iterable[Collected], folder: Path) -> Path:
    """Write the table, in one step."""
    path = folder / FILE
    write_table(path, COLUMNS, ([getattr(row, name) for name in COLUMNS] for row in rows))
    return path


def kept_at(row: Collected, folder: Path) -> Path:
    """Where a class keeps the file of an attempt."""
    time = row.submitted_at.replace(":", "") or "undated"
    place = folder / "attempts" / row.student / (row.chapter or "unknown")
    return place / f"{time}-{row.sha256[:8]}.ipynb"


def read_collected(folder: Path) -> list[Collected]:
    """The table as it was written; empty when nothing was collected here."""
    told = ({name: row.get(name, "") for name in COLUMNS} for row in own_rows(folder / FILE))
    return [
        Collected(**{**row, "attempt": int(row["attempt"])})  # type: ignore[arg-type]
        for row in told
        if row["attempt"].isdecimal()  # in a row that was cut it is not
    ]


def roster_of(folder: Path) -> list[str]:
    """The students of the class, as it was collected."""
    return [row["student"] for row in own_rows(folder / ROSTER) if row.get("student")]


def put_right(student: str, chapter: str, sha256: str, rows: Iterable[Collected]) -> bool:
    """Whether a file of this student was found to be another's, or of another chapter, since."""
    placed = [row for row in rows if row.student and row.sha256]
    owned = any(row.sha256 == sha256 for row in placed)
    return owned and not any((row.student, row.chapter) == (student, chapter) for row in placed)


def expected(folder: Path) -> list[str]:
    """The chapters that were collected."""
    return sorted({row.chapter for row in read_collected(folder) if row.chapter and row.counts})
