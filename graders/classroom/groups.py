"""Who hands in together: one file, and points, page and gradebook entry for each member."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from course.errors import ConfigurationError
from graders.classroom.collected import Collected
from graders.classroom.csv_cells import read_table
from graders.classroom.roster import KEYS, Roster, renamed
from graders.records.wording import one_line

_LETTERS = re.compile(r"[^\w]+|_")


@dataclass(frozen=True)
class Groups:
    """The groups of one assignment.

    Attributes:
        members: students by the name of their group.
        numbers: names of groups by the LMS's number, as far as it is known.
    """

    members: dict[str, list[str]] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)

    def find(self, name: str, number: str) -> list[str]:
        """The members of the group that a file of Canvas's names; none where it names none.

        Args:
            name: as Canvas writes it, in small letters without blanks and signs.
            number: the group's, which alone counts where the table has it.
        """
        if number in self.numbers:
            return self.members[self.numbers[number]]
        called = [each for each in self.members if _plain(each) == _plain(name)]
        return self.members[called[0]] if len(called) == 1 and _plain(name) else []

    def shared(self, rows: Sequence[Collected]) -> list[Collected]:
        """Each row, and the same for each member of its group that has not handed in this file."""
        whose = {each: name for name, members in self.members.items() for each in members}
        found = [replace(row, group=whose.get(row.student, "")) for row in rows]
        seen = {(row.student, row.chapter, row.sha256 or row.file) for row in rows}
        for row in list(found):
            for member in self.members.get(row.group, ()):
                key = (member, row.chapter, row.sha256 or row.file)
                if key not in seen:
                    seen.add(key)
                    found.append(replace(row, student=member))
        return found


def read_groups(path: Path, roster: Roster) -> tuple[Groups, list[str]]:
    """The groups in a table with the columns group and student, and a line for each odd row.

    Students may be called by any id of the roster; Canvas's export of a group set will do. A row
    without a group is of somebody who hands in alone.

    Raises:
        ConfigurationError: it cannot be read, or says no groups.
    """
    members: defaultdict[str, list[str]] = defaultdict(list)
    numbers: dict[str, str] = {}
    lines, seen = [], dict[str, str]()
    for line, raw in read_table(path).records():
        row = renamed(raw)
        if "group" not in row:
            raise ConfigurationError(f"{path} has no column 'group', beside 'student'")
        name, ids = row["group"], [(key, row[key]) for key in KEYS if row.get(key)]
        if not name:
            continue
        student = next(iter(_found(ids, roster)), "")
        if not student:
            who = one_line(ids[0][1]) if ids else "nobody"
            lines.append(f"{path.name}, line {line}: {who} is nobody in the roster")
        elif seen.setdefault(student, name) != name:
            both = f"{one_line(seen[student])} and {one_line(name)}"
            lines.append(f"{path.name}, line {line}: {student} is in two groups, {both}")
        elif student not in members[name]:
            members[name].append(student)
            if row.get("group_id"):
                numbers[row["group_id"]] = name
    return Groups(dict(members), numbers), lines


def _found(ids: Iterable[tuple[str, str]], roster: Roster) -> Iterable[str]:
    for key, ident in ids:
        if student := roster.find(key if roster.has(key) else "", ident):
            yield student


def _plain(name: str) -> str:
    return _LETTERS.sub("", name).casefold()
