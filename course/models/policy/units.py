"""Units: the nouns after numbers, which say what is counted or measured."""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.mentions import Mention
from course.models.policy.params import Param, near, role_stems
from course.models.policy.words import stem, tokens

_QUANTITY = frozenset(
    stem(w)
    for w in "quantity count qty number amount copies copy seats tickets pieces units people "
    "guests persons party size adults nights".split()
)


@lru_cache(maxsize=8_000)
def _after(text: str, end: int) -> tuple[str, ...]:
    """The stems of up to two words after a place, not past a mark."""
    tail = re.split(r"[.,;:?!()]", text[end:])[0]
    if not re.match(r"[\s-]", tail or "x"):
        return ()
    return tuple(t.stem for t in tokens(tail)[:2])


def unit_cue(text: str, param: Param, mention: Mention) -> float:
    """The noun after a number: "3 people" speaks for `people`, and against `nights`."""
    units = _after(text, mention.end)
    if not units:
        return 0.0
    best = max(near(param, u) * (1.2 if n == 0 else 0.8) for n, u in enumerate(units))
    if param.stems & _QUANTITY or role_stems(param) & _QUANTITY:
        best = max(best, 1.0 if units[0] not in _MEASURES else 0.0)
    if units[0] in _MEASURES and not best and not converted(1, units[0], param):
        return -2.5
    return best + (1.5 if converted(1, units[0], param) else 0.0)


_MEASURES = frozenset(
    stem(w)
    for w in "minute hour day week month year night km kilometre gram kg kilo litre percent "
    "metre cm".split()
)
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
