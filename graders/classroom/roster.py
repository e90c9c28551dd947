"""Who is in the class: a table by the instructor, or the LMS's own export."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import normalize

from course.errors import ConfigurationError
from graders.classroom.csv_cells import read_table
from graders.records.wording import one_line

ALIASES = {
    "id": "canvas", "canvas id": "canvas", "sis user id": "sis", "sis login id": "login",
    "identifier": "moodle", "moodle id": "moodle", "participant": "moodle",
    "full name": "name", "email address": "email", "e-mail": "email", "username": "login",
}  # fmt: skip
"""What the columns of Canvas's and Moodle's own exports are here."""

KEYS = ("student", "login", "email", "sis", "canvas", "moodle")
"""What a student's folder is called by: the first of these that the table has."""

_UNSAFE = re.compile(r"[/\\\0-\x1f]")
_HIDDEN = re.compile(r"^(?:_?\.|__)[._]*")


@dataclass(frozen=True)
class Roster:
    """Students by the name of their folder, each with what the table says of them."""

    people: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def find(self, system: str, ident: str, name: str = "") -> str:
        """The one student with this id, or of this name; empty when there is none or several.

        Args:
            system: "canvas", "moodle": the id is looked for there first; else everywhere.
            ident: as the LMS has it.
            name: the person's, where it is known.
        """
        wanted = _plain(ident)
        for columns in ((system,), KEYS):
            found = {
                student
                for student, row in self.people.items()
                if any(wanted and wanted == _plain(row.get(column, "")) for column in columns)
            }
            if found:
                return found.pop() if len(found) == 1 else ""
        called = _plain(name)
        same = [
            s for s, row in self.people.items() if called and _plain(row.get("name", "")) == called
        ]
        return same[0] if len(same) == 1 else ""

    def in_gradebook(self) -> dict[str, dict[str, str]]:
        """What nbgrader's gradebook may know of them: first_name, last_name, email."""
        found = {}
        for student, row in self.people.items():
            name = row.get("name", "")
            before, comma, after = name.partition(",")  # "Love, Ada" in Canvas, else "Ada Love"
            first, _, last = (after, "", before) if comma else name.rpartition(" ")
            told = {"first_name": first, "last_name": last, "email": row.get("email", "")}
            found[student] = {key: value.strip() for key, value in told.items() if value.strip()}
        return found


def read_roster(path: Path) -> tuple[Roster, list[str]]:
    """The roster in a file, and a line for each row that says nobody or somebody twice.

    The file is CSV with a heading; `student`, `name`, `email`, `canvas` and `moodle` are known, and
    so are the headings of Canvas's gradebook export and Moodle's grading worksheet.

    Raises:
        ConfigurationError: it cannot be read, or has no column that names a student.
    """
    rows = list(read_table(path).records())
    canvas = {"student", "id"} <= rows[0][1].keys()
    table = [(line, _renamed(row, canvas=canvas)) for line, row in rows]
    columns = {name for _, row in table for name in row}
    key = next((name for name in KEYS if name in columns), "")
    if not key:
        raise ConfigurationError(
            f"{path} has no column that says who it is: call one 'student', or export it from "
            "Canvas (ID, SIS Login ID) or Moodle (Identifier)"
        )
    return _checked(table, key, path.name)


def _checked(
    table: Iterable[tuple[int, dict[str, str]]], key: str, place: str
) -> tuple[Roster, list[str]]:
    lines = []
    people: dict[str, dict[str, str]] = {}
    seen: dict[tuple[str, str], str] = {}
    for number, row in table:
        student = folder_name(row.get(key, ""))
        if not student:
            if any(row.values()) and "points possible" not in row.get("name", "").lower():
                lines.append(f"{place}, line {number}: nobody is named in '{key}'")
            continue
        if student in people:
            lines.append(f"{place}, line {number}: {one_line(student)} is there twice")
            continue
        people[student] = row
        for column in KEYS:
            value = _plain(row.get(column, ""))
            if value and (other := seen.setdefault((column, value), student)) != student:
                both = f"{one_line(other)} and {one_line(student)}"
                lines.append(f"{place}: {both} have the same '{column}' {one_line(value)}")
    return Roster(people), lines


def folder_name(text: str) -> str:
    """An id as the name of a folder, without what would lead elsewhere or hide it."""
    return _HIDDEN.sub("_", _UNSAFE.sub("_", normalize("NFC", text.strip())))[:120]


def _renamed(row: Mapping[str, str], *, canvas: bool) -> dict[str, str]:
    made: dict[str, str] = {}
    for head, value in row.items():
        name = "name" if canvas and head == "student" else ALIASES.get(head, head)
        made.setdefault(name, value)
    return made


def _plain(ident: str) -> str:
    """An id to compare: a Mac writes "ü" as two signs, and LMSs differ in capitals."""
    return normalize("NFC", ident.strip().removeprefix("Participant ").casefold())
