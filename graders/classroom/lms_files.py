"""The instructor's own export, filled: Canvas's gradebook or Moodle's grading worksheet.

What was filled in is kept in `published.csv`: so a grade or a comment in an export is known as
ours, and one that a person wrote stays where it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from course.errors import ConfigurationError
from graders.classroom.csv_cells import Table, own_rows, read_table, write_table
from graders.classroom.grades import Grade
from graders.classroom.lms_names import Lms
from graders.classroom.private import make_folder
from graders.classroom.roster import Roster
from graders.feedback import findings
from graders.records.whole import write
from graders.records.wording import one_line

FOLDER = "upload"
PUBLISHED = "published.csv"
COLUMNS = ("lms", "chapter", "student", "grade", "comment")
COMMENTS = "Feedback comments"
_NUMBER = re.compile(r" *\(\d+\)$")
_POSSIBLE = "points possible"
_NOT_STUDENTS = (_POSSIBLE, "student, test", "test student")
_SHOWN = 5
_EXAMPLES = 3
_TAG = re.compile("<[^>]*>")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


@dataclass(frozen=True, slots=True)
class Entry:
    """What goes into the cells of one student and chapter; a comment only where there is a cell.

    Attributes:
        row: of the table, as `column` and `spoken` are of it.
        column: of the grade. `spoken` is that of the comment.
    """

    student: str
    chapter: str
    row: int
    column: int
    grade: str
    spoken: int | None = None
    comment: str = ""


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
    overwrite: bool = False,
) -> Filled:
    """Write the template with final points in it to `upload/`; nothing else of it changes.

    What a person wrote into a cell stays there, and is told.

    Args:
        template: as it was exported.
        lms: whose it is.
        grades: of the class; one without final points leaves its cell as it is.
        roster: who is who.
        out: the folder of the class.
        columns: for a chapter the heading of its column in Canvas, where its name does not say.
        chapter: the only one that is filled in, which a Moodle worksheet needs; "" for all.
        comments: whether empty cells of Moodle's "Feedback comments" are filled as well; those
            that we have filled before go with their grade in any case.
        overwrite: whether what a person wrote is replaced.

    Raises:
        ConfigurationError: a student of the file has no match, or more than one; no column fits.
    """
    table = read_table(template)
    finals = {(each.result.student, each.result.chapter): each for each in grades}
    chapters = sorted({each.result.chapter for each in grades if each.result.chapter})
    filler = _canvas if lms == "canvas" else _moodle
    chosen = [chapter] if chapter else chapters
    entries, rows, lines = filler(table, template, chosen, finals, roster, columns)
    ours = _Ours(out, lms)
    values = dict(ours.values(table, entries, comments=comments, overwrite=overwrite))
    lines += ours.lines
    graded = {(each.row, each.column) for each in entries} & values.keys()
    target = out / FOLDER / template.name
    if target.resolve() == template.resolve():
        raise ConfigurationError(f"{template} lies where the filled file goes: move it elsewhere")
    make_folder(target.parent, out)
    ours.keep()  # first: what an export may have is known
    write(target, table.filled(values))
    return Filled(target, len(graded), rows, tuple(lines))


Finals = Mapping[tuple[str, str], Grade]
Made = tuple[list[Entry], int, list[str]]


class _Ours:
    """What was filled in before, and what of a table is not ours.

    Attributes:
        lines: what was kept because a person wrote it.
    """

    def __init__(self, out: Path, lms: Lms) -> None:
        self._path = out / PUBLISHED
        self._rows = [{name: row.get(name, "") for name in COLUMNS} for row in own_rows(self._path)]
        self._lms = lms
        self._grades: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._comments: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for row in self._rows:
            if row["lms"] == lms:
                self._know(row)
        self.lines: list[str] = []

    def values(
        self, table: Table, entries: Sequence[Entry], *, comments: bool, overwrite: bool
    ) -> Iterator[tuple[tuple[int, int], str]]:
        """The cells to fill in, each as the file writes its numbers."""
        comma = _has_commas(table, entries)
        kept: defaultdict[str, list[str]] = defaultdict(list)
        for entry in entries:
            whose = entry.chapter, entry.student
            there = table.value(entry.row, entry.column)
            own = not there or _same(there, entry.grade) or _any_same(there, self._grades[whose])
            if not own and not overwrite:
                kept["grade"].append(f"{one_line(table.value(entry.row, 0))} has {one_line(there)}")
                continue
            grade = entry.grade.replace(".", ",") if comma else entry.grade
            yield (entry.row, entry.column), grade
            told = {"grade": entry.grade, "comment": ""}
            if entry.spoken is not None:
                said = table.value(entry.row, entry.spoken)
                mine = bool(said) and _bare(said) in self._comments[whose]
                if mine or (comments and (overwrite or not said)):
                    yield (entry.row, entry.spoken), entry.comment
                    told["comment"] = entry.comment
                elif said and comments:
                    kept["comment"].append(one_line(table.value(entry.row, 0)))
            row = {"lms": self._lms, "chapter": entry.chapter, "student": entry.student, **told}
            if row not in self._rows:
                self._rows.append(row)
        for what, whom in kept.items():
            some = "; ".join(whom[:_EXAMPLES]) + ("; ..." if whom[_EXAMPLES:] else "")
            self.lines.append(
                f"{len(whom)} {what}s that are not ours are kept: {some}; --overwrite replaces them"
            )

    def keep(self) -> None:
        """Remember what was filled in, too."""
        write_table(self._path, COLUMNS, ([row[name] for name in COLUMNS] for row in self._rows))

    def _know(self, row: Mapping[str, str]) -> None:
        whose = row["chapter"], row["student"]
        self._grades[whose].add(row["grade"])
        if row["comment"]:
            self._comments[whose].add(_bare(row["comment"]))


def _bare(comment: str) -> str:
    """A comment to compare: Moodle gives it back as HTML."""
    return " ".join(_TAG.sub(" ", comment).split())


def _any_same(there: str, grades: set[str]) -> bool:
    return any(_same(there, each) for each in grades)


def _same(one: str, other: str) -> bool:
    """Whether two cells say the same number, whichever way it is written."""
    numbers = _float(one), _float(other)
    return None not in numbers and abs((numbers[0] or 0) - (numbers[1] or 0)) < 0.005


def _has_commas(table: Table, entries: Sequence[Entry]) -> bool:
    """Whether the file writes decimal commas, in these columns or in what they hold at most."""
    columns = {each.column for each in entries} | {table.column("Maximum Grade")}
    cells = (table.value(row, column) for row in range(1, len(table.rows)) for column in columns)
    return any(_DECIMAL_COMMA.fullmatch(each) for each in cells)


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
    entries, lines = [], []
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
                told = _told(grade.final * scale)
                entries.append(Entry(student, chapter, row, column, told))
    return entries, len(rows), lines


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
    entries, spoken = [], table.column(COMMENTS)
    for row, student in students.items():
        grade = finals.get((student, chapters[0]))
        if grade is not None and grade.final is not None:
            told = _told(grade.final * scale)
            made = Entry(student, chapters[0], row, column, told)
            if spoken is not None:
                made = replace(made, spoken=spoken, comment=_comment(grade))
            entries.append(made)
    return entries, len(rows), lines


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
