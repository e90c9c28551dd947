"""Dates and times of day in English text, dates relative to a given day.

Own rules rather than dateparser: that package needs 60 ms to load and 100 ms for its first date,
falls back on the clock of the machine, and finds dates in words such as "may" or "to". The rules
here are few, documented and the same on every machine.

Conventions: "next Tuesday", "this Tuesday" and "Tuesday" are the first Tuesday after the reference
day; "Tuesday next week" counts weeks from Monday; a date without a year is the next such day, or
after "since" the last; numeric dates are day first unless that is impossible; "next week" and
"next month" are their first day. Of times without "am" or "pm" the hours 1 to 6 (1 to 5 with
minutes) are taken as afternoon and the rest as written, unless the text says morning, afternoon
or evening; they are text in 24 hours, "14:30".
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from course.models.policy.words import NUMBER_WORDS, ORDINALS

REFERENCE = date(2026, 3, 2)  # a Monday; stands in when the conversation names no day

_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_DAYS = {name.lower(): n for n, name in enumerate(calendar.day_name)}
_DAYS |= {f"{name}s": n for name, n in _DAYS.items()}  # "on Sundays"
_DAYS |= {name.lower(): n for n, name in enumerate(calendar.day_abbr)} | {"tues": 1, "thurs": 3}
_MONTH = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = "(" + "|".join(sorted(_DAYS, key=len, reverse=True)) + r")\b"
_COUNT = r"(\d{1,3}|an?|" + "|".join(NUMBER_WORDS) + ")"
_TH = r"(?:st|nd|rd|th)"
NTHS = dict(ORDINALS)
NTHS |= {f"twenty-{word}": 20 + n for word, n in ORDINALS.items() if n <= 9}
NTHS |= {"twentieth": 20, "thirtieth": 30, "thirty-first": 31}
_SPELT = "|".join(w.replace("-", "[ -]") for w in sorted(NTHS, key=len, reverse=True))
_DATE = rf"(\d{{1,2}}|{_SPELT})"


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
    day = _day_number(m[1])
    return _safe(int(m[3]), month, day) if m[3] else _coming(today, month, day)


def _month_day(m: re.Match[str], today: date) -> date | None:
    month = _MONTHS[m[1].lower()]
    day = _day_number(m[2])
    return _safe(int(m[3]), month, day) if m[3] else _coming(today, month, day)


def _weekday(m: re.Match[str], today: date) -> date:
    wanted = _DAYS[m["day"].lower()]
    if m["week"] or m["week2"]:
        return today + timedelta(days=7 - today.weekday() + wanted)
    ahead = (wanted - today.weekday()) % 7 or 7
    ahead += 14 if "fortnight" in (m["later"] or "") else 7 if m["later"] or m["on"] else 0
    return today + timedelta(days=ahead - 7 if (m["which"] or "").lower() == "last" else ahead)


def _count(text: str) -> int:
    return int(text) if text.isdigit() else NUMBER_WORDS.get(text.lower(), 1)


def _day_number(text: str) -> int:
    return int(text) if text.isdigit() else NTHS[text.lower().replace(" ", "-")]


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
    days = {
        "today": 0, "tonight": 0, "this evening": 0, "this morning": 0, "this afternoon": 0,
        "last night": -1, "yesterday": -1, "the day before yesterday": -2, "tomorrow": 1,
        "the day after tomorrow": 2, "day after tomorrow": 2, "this week": 0, "a week today": 7,
        "a week tomorrow": 8, "tomorrow week": 8, "next week": 7 - today.weekday(),
        "this weekend": 5 - today.weekday(), "next weekend": 12 - today.weekday(),
    }  # fmt: skip
    if word in days:
        return today + timedelta(days=days[word])
    return {
        "new year's eve": date(today.year - (today.month < 7), 12, 31),
        "next month": _months_on(today.replace(day=1), 1),
    }[word.replace("’", "'").replace("years", "year's")]


def _month_end(m: re.Match[str], today: date) -> date:
    """The last day of a month, of this one or of the next one of that name."""
    first = today.replace(day=1)
    if m[2]:
        month = _MONTHS[m[2].lower()]
        first = date(int(m[3]) if m[3] else today.year + (month < today.month), month, 1)
    return _months_on(first, 1) - timedelta(days=1)


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
            rf"(?<![\w-]){_DATE}{_TH}?(?= ?(?:(?:up )?to(?: and including)?|until|till|through|and"
            rf"|-|–) ?(?:the )?(?:\d{{1,2}}|{_SPELT}){_TH}?(?: of)? {_MONTH}"
            r"(?:,? (\d{4})\b)?)",
            _day_month,
        ),
        (rf"\b{_DATE}{_TH}?(?: of)? {_MONTH}(?:,? (\d{{4}})\b)?", _day_month),
        (rf"\b{_MONTH} (?:the )?{_DATE}{_TH}?\b(?!:)(?:,? (\d{{4}})\b)?", _month_day),
        (r"\b(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})\b", _numeric),
        (r"\b(\d{1,2})[./](\d{1,2})\.(?!\d)()", _numeric),
        (
            r"\b(?:(?:the )?day after tomorrow|the day before yesterday|a week (?:tomorrow|today)"
            r"|tomorrow week|today|tonight|this (?:morning|afternoon|evening)|last night|tomorrow"
            r"|yesterday|new year['’]?s eve)\b",
            _named,
        ),
        (
            r"\b(?:end|last day) of (?:the|this) month\b()"
            r"|\b(?:by|until|till|before|than|on)(?: the)? (?:end|last day) of "
            rf"{_MONTH}(?: (\d{{4}})\b)?",
            _month_end,
        ),
        (
            r"\b(?P<on>a week on )?(?P<week2>next week(?: on|,)? )?"
            rf"(?:(?P<which>next|this|coming|last) )?(?P<day>{_DAY})"
            r"(?P<week> (?:of )?next week)?(?P<later> (?:week|fortnight)\b)?",
            _weekday,
        ),
        (rf"\bin {_COUNT} (days?|weeks?|fortnight|months?|years?)\b", lambda m, t: _shift(m, t, 1)),
        (rf"\b{_COUNT} (days?|weeks?|months?) from (?:today|now)\b", lambda m, t: _shift(m, t, 1)),
        (
            rf"\b{_COUNT} (days?|weeks?|fortnight|months?|years?) ago\b",
            lambda m, t: _shift(m, t, -1),
        ),
        (r"\b(?:next|this) weekend\b|\b(?:next|this) week\b|\bnext month\b", _named),
        (rf"\bthe (\d{{1,2}}){_TH}\b", _ordinal),
    )
)
_HINT = re.compile(
    r"\d|day|week|fortnight|morrow|month|night|ing\b|noon|eve\b|end of|mon|tue|wed|thu|fri|sat|sun"
    r"|st\b|th\b|nd\b|rd\b",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"\b(?:today(?:['’]s date)?|(?:the )?current[ _]date(?: and time)?|(?:the )?date|now"
    r"|it(?:['’]s| is))"
    r"(?:[\s\"'|*:=,]|\b(?:is|today|now)\b)*(?:\w+day,?\s*)?(?:the )?",
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
                if value > today and _SINCE.search(text, 0, match.start()):
                    value = _gone_by(value, match.group())
                yield Found(value, match.start(), match.end())


_SINCE = re.compile(r"\bsince (?:the )?$", re.IGNORECASE)


def _gone_by(day: date, said: str) -> date:
    """The day before a coming one that is called the same: what something holds "since"."""
    if re.search(r"\d{4}", said):
        return day
    if re.search(rf"\b{_DAY}", said, re.IGNORECASE) and not re.search(r"\d", said):
        return day - timedelta(days=7)
    return _months_on(day, -12 if re.search(rf"\b{_MONTH}", said, re.IGNORECASE) else -1)


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
    rf"(?: (?P<y>\d{{4}}))?(?! \d)|\b(?P<own>{'|'.join(calendar.month_name[1:])})['’]?s\b"
)


@lru_cache(maxsize=4_000)
def find_months(text: str, today: date = REFERENCE) -> tuple[Found, ...]:
    """The months that a text names without a day, by their first day; without a year the nearest,
    past or coming."""
    found = []
    for m in _MONTH_ONLY.finditer(text):
        month = _MONTHS[(m["m"] or m["own"]).lower()]
        months = (month - today.month + 6) % 12 - 6
        near = _months_on(today.replace(day=1), months)
        found.append(Found(near.replace(year=int(m["y"])) if m["y"] else near, *m.span()))
    return tuple(found)


_SPAN = re.compile(
    r"\b(?:(?P<which>last|this|next|past) (?P<unit>week|month|year)"
    rf"|(?:last|past|previous) (?P<n>{_COUNT[1:-1]}) (?P<many>days|weeks|months|years))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1_000)
def find_spans(text: str, today: date = REFERENCE) -> tuple[tuple[date, date, int, int], ...]:
    """The months, weeks and years that a text names as a whole ("in January", "last week", "the
    past two weeks"): first and last day, and where it stands."""
    found = []
    for month in find_months(text, today):
        last = _months_on(month.value, 1) - timedelta(days=1)
        found.append((month.value, last, month.start, month.end))
    for m in _SPAN.finditer(text):
        if m["n"]:
            back = {"d": 1, "w": 7}.get(m["many"][0].lower(), 0) * _count(m["n"])
            months = {"m": 1, "y": 12}.get(m["many"][0].lower(), 0) * _count(m["n"])
            found.append((_months_on(today, -months) - timedelta(days=back), today, *m.span()))
            continue
        step = {"last": -1, "past": -1, "this": 0, "next": 1}[m["which"].lower()]
        if m["unit"].lower() == "week":
            first = today + timedelta(days=7 * step - today.weekday())
            last = first + timedelta(days=6)
        else:
            size = 1 if m["unit"].lower() == "month" else 12
            first = _months_on(
                today.replace(day=1, month=today.month if size == 1 else 1), size * step
            )
            last = _months_on(first, size) - timedelta(days=1)
        found.append((first, last, *m.span()))
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
        text[day.start : day.end].lower() in {*_DAYS, "yesterday", "today", "tomorrow"}
        and text[dated.start : dated.end].lower() not in _DAYS
        and re.fullmatch(r",? (?:the )?", text[day.end : dated.start]) is not None
    )


