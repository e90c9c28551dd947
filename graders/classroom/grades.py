"""The grades of a class as rows: what the judge gave, what people gave, and what lateness takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from course.errors import ConfigurationError
from graders.chapters import released
from graders.classroom.attempts import counting
from graders.classroom.collected import Collected
from graders.classroom.csv_cells import write_table
from graders.classroom.gradebook import manual_scores
from graders.classroom.lateness import charged, penalty
from graders.classroom.results import Result
from graders.classroom.roster import Roster
from graders.classroom.settings import Settings
from graders.judge.chapters import Chapter

FILE = "grades.csv"
COLUMNS = (
    "student", "name", "chapter", "status", "code", "raw", "manual", "penalty", "final", "max",
    "waiting", "attempt", "submitted_at", "late_s",
)  # fmt: skip


@dataclass(frozen=True)
class Grade:
    """One student's grade in one chapter.

    Attributes:
        result: what the judge said.
        person: the student's row of the roster.
        collected: how it was handed in; None when it was not collected by us.
        by_hand: cells that people grade: their points, None where nobody did yet.
        comments: what people wrote, by cell.
        most_by_hand: the points that people can give.
        penalty: points that lateness takes.
    """

    result: Result
    person: Mapping[str, str] = field(default_factory=dict)
    collected: Collected | None = None
    by_hand: Mapping[str, float | None] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    most_by_hand: float = 0.0
    penalty: float = 0.0

    @property
    def waiting(self) -> list[str]:
        """Cells that somebody has to read yet."""
        graded = self.result.status == "graded"
        return [name for name, given in self.by_hand.items() if given is None] if graded else []

    @property
    def manual(self) -> float:
        """Points that people gave."""
        return sum(given for given in self.by_hand.values() if given)

    @property
    def final(self) -> float | None:
        """Points after all; None while something is ungraded, or waits for a person."""
        if self.result.score is None or self.waiting:
            return None
        return max(round(self.result.score + self.manual - self.penalty, 2), 0.0)

    @property
    def max(self) -> float:
        """The points there are."""
        return self.result.max_score + self.most_by_hand

    def row(self, exercises: Sequence[str]) -> list[object]:
        """Its cells: `COLUMNS`, then points for each of these exercises."""
        result, found = self.result, self.collected
        graded = result.status == "graded"
        exercised = result.report.exercises if graded and result.report else ()
        scores = {each.number: each.score for each in exercised}
        cells = [
            result.student, self.person.get("name", ""), result.chapter, result.status, result.code,
            result.score if graded else "", self.manual if graded and self.by_hand else "",
            self.penalty if graded else "", "" if self.final is None else self.final,
            self.max or "", " ".join(self.waiting), found.attempt if found else result.attempt,
            found.submitted_at if found else "", found.late_s if found else "",
        ]  # fmt: skip
        return [*cells, *(scores.get(number, "") for number in exercises)]


def grades_of(
    results: Iterable[Result], out: Path, roster: Roster, made: Settings, *, strict: bool = True
) -> list[Grade]:
    """Each result with what else counts, in the order of chapters and students.

    Raises:
        ConfigurationError: the gradebook cannot be read; where that is not `strict`, nothing was
            given by hand.
    """
    chapters = {each.name: each for each in released()}
    counted = counting(results, out, made)
    days = _days(counted, made)
    try:
        manual = manual_scores(out, made.gradebook)
    except ConfigurationError:
        if strict:
            raise
        manual = {}
    grades = []
    for result, row in counted:
        hand = _by_hand(chapters.get(result.chapter))
        given = {name: manual.get((result.student, result.chapter, name)) for name in hand}
        by_hand = {name: each[0] if each else None for name, each in given.items()}
        earned = (result.score or 0.0) + sum(each for each in by_hand.values() if each)
        comments = {
            cell: text
            for (student, chapter, cell), (_, text) in manual.items()
            if (student, chapter) == (result.student, result.chapter) and text
        }
        grades.append(
            Grade(
                result,
                roster.people.get(result.student, {}),
                row,
                by_hand,
                comments,
                sum(hand.values()),
                penalty(days[row] if row else 0, earned, made.late),
            )
        )
    return sorted(grades, key=lambda each: (each.result.chapter, each.result.student))


def _days(
    counted: Iterable[tuple[Result, Collected | None]], made: Settings
) -> dict[Collected, int]:
    """For each submission the late days that cost something, after the student's credit."""
    own: dict[str, list[Collected]] = defaultdict(list)
    for result, row in counted:
        if row is not None:
            own[result.student].append(row)
    return {row: late for rows in own.values() for row, late in charged(rows, made.late).items()}


def write_grades(grades: Sequence[Grade], out: Path) -> Path:
    """Write `grades.csv`: a row for each student and chapter."""
    reports = (each.result.report for each in grades)
    numbers = {exercise.number for report in reports if report for exercise in report.exercises}
    exercises = sorted(numbers, key=lambda each: [int(part) for part in each.split(".")])
    path = out / FILE
    write_table(path, [*COLUMNS, *exercises], (each.row(exercises) for each in grades))
    return path


def _by_hand(chapter: Chapter | None) -> dict[str, float]:
    """Cells of a chapter that people grade, and their points."""
    if chapter is None:
        return {}
    about = (cell.metadata.get("nbgrader", {}) for cell in chapter.released.cells)
    return {
        each["grade_id"]: float(each["points"])
        for each in about
        if each.get("grade") and each.get("solution")
    }
