"""Dates and times of day in English text, dates relative to a given day.

Own rules rather than dateparser: that package needs 60 ms to load and 100 ms for its first date,
falls back on the clock of the machine, and finds dates in words such as "may" or "to". The rules
here are few, documented and the same on every machine.

Conventions: "next Tuesday", "this Tuesday" and "Tuesday" are the first Tuesday after the reference
day; "Tuesday next week" counts weeks from Monday; a date without a year is the next such day;
numeric dates are day first unless that is impossible; "next week" and "next month" are their
first day. Of times without "am" or "pm" the hours 1 to 6 (1 to 5 with minutes) are taken as
afternoon and the rest as written, unless the text says morning, afternoon or evening; they are
text in 24 hours, "14:30".
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from course.models.policy.words import NUMBER_WORDS

REFERENCE = date(2026, 3, 2)  # a Monday; stands in when the conversation names no day

_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_DAYS = {name.lower(): n for n, name in enumerate(calendar.day_name)}
_DAYS |= {f"{name}s": n for name, n in _DAYS.items()}  # "on Sundays"
_DAYS |= {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
    "sun": 6,
}
_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = "(" + "|".join(sorted(_DAYS, key=len, reverse=True)) + r")\b"
_COUNT = r"(\d{1,3}|an?|" + "|".join(NUMBER_WORDS) + ")"
_TH = r"(?:st|nd|rd|th)"


class Found(NamedTuple):
    """A date found in a text, with the place where it stands (character offsets)."""

    value: date
    start: int
    end: int


Rule = Callable[[re.Match[str], date], "date | None"]


def _safe(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _coming(today: date, month: int, day: int) -> date | None:
    """The next such day on or after today."""
    this = _safe(today.year, month, day)
    return this if this and this >= today else _safe(today.year + 1, month, day) or this


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text)


def _iso(m: re.Match[str], today: date) -> date | None:
    return _safe(int(m[1]), int(m[2]), int(m[3]))


def _numeric(m: re.Match[str], today: date) -> date | None:
    day, month = int(m[1]), int(m[2])
    if month > 12:
        day, month = month, day
    return _safe(_year(m[3]), month, day) if m[3] else _coming(today, month, day)


def _day_month(m: re.Match[str], today: date) -> date | None:
    month = _MONTHS[m[2].lower()]
    return _safe(int(m[3]), month, int(m[1])) if m[3] else _coming(today, month, int(m[1]))


def _month_day(m: re.Match[str], today: date) -> date | None:
    month = _MONTHS[m[1].lower()]
    return _safe(int(m[3]), month, int(m[2])) if m[3] else _coming(today, month, int(m[2]))


def _weekday(m: re.Match[str], today: date) -> date:
    wanted = _DAYS[m["day"].lower()]
    if m["week"] or m["week2"]:
        return today + timedelta(days=7 - today.weekday() + wanted)
    ahead = (wanted - today.weekday()) % 7 or 7
    ahead += 7 if m["later"] or m["on"] else 0
    return today + timedelta(days=ahead - 7 if (m["which"] or "").lower() == "last" else ahead)


def _count(text: str) -> int:
    return int(text) if text.isdigit() else NUMBER_WORDS.get(text.lower(), 1)


def _months_on(today: date, months: int) -> date:
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))


def _shift(m: re.Match[str], today: date, sign: int) -> date:
    count, unit = sign * _count(m[1]), m[2].lower()
    if unit.startswith(("month", "year")):
        return _months_on(today, count * (12 if unit.startswith("year") else 1))
    length = 14 if unit == "fortnight" else 7 if unit.startswith("week") else 1
    return today + timedelta(days=count * length)


def _named(m: re.Match[str], today: date) -> date:
    word = " ".join(m[0].lower().split())
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    return {
        "today": today,
        "tonight": today,
        "this evening": today,
        "tomorrow": today + timedelta(days=1),
        "the day after tomorrow": today + timedelta(days=2),
        "day after tomorrow": today + timedelta(days=2),
        "yesterday": today - timedelta(days=1),
        "next week": monday + timedelta(days=7),
        "this week": today,
        "this weekend": monday + timedelta(days=5),
        "next weekend": monday + timedelta(days=12),
        "next month": _months_on(first, 1),
        "end of the month": _months_on(first, 1) - timedelta(days=1),
    }[word]


def _ordinal(m: re.Match[str], today: date) -> date | None:
    day = int(m[1])
    this = _safe(today.year, today.month, day)
    if this and this >= today:
        return this
    later = _months_on(today.replace(day=1), 1)
    return _safe(later.year, later.month, day)


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), rule)
    for pattern, rule in (
        (r"\b(\d{4})-(\d{2})-(\d{2})(?!\d)", _iso),
        (
            rf"(?<![\w-])(\d{{1,2}}){_TH}?(?= ?(?:to|until|till|through|and|-|–) ?(?:the "
            rf")?\d{{1,2}}{_TH}?(?: of)? {_MONTH}"
            r"(?:,? (\d{4})\b)?)",
            _day_month,
        ),
        (rf"\b(\d{{1,2}}){_TH}?(?: of)? {_MONTH}(?:,? (\d{{4}})\b)?", _day_month),
        (rf"\b{_MONTH} (\d{{1,2}}){_TH}?\b(?!:)(?:,? (\d{{4}})\b)?", _month_day),
        (r"\b(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})\b", _numeric),
        (r"\b(\d{1,2})[./](\d{1,2})\.(?!\d)()", _numeric),
        (
            r"\b(?:the )?day after tomorrow\b|\btoday\b|\btonight\b|\bthis evening\b|\btomorrow\b"
            r"|\byesterday\b|\bend of the month\b",
            _named,
        ),
        (
            r"\b(?P<on>a week on )?(?P<week2>next week(?: on|,)? )?"
            rf"(?:(?P<which>next|this|coming|last) )?(?P<day>{_DAY})"
            r"(?P<week> (?:of )?next week)?(?P<later> week\b)?",
            _weekday,
        ),
        (rf"\bin {_COUNT} (days?|weeks?|fortnight|months?|years?)\b", lambda m, t: _shift(m, t, 1)),
        (rf"\b{_COUNT} (days?|weeks?|months?) from (?:today|now)\b", lambda m, t: _shift(m, t, 1)),
        (rf"\b{_COUNT} (days?|weeks?|months?|years?) ago\b", lambda m, t: _shift(m, t, -1)),
        (r"\b(?:next|this) weekend\b|\b(?:next|this) week\b|\bnext month\b", _named),
        (rf"\bthe (\d{{1,2}}){_TH}\b", _ordinal),
    )
)
_HINT = re.compile(r"\d|day|week|morrow|month|tonight|evening|mon|tue|wed|thu|fri|sat|sun", re.I)
_TODAY = re.compile(
    r"\b(?:today(?:'s date)?|(?:the )?current date|the date|now)\s*(?:is|:|=)?\s*"
    r"(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)


def _all(text: str, today: date) -> Iterator[Found]:
    for pattern, rule in _RULES:
        for match in pattern.finditer(text):
            try:
                value = rule(match, today)
            except (ValueError, OverflowError):
                value = None
            if value is not None:
                yield Found(value, match.start(), match.end())


@lru_cache(maxsize=4_000)
def find_dates(text: str, today: date = REFERENCE) -> tuple[Found, ...]:
    """The dates in a text, in order; of overlapping readings the one of the earlier rule counts."""
    if not _HINT.search(text):
        return ()
    kept: list[Found] = []
    taken = bytearray(len(text))
    for found in _all(text, today):
        if not any(taken[found.start : found.end]):
            kept.append(found)
            taken[found.start : found.end] = b"x" * (found.end - found.start)
    return tuple(_with_weekdays(text, sorted(kept, key=lambda f: f.start)))


_MONTH_ONLY = re.compile(
    rf"(?:(?<=\bin )|(?<=\bof )|(?<=\bfor ))(?P<m>{'|'.join(calendar.month_name[1:])})\b"
    r"(?: (?P<y>\d{4}))?(?! \d)"
)


@lru_cache(maxsize=4_000)
def find_months(text: str, today: date = REFERENCE) -> tuple[Found, ...]:
    """The months that a text names without a day, by their first day; without a year the nearest,
    past or coming."""
    found = []
    for m in _MONTH_ONLY.finditer(text):
        month = _MONTHS[m["m"].lower()]
        months = (month - today.month + 6) % 12 - 6
        near = _months_on(today.replace(day=1), months)
        found.append(Found(near.replace(year=int(m["y"])) if m["y"] else near, *m.span()))
    return tuple(found)


def _with_weekdays(text: str, found: list[Found]) -> Iterator[Found]:
    """Dates with the name of their day in front as one: "Tuesday 10 March", "Fri, the 6th"."""
    for place, here in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        before = found[place - 1] if place else None
        if after and _names_day_of(text, here, after):
            continue
        start = before.start if before and _names_day_of(text, before, here) else here.start
        yield Found(here.value, start, here.end)


def _names_day_of(text: str, day: Found, dated: Found) -> bool:
    return (
        text[day.start : day.end].lower() in _DAYS
        and text[dated.start : dated.end].lower() not in _DAYS
        and re.fullmatch(r",? (?:the )?", text[day.end : dated.start]) is not None
    )


_WRITTEN = re.compile(
    r"\b(?:(?:was|were|is|are) (?:sent|received|written|recorded|dated|from)(?: on)?|received:?)\s+"
    r"(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)


@lru_cache(maxsize=1_000)
def written_on(instructions: str) -> date | None:
    """The day on which a text to be read was written, as the instructions state it."""
    for match in _WRITTEN.finditer(instructions):
        told = instructions[match.end() : match.end() + 40]
        found = [*find_dates(told, REFERENCE), *find_months(told, REFERENCE)]
        if found and found[0].start <= 2 and re.search(r"\d{4}", told[: found[0].end]):
            return found[0].value
    return None


@lru_cache(maxsize=1_000)
def stated_today(text: str) -> date | None:
    """The day that a text declares to be today ("Today is Monday, 2 March 2026"), if it does."""
    for match in _TODAY.finditer(text):
        for found in find_dates(text[match.end() : match.end() + 40], REFERENCE):
            if found.start <= 2 and re.search(r"\d", text[match.end() :][: found.end]):
                return found.value
    return None


class FoundTime(NamedTuple):
    """A time of day found in a text, "HH:MM", with its place (character offsets)."""

    value: str
    start: int
    end: int


_HOURS = "|".join(
    w for w, n in NUMBER_WORDS.items() if 1 <= n <= 12 and w not in ("dozen", "couple", "pair")
)
_HOUR = rf"(?P<h>\d{{1,2}}|{_HOURS})"
_HALF = (
    r"(?: ?(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z])| in the (?P<part>morning|afternoon"
    r"|evening)| (?P<part2>tonight))"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::\d{{2}})?(?![\d:]){_HALF}?",
        rf"\b(?P<h>\d{{1,2}})\.(?P<m>\d{{2}}){_HALF}",
        rf"\b(?P<lead>half past|quarter past|quarter to) {_HOUR}\b{_HALF}?",
        rf"\b{_HOUR}{_HALF}",
        rf"\b{_HOUR} ?o[’']?clock\b{_HALF}?",
        r"\b(?P<name>noon|midday|midnight)\b",
        rf"\b(?:at|by|around|until|till|before|after|to) {_HOUR}\b(?! ?[%€$£:.,/-]?\d)(?! "
        rf"(?:[a-z]+s|people|percent|euro|minute|hour|day|night|week|month|year|more)\b)",
    )
)
_LEADS = {"half past": 30, "quarter past": 15, "quarter to": -15}
_CLOCK = re.compile(
    r"\d|o.?clock|noon|mid|past|quarter|at |by |around |until |before |after | in the ", re.I
)


_EARLY = re.compile(r"\bmorning\b|\d ?a\.?m\b", re.IGNORECASE)
_LATE = re.compile(
    r"\b(?:day|tomorrow|this) (?:evening|afternoon)\b|day (?:evening|afternoon)\b", re.I
)


def _hour(match: re.Match[str], text: str) -> int:
    word = match["h"].lower()
    hour = int(word) if word.isdigit() else NUMBER_WORDS[word]
    groups = match.groupdict()
    half = (groups.get("half") or "").lower()
    part = (groups.get("part") or groups.get("part2") or "").lower()
    if half.startswith("p") or part in ("afternoon", "evening", "tonight"):
        return hour % 12 + 12
    if half.startswith("a") or part == "morning":
        return hour % 12
    late, early = _halves(text)
    if hour < 12 and late and not early:
        return hour + 12
    latest = 5 if groups.get("m") else 6
    afternoon = 1 <= hour <= latest and (len(word) < 2 or not word.isdigit())
    return hour + 12 if afternoon and not early else hour


@lru_cache(maxsize=64)
def _halves(text: str) -> tuple[bool, bool]:
    """Whether a text speaks of the later and of the earlier half of a day."""
    return bool(_LATE.search(text)), bool(_EARLY.search(text))


def _value(match: re.Match[str], text: str) -> str | None:
    groups = match.groupdict()
    if groups.get("name"):
        return "00:00" if groups["name"].lower() == "midnight" else "12:00"
    minutes = _hour(match, text) * 60 + int(groups.get("m") or 0)
    minutes += _LEADS.get((groups.get("lead") or "").lower(), 0)
    return (
        f"{minutes // 60:02}:{minutes % 60:02}"
        if 0 <= minutes < 1440 and int(groups.get("m") or 0) < 60
        else None
    )


@lru_cache(maxsize=4_000)
def find_times(text: str) -> tuple[FoundTime, ...]:
    """The times of day in a text, in order, without overlaps."""
    if not _CLOCK.search(text):
        return ()
    kept: list[FoundTime] = []
    taken = bytearray(len(text))
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            value = _value(match, text)
            start = (
                match.start("h")
                if match.groupdict().get("h") and not match.groupdict().get("lead")
                else match.start()
            )
            if value and not any(taken[start : match.end()]):
                kept.append(FoundTime(value, start, match.end()))
                taken[start : match.end()] = b"x" * (match.end() - start)
    return tuple(sorted(kept, key=lambda f: f.start))
