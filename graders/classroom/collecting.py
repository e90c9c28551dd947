"""`python -m graders collect`: from what an LMS gives to `submitted/<student>/<chapter>/`."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from course.errors import ConfigurationError
from course.terminal import plain
from graders.chapters import asked, named, released
from graders.classroom import settings as rules
from graders.classroom.archives import Piece, Unpacker
from graders.classroom.collected import (
    FILE,
    ROSTER,
    Collected,
    kept_at,
    read_collected,
    write_collected,
)
from graders.classroom.csv_cells import write_table
from graders.classroom.grading import alone
from graders.classroom.groups import Groups, read_groups
from graders.classroom.lateness import FILE as DUE
from graders.classroom.lateness import (
    Deadlines,
    Key,
    read_deadlines,
    told_time,
    worksheet_time,
    write_deadlines,
)
from graders.classroom.lms_names import ONE_ASSIGNMENT, Named, compiled, read_time
from graders.classroom.numbering import at_time, merged, with_attempts
from graders.classroom.owners import Download, Owner
from graders.classroom.private import make_folder
from graders.classroom.roster import Roster, read_roster
from graders.classroom.saying import Lines, say, shortened, tell
from graders.classroom.submitted import NOTEBOOKS, STAMP
from graders.judge.chapters import chapter_of, named_like
from graders.judge.submission import Unreadable, read
from graders.records.whole import whole
from graders.records.wording import one_line

DONE, SOME_UNPLACED = 0, 3
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_APART = 60.0  # seconds between a folder's name and its stamp, which one program writes
_ASSIGNED, _LEAST = 3, 3
"""A chapter of a third as many students as the most frequent one, and of three, is one, too."""

_NO_NOTEBOOK = "no notebook, so it was left out"
_SHOWN = 3
WORKSHEET_TIME = "last modified (submission)"
_HIDDEN = "a program's own file, so it was left out"


@dataclass(frozen=True, slots=True)
class Call:
    """What `collect` was asked for.

    Attributes:
        downloads: folders, zips or notebooks.
        out: the folder of the class.
        roster: who is in it; the one of the last time where there is none now, and without any
            the LMS's ids are the students' names.
        due: when all of this was due, where `class.toml` does not say it of the chapter.
        extensions: a table of those who may hand in later.
        pattern: a regular expression for the names of another LMS.
        groups: a table of those who hand this in together; None: everybody alone.
        chapter: what a file is that says nothing of itself, such as one that cannot be read.
    """

    downloads: Sequence[Path]
    out: Path
    roster: Path | None = None
    due: str = ""
    extensions: Path | None = None
    groups: Path | None = None
    pattern: str = ""
    chapter: str = ""


def collect(call: Call) -> int:
    """Lay a download out, and say of each file that found no place why.

    Returns:
        0 when every notebook found its place, 3 when one did not.

    Raises:
        ConfigurationError: the call itself is to blame.
    """
    absent = [path for path in call.downloads if not path.exists()]
    if absent:
        raise ConfigurationError(f"there is no {absent[0]}")
    with alone(call.out):
        made, odd = rules.settings(Path(rules.FILE))
        known = call.roster or call.out / ROSTER
        roster, lines = read_roster(known) if call.roster or known.exists() else (Roster(), [])
        groups, alone_lines = (
            read_groups(call.groups, roster) if call.groups else (Groups(), list[str]())
        )
        due = told_time(call.due, "--due:") if call.due else None
        deadlines, wrong = _deadlines(call, roster)
        lines += alone_lines
        before = read_collected(call.out)
        with tempfile.TemporaryDirectory(dir=call.out, prefix=".unpacked-") as folder:
            collector = _Collector(call, roster, deadlines, groups)
            found = groups.shared(list(collector.rows(Unpacker(Path(folder)))))
            if due:
                deadlines = deadlines.with_due(dict.fromkeys(collector.assigned, due))
            write_deadlines(deadlines, call.out / DUE)
            due_now = deadlines.with_due(made.due)
            timed = collector.with_times(merged(before, found, deadlines), due_now)
            rows = with_attempts(timed, made, due_now)
            _keep(rows, call.out, collector.paths)
            if call.roster:
                _write_roster(roster, call.out)
            write_collected(rows, call.out)  # first: what is laid out is found in it
            _lay_out(rows, call.out)
            _take_away(before, rows, call.out)
    strange = _strangers(deadlines, roster, rows)
    for line in [*odd, *lines, *wrong, *strange]:
        say("collect", line)
    return _told(collector, found, rows)


class _Collector:
    """Reads a download: whose each file is, and of which chapter."""

    def __init__(self, call: Call, roster: Roster, deadlines: Deadlines, groups: Groups) -> None:
        self._call = call
        self._groups = groups
        self.roster = roster
        self._deadlines = deadlines
        self._pattern = compiled(call.pattern) if call.pattern else None
        self._chapters = released()
        self._fallback = asked(call.chapter)
        self.paths: dict[str, Path] = {}
        self.assigned: set[str] = set()
        self.perhaps: set[str] = set()
        self.lines = Lines()
        self._of: dict[str, str] = {}  # chapters by hash: a file that is there twice is read once

    def rows(self, unpacker: Unpacker) -> Iterator[Collected]:
        """A row for each file.

        Where each lies, by its hash, is in `paths`; the chapters that the download is of are in
        `assigned`, what is odd about a file that found its place is in `lines`, and who may have
        handed in what is nobody's in `perhaps`.
        """
        for source in self._call.downloads:
            download = Download(
                source, self.roster, self._pattern, self._without_chapter, self._groups
            )
            pieces = list(unpacker.pieces(source, download.level))
            stamps = self._stamps(pieces, download)
            rows = [self._row(each, download, stamps) for each in pieces if not _is_stamp(each)]
            only = self._assign(rows, download, source.name) or self._fallback
            for line in download.lines:
                self.lines.add("download", f"{source.name}: {line}")
            yield from (
                replace(r, chapter=r.chapter or only) if r.sha256 or r.refused else r for r in rows
            )

    def with_times(self, rows: Iterable[Collected], deadlines: Deadlines) -> list[Collected]:
        """With the times that Moodle's worksheet says, where it is the roster of this very time.

        It says no zone: its times are read in that of the time at which the chapter is due.
        """
        made = []
        for row in rows:
            due = deadlines.of(row.student, row.chapter)
            told = self.roster.people.get(row.student, {}) if self._call.roster else {}
            known = row.chapter in self.assigned and not row.submitted_at and row.sha256
            text = told.get(WORKSHEET_TIME, "")
            time = worksheet_time(text, due.tzinfo or UTC) if due and known and text else None
            made.append(at_time(row, time))
        return made

    def _assign(self, rows: Sequence[Collected], download: Download, source: str) -> str:
        """An LMS gives one assignment at a time: the chapter that was said, or that most are of.

        Each student counts once, whatever else they hand in. Where many are of another chapter,
        too, several downloads lie in one folder.

        Returns:
            The chapter of what says nothing of itself; empty when it may be of several.
        """
        whose = {(each.student or each.handed_in_as, each.chapter) for each in rows if each.chapter}
        counts = Counter(chapter for _, chapter in sorted(whose))
        chapters = set(counts)
        if counts and download.system in ONE_ASSIGNMENT:
            chapters = {self._fallback} if self._fallback else _assignments(counts)
            names = ", ".join(sorted(chapters))
            if len(chapters) > 1:
                told = "several assignments, told apart by what each notebook is"
                self.lines.add("several", f"{source}: {told}: {names}")
            for each in rows:
                if each.chapter and each.chapter not in chapters:
                    odd = f"of {each.chapter}, in a download of {names}"
                    line = f"{shortened(each.file)}: {odd}"
                    self.lines.add("another chapter", line, whose=each.student)
        self.assigned |= chapters
        return min(chapters) if len(chapters) == 1 else ""

    def _stamps(self, pieces: Sequence[Piece], download: Download) -> dict[str, datetime]:
        """When the exchange's folders say that they were handed in; elsewhere nobody says so."""
        found = [each for each in pieces if _is_stamp(each)]
        if download.system != "exchange":
            if found:
                told = f"{len(found)} times in files called {STAMP} are students' words: not read"
                self.lines.add("stamps", told)
            return {}
        own = [each for each in found if len(each.name.parts) == download.level + 2]
        return {each.name.parts[-2]: time for each in own if (time := _stamp(each))}

    def _row(self, piece: Piece, download: Download, stamps: Mapping[str, datetime]) -> Collected:
        owner = download.owner(piece.name)
        name = plain(piece.name.as_posix(), keep="")
        part = plain(owner.part, keep="")
        student, named = owner.student, owner.named
        self.perhaps.update(owner.perhaps)
        row = Collected(name, student, handed_in_as=part)
        if piece.reason:
            known = student if self.roster.people else ""  # its path may be anybody's guess
            return replace(row, student=known, reason=one_line(piece.reason))
        if download.is_hidden(piece.name):
            return replace(row, reason=_HIDDEN)  # such as what a Mac adds to each file of a zip
        if piece.path is None or not piece.name.name.lower().endswith(NOTEBOOKS):
            return replace(row, reason=_NO_NOTEBOOK)
        try:
            digest = _digest(piece.path)
            chapter = self._chapter(digest, piece, named)
        except Exception as trouble:  # whatever is wrong with a file, it is that file's
            return replace(row, reason=f"it cannot be read: {one_line(str(trouble))}")
        self.paths[digest] = piece.path
        tells = self._deadlines.tells(student, chapter)
        time = self._own_time(owner, stamps.get(owner.part), known=tells)
        other = download.other(piece.name, owner)
        if other and student:
            odd = f"it is {student}'s, who handed it in, though its name says {other}"
            told = f"{shortened(name)}: {odd}"
            self.lines.add("another's name", told, whose=student)
        below = f"; further down it names {other}, whose it is not" if other else ""
        return replace(
            row,
            chapter=chapter,
            sha256=digest,
            submitted_at=time.isoformat() if time else "",
            late="yes" if named and named.late else "",
            attempt=(named.attempt if named else 0) + 1,
            reason="" if student else f"{owner.reason}{below}",
        )

    def _own_time(self, owner: Owner, stamp: datetime | None, *, known: bool) -> datetime | None:
        """By the LMS's name; where a time stamp beside it differs, the later of both.

        That is told, but where a person has said when it was handed in.
        """
        time = owner.named.time if owner.named else None
        if time is None or stamp is None:
            return time or stamp
        if abs((time - stamp).total_seconds()) > _MOST_APART and not known:
            told = f"{owner.part}: its {STAMP} says {stamp.isoformat()}: the later time counts"
            self.lines.add("time", told, whose=owner.student)
        return max(time, stamp)

    def _without_chapter(self, stem: str) -> str:
        """ "ada_01_one_agent" is Ada's."""
        named = named_like(stem, self._chapters)
        return (stem.replace(named.name, "").strip("_- .") or stem) if named else stem

    def _chapter(self, digest: str, piece: Piece, named: Named | None) -> str:
        """By its content; by what the LMS or the call says only where that says nothing."""
        assert piece.path is not None
        if digest not in self._of:
            try:
                self._of[digest] = chapter_of(read(piece.path), "", self._chapters).name
            except Unreadable:
                self._of[digest] = ""
        hints = [self._fallback, named.chapter if named else "", piece.name.as_posix()]
        found = (named_like(hint, self._chapters) for hint in hints if hint)
        return self._of[digest] or next((each.name for each in found if each), self._fallback)