_WRITTEN = re.compile(
    r"\b(?:(?:was|were|is|are) (?:sent|received|written|recorded|dated|from|in)(?: on)?"
    r"|(?:received|dated|written|sent|recorded|taken)(?: on)?:?|(?:date|day)\b[^.:\n]{0,30}:)\s+"
    r"(?:\w+day,?\s*)?(?:the )?",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(rf"(?:{_MONTH} )?((?:19|20)\d\d)\b(?![-./]?\d)", re.IGNORECASE)


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
            return date(int(year[2]), _MONTHS[(year[1] or "January").lower()], 1)
    named = [f for f in find_dates(instructions, REFERENCE)
             if _NAMED_DAY.match(instructions[f.start : f.end])]  # fmt: skip
    return named[0].value if len(named) == 1 else None


_NAMED_DAY = re.compile(r"(?i:[a-z]+day\b).*\d{4}$")


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
    r"(?: ?(?P<half>a\.?m\.?|p\.?m\.?)(?![a-z])| (?:in the|at) (?P<part>morning|afternoon|evening"
    r"|night)\b| (?P<part2>tonight))"
)
_MINUTES = r"(?:a )?(?:quarter|(?:five|ten|twenty|twenty-five|\d{1,2})(?: minutes)?)"
_UNTIL = r"(?:a )?(?:(?:quarter|five|ten|twenty|twenty-five)(?: minutes)?|\d{1,2} minutes)"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d{{2}})(?::\d{{2}})?(?![\d:]){_HALF}?",
        rf"\b(?P<h>\d{{1,2}})\.(?P<m>\d{{2}}){_HALF}",
        r"\b(?:at|by|from|till|until|around|before|after) (?P<h>\d{1,2})(?:[.h]|(?<= 0\d))"
        r"(?P<m>[0-5]\d)\b(?! ?[€$£%]| [a-z]+s\b| (?-i:[A-Z][a-z])| (?:euro|percent|kg|km|cm|m)\b)",
        rf"\b(?:at|by|from|till|until|around|before|after) (?P<h>{_HOURS})[ -](?P<m>ten|fifteen"
        rf"|twenty(?:-five)?|thirty|thirty-five|forty(?:-five)?|fifty)(?![\w-]){_HALF}?",
        rf"\b(?P<lead>half past|{_MINUTES} past|(?<!from )(?<!between ){_UNTIL} to) {_HOUR}\b"
        rf"(?! (?!this\b)[a-z]+s\b){_HALF}?",
        rf"\b(?:at|by|around|about|before|after|till|until|from) (?P<lead>half) (?P<h>{_HOURS})\b"
        rf"(?! dozen){_HALF}?",
        rf"\b{_HOUR}(?= ?(?:till|until|to|and|-|–) ?(?:half past \w+|{_MINUTES} (?:past|to) \w+"
        rf"|(?P<end>\d{{1,2}})[:.]\d\d|(?P<end2>\d{{1,2}}|{_HOURS}) ?(?:o[’']?clock\b|{_HALF})"
        r"|noon\b|midnight\b))",
        rf"\b{_HOUR}(?:ish)?{_HALF}",
        rf"\b{_HOUR} ?o[’']?clock\b{_HALF}?",
        r"\b(?P<name>noon|midday|midnight)\b",
        rf"\b(?:at|by|around|until|till|before|after|to) {_HOUR}\b(?! ?[%€$£:.,/-]?\d)(?! and a )"
        rf"(?! (?-i:(?!Mon|Tue|Wed|Thu|Fri|Sat|Sun|On|In|For)[A-Z][a-z]))(?! "
        rf"(?:(?!(?:this|is|was)\b)[a-z]+s|people|percent|euro|minute|hour|day|night|week|month|year|more)\b)",
    )
)
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
    end = groups.get("end2")
    if end and hour >= _count(end):
        half = part = ""
    night = part == "night" and 6 <= hour < 12
    if half.startswith("p") or part in ("afternoon", "evening", "tonight") or night:
        return hour % 12 + 12
    if half.startswith("a") or part in ("morning", "night"):
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


def _led(lead: str) -> int:
    """The minutes that the words before an hour add: "twenty past", "a quarter to"."""
    if not lead:
        return 0
    count = re.sub(r"^a |(?: minutes)?(?: past| to)$", "", lead)
    said = {"half": 30, "quarter": 15}.get(count) or _count(count)
    return -said if lead.endswith(" to") else said


def _value(match: re.Match[str], text: str) -> str | None:
    groups = match.groupdict()
    if groups.get("name"):
        return "00:00" if groups["name"].lower() == "midnight" else "12:00"
    minutes = _hour(match, text) * 60 + _count(groups.get("m") or "0")
    minutes += _led((groups.get("lead") or "").lower())
    return (
        f"{minutes // 60:02}:{minutes % 60:02}"
        if 0 <= minutes < 1440 and _count(groups.get("m") or "0") < 60
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
