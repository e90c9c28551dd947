"""What the name of something in a download says: whose it is, and when it was handed in.

Sources: Canvas, "Download submissions": `lastfirst_LATE_<user>_<upload>_<name>-<n>.ipynb`, or
`lastfirst_LATE_<user>_text.html` (or `link`) for what was typed in; a person's name may hold "_"
and digits as well (its lib/content_zipper.rb). Moodle,
"Download all submissions": `Full Name_<participant>_assignsubmission_file_/<name>`, or the same
without a folder; Moodle writes a space for each "_" in a person's name. nbgrader's exchange:
`<student>+<chapter>+<time>+<random>/<name>`.

Names are read in one pass: no pattern here tries a second way to read the same letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from course.errors import ConfigurationError

_CANVAS = re.compile(
    r"(?P<name>[^_]++)_(?:(?P<late>late)_)?(?P<student>[0-9]++)_"
    r"(?:(?P<upload>[0-9]++)_(?P<rest>.++)|(?:text|link)\.html)",
    re.IGNORECASE | re.DOTALL,
)
_CANVAS_AT_LENGTH = re.compile(_CANVAS.pattern.replace("[^_]++", ".+?"), _CANVAS.flags)
_CANVAS_NUMBERS = re.compile("(?=_(?:late_)?([0-9]++)_[0-9]++_)", re.IGNORECASE)
_CANVAS_LATE = re.compile("(?=_late_([0-9]++)_)", re.IGNORECASE)
_AGAIN = re.compile(r"([0-9]++)(?:\.\w++)*+")
_MOODLE = re.compile(
    r"(?P<name>[^_]++)_(?P<student>[0-9]++)_assignsubmission_[a-z]++(?:_(?P<rest>.*+))?", re.DOTALL
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Lms = Literal["canvas", "moodle", "csv"]
ONE_ASSIGNMENT = ("canvas", "moodle")
"""LMSs whose download is of one assignment."""

_ZONE = re.compile(r" ?(UTC|GMT|Z)$")
_ENDS = re.compile(r"(\.ipynb)?(\.txt|\.json)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """What the LMS's part of a name says.

    Attributes:
        system: "canvas", "moodle", "exchange" or "" for whatever else.
        student: the LMS's own number or name.
        name: the person's name, where it is there.
        time: when it was handed in, where it is there.
        late: whether the LMS says so.
        attempt: which one it is, counted from 0, where the name says so.
        upload: a number that is higher for what was handed in later, where it is there.
        chapter: what the LMS calls the assignment, where it is there.
        rest: what follows in the same part, which is the student's own word.
    """

    system: str
    student: str
    name: str = ""
    time: datetime | None = None
    late: bool = False
    attempt: int = 0
    upload: int = 0
    chapter: str = ""
    rest: str = ""


def read_part(part: str, system: str = "") -> Named | None:
    """What one part of a path says, where an LMS has written it.

    Args:
        part: of a path.
        system: of which LMS it is known to be; "" to find that out.
    """
    canvas = _CANVAS_AT_LENGTH if system == "canvas" else _CANVAS
    if found := canvas.fullmatch(part):
        named = matched("canvas", found)
        again = _AGAIN.fullmatch(named.rest.rpartition("-")[2])
        late = named.late or named.student in _CANVAS_LATE.findall(part)  # behind a long name
        return replace(named, late=late, attempt=int(again[1]) if again else 0)
    if found := _MOODLE.fullmatch(part):
        return matched("moodle", found)
    return _exchanged(part)


def _exchanged(part: str) -> Named | None:
    """A folder of nbgrader's exchange; an account's name may have a + as well."""
    for most in (3, 2):  # with what nbgrader adds at random, and as older ones wrote it
        pieces = part.rsplit("+", most)
        if len(pieces) == most + 1 and pieces[0] and _DAY.match(pieces[2]):
            student, chapter, time = pieces[:3]
            return Named("exchange", student, time=read_time(time), chapter=chapter)
    return None


def canvas_numbers(part: str) -> list[str]:
    """Every number in a name by Canvas that may be the user's: people choose what is around it."""
    return [found[1] for found in _CANVAS_NUMBERS.finditer(part)]


def readings(stem: str) -> Iterator[str]:
    """Whom the name of a loose file may speak of: all of it first, then less and less."""
    whole = _ENDS.sub("", stem)
    yield whole
    for cut in [found.start() for found in re.finditer(r"[_\-. ]", whole)][::-1]:
        yield whole[:cut]


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


def matched(system: str, found: re.Match[str]) -> Named:
    """What a match says by its groups: `student`, and perhaps `name`, `time`, `attempt`."""
    told = {key: value for key, value in found.groupdict().items() if value}
    attempt, upload = (told.get(name, "") for name in ("attempt", "upload"))
    return Named(
        system,
        told["student"].strip() if "student" in told else "",
        told.get("name", ""),
        read_time(told.get("time", "")),
        "late" in told,
        int(attempt) if attempt.isdecimal() else 0,
        int(upload or 0),
        told.get("chapter", ""),
        told.get("rest", ""),
    )


def read_time(text: str) -> datetime | None:
    """A time in ISO 8601 or as nbgrader writes it; in UTC where it says no zone."""
    try:
        found = datetime.fromisoformat(_ZONE.sub("+00:00", text.strip()))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