def _assignments(counts: Counter[str]) -> set[str]:
    """The chapters that a download is of, by how many students handed in each."""
    (first, most), *others = counts.most_common()
    least = max(_LEAST, most / _ASSIGNED)
    return {first, *(name for name, count in others if count >= least)}


def _keep(rows: Iterable[Collected], out: Path, paths: Mapping[str, Path]) -> None:
    """Keep every attempt that this download has."""
    for row in rows:
        kept = kept_at(row, out)
        if row.student and row.sha256 in paths and not kept.exists():
            _copy(paths[row.sha256], kept, out)


def _lay_out(rows: Iterable[Collected], out: Path) -> None:
    """Put what counts where `grade` looks for it."""
    for row in rows:
        kept = kept_at(row, out)
        if row.counts and kept.exists():  # somebody may have cleared up
            _copy(kept, _laid_out_at(row, out), out)


def _copy(source: Path, target: Path, out: Path) -> None:
    make_folder(target.parent, out)
    with source.open("rb") as read, whole(target) as file:
        shutil.copyfileobj(read, file)


def _laid_out_at(row: Collected, out: Path) -> Path:
    chapter = row.chapter or "unknown"
    return out / "submitted" / row.student / chapter / f"{chapter}.ipynb"


def _take_away(before: Iterable[Collected], rows: Iterable[Collected], out: Path) -> None:
    """Take away what was laid out under a name or chapter that was put right since."""
    here = {_laid_out_at(row, out) for row in rows if row.counts}
    for row in before:
        path = _laid_out_at(row, out)
        if row.counts and path not in here and path.exists() and _digest(path) == row.sha256:
            path.unlink()
            for folder in (path.parent, path.parent.parent):
                if not any(folder.iterdir()):
                    folder.rmdir()


