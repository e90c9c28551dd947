"""What the name of a downloaded file says: whose it is, and when it was handed in.

Sources: Canvas, "Download submissions": `lastfirst_LATE_<user>_<upload>_<name>-<n>.ipynb`. Moodle,
"Download all submissions": `Full Name_<participant>_assignsubmission_file_/<name>`, or the same
without a folder. nbgrader's exchange: `<student>+<chapter>+<time>+<random>/<name>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath

from course.errors import ConfigurationError

_CANVAS = re.compile(
    r"(?P<name>[^_]+)_(?:(?P<late>late)_)?(?P<student>\d+)_(?P<upload>\d+)_(?P<file>.+?)"
    r"(?:-(?P<attempt>\d+))?(?:\.\w+)*",
    re.IGNORECASE,
)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<student>\d+)_assignsubmission_[a-z]+(?:_.*)?")
_EXCHANGE = re.compile(r"(?P<student>[^+]+)\+(?P<chapter>[^+]+)\+(?P<time>\d[^+]+)(?:\+[^+]*)?")
_LMS = (("canvas", _CANVAS), ("moodle", _MOODLE), ("exchange", _EXCHANGE))
ONE_ASSIGNMENT = ("canvas", "moodle")
"""LMSs whose download is of one assignment."""

_ZONE = re.compile(r" ?(UTC|GMT|Z)$")
_ENDS = re.compile(r"(\.ipynb)?(\.txt|\.json)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """What a file's name says.

    Attributes:
        system: "canvas", "moodle", "exchange" or "" for whatever else.
        student: the LMS's own number or name; the best guess otherwise.
        name: the person's name, where it is there.
        time: when it was handed in, where it is there.
        late: whether the LMS says so.
        attempt: which one it is, counted from 0, where the name says so.
        upload: a number that is higher for what was handed in later, where it is there.
        chapter: what the LMS calls the assignment, where it is there.
    """

    system: str
    student: str
    name: str = ""
    time: datetime | None = None
    late: bool = False
    attempt: int = 0
    upload: int = 0
    chapter: str = ""


def read_name(path: PurePosixPath, pattern: re.Pattern[str] | None = None) -> Iterator[Named]:
    """What a path in a download says, the likeliest first.

    Args:
        path: of the file, zips counted as folders.
        pattern: for another LMS: with a group `student`, and perhaps `name`, `time`, `attempt`.
    """
    if pattern is not None:
        if found := pattern.search(path.as_posix()):
            yield _named("", found)
        return
    for system, known in _LMS:
        for place, part in enumerate(path.parts):
            if found := known.fullmatch(part):
                yield _named(system, found)
                yield from (Named("", folder) for folder in path.parts[:place])
                return
    for part in path.parts[:-1]:
        yield Named("", part)
    stem = _ENDS.sub("", path.name)
    for cut in [m.start() for m in re.finditer(r"[_\-. ]", stem)][::-1]:
        yield Named("", stem[:cut])
    yield Named("", stem)


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern for another LMS. Raises ConfigurationError when it is none, or names no student."""
    try:
        made = re.compile(pattern)
    except re.error as trouble:
        raise ConfigurationError(f"--pattern is no regular expression: {trouble}") from None
    if "student" not in made.groupindex:
        raise ConfigurationError(
            "--pattern says nowhere who it is: it needs a group (?P<student>...)"
        )
    return made


def read_time(text: str) -> datetime | None:
    """A time in ISO 8601 or as nbgrader writes it; in UTC where it says no zone."""
    try:
        found = datetime.fromisoformat(_ZONE.sub("+00:00", text.strip()))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _named(system: str, found: re.Match[str]) -> Named:
    told = {key: value for key, value in found.groupdict().items() if value}
    attempt, upload = (told.get(name, "") for name in ("attempt", "upload"))
    return Named(
        system,
        told["student"].strip(),
        told.get("name", ""),
        read_time(told.get("time", "")),
        "late" in told,
        int(attempt) if attempt.isdecimal() else 0,
        int(upload or 0),
        told.get("chapter", ""),
    )
