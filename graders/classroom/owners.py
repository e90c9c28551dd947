"""Whose each file of a download is: what the LMS wrote says it, and nothing that a student named.

An LMS writes the outermost part of a path, and everything below it is the student's own word. So
one level of a download names its students, all of them in one system's way; a file whose part at
that level is nobody's stays nobody's, whoever is named further down.
"""

from __future__ import annotations

import os
import pwd
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from graders.classroom.archives import is_hidden, is_read, outline
from graders.classroom.groups import Groups
from graders.classroom.lms_names import Named, canvas_numbers, matched, read_part, readings
from graders.classroom.roster import Roster, as_called, folder_name
from graders.records.wording import one_line

Parts = tuple[str, ...]
_ZIP = ".zip"
_ANONYMOUS = re.compile(r"anon_(?:late_)?[A-Za-z0-9]{5}_[0-9]+_", re.IGNORECASE)
_COPY = re.compile(r" ?\([0-9]+\)$")  # as a browser names a second download
_WRITERS = {"canvas": "Canvas", "moodle": "Moodle", "exchange": "nbgrader"}


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a file is.

    Attributes:
        part: of its path, the part that says so.
        student: empty when it is nobody's; `reason` says why then.
        named: what else that part says.
        perhaps: where two are named, both: of neither may be said that nothing was handed in.
    """

    part: str = ""
    student: str = ""
    named: Named | None = None
    reason: str = ""
    perhaps: tuple[str, ...] = ()


class Download:
    """One download: at which level of its paths students are named, and in whose way.

    Args:
        source: a folder, a zip or a single file.
        roster: who is in the class; without anybody in it, names are taken as they are.
        pattern: for another LMS: a regular expression with a group `student`.
        without_chapter: takes a chapter's name off that of a loose file.
        groups: who hands in together: Canvas then names the group.

    Attributes:
        system: "canvas", "moodle", "exchange", or "" for folders and files named after students.
        level: which part of a path names the student, counted from 0.
        lines: what is odd about the whole of it.
    """

    def __init__(
        self,
        source: Path,
        roster: Roster,
        pattern: re.Pattern[str] | None = None,
        without_chapter: Callable[[str], str] = str,
        groups: Groups | None = None,
    ) -> None:
        self._source = source
        self._roster = roster
        self._pattern = pattern
        self._without_chapter = without_chapter
        self._groups = groups or Groups()
        self._paths = outline(source)
        self._known: dict[tuple[str, bool], Owner] = {}
        self._wrapped: Parts = ()  # folders of the download, above those of students
        self.system = ""
        self.level = 0
        self.lines: list[str] = []
        if pattern is None:
            self._find_level()
            self._say_anonymous()
        else:
            depths = (self._match(each)[1] for each in self._paths)
            self.level = min((each for each in depths if each >= 0), default=0)

    def owner(self, name: PurePosixPath) -> Owner:
        """Whose a file is, by its path in the download."""
        parts = name.parts
        if self._pattern is not None:
            return self._by_pattern(parts)
        if len(parts) <= self.level or parts[: self.level] != self._wrapped:
            return Owner(reason="its name says not whose it is")
        key = parts[self.level], len(parts) == self.level + 1
        if key not in self._known:
            self._known[key] = self._of_part(*key)
        return self._known[key]

    def other(self, name: PurePosixPath, owner: Owner) -> str:
        """Another student whom the student's own part of a path names; empty when it does not."""
        own = [owner.named.rest] if owner.named and owner.named.rest else []
        for part in (*own, *name.parts[self.level + 1 :]):
            named = read_part(part)
            bare = next(readings(_unzipped(part)))
            found = self._of_lms(named, part).student if named and self._roster.people else ""
            found = found or self._roster.find("", bare)
            if found and found != owner.student:
                return found
        return ""

    def is_hidden(self, name: PurePosixPath) -> bool:
        """Whether it is what a program adds for itself, and no student's."""
        return is_hidden(name.parts[self.level + 1 :]) or (
            is_hidden(name.parts[: self.level + 1]) and not self.owner(name).student
        )

    def _find_level(self) -> None:
        """Go below folders that hold the whole download, as unpacking makes them."""
        alike, before = True, self._source.name
        for depth in range(max(map(len, self._paths), default=0)):
            here = {
                each[depth]: len(each) == depth + 1
                for each in self._paths
                if each[:depth] == self._wrapped
                and len(each) > depth
                and not is_hidden((each[depth],))
            }
            system, several = self._read(here)
            if several:
                if alike or several > 1:
                    self.system, self.level = system, depth
                if depth and not alike:
                    self._say_wrapped(taken=several > 1)
                break
            folders = [part for part, is_file in here.items() if not is_file]
            if len(folders) != 1 or any(is_read(part) for part in here if here[part]):
                if alike and len(folders) == len(here) > 1 and not self._roster.people:
                    self.level = depth  # folders that may be anybody's, in the download's own one
                break
            only = folders[0]
            alike = alike and _bare(only) == _bare(before)
            before = only
            self._wrapped = (*self._wrapped, only)
        self._wrapped = self._wrapped[: self.level]

    def _read(self, here: dict[str, bool]) -> tuple[str, int]:
        """In which system's way the parts of one level are named, and how many students are.

        What names most students decides, and not most files: those are one student's to choose. In
        the exchange anybody may make a folder as Canvas would, and elsewhere nobody makes folders:
        so there one folder decides, and a file called as in the exchange only among its like.
        """
        students: defaultdict[str, set[str]] = defaultdict(set)
        for part, is_file in here.items():
            named = read_part(part)
            if named is None or (is_file and named.system == "exchange"):
                named = self._on_canvas(part) or named
            if named is not None:
                students[named.system].add(named.student)
                if named.system == "exchange" and not is_file:
                    students["folders"].add(named.student)
            elif self._roster.people and (found := self._plainly(part, is_file=is_file)):
                students[""].add(found)
        several = sum(len(each) for name, each in students.items() if name != "folders")
        if students.pop("folders", None):
            return "exchange", several
        others = {name: len(each) for name, each in students.items() if name != "exchange"}
        if several and not others:
            return "exchange", several
        surest = ("", "moodle", "canvas")
        return max(others, key=lambda each: (others[each], surest.index(each)), default=""), several

    def _on_canvas(self, part: str) -> Named | None:
        """What a name by Canvas says where the person's own has a "_": its number is somebody's."""
        known = any(self._roster.find("canvas", each) for each in canvas_numbers(part))
        return read_part(part, "canvas") if known else None

    def _say_anonymous(self) -> None:
        parts = {each[self.level] for each in self._paths if len(each) > self.level}
        if hidden := sorted(part for part in parts if _ANONYMOUS.match(part)):
            self.lines.append(
                f"{len(hidden)} files are anonymous, such as {one_line(hidden[0])}: Canvas hides "
                "who handed in; switch that off for this assignment and download again"
            )

    def _say_wrapped(self, *, taken: bool) -> None:
        folder = one_line("/".join(self._wrapped))
        self.lines.append(
            f"everything lies in '{folder}', which was taken for the download's own folder"
            if taken
            else f"everything lies in '{folder}', which is nobody: if it is the download's own "
            f"folder and no student's, give it itself, unpacked: collect .../{folder}"
        )

    def _match(self, parts: Parts) -> tuple[re.Match[str] | None, int]:
        """What the pattern finds in a path, and in which of its parts the student is named."""
        assert self._pattern is not None
        path = "/".join(parts)
        found = self._pattern.search(path)
        if found is None or not found["student"]:
            return None, -1
        return found, path.count("/", 0, found.start("student"))

    def _by_pattern(self, parts: Parts) -> Owner:
        found, depth = self._match(parts)
        if found is None or depth != self.level:
            return Owner(reason="its name says not whose it is")
        named = matched("", found)
        return self._told(parts[depth], named, self._whose(named))

    def _of_part(self, part: str, is_file: bool) -> Owner:
        """Whose everything is that begins so."""
        if self.system:
            named = read_part(part, self.system)
            if named is None or named.system != self.system:
                writer = _WRITERS[self.system]
                return Owner(part, reason=f"its name is none that {writer} gives: {one_line(part)}")
            owner = self._of_lms(named, part)
            owner = replace(owner, part=part)
            return self._checked(owner) if self.system == "exchange" else owner
        student = self._plainly(part, is_file=is_file)
        return self._told(part, Named("", _bare(part) if not is_file else part), student)

    def _plainly(self, part: str, *, is_file: bool) -> str:
        """The student after whom a folder, a zip or a loose file is named."""
        bare = _unzipped(part)
        told = readings(bare) if is_file or bare != part else iter([part])
        if not self._roster.people:
            return folder_name(self._without_chapter(next(told)))
        return next((student for each in told if (student := self._roster.find("", each))), "")

    def _whose(self, named: Named) -> str:
        if self._roster.people:
            return self._roster.find(named.system, named.student)
        return folder_name(named.student)

    def _of_lms(self, named: Named, part: str) -> Owner:
        """By the LMS's number, or by the name beside it where the roster has no numbers."""
        student = self._whose(named)
        members = self._groups.find(named.name, named.student) if named.system == "canvas" else []
        if members and student and student not in members:
            who = f"the group of {one_line(members[0])}, and {one_line(student)}"
            reason = f"two can be read in its name: {who}; a column group_id tells the group"
            if named.student not in self._groups.numbers:
                return Owner(named=named, reason=reason, perhaps=(student, *members))
        if members:
            return self._told("", named, members[0])
        canvas = named.system == "canvas" or (
            named.system == "moodle" and self._roster.has("canvas")
        )
        numbers = canvas_numbers(part) if canvas and student else []
        if several := {s for each in numbers if (s := self._roster.find("canvas", each))} - {
            student
        }:
            who = " and ".join(map(one_line, [student, *sorted(several)]))
            reason = f"two people can be read in its name: {who}, so it is neither's"
            return Owner(named=named, reason=reason, perhaps=(student, *several))
        called = self._roster.called(named.name) if named.system == "moodle" else ""
        if student and called and student != called:
            who = f"{one_line(named.student)} is {one_line(student)} and {one_line(named.name)}"
            reason = f"its number and its name are two people's: {who} is {one_line(called)}"
            return Owner(named=named, reason=reason, perhaps=(student, called))
        if not student and not self._roster.has(named.system):
            if len(self._numbers.get(as_called(named.name), ())) > 1:
                who = one_line(named.name)
                return Owner(named=named, reason=f"two people are called so, and no number: {who}")
            student = called
        return self._told("", named, student)

    @cached_property
    def _numbers(self) -> dict[str, set[str]]:
        """For each name that the LMS gives the numbers beside it: people choose their names."""
        found: dict[str, set[str]] = {}
        for each in self._paths:
            part = each[self.level] if len(each) > self.level else ""
            if (named := read_part(part)) and named.system == "moodle":
                found.setdefault(as_called(named.name), set()).add(named.student)
        return found

    def _told(self, part: str, named: Named, student: str) -> Owner:
        if student:
            return Owner(part, student, named)
        where = named.system or "roster"
        told = f"nobody, or more than one, is {one_line(named.student)} ({where}) in the roster"
        return Owner(part, "", named, told)

    def _checked(self, owner: Owner) -> Owner:
        """In the exchange any account may make a folder of any name: its owner says whose it is."""
        account = self._accounts.get(owner.part, "")
        if not owner.student or not account:
            return owner
        theirs = self._account_of(account)
        if theirs == owner.student or (not theirs and not self._owners_tell):
            return owner
        told = f"it says {one_line(owner.student)}, and belongs to {one_line(account)}"
        reason = f"its folder is another account's: {told}"
        return Owner(owner.part, named=owner.named, reason=reason, perhaps=(owner.student, theirs))

    @cached_property
    def _accounts(self) -> dict[str, str]:
        """For each folder of the exchange its account, but where it is yours or root's."""
        if self.system != "exchange" or not self._source.is_dir():
            return {}
        here = self._source.joinpath(*self._wrapped)
        parts = {each[self.level] for each in self._paths if len(each) > self.level}
        return {part: name for part in sorted(parts) if (name := account(here / part))}

    @cached_property
    def _owners_tell(self) -> bool:
        """Whether the accounts are those of students: in a copy, or with one for all, they are not.

        Where they are not, what nobody here owns is taken as it is named, and told.
        """
        told = any(
            (named := read_part(part)) and self._account_of(name) == self._whose(named) != ""
            for part, name in self._accounts.items()
        )
        if not told and self._accounts:
            some = one_line(next(iter(self._accounts.values())))
            self.lines.append(
                f"no folder belongs to the account of whom it names, but one to {some}: "
                "nobody can tell who made it"
            )
        return told

    def _account_of(self, name: str) -> str:
        """The student whose account it is; empty when it is nobody's."""
        if self._roster.people:
            return self._roster.find("exchange", name)
        parts = {each[self.level] for each in self._paths if len(each) > self.level}
        named = {read.student for part in parts if (read := read_part(part))}
        return folder_name(name) if name in named else ""


def account(path: Path) -> str:
    """Who has made a file, by the account's name; empty for yourself, for root, and for nobody."""
    try:
        owner = path.lstat().st_uid
    except OSError:
        return ""
    if owner in (0, os.geteuid()):
        return ""
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return f"number {owner}"


def _bare(name: str) -> str:
    """A folder's or a zip's name, as unpacking it would call the folder."""
    return _COPY.sub("", _unzipped(name)).casefold()


def _unzipped(name: str) -> str:
    return name[: -len(_ZIP)] if name.lower().endswith(_ZIP) else name