def _told(collector: _Collector, found: Sequence[Collected], rows: Sequence[Collected]) -> int:
    """Print what found no place, what counts more than once, who handed in nothing; the sum."""
    lines, lost = collector.lines, Lines(others=FILE)
    placed = [each for each in rows if each.counts]
    chapters = {each.chapter for each in found if each.sha256}
    now = {each.student for each in placed if each.chapter in chapters}
    for each in found:
        if _is_lost(each, now):
            lost.add(
                _cause(each.reason), f"{shortened(each.file)}: {each.reason}", whose=each.student
            )
    for each in placed:
        if not each.chapter:
            lines.add("no chapter", f"{each.student}: no chapter fits")
    others = (each for each in rows if each.student and each.sha256 and not each.counts)
    told = (
        (e.student, f"{e.student} {e.chapter}: {e.reason}") for e in others if e.chapter in chapters
    )
    for student, line in dict.fromkeys(told):
        lines.add("attempts", line, whose=student)
    seen = now | {each.student for each in found if each.student}
    silent = [each for each in collector.roster.people if each not in seen | collector.perhaps]
    nothing = Lines()
    for name in silent:
        nothing.add("nothing", f"{name}: nothing handed in", whose=name)
    for line in [*lost, *lines, *nothing]:
        say("collect", line)
    names = sorted({each.chapter or "unknown" for each in placed})
    students = {each.student for each in placed} | seen
    for line in _timeless(placed, chapters):
        say("collect", line)
    late = sum(each.is_late for each in placed)
    tell(
        f"{len(placed)} submissions of {len(students)} students in {', '.join(names) or 'nothing'}"
        f"; {late} late, {len(lost)} files without a place"
    )
    return SOME_UNPLACED if len(lost) else DONE


