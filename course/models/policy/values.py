"""Values: a mention in the type, unit and form that a parameter asks for."""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from course.models.policy.dates import find_dates
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, role_stems
from course.models.policy.patterns import regex
from course.models.policy.schemas import matches
from course.models.policy.times import find_times
from course.models.policy.words import NUMBER_WORDS, name_words, stem, tokens, word_list


def shaped(param: Param, mention: Mention, text: str) -> Any:
    """A mention's value in the type that the parameter asks for, None when it can't be."""
    value = mention.value
    if mention.kind in ("number", "amount"):
        value = in_unit(text, param, mention)
    if param.kind in ("weekday", "month", "hour") and mention.kind != "number":
        return _calendar(param, mention)
    if param.type in ("integer", "number"):
        return _figure(param, value)
    if param.kind == "datetime":
        return _moment(param, mention, text)
    if param.kind == "name":
        value = _person(param, str(value))
    if param.kind == "id" and isinstance(value, str):
        value = value.lstrip("#") if not re.search(r"#", param.description) else value
    if param.kind == "time" and (param.schema.get("format") == "time" or _to_the_second(param)):
        seconds = _SECONDS.fullmatch(mention.text)
        value = f"{value}{seconds[1] if seconds else ':00'}"
    if param.type == "string":
        value = _in_form(param, str(value), mention)
    return value


def _in_form(param: Param, value: str, mention: Mention) -> str | None:
    """A value in the form that the parameter's description and its pattern show."""
    if param.kind in ("date", "time"):
        value = _written(param, value)
    if param.kind in ("id", "phone", "words", "reach") and mention.kind != "email":
        value = plain(param, value)
    pattern = param.schema.get("pattern")
    if isinstance(pattern, str) and not matches(pattern, value):
        return next((v for v in (value.upper(), mention.text) if matches(pattern, v)), None)
    return value


def _calendar(param: Param, mention: Mention) -> str | int:
    """The day of the week of a date, the hour of a time, or a month."""
    if param.kind == "hour":
        return int(str(mention.value)[:2])
    if param.kind == "weekday":
        return f"{date.fromisoformat(str(mention.value)):%A}"
    return _month(param, mention)


def _month(param: Param, mention: Mention) -> str:
    """A month as digits, or by its name when the description shows no digits."""
    told = f"{param.description} {param.schema.get('pattern', '')}"
    digits = re.search(r"\d{4}-\d\d|yyyy|\\d", told, re.IGNORECASE)
    if digits or mention.kind == "date":
        return str(mention.value)[:7]
    return mention.text.split()[0]


def _figure(param: Param, value: Any) -> float | int | None:
    if isinstance(value, str):
        digits = re.fullmatch(r"[^\d ]*(\d+)[^\d ]*", value)
        value = int(digits[1]) if digits else None
    if value is None or (param.type == "integer" and float(value) != int(value)):
        return None
    return int(value) if param.type == "integer" else value


def _moment(param: Param, mention: Mention, text: str) -> str | None:
    """A date with the time of day nearest to it; without a time there is no moment."""
    times = [m for m in mentions(text) if m.kind == "time"]
    if not times:
        return None
    nearest = min(times, key=lambda m: min(abs(m.start - mention.end), abs(mention.start - m.end)))
    seconds = "" if re.search(r"hh:mm(?!:ss)", param.description, re.IGNORECASE) else ":00"
    zone = "Z" if re.search(r"\bUTC\b|time ?zone", param.description) else ""
    return _written(param, f"{mention.value}T{nearest.value}{seconds}{zone}")


_SECONDS = regex(r"\d\d?:\d\d(:\d\d)")


def _to_the_second(param: Param) -> bool:
    """Whether a description or a pattern asks for the seconds of a time."""
    pattern = param.schema.get("pattern")
    told = isinstance(pattern, str) and matches(pattern, "12:30:00")
    return told or "HH:MM:SS" in param.description


_FORM = regex(
    r"\b(?:(?:DD|MM|YYYY)[./-]){2}(?:DD|MM|YYYY)(?:[T ]HH:MM(?::SS)?)?\b|\bHH:MM:SS\b",
    re.IGNORECASE,
)
_DAYS, _CLOCKS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y"), ("%H:%M", "%H:%M:%S", "%H:%M:%SZ")
_FORMS = (*_DAYS, *_CLOCKS, *(f"{_DAYS[0]}{gap}{clock}" for gap in "T " for clock in _CLOCKS))
_PARTS = {"DD": "%d", "MM": "%m", "YYYY": "%Y", "HH:MM": "%H:%M", "SS": "%S"}


def _written(param: Param, value: str) -> str:
    """A day or a time in the form that a description or a pattern shows: "DD.MM.YYYY"."""
    told, pattern = _FORM.search(param.description), param.schema.get("pattern")
    try:
        moment = datetime.fromisoformat(value if "-" in value else f"2000-01-01T{value}")
    except ValueError:
        return value
    if told:
        form = re.sub(r"HH:MM|DD|MM|YYYY|SS", lambda m: _PARTS[m[0].upper()], told[0], flags=re.I)
        return moment.strftime(form)
    if isinstance(pattern, str) and not matches(pattern, value):
        fitting = (made for f in _FORMS if matches(pattern, made := moment.strftime(f)))
        return next(fitting, value)
    return value


_WITHOUT = regex(
    r"\bwithout (?:any )?(?P<what>[a-z, ]+)|\bno (?P<what2>spaces|blanks|dashes|hyphens|dots)"
    r"|\b(?P<digits>digits only|only digits|(?:\d+ or )?\d+ digits)\b",
    re.IGNORECASE,
)
_SIGNS_OF = {"blank": " ", "space": " ", "dot": ".", "hyphen": "-", "dash": "-", "slash": "/"}


