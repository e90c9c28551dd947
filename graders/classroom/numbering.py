"""A student's attempts: those of before and of now, in the order of time, and which one counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime

from graders.classroom.collected import Collected
from graders.classroom.lateness import Deadlines, seconds_late
from graders.classroom.lms_names import read_part
from graders.classroom.saying import shortened
from graders.classroom.settings import Settings
from graders.records.wording import one_line

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def merged(
    old: Iterable[Collected], new: Sequence[Collected], deadlines: Deadlines
) -> list[Collected]:
    """What was collected before, and now; the same file of the same student once, or once a time.

    Who hands in on time, and the same again later, has handed in on time.
    """
    again: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for each in new:
        again[each.student, each.chapter, each.sha256].add(each.submitted_at)
    renamed = {(each.file, each.sha256): each for each in new}  # by a roster that was put right
    kept = [
        each
        for each in old
        if each.student
        and (each.sha256 or each.refused)
        and not _is_again(each, again.get((each.student, each.chapter, each.sha256)), deadlines)
        and not _is_same(each, renamed.get((each.file, each.sha256)))
    ]
    unique = {
        (e.student, e.chapter, (e.student and e.sha256) or e.file, e.submitted_at): e for e in new
    }
    return [*kept, *unique.values()]


def _is_again(old: Collected, times: Set[str] | None, deadlines: Deadlines) -> bool:
    """Whether what was found before is there again, and not from another time.

    A time that a table says is that of each of a student's files.
    """
    if times is None:
        return False
    told = deadlines.tells(old.student, old.chapter)
    return told or not old.submitted_at or bool({old.submitted_at, ""} & times)


def _is_same(old: Collected, new: Collected | None) -> bool:
    """Whether both rows are of one file; a Moodle's may be called the same every week."""
    return new is not None and bool(old.sha256 or old.chapter in ("", new.chapter))


def with_attempts(
    rows: Iterable[Collected], made: Settings, deadlines: Deadlines
) -> list[Collected]:
    """Number each student's attempts in the order of time, and mark the one that counts."""
    groups: dict[tuple[str, str], list[Collected]] = defaultdict(list)
    others = []
    for row in rows:
        if row.student and row.sha256:
            groups[row.student, row.chapter].append(row)
        else:
            others.append(replace(row, counts=""))
    done = []
    for (student, chapter), group in sorted(groups.items()):
        due, extended = deadlines.of(student, chapter), deadlines.extended(student, chapter)
        group.sort(key=lambda each: (each.time or _EPOCH, _upload(each), each.attempt, each.file))
        group = [
            at_time(row, deadlines.handed_in(student, chapter, n, last=n == len(group)))
            for n, row in enumerate(group, start=1)
        ]
        chosen = _chosen(group, made, due)
        reason = f"the {made.attempts} of {len(group)} counts: {shortened(one_line(chosen.file))}"
        for number, row in enumerate(group, start=1):
            late = seconds_late(row.time, due)
            if late is None and row.late and extended:
                late = 0.0  # the LMS marks what is late for the others
            done.append(
                replace(
                    row,
                    attempt=number,
                    due=due.isoformat() if due else "",
                    late_s="" if late is None else f"{late:.0f}",
                    counts="yes" if row is chosen else "",
                    reason="" if row is chosen else reason,
                )
            )
    return [*done, *sorted(others, key=lambda each: each.file)]


def at_time(row: Collected, time: datetime | None) -> Collected:
    """The row with the time that a table says."""
    return replace(row, submitted_at=time.isoformat()) if time else row


def _upload(row: Collected) -> int:
    """The LMS's number of the upload, where the file's name has it."""
    named = read_part(row.lms_part) or read_part(row.lms_part, "canvas")
    return named.upload if named else 0


def _chosen(group: Sequence[Collected], made: Settings, due: datetime | None) -> Collected:
    if made.attempts == "first":
        return group[0]
    if made.attempts == "last-before-due" and due is not None:
        in_time = [each for each in group if each.time is None or each.time <= due]
        return (in_time or group[:1])[-1]
    return group[-1]
