"""Units: the nouns after numbers, which say what is counted or measured."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from course.models.policy.dates import find_dates
from course.models.policy.mentions import Mention
from course.models.policy.params import Param, role_stems
from course.models.policy.times import find_times
from course.models.policy.wordlists import word_list
from course.models.policy.words import stem, tokens


@lru_cache(maxsize=8_000)
def _after(text: str, end: int) -> tuple[str, ...]:
    """The stems of up to two words after a place, not past a mark."""
    tail = re.split(r"[.,;:?!()]", text[end:])[0]
    if not re.match(r"[\s-]", tail or "x"):
        return ()
    return tuple(t.stem for t in tokens(tail)[:2])


_MEASURES = frozenset(stem(w) for w in word_list("units.measures"))
_CONVERSIONS = {
    ("week", "day"): 7,
    ("hour", "minut"): 60,
    ("day", "hour"): 24,
    ("year", "month"): 12,
    ("month", "day"): 30,
    ("kilo", "gram"): 1000,
    ("kg", "gram"): 1000,
    ("week", "night"): 7,
}


def converted(value: float, unit: str, param: Param) -> float | None:
    """A number in the parameter's own unit, None when units need no conversion or allow none."""
    wanted = role_stems(param) | param.about
    if unit in role_stems(param):
        return None
    for (given, target), factor in _CONVERSIONS.items():
        if stem(given) == unit and target in {*wanted, *(w.rstrip("s") for w in wanted)}:
            return value * factor
    return None


def is_measure(text: str) -> bool:
    """Whether a text is nothing but a unit, such as "hours"."""
    return all(t.stem in _MEASURES for t in tokens(text))


def spanned(param: Param, text: str, today: date) -> int | None:
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
    return length // (60 if whole else 1) if length > 0 and not (whole and length % 60) else None


def in_unit(text: str, param: Param, mention: Mention) -> float | int:
    """The value of a number mention, converted when the text uses another unit."""
    units = _after(text, mention.end)
    changed = converted(mention.value, units[0], param) if units else None
    value = mention.value if changed is None else changed
    return (
        int(value)
        if isinstance(value, float) and value.is_integer() and changed is not None
        else value
    )
