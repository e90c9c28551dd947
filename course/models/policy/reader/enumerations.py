"""Enumerations: the things that a text lists, by the form of the list.

A thing is counted ("24 white hydrangeas", "a saw"), stands in a row behind the word of its list
("allergic to nuts and latex", "Guests: Ada Moss, Tom Reed"), or under it, a line each. Days are
enumerated by a week without some of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from course.models.policy.dates import find_dates, find_spans
from course.models.policy.lexicon import synonyms
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import Word, formed, negated, words
from course.models.policy.reader.fields import own_stems
from course.models.policy.reader.slots import Slot
from course.models.policy.values import is_measure
from course.models.policy.words import STOP_WORDS, cue, name_words, word_list

_JOINT = regex(r"[;\n]|,(?!\d)|\band\b|\bplus\b|(?P<stop>(?<=\w)[.!?](?=\s|$))")


def pieces(text: str) -> Iterator[tuple[int, int, bool]]:
    """The pieces of an enumeration, each with whether a sentence ends there."""
    start = 0
    for found in [*_JOINT.finditer(text), None]:
        yield start, found.start() if found else len(text), bool(found and found["stop"])
        start = found.end() if found else start


# ---- counted things


class Counted(NamedTuple):
    """A thing that a text counts, without its unit of measure, and where both stand."""

    number: float
    thing: str
    start: int
    end: int
    at: int


_COUNT = regex(
    r"(?<![\w.,/:+#-])(?:(?P<n>\d+(?:[.,]\d+)?)(?: ?[x×](?= ))?|(?P<a>an?))[ ]"
    r"(?:(?P<unit>[^\W\d_]+)\.? of )?(?:(?:the|your|those|our) )?(?P<thing>[^\W\d_].*)$",
    re.IGNORECASE | re.DOTALL,
)
_KNOWN_ENDS = frozenset(word_list("runs.breaks"))


def counted(piece: str, *, article: bool) -> Counted | None:
    """The thing that a piece of an enumeration counts; where `article` says so, "a saw" is one."""
    begun = (_COUNT.match(piece, m.start()) for m in _STARTS.finditer(piece))
    found = next((m for m in begun if m and (m["n"] or article)), None)
    if found is None:
        return None
    unit, at = found["unit"], found.start("thing")
    if unit and not is_measure(unit):
        at = found.start("unit")
    end = _noun(piece, at)
    thing = piece[at:end]
    if not thing or is_measure(thing):
        return None
    number = float(found["n"].replace(",", ".")) if found["n"] else 1
    return Counted(number, thing, found.start(), end, at)


_STARTS = regex(r"(?<![\w.,/:+#-])(?:\d|an? )", re.IGNORECASE)


def _noun(text: str, start: int) -> int:
    """Where the noun that begins there ends: before a mark, a small word or a figure."""
    end, last = start, start
    for word in words(text[start:]):
        a, b = start + word.start, start + word.end
        between = text[last:a]
        joins = word.text in ("of", "with") and end > start
        if not re.fullmatch(r"[ '’-]?", between) or (word.text in _KNOWN_ENDS and not joins):
            break
        if word.text[0].isdigit() or (word.text in STOP_WORDS and not joins):
            break
        last = b
        if not joins:
            end = b
    return end


# ---- rows behind their word

_LINK = cue("enumerations.link")
_ITEM_LEAD = cue("enumerations.lead")
_NEXT = regex(r"\s*(?:,\s*(?:and|or|nor)?|;|&|\band\b|\bor\b|\bnor\b|\bas well as\b|\bplus\b)\s*")


def behind(slot: Slot, text: str) -> list[tuple[int, int]]:
    """The things in the row behind the word of a list, where they stand: none where no word of the
    list's name has a row."""
    best: list[tuple[int, int]] = []
    for word in (w for w in words(text) if _speaks_of(slot, w)):
        link = _LINK.match(text, word.end)
        lines = _LINES.match(text, word.end)
        row = [m.span("item") for m in _ITEM.finditer(lines[0])] if lines else []
        row = [(lines.start() + a, lines.start() + b) for a, b in row] if lines else (
            list(_row(text, link.end())) if link else [])  # fmt: skip
        told = len(row) > 1 or lines or (link is not None and bool(link.group().strip()))
        if told and len(row) > len(best) and not negated(text, word.start, word.end):
            best = row
    return best


def denied(slot: Slot, text: str) -> bool:
    """Whether a text speaks of a list and always says that there is nothing in it."""
    said = [w for w in words(text) if _speaks_of(slot, w)]
    return bool(said) and all(
        negated(text, w.start, w.end) or _NOTHING.match(text, w.end) for w in said
    )


_NOTHING = regex(
    r"(?: is| are)?[ \t]*[:=–-]?[ \t]*(?:none|nothing|nil|no|n/a)\b(?! \w)", re.IGNORECASE
)


@lru_cache(maxsize=8_000)
def _speaks_of(slot: Slot, word: Word) -> bool:
    names = [n for n in name_words(slot.name) if n not in STOP_WORDS and len(n) > 2]
    own = own_stems(slot)
    return (
        word.stem in own
        or any(formed(n, word.text, word.stem) for n in names)
        or (word.text not in STOP_WORDS and bool(synonyms(word.stem) & own))
    )


_LINES = regex(r"[^\n:]{0,30}:[ \t]*(?:\n[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]*\S[^\n]*)+")
_ITEM = regex(r"\n[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]*(?P<item>\S[^\n]*?)[ \t.;,]*(?=\n|$)")


def _row(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The things side by side from there on."""
    while True:
        lead = _ITEM_LEAD.match(text, start)
        begin = lead.end() if lead else start
        end = _noun(text, begin)
        if end == begin:
            return
        yield begin, end
        joint = _NEXT.match(text, end)
        if joint is None:
            return
        start = joint.end()


# ---- figures and days

_EACH = cue("enumerations.each")


def told_apart(text: str) -> list[tuple[int, int]]:
    """Where the figures of a list stand that are told apart: "one with 14, the other with 10"."""
    found = [m.span("n") for m in _EACH.finditer(text)]
    return found if len(found) > 1 else []


_BUT = cue("enumerations.but")
_WORKING = regex(
    r"\b(?:working|week|business) ?days?\b|\bmon(?:day)? ?(?:to|-|–) ?fri(?:day)?\b", re.I
)
_LEAVES_OUT = frozenset(word_list("enumerations.leaves_out"))
_MOST = 31


def days(slot: Slot, text: str, today: date) -> list[str]:
    """The days that a text gives as a time without some of them ("any day next week except
    Monday"), or of a list for what is left out those; none where it names none so."""
    spans = find_spans(text, today)
    whole = {place for *_, a, b in spans for place in range(a, b)}
    named = [d for d in find_dates(text, today) if d.start not in whole]
    out = {d.value for d in named if _BUT.search(text[max(0, d.start - 40) : d.start])}
    if not {*name_words(slot.name)}.isdisjoint(_LEAVES_OUT):
        return [d.isoformat() for d in sorted(out)]
    if len(spans) != 1 or len(out) < len(named):
        return []
    first, last, *_ = spans[0]
    working = _WORKING.search(f"{slot.param.description} {text}")
    every = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    barred = {d.weekday() for d in out if not first <= d <= last}
    left = [d for d in every if d not in out and d.weekday() not in barred]
    kept = [d for d in left if not (working and d.weekday() > _FRIDAY)]
    return [d.isoformat() for d in kept] if len(kept) <= _MOST else []


_FRIDAY = 4
