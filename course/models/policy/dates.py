"""Dates in English text, relative to a given day.

Own rules rather than dateparser: that package needs 60 ms to load and 100 ms for its first date,
falls back on the clock of the machine, and finds dates in words such as "may" or "to". The rules
here are few, documented and the same on every machine.

Conventions: "next Tuesday", "this Tuesday" and "Tuesday" are the first Tuesday after the reference
day; "Tuesday next week" counts weeks from Monday; a date without a year is the next such day, or
after "since" the last; numeric dates are day first unless that is impossible; "next week" and
"next month" are their first day. A day of the week beside a day of the month is the next day that
is both; a day before others that hold has its year and month from them.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from course.models.policy.patterns import regex
from course.models.policy.words import NUMBER_WORDS, ORDINALS

REFERENCE = date(2026, 3, 2)  # a Monday; stands in when the conversation names no day

MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name}
MONTHS |= {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
DAYS = {name.lower(): n for n, name in enumerate(calendar.day_name)}
DAYS |= {f"{name}s": n for name, n in DAYS.items()}  # "on Sundays"
DAYS |= {name.lower(): n for n, name in enumerate(calendar.day_abbr)} | {"tues": 1, "thurs": 3}
MONTH = "(" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = "(" + "|".join(sorted(DAYS, key=len, reverse=True)) + r")\b"
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
    month = MONTHS[m[2].lower()]
    day = _day_number(m[1])
    return _safe(int(m[3]), month, day) if m[3] else _coming(today, month, day)


def _month_day(m: re.Match[str], today: date) -> date | None:
    month = MONTHS[m[1].lower()]
    day = _day_number(m[2])
    return _safe(int(m[3]), month, day) if m[3] else _coming(today, month, day)


def _weekday(m: re.Match[str], today: date) -> date:
    wanted = DAYS[m["day"].lower()]
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
    year, month = _month_after(today, months)
    return date(year, month, min(today.day, calendar.monthrange(year, month)[1]))


def _day_named(m: re.Match[str], today: date) -> date | None:
    """The next day that has both a name and a number: "Saturday 28th", "Fri 30"."""
    number = _day_number(m["nth"])
    days = (_safe(*_month_after(today, n), number) for n in range(3))
    coming = [d for d in days if d and d >= today and d.weekday() == DAYS[m["day"].lower()]]
    return coming[0] if coming else _on_the(today, number) if m["th"] or m["the"] else None


def _on_the(today: date, number: int) -> date | None:
    """The next day of the month with a number."""
    this = _safe(today.year, today.month, number)
    return this if this and this >= today else _safe(*_month_after(today, 1), number)


def _in_this_month(m: re.Match[str], today: date) -> date | None:
    months = {"last": -1, "next": 1}.get(m[2].lower(), 0)
    return _safe(*_month_after(today, months), _day_number(m[1]))


def _month_after(today: date, months: int) -> tuple[int, int]:
    """The year and the month so many months after a day."""
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return year, month + 1


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
    return _months_on(today.replace(day=1), 1)  # next month


def _month_end(m: re.Match[str], today: date) -> date:
    """The last day of a month, of this one or of the next one of that name."""
    first = today.replace(day=1)
    if m[2]:
        month = MONTHS[m[2].lower()]
        first = date(int(m[3]) if m[3] else today.year + (month < today.month), month, 1)
    return _months_on(first, 1) - timedelta(days=1)


_FEASTS = {"christmas eve": (12, 24), "christmas day": (12, 25), "boxing day": (12, 26),
           "new years eve": (12, 31), "new years day": (1, 1), "valentines day": (2, 14),
           "halloween": (10, 31)}  # fmt: skip


def _feast(m: re.Match[str], today: date) -> date | None:
    return _coming(today, *_FEASTS[re.sub(r"['’]", "", " ".join(m[0].lower().split()))])


WEEKDAY = rf"(?:{'|'.join(sorted(DAYS, key=len, reverse=True))})\b\.?"
_PARTED = (".", "/")
_OF_MONTHS = tuple(name.lower() for name in calendar.month_abbr if name)
_OF_DAYS = tuple(name.lower() for name in calendar.day_abbr)
_NAMED = ("day", "morrow", "night", "this ")
_FESTIVE = ("christmas", "boxing", "year", "valentine", "halloween")
_RULES: tuple[tuple[tuple[str, ...], re.Pattern[str], Rule], ...] = tuple(
    (hints, regex(pattern, re.IGNORECASE), rule)
    for hints, pattern, rule in (
        (("-",), r"\b(\d{4})-(\d{2})-(\d{2})(?!\d)", _iso),
        (
            _OF_MONTHS,
            rf"(?<![\w-]){_DATE}{_TH}?(?= ?(?:(?:up )?to(?: and including)?|until|till|through|and"
            rf"|-|–) ?(?:{WEEKDAY},? )?(?:the )?(?:\d{{1,2}}|{_SPELT}){_TH}?(?: of)? {MONTH}"
            r"(?:,? (\d{4})\b)?)",
            _day_month,
        ),
        (_OF_MONTHS, rf"\b{_DATE}{_TH}?(?: of)?[ -]{MONTH}(?:[, -] ?(\d{{4}})\b)?", _day_month),
        (_OF_MONTHS, rf"\b{MONTH} (?:the )?{_DATE}{_TH}?\b(?!:)(?:,? (\d{{4}})\b)?", _month_day),
        (_PARTED, r"\b(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})\b", _numeric),
        (_PARTED, r"\b(\d{1,2})[./](\d{1,2})\.(?!\d)()", _numeric),
        (
            _PARTED,
            r"(?<![\w./,-])((?<=on )\d|(?<=by )\d|[123]\d)/(1[0-2]|0?[1-9])(?![\w/.,-]\w)()",
            _numeric,
        ),
        ((" month",), rf"\b{_DATE}{_TH}? of (this|next|last) month\b", _in_this_month),
        (
            (" from ",),
            rf"\b{_COUNT} (days?|weeks?|months?) from (?:today|now)\b",
            lambda m, t: _shift(m, t, 1),
        ),
        (
            _NAMED,
            r"\b(?:(?:the )?day after tomorrow|the day before yesterday|a week (?:tomorrow|today)"
            r"|tomorrow week|today|tonight|this (?:morning|afternoon|evening)|last night|tomorrow"
            r"|yesterday)\b",
            _named,
        ),
        (
            _FESTIVE,
            r"\b(?:christmas (?:eve|day)|boxing day|new year['’]?s (?:eve|day)"
            r"|valentine['’]?s day|halloween)\b",
            _feast,
        ),
        (
            ("end", "last"),
            r"\b(?:end|last day) of (?:the|this) month\b()"
            r"|\b(?:(?:by|until|till|before|than|on)(?: the)? (?:end|last day)|the last) of "
            rf"{MONTH}(?: (\d{{4}})\b)?",
            _month_end,
        ),
        (
            _OF_DAYS,
            rf"\b(?P<day>{_DAY})\.?,? (?P<the>the )?(?P<nth>\d{{1,2}}|{_SPELT})(?P<th>{_TH})?\b"
            r"(?! ?[ap]\.?m\b|[:.]\d| o.clock)",
            _day_named,
        ),
        (
            _OF_DAYS,
            r"\b(?P<on>a week on )?(?P<week2>next week(?: on|,)? )?"
            rf"(?:(?P<which>next|this|coming|last) )?(?P<day>{_DAY})"
            r"(?P<week> (?:of )?next week)?(?P<later> (?:week|fortnight)\b)?",
            _weekday,
        ),
        (
            ("in ",),
            rf"\bin {_COUNT} (days?|weeks?|fortnight|months?|years?)\b",
            lambda m, t: _shift(m, t, 1),
        ),
        (
            (" ago",),
            rf"\b{_COUNT} (days?|weeks?|fortnight|months?|years?) ago\b",
            lambda m, t: _shift(m, t, -1),
        ),
        (
            ("week", "month"),
            r"\b(?:next|this) weekend\b|\b(?:next|this) week\b|\bnext month\b",
            _named,
        ),
        (("the ",), rf"\bthe (\d{{1,2}}){_TH}\b", lambda m, t: _on_the(t, int(m[1]))),
        (
            ("the ",),
            rf"(?:(?<=\bon the )|(?<=\bby the ))({_SPELT})\b"
            r"(?! (?!(?:and|or|at|to|till|until|but|please|instead)\b)[a-z])",
            lambda m, t: _on_the(t, _day_number(m[1])),
        ),
    )
)
"""Texts of which one stands in whatever a rule reads, its pattern, and the rule."""
_HINT = regex(
    r"\d|day|week|fortnight|morrow|month|night|ing\b|noon|eve\b|(?:end|last) of|mon|tue|wed|thu|fri"
    r"|sat|sun|een\b|st\b|th\b|nd\b|rd\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_000)
def _said(text: str) -> tuple[tuple[Rule, re.Match[str]], ...]:
    """What looks like a date, with the rule that reads it, in the order of the rules."""
    low = text.lower()
    told = ((rule, p) for hints, p, rule in _RULES if any(hint in low for hint in hints))
    return tuple((rule, m) for rule, pattern in told for m in pattern.finditer(text))


def _all(text: str, today: date) -> Iterator[Found]:
    for rule, match in _said(text):
        try:
            value = rule(match, today)
        except (ValueError, OverflowError):
            value = None
        if value is not None and not _is_word(match):
            if value > today and _SINCE.search(text, max(0, match.start() - 12), match.start()):
                value = _gone_by(value, match.group())
            yield Found(value, match.start(), match.end())


_SINCE = regex(r"\bsince (?:the )?$", re.IGNORECASE)
_BESIDE_DAYS = regex(
    r"\b(?:on|by|next|this|coming|last|every|each|until|till|from|to|for|or|and|before|after),? $"
)


def _is_word(match: re.Match[str]) -> bool:
    """Whether the short name of a day is an everyday word: "has never sat on", "in the sun"."""
    plain = match.group() in ("sat", "sun", "wed")
    return plain and not _BESIDE_DAYS.search(match.string, 0, match.start())


_OPEN = regex(
    r"\d{4}|next|this|last|coming|week|morrow|day after|from|\bin\b|end|ago|tonight", re.IGNORECASE
)


def earlier(day: date, said: str, today: date) -> date | None:
    """The day before a coming one that was called the same, if its words leave open which."""
    named = re.search(rf"\b{_DAY}", said, re.IGNORECASE) and re.search(r"\d", said)
    if day <= today or _OPEN.search(said) or (named and not re.search(MONTH, said, re.I)):
        return None
    return _gone_by(day, said)


def _gone_by(day: date, said: str) -> date:
    """The day before a coming one that is called the same: what something holds "since"."""
    if re.search(r"\d{4}", said):
        return day
    if re.search(rf"\b{_DAY}", said, re.IGNORECASE) and not re.search(r"\d", said):
        return day - timedelta(days=7)
    return _months_on(day, -12 if re.search(rf"\b{MONTH}", said, re.IGNORECASE) else -1)


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
    named = [*_with_weekdays(text, sorted(kept, key=lambda f: f.start))]
    return tuple(_in_their_year(text, _in_their_month(text, named)))


_BARE = regex(rf"(?:the )?(\d{{1,2}}){_TH}?", re.IGNORECASE)
_SAME_MONTH = regex(r"\s*of (?:this|the same|that) month\b", re.IGNORECASE)
_NEAR = 60
"""Characters between days that are of one month."""


def _in_their_month(text: str, found: list[Found]) -> Iterator[Found]:
    """The dates; days that have no month of their own in that of the date beside them."""
    said = [text[f.start : f.end] for f in found]
    whole = [f for f, s in zip(found, said, strict=True)
             if not _BARE.fullmatch(s) and re.search(r"[A-Za-z]{3}", s)]  # fmt: skip
    for here, words in zip(found, said, strict=True):
        bare = _BARE.fullmatch(words)
        near = [w for w in whole if w.start - here.end < _NEAR and here.start - w.end < _NEAR]
        day = int(bare[1]) if bare else 0
        before = [w for w in near if w.start < here.start and w.value.day < day]
        same = before or _SAME_MONTH.match(text, here.end) or (near and near[0].start > here.start)
        month = (before or near)[0].value if day and near and same else here.value
        yield here._replace(
            value=(_safe(month.year, month.month, day) if day else None) or here.value
        )


_ON_TO = regex(r" ?(?:to|until|till|and|or|through|-|–) ?")


def _in_their_year(text: str, found: Iterable[Found]) -> Iterator[Found]:
    """The dates; a day before a day with its year in that year: "from 3 April to 6 April 2026"."""
    dates = [*found]
    for here, after in zip_longest(dates, dates[1:]):
        value = here.value
        if after and _ON_TO.fullmatch(text, here.end, after.start):
            told = [re.search(r"\b(?:19|20)\d\d\b", text[f.start : f.end]) for f in (here, after)]
            moved = _safe(after.value.year, value.month, value.day)
            if told[1] and not told[0] and moved and moved <= after.value:
                value = moved
        yield here._replace(value=value)


_NAMES = "|".join(calendar.month_name[1:])
_LEADS = "|".join(
    rf"(?<=\b{w} )" for w in "in of for from since until till after before by through".split()
)
_MONTH_ONLY = regex(
    rf"(?:{_LEADS})(?P<m>{_NAMES}|{_NAMES.lower()})\b"
    r"(?: (?P<y>\d{4})| (?:of )?(?P<rel>last|this|next) year\b)?(?! \d)"
    rf"|(?<![\w-] )(?P<opens>{_NAMES})(?= (?:is|was|will)\b| (?:to|till|until|through) )"
    rf"|\b(?P<own>{_NAMES})['’]?s\b"
    rf"|\b(?P<dated>{_NAMES}),? (?P<y2>(?:19|20)\d\d)\b"
    r"|\b(?i:(?P<which>last|past|this|next) month)\b"
)


@lru_cache(maxsize=4_000)
def find_months(text: str, today: date = REFERENCE) -> tuple[Found, ...]:
    """The months that a text names without a day, by their first day; without a year the nearest,
    past or coming."""
    found: list[Found] = []
    low = text.lower()
    if not any(hint in low for hint in (" month", *_OF_MONTHS)):
        return ()
    for m in _MONTH_ONLY.finditer(text):
        with suppress(ValueError):  # before the first year, or after the last
            found.append(Found(_month_said(m, today), *m.span()))
    return tuple(found)


_STEPS = {"last": -1, "past": -1, "this": 0, "next": 1}


def _month_said(m: re.Match[str], today: date) -> date:
    if m["which"]:
        return _months_on(today.replace(day=1), _STEPS[m["which"].lower()])
    month = MONTHS[(m["m"] or m["own"] or m["dated"] or m["opens"]).lower()]
    if told := m["y"] or m["y2"]:
        return date(int(told), month, 1)
    if m["rel"]:
        return date(today.year + _STEPS[m["rel"]], month, 1)
    return _months_on(today.replace(day=1), (month - today.month + 6) % 12 - 6)


_ENDS = regex(r"\b(?:from|since|until) $", re.IGNORECASE)
_SPAN = regex(
    r"\b(?:(?P<which>last|this|next|past) (?P<unit>week|year)"
    rf"|(?:last|past|previous) (?P<n>{_COUNT[1:-1]}) (?P<many>days|weeks|months|years))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1_000)
def find_spans(text: str, today: date = REFERENCE) -> tuple[tuple[date, date, int, int], ...]:
    """The months, weeks and years that a text names as a whole ("in January", "last week", "the
    past two weeks"): first and last day, and where it stands."""
    found = []
    for month in find_months(text, today):
        if not _ENDS.search(text, 0, month.start):
            size = calendar.monthrange(month.value.year, month.value.month)[1]
            found.append((month.value, month.value.replace(day=size), month.start, month.end))
    for m in _SPAN.finditer(text):
        if not any(m.start() < end for *_, end in found):
            with suppress(ValueError, OverflowError):  # before the first year, or after the last
                found.append((*_span_said(m, today), *m.span()))
    return tuple(found)


def _span_said(m: re.Match[str], today: date) -> tuple[date, date]:
    """The first and the last day of a week, a year, or some that are past."""
    if m["n"]:
        back = {"d": 1, "w": 7}.get(m["many"][0].lower(), 0) * _count(m["n"])
        months = {"m": 1, "y": 12}.get(m["many"][0].lower(), 0) * _count(m["n"])
        return _months_on(today, -months) - timedelta(days=back), today
    step = _STEPS[m["which"].lower()]
    if m["unit"].lower() == "week":
        first = today + timedelta(days=7 * step - today.weekday())
        return first, first + timedelta(days=6)
    return date(today.year + step, 1, 1), date(today.year + step, 12, 31)


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
        text[day.start : day.end].lower() in {*DAYS, "yesterday", "today", "tomorrow"}
        and text[dated.start : dated.end].lower() not in DAYS
        and re.fullmatch(r",? (?:the )?", text[day.end : dated.start]) is not None
    )