def _timeless(placed: Sequence[Collected], chapters: Set[str]) -> Iterator[str]:
    """What was taken for granted about lateness in these chapters."""
    due = [each for each in placed if each.due and not each.submitted_at]
    here = [each for each in due if each.chapter in chapters]
    if unknown := [each for each in here if not each.late]:
        yield f"{len(unknown)} have no time, and a due date is set: taken as in time"
    if granted := [each.student for each in here if each.late and not each.is_late]:
        who = one_line(", ".join(granted[:_SHOWN])) + (", ..." if granted[_SHOWN:] else "")
        told = "have an extension, and the LMS says only LATE: taken as in time"
        yield f"{len(granted)} {told}: {who}"


def _is_lost(row: Collected, placed: Set[str]) -> bool:
    """Whether a file should be told of: what is no notebook, only where there is no other."""
    if row.reason in (_HIDDEN, _NO_NOTEBOOK):
        return row.student not in placed and bool(row.student or row.reason == _NO_NOTEBOOK)
    return bool(row.reason)


def _cause(reason: str) -> str:
    """What reasons of one kind begin with."""
    return re.split("[,;:(]", reason, maxsplit=1)[0]


def _deadlines(call: Call, roster: Roster) -> tuple[Deadlines, list[str]]:
    """What was said before and what is said now, with a line for each chapter that there is not."""
    path = call.out / DUE
    before = read_deadlines(path) if path.exists() else Deadlines()
    if call.extensions is None:
        return before, []
    told = read_deadlines(call.extensions)
    asked_for = [key[1] for key in told.due] + [key[1] for key in told.times]
    names = [name for name in asked_for if name and not named(name)]
    lines = [f"{call.extensions}: there is no chapter '{one_line(name)}'" for name in names]

    def whose(ident: str, name: str) -> Key:
        return roster.find("", ident) or ident, named(name)

    kept = Deadlines(
        {whose(*key): time for key, time in told.due.items() if key[1] not in names},
        {
            (*whose(ident, name), number): time
            for (ident, name, number), time in told.times.items()
            if name not in names
        },
    )
    return before.updated(kept), list(dict.fromkeys(lines))


def _strangers(deadlines: Deadlines, roster: Roster, rows: Iterable[Collected]) -> list[str]:
    """A line for each student whom a table names and nobody knows."""
    known = {*roster.people, *(row.student for row in rows), ""}
    named = {key[0] for key in deadlines.due} | {key[0] for key in deadlines.times}
    return [
        f"{one_line(each)} may hand in at another time, and is nobody here"
        for each in sorted(named - known)
    ]


def _write_roster(roster: Roster, out: Path) -> None:
    columns = ["student", *sorted({c for row in roster.people.values() for c in row} - {"student"})]
    told = ({**row, "student": name} for name, row in roster.people.items())
    write_table(out / ROSTER, columns, ([row.get(c, "") for c in columns] for row in told))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_stamp(piece: Piece) -> bool:
    return piece.name.name == STAMP


def _stamp(piece: Piece) -> datetime | None:
    """When nbgrader's exchange says that its folder was handed in."""
    try:
        with piece.path.open("rb") if piece.path else io.BytesIO() as file:
            return read_time(file.read(100).decode("utf-8", "replace"))
    except OSError:
        return None
