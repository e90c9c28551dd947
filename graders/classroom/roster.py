"""Who is in the class: a table by the instructor, or the LMS's own export."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from unicodedata import normalize

from course.errors import ConfigurationError
from course.terminal import plain
from graders.classroom.csv_cells import read_table
from graders.records.wording import one_line

ALIASES = {
    "id": "canvas", "canvas id": "canvas", "canvas user id": "canvas", "sis user id": "sis",
    "sis login id": "login", "sis id": "sis", "user id": "sis", "login id": "login",
    "identifier": "moodle", "moodle id": "moodle", "participant": "moodle",
    "participant id": "moodle", "full name": "name", "student name": "name",
    "email address": "email", "e mail": "email", "mail": "email", "username": "login",
    "user name": "login", "student id": "student", "folder": "student",
    "group name": "group", "team": "group", "canvas group id": "group_id", "group id": "group_id",
}  # fmt: skip
"""What the columns of Canvas's and Moodle's own exports are here, in small letters and with blanks
between words."""

KEYS = ("student", "login", "email", "sis", "canvas", "moodle")
"""What a student's folder is called by: the first of these that the table has."""

KNOWN = {*KEYS, "name", "group", "group_id"}

_WORDS = re.compile(r"[_\-.]+")
_UNSAFE = re.compile(r'[/\\<>"]')  # the last three: formgrader's page shows ids as they are
_UNWRITTEN = re.compile(r"""[&<>"`|':\\/]""")
_BLANK = re.compile(r"[\s_?]+")  # "?" stands for what cannot be seen
_HIDDEN = re.compile(r"^(?:_?\.|__)[._]*")


@dataclass(frozen=True)
class Roster:
    """Students by the name of their folder, each with what the table says of them."""

    people: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def find(self, system: str, ident: str) -> str:
        """The one student with this id; empty when there is none or several.

        Args:
            system: whose id it is, by the name of a column. Where the roster has that column, it
                alone counts: an id of one system says nothing about another's.
            ident: as the LMS has it.
        """
        wanted = _plain(ident)
        if system not in self._ids:
            others = {"canvas", "moodle"} - {system} if system else set()
            found = [self._ids[name].get(wanted, ()) for name in self._ids if name not in others]
        else:
            found = [self._ids[system].get(wanted, ())]
        students = {each for several in found for each in several}
        return students.pop() if wanted and len(students) == 1 else ""

    def has(self, system: str) -> bool:
        """Whether it says anything of this system's ids."""
        return system in self._ids

    def called(self, name: str) -> str:
        """The one student of this name; empty when there is none or several."""
        same = self._names.get(told, ()) if (told := as_called(name)) else ()
        return same[0] if len(same) == 1 else ""

    @cached_property
    def _ids(self) -> dict[str, dict[str, list[str]]]:
        """For each column of ids that says something the students by what it says."""
        return {name: told for name in KEYS if (told := self._by(name))}

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        return self._by("name", as_called)

    def _by(self, column: str, told: Callable[[str], str] | None = None) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for student, row in self.people.items():
            if value := (told or _plain)(row.get(column, "")):
                found.setdefault(value, []).append(student)
        return found

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
    table = [(line, renamed(row)) for line, row in rows]
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
    """An id as the name of a folder, without what leads elsewhere, hides, turns it or is HTML."""
    shown = plain(normalize("NFC", text.strip()), keep="", mark="_")
    return _HIDDEN.sub("_", _UNSAFE.sub("_", shown))[:120]


def as_called(name: str) -> str:
    """A person's name to compare, without the signs that Moodle leaves out of a file's name.

    Source: Moodle, `clean_filename` and PARAM_FILE in lib/moodlelib.php.
    """
    return _plain(_BLANK.sub(" ", _UNWRITTEN.sub("", plain(name, keep=""))))


def renamed(row: Mapping[str, str]) -> dict[str, str]:
    """A row by the names that columns have here, however a table of an LMS or a person has them."""
    made: dict[str, str] = {}
    canvas = {"student", "id"} <= row.keys()  # there the former is a name
    for head, value in row.items():
        plain = " ".join(_WORDS.sub(" ", head.casefold()).split())
        name = "name" if canvas and head == "student" else ALIASES.get(plain, plain)
        name = name if name in KNOWN else head
        made[name] = made.get(name) or value
    return made


def _plain(ident: str) -> str:
    """An id to compare: a Mac writes "ü" as two signs, and LMSs differ in capitals."""
    return normalize("NFC", ident.strip().removeprefix("Participant ").casefold())
