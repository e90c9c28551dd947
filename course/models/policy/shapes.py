"""Shapes: values recognised because they look like a schema's pattern or its example.

A description that says "e.g. HH-AB 123" describes a shape: letters, a hyphen, letters, a blank,
digits. Whatever in a text has that shape is taken for such a value.
"""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.cues import BASE, BIRTH, PLACES
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, role_stems
from course.models.policy.wordlists import cue
from course.models.policy.words import stem

_EXAMPLE = cue("shapes.example", 0)
_RISKY = re.compile(r"[+*}]\)[+*{]|\\\d")
_LONGEST = 4_000
_TELLING = {"date": 0.5, "time": 0.4, "email": 0.5, "phone": 0.5, "amount": 0.4, "url": 0.4}


def _class_of(match: re.Match[str]) -> str:
    text = match.group()
    if text.isdigit():
        return r"\d+"
    if not text.isalpha():
        return re.escape(text)
    return r"[A-Z]{1,6}" if text.isupper() else r"[A-Za-z]{1,12}"


@lru_cache(maxsize=1_000)
def _shape(example: str) -> re.Pattern[str] | None:
    """The shape of an example with digits: runs of letters and digits of any length."""
    example = example.rstrip(".,;)")
    if not re.search(r"\d", example) or example.isdigit():
        return None
    body = re.sub(r"[A-Za-z]+|\d+|.", _class_of, example)
    return re.compile(rf"(?<![\w-]){body}(?![\w-])")


@lru_cache(maxsize=1_000)
def _pattern(text: str) -> re.Pattern[str] | None:
    """A schema's pattern as something to search for; None when it is unreadable or risky."""
    body = text.removeprefix("^").removesuffix("$")
    if len(text) > 120 or _RISKY.search(text) or not re.search(r"\\d|\d|\[", body):
        return None
    try:
        return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])")
    except re.error:
        return None


def _patterns(param: Param) -> list[re.Pattern[str]]:
    if param.type != "string":
        return []
    declared = param.schema.get("pattern")
    if isinstance(declared, str):
        found = _pattern(declared)
        return [found] if found else []
    shaped = (_shape(m.group(1)) for m in _EXAMPLE.finditer(param.description))
    return [s for s in shaped if s]


def shapes(text: str, wanted: list[Param]) -> list[Mention]:
    """Mentions found by the shape of one parameter, whose name they carry in `unit`."""
    return [
        Mention("id", m.group(), m.start(), m.end(), m.group(), unit=p.name)
        for p in wanted
        if p.kind == "id"
        for pattern in _patterns(p)
        for m in pattern.finditer(text[:_LONGEST])
        if m.group()
    ]


_JOURNEY = cue("shapes.journey", 0)


def _has_ends(wanted: list[Param]) -> bool:
    """Whether the parameters hold a place to start from and a place to go to."""
    stems = [role_stems(p) for p in wanted if p.kind in ("words", "query", "name")]
    return any(s & _STARTS for s in stems) and any(s & _ENDS for s in stems)


_STARTS = frozenset(stem(w) for w in "from origin source departure pickup start".split())
_ENDS = frozenset(stem(w) for w in "to destination arrival dropoff target end".split())


def fit(wanted: tuple[Param, ...], action: str | None, text: str) -> float:
    """A small bonus for a tool that has a place for what a text mentions: its dates, times,
    addresses, amounts, and ids of the right shape. `wanted` are the tool's parameters, `action`
    is what it does."""
    kinds = {m.kind for m in mentions(text)}
    score = 0.0
    # A date of birth is no place for any other date.
    room = [BASE.get(p.kind, {}) for p in wanted if not role_stems(p) & BIRTH]
    for kind, worth in _TELLING.items():
        score += worth if kind in kinds and any(kind in r for r in room) else 0.0
    needed = [p for p in wanted if p.required]
    score += 0.3 if "number" in kinds and any(p.kind == "number" for p in needed) else 0.0
    score += 0.4 if text.count(",") and any(p.kind == "array" for p in needed) else 0.0
    score += 1.2 if _JOURNEY.search(text) and _has_ends(needed) else 0.0
    score += 1.0 if _ANY_WEEK.search(text) and any(map(_by_weekday, wanted)) else 0.0
    return (
        score
        + (0.8 if shapes(text, needed) else 0.0)
        + (_room(text, wanted, kinds) if action == "find" else 0.0)
    )


def _by_weekday(param: Param) -> bool:
    options = param.schema.get("enum")
    return param.kind == "weekday" or (isinstance(options, list) and "Monday" in options)


# "On Tuesdays" and "on a Tuesday" mean every week and no date.
_ANY_WEEK = cue("shapes.any_week")
_NAMING = ("name", "query", "words", "prose", "id", "intid", "enum")
_PLACED = re.compile(r"\b(?:in|near|around) (?=[A-Z])")


def _room(text: str, wanted: tuple[Param, ...], kinds: set[str]) -> float:
    """What speaks for or against a tool that looks things up: whether it has a place for a town
    or a person that a text names."""
    score = 0.5 if _PLACED.search(text) and any(role_stems(p) & PLACES for p in wanted) else 0.0
    if "name" in kinds and any(p.required and p.kind == "name" for p in wanted):
        score += 0.5
    if "name" in kinds and not any(p.kind in _NAMING for p in wanted):
        score -= 0.6
    return score
