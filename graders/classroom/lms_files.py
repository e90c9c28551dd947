"""The instructor's own export, filled: Canvas's gradebook or Moodle's grading worksheet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import ConfigurationError
from graders.classroom.csv_cells import Table, read_table
from graders.classroom.grades import Grade
from graders.classroom.lms_names import Lms
from graders.classroom.private import make_folder
from graders.classroom.roster import Roster
from graders.classroom.whole import write
from graders.feedback import findings
from graders.records.wording import one_line

FOLDER = "upload"
COMMENTS = "Feedback comments"
_NUMBER = re.compile(r" *\(\d+\)$")
_POSSIBLE = "points possible"
_NOT_STUDENTS = (_POSSIBLE, "student, test", "test student")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Filled:
    """What was filled.

    Attributes:
        path: the file to upload.
        cells: how many cells have a grade now.
        rows: how many students the file has.
        lines: what is to be said about it.
    """

    path: Path
    cells: int
    rows: int
    lines: tuple[str, ...]


def fill(
    template: Path,
    lms: Lms,
    grades: Sequence[Grade],
    roster: Roster,
    out: Path,
    *,
    columns: Mapping[str, str],
    chapter: str = "",
    comments: bool = False,
) -> Filled:
    """Write the template with final points in it to `upload/`; nothing else of it changes.

    Args:
        template: as it was exported.
        lms: whose it is.
        grades: of the class; one without final points leaves its cell as it is.
        roster: who is who.
        out: the folder of the class.
        columns: for a chapter the heading of its column in Canvas, where its name does not say.
        chapter: the only one that is filled in, which a Moodle worksheet needs; "" for all.
        comments: whether empty cells of Moodle's "Feedback comments" are filled as well.

    Raises:
        ConfigurationError: a student of the file has no match, or more than one; no column fits.
    """
    table = read_table(template)
    finals = {(each.result.student, each.result.chapter): each for each in grades}
    chapters = sorted({each.result.chapter for each in grades if each.result.chapter})
    filler = _canvas if lms == "canvas" else _moodle
    chosen = [chapter] if chapter else chapters
    values, rows, lines = filler(table, template, chosen, finals, roster, columns)
    spoken = table.column(COMMENTS)
    graded = {place: told for place, told in values.items() if place[1] != spoken}
    target = out / FOLDER / template.name
    if target.resolve() == template.resolve():
        raise ConfigurationError(f"{template} lies where the filled file goes: move it elsewhere")
    make_folder(target.parent, out)
    write(target, table.filled(values if comments else graded))
    return Filled(target, len(graded), rows, tuple(lines))


Finals = Mapping[tuple[str, str], Grade]
Made = tuple[dict[tuple[int, int], str], int, list[str]]


def _canvas(
    table: Table,
    template: Path,
    chapters: Sequence[str],
    finals: Finals,
    roster: Roster,
    columns: Mapping[str, str],
) -> Made:
    ids = {"canvas": "ID", "login": "SIS Login ID", "sis": "SIS User ID"}
    key = table.column("ID")
    if key is None:
        raise ConfigurationError(f"{template} has no column 'ID': export the gradebook of Canvas")
    everything = range(1, len(table.rows))
    rows = [n for n in everything if not _is_other(table, n) and table.value(n, key)]
    students = _matched(table, template, rows, ids, finals, roster)
    possible = next((n for n in everything if _POSSIBLE in table.value(n, 0).casefold()), None)
    values, lines = {}, []
    for chapter in chapters:
        column = _column(table, chapter, columns)
        if column is None:
            lines.append(
                f"{template.name} has no column for {chapter}: name it in class.toml, "
                f'[columns] {chapter} = "its heading"'
                if chapter not in columns
                else f"{template.name} has no column '{one_line(columns[chapter])}' for {chapter}, "
                "as class.toml says"
            )
            continue
        most = _float(table.value(possible, column)) if possible is not None else None
        scale, line = _scale(chapter, most, finals)
        lines += line
        for row, student in students.items():
            grade = finals.get((student, chapter))
            if grade is not None and grade.final is not None:
                values[row, column] = _told(grade.final * scale)
    return values, len(rows), lines


def _moodle(
    table: Table,
    template: Path,
    chapters: Sequence[str],
    finals: Finals,
    roster: Roster,
    _columns: Mapping[str, str],
) -> Made:
    ids = {"moodle": "Identifier", "email": "Email address", "sis": "ID number"}
    column = table.column("Grade")
    if table.column("Identifier") is None or column is None:
        raise ConfigurationError(
            f"{template} has no columns 'Identifier' and 'Grade': download the grading worksheet"
        )
    if len(chapters) != 1:
        raise ConfigurationError(
            "a worksheet of Moodle is of one assignment: say --chapter (make class: CHAPTER=), "
            f"one of {', '.join(chapters)}"
        )
    rows = list(range(1, len(table.rows)))
    students = _matched(table, template, rows, ids, finals, roster)
    maximum = table.column("Maximum Grade", "Maximum grade")
    shown = table.value(1, maximum)
    scale, lines = _scale(chapters[0], _float(shown), finals)
    values, spoken = {}, table.column(COMMENTS)
    for row, student in students.items():
        grade = finals.get((student, chapters[0]))
        if grade is not None and grade.final is not None:
            told = _told(grade.final * scale)
            values[row, column] = told.replace(".", ",") if "," in shown else told
            if spoken is not None and not table.value(row, spoken):
                values[row, spoken] = _comment(grade)
    return values, len(rows), lines


def _comment(grade: Grade) -> str:
    """A grade in a line: points, lateness, what people said, and what is not right yet."""
    said = [f"{grade.final:g} of {grade.max:g} points"]
    said += [f"{grade.penalty:g} less for lateness"] if grade.penalty else []
    said += [one_line(text) for text in grade.comments.values()]
    report = grade.result.report
    for exercise in report.exercises if report else ():
        said += [f"{exercise.number}: {each.message}" for each in findings(exercise.trials)[:1]]
    return " · ".join(said)


def _matched(
    table: Table,
    template: Path,
    rows: Sequence[int],
    ids: Mapping[str, str],
    finals: Finals,
    roster: Roster,
) -> dict[int, str]:
    """The student of each row; `ids` says for each kind of id which column has it."""
    names = {student for student, _ in finals} | set(roster.people)
    found: dict[int, str] = {}
    lost = []
    for row in rows:
        told = {kind: table.value(row, table.column(head)) for kind, head in ids.items()}
        told = {kind: each.removeprefix("Participant ") for kind, each in told.items() if each}
        known = [roster.find(kind, each) for kind, each in told.items()]
        match = [each for each in known if each] or [e for e in told.values() if e in names]
        if match and match[0] not in found.values():
            found[row] = match[0]
        else:
            lost.append(one_line(table.value(row, 0) or f"row {row + 1}"))
    if len(lost) == len(rows):
        raise ConfigurationError(f"nobody of {template} is in this class: is it another course's?")
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        raise ConfigurationError(
            f"{template}: nobody in the class, or somebody twice, is {'; '.join(lost[:_SHOWN])}"
            f"{more}: put the roster right; nothing was written"
        )
    return found


def _is_other(table: Table, row: int) -> bool:
    """Whether a row of Canvas's file is no student's."""
    return any(name in table.value(row, 0).casefold() for name in _NOT_STUDENTS)


def _column(table: Table, chapter: str, columns: Mapping[str, str]) -> int | None:
    """The column of a chapter: the one that was named, or the one whose heading says it."""
    if chapter in columns:
        told = columns[chapter].strip().casefold()
        heads = [cell.value.strip().casefold() for cell in table.rows[0]]
        short = [_NUMBER.sub("", head) for head in heads]  # the number may be left out, if one fits
        where = heads if told in heads or short.count(told) != 1 else short
        return where.index(told) if told in where else None
    for place, cell in enumerate(table.rows[0]):
        plain = re.sub(r"[^a-z0-9]+", "_", _NUMBER.sub("", cell.value.casefold())).strip("_")
        if chapter in plain or plain in (chapter, chapter.partition("_")[2]):
            return place
    return None


def _scale(chapter: str, most: float | None, finals: Finals) -> tuple[float, list[str]]:
    own = max((each.max for (_, name), each in finals.items() if name == chapter), default=0.0)
    if not most or not own or most == own:
        return 1.0, []
    return most / own, [f"{chapter}: {own:g} points here, {most:g} in the LMS: grades are scaled"]


def _float(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _told(points: float) -> str:
    return f"{round(points, 2):.2f}".rstrip("0").rstrip(".")