def plain(param: Param, said: str) -> str:
    """What was said without the signs that a description or a pattern of digits leaves out."""
    pattern = str(param.schema.get("pattern", ""))
    if told := _WITHOUT.search(param.description):
        named = (told["what"] or told["what2"] or "").lower()
        signs = {s for w, s in _SIGNS_OF.items() if w in named}
        signs |= set(" -./()") if told["digits"] else set()
        kept = "".join(c for c in said if c not in signs)
        return kept if not told["digits"] or kept.lstrip("+").isdigit() else said
    if param.kind in ("phone", "reach") and pattern and not matches(pattern, said):
        return re.sub(r"[^\d+]", "", said)
    return said


def _person(param: Param, name: str) -> str:
    shown = re.search(r"\b(?:Dr|Prof)\b", param.description)
    bare = (
        name
        if shown
        else re.sub(r"^(?:Dr|Prof|Mr|Mrs|Ms|Miss|Doctor|Professor)\b\.?\s*", "", name) or name
    )
    low = f"{' '.join(name_words(param.name))} {param.description}".lower()
    if "full name" in low or re.search(
        r"first\b.{0,8}\b(?:last|family)|(?:last|family)\b.{0,8}\bfirst", low
    ):
        return bare
    if re.search(r"\b(?:family|last) ?name|surname", low):
        return bare.split()[-1]
    if re.search(r"\b(?:first|given) name\b", low):
        return bare.split()[0]
    return bare


@lru_cache(maxsize=8_000)
def _after(text: str, end: int) -> tuple[str, ...]:
    """The stems of up to two words after a place, not past a mark."""
    tail = re.split(r"[.,;:?!()]", text[end : end + _NEAR])[0]
    if not re.match(r"[\s-]", tail or "x"):
        return ()
    return tuple(t.stem for t in tokens(tail)[:2])


_NEAR = 60
"""Characters that hold the next two words."""

_MEASURES = frozenset(stem(w) for w in word_list("units.measures"))
_SIGNS = {stem(w): sign for sign, w in (p.split(":") for p in word_list("units.signs"))}
_RATIOS = {(a, b): float(n) for a, b, n in (p.split(":") for p in word_list("units.ratios"))}
"""How many of the second unit the first one has."""


def sign_of(unit: str) -> str:
    """The sign of a unit that is written in full or as a sign, "" of what is none."""
    sign = _SIGNS.get(stem(unit), unit.lower())
    return sign if sign in _SIGNS.values() else ""


@lru_cache(maxsize=4_000)
def signs_in(param: Param) -> frozenset[str]:
    """The signs of the units that a parameter's name and description tell."""
    told = (*name_words(param.name), *(t.text for t in tokens(param.description)))
    return frozenset(sign_of(w) for w in told) - {""}


def converted(value: float, unit: str, param: Param) -> float | None:
    """A number in the parameter's own unit, None when units need no conversion or allow none."""
    own, given = signs_in(param), sign_of(unit)
    if len(own) != 1 or not given or given in own:
        return None
    target = next(iter(own))
    if (given, target) in _RATIOS:
        return round(value * _RATIOS[given, target], 6)
    return value / _RATIOS[target, given] if (target, given) in _RATIOS else None


def is_measure(text: str) -> bool:
    """Whether a text is nothing but a unit, such as "hours"."""
    return all(t.stem in _MEASURES for t in tokens(text))


def spanned(param: Param, text: str, today: date) -> float | None:
    """The nights between two dates, or the hours or minutes between two times, of a text."""
    own = role_stems(param)
    days = find_dates(text, today) if "night" in own else ()
    if len(days) == 2 and days[0].value < days[1].value:
        return (days[1].value - days[0].value).days
    found = find_times(text) if own & {"hour", "minut", "durat"} else ()
    if len(found) != 2:
        return None
    minutes = [60 * int(t.value[:2]) + int(t.value[3:]) for t in found]
    length, whole = minutes[1] - minutes[0], "hour" in own
    if length <= 0 or (whole and length % 60 and param.type == "integer"):
        return None
    return length / 60 if whole and length % 60 else length // (60 if whole else 1)


_FURTHER = regex(
    rf" ?(?P<unit>[a-z]+),? (?:and )?(?P<n>\d+|{'|'.join(NUMBER_WORDS)})\b(?: ?(?P<less>[a-z]+))?",
    re.IGNORECASE,
)


def _in_all(value: float, text: str, end: int) -> tuple[float, str]:
    """A number with what its smaller unit adds, and that unit: "1 h 20 min", "1 m 68"."""
    units, more = _after(text, end), _FURTHER.match(text, end)
    whole = sign_of(more["unit"]) if more else ""
    if more and whole:
        part = sign_of(more["less"] or "") or ("cm" if whole == "m" else "")
        count = int(more["n"]) if more["n"].isdigit() else NUMBER_WORDS[more["n"].lower()]
        if count < (ratio := _RATIOS.get((whole, part), 0)):
            return value * ratio + count, part
    return value, units[0] if units else ""


def in_unit(text: str, param: Param, mention: Mention) -> float | int:
    """The value of a number mention, converted when the text uses another unit."""
    said, unit = _in_all(mention.value, text, mention.end)
    changed = converted(said, unit, param)
    if changed is None and said != mention.value and unit in signs_in(param):
        changed = said
    value = mention.value if changed is None else changed
    return (
        int(value)
        if isinstance(value, float) and value.is_integer() and changed is not None
        else value
    )
