"""Today: the day on which a conversation takes place or a text was written, as it is stated."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from course.models.policy.dates import DAYS, MONTH, MONTHS, REFERENCE, WEEKDAY, Found, find_dates

_TODAY = re.compile(
    r"\b(?:today(?:['’]s date)?|(?:the )?current[ _]date(?: and time)?|(?:the )?date|now"
    r"|it(?:['’]s| is))"
    r"(?:[\s\"'|*:=,]|\b(?:is|today|now)\b)*(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\b(?:(?:was|were|is|are) (?:sent|received|written|recorded|dated|from|in)(?: on)?"
    r"|(?:received|dated|written|sent|recorded|taken)(?: on)?:?|(?:date|day)\b[^.:\n]{0,30}:)\s+"
    r"(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(rf"(?:{MONTH} )?((?:19|20)\d\d)\b(?![-./]?\d)", re.IGNORECASE)


@lru_cache(maxsize=1_000)
def written_on(instructions: str) -> date | None:
    """The day on which a text to be read was written, as the instructions state it; of what is only
    said to be from a year the first of January, so that days without a year are of that one."""
    for match in _WRITTEN.finditer(instructions):
        told = instructions[match.end() : match.end() + 40]
        found = find_dates(told, REFERENCE)
        if found and found[0].start <= 2 and re.search(r"\d{4}", told[: found[0].end]):
            return found[0].value
        if year := _IN_YEAR.match(told):
            return date(int(year[2]), MONTHS[(year[1] or "January").lower()], 1)
    return _on_the_calendar(instructions)


_BOUND = re.compile(r"\b(?:until|till|from|since|before|by|to|founded|opened|of) (?:the )?$", re.I)


def _on_the_calendar(instructions: str) -> date | None:
    """The only day with its year that instructions name beside its day of the week, or at all."""
    found = [f for f in find_dates(instructions, REFERENCE)
             if f"{f.value.year}" in instructions[f.start : f.end]]  # fmt: skip
    named = {f.value for f in found if _named_rightly(instructions, f)}
    if len(named) == 1:
        return named.pop()
    alone = len(found) == 1 and not _BOUND.search(instructions, 0, found[0].start)
    return found[0].value if alone else None


def _named_rightly(text: str, day: Found) -> bool:
    """Whether the name of a day stands beside it or in it."""
    start, said = max(0, day.start - 15), text[day.start : day.end]
    near = text[start : day.start], text[day.end : day.end + 15]
    inside = re.match(WEEKDAY, said, re.IGNORECASE)
    before = re.search(rf"({WEEKDAY})[\s,]*(?:the )?$", near[0], re.IGNORECASE)
    after = re.match(rf"[\s,(]*(?:an? )?({WEEKDAY})", near[1], re.IGNORECASE)
    names = [m.group(m.lastindex or 0) for m in (inside, before, after) if m]
    return any(DAYS[n.lower().rstrip(".")] == day.value.weekday() for n in names)


def first_dated(text: str) -> date | None:
    """The first day that a text names with its year, from which it may be read if nothing else
    says when it was written."""
    whole = (f for f in find_dates(text[:2_000]) if f"{f.value.year}" in text[f.start : f.end])
    return next((f.value for f in whole), None)


@lru_cache(maxsize=1_000)
def stated_today(text: str) -> date | None:
    """The day that a text declares to be today ("Today is Monday, 2 March 2026"), if it does."""
    for match in _TODAY.finditer(text):
        told = text[match.end() : match.end() + 40]
        for found in find_dates(told, REFERENCE):
            year = r"\d{4}" if match.group().lower().startswith("it") else r"\d"
            if found.start <= 2 and re.search(year, told[: found.end]):
                return found.value
    return None
