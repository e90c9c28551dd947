"""Mentions: the values that stand in a text, found by their form alone.

A mention knows what kind of thing it looks like (a date, an amount, a name, a reference, ...) and
where it stands; which parameter it belongs to is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.dates import REFERENCE, find_dates, find_months
from course.models.policy.lexicon import synonyms
from course.models.policy.times import find_times
from course.models.policy.verbs import EITHER, VERBS, action_of
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem

CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "euro": "EUR", "euros": "EUR"}
CURRENCIES |= {"dollar": "USD", "dollars": "USD", "pound": "GBP", "pounds": "GBP", "yen": "JPY"}
_CODES = "EUR|USD|GBP|JPY|CHF|SEK|NOK|DKK|CAD|AUD|PLN|CZK"
_FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SPELLED = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_CALENDAR = cue("mentions.calendar")
TITLES = r"(?:Dr|Prof|Mr|Mrs|Ms|Miss|Doctor|Professor)\b\.?"
_NAME_WORD = (
    rf"(?<![^\W\d_])(?!(?:{_CODES})\b)" + r"[A-ZÀ-ÖØ-Þ][^\W\d_]*(?:[-'’][A-Za-zÀ-ÿ][^\W\d_]+)*"
)
_INITIALS = r"(?:[A-Z]\.[ ]?)*"
_NAME = re.compile(
    rf"(?:{TITLES} )?{_INITIALS}{_NAME_WORD}"
    rf"(?: (?:(?:van|von|de|der|den|of the|of) )*{_INITIALS}{_NAME_WORD})*"
)
STREETS = (
    "Street|St|Road|Rd|Lane|Avenue|Ave|Square|Drive|Way|Court|Place|Park|Row|Close|Terrace"
    "|Boulevard|Gardens|Hill|Quay"
)
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "quoted",
        re.compile(r'"([^"\n]{1,300})"|“([^”\n]{1,300})”|(?<!\w)[\'‘]([^\'’\n]{2,200})[\'’](?!\w)'),
    ),
    ("email", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("file", re.compile(r"\b[\w-]+\.(?:pdf|docx?|txt|csv|png|jpe?g|md|xlsx?|json|html?)\b")),
    ("url", re.compile(r"https?://[^\s,;)\"']+[^\s,;)\"'.?!]")),
    ("address", re.compile(rf"\b\d{{1,4}}[a-z]? (?:[A-Z][\w'’-]+ )+(?:{STREETS})\b")),
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
)
_LATE_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "amount",
        re.compile(
            rf"(?P<s>[€$£¥]) ?(?P<a>{_FIGURE})|(?P<a2>{_FIGURE}) ?(?P<s2>[€$£¥]|(?:euros?"
            rf"|dollars?|pounds?"
            rf"|yen|{_CODES})\b)|\b(?P<s3>{_CODES}) (?P<a3>{_FIGURE})"
        ),
    ),
    (
        "phone",
        re.compile(
            r"(?<![\w-])(?:\+\d{1,3}[ /-]?)?(?:\(?\d{2,5}\)?[ /-])\d{2,4}"
            r"(?:[ -]?\d{2,5}){1,3}(?!\w)|\+\d{8,14}\b"
        ),
    ),
    ("id", re.compile(r"\b[A-Z]{1,3}-[A-Z]{1,2} ?\d{1,4}\b")),
    (
        "id",
        re.compile(
            r"\b[A-Z]{1,6}(?:[-_/][A-Z0-9]{1,8})*[-_/]?\d{1,10}(?:[-/][A-Z0-9]{1,10})*\b"
            r"|#[A-Za-z]*-?\d+\b|\b[a-z]{1,6}[-_]\d{1,10}\b"
        ),
    ),
    ("currency", re.compile(rf"\b(?:{_CODES}|[Ee]uros?|[Dd]ollars?|[Pp]ounds?|[Yy]en)\b")),
    (
        "number",
        re.compile(
            r"\bhalf an?(?= (?:hour|year|day|dozen)\b)|(?:(?<=for )|(?<=by )|(?<=in ))(?:an?"
            r"|another)(?= (?:hour|week|month|year|day)\b)",
            re.IGNORECASE,
        ),
    ),
    ("number", re.compile(r"\b(?P<n>[a-z]+|\d+) dozen\b", re.IGNORECASE)),
    (
        "number",
        re.compile(
            rf"(?<![\w.,-])-?(?:{_FIGURE})(?![\w]|[.,:]\d)|(?<![\w-])(?:{_SPELLED})(?![\w])(?!-)",
            re.IGNORECASE,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in a text: its kind, the value, where it stands, and the word before a run."""

    kind: str
    value: Any
    start: int
    end: int
    text: str = ""
    lead: str = ""  # for a "run": the preposition before it
    unit: str = ""  # currency of an amount

    def overlaps(self, other: Mention) -> bool:
        """Whether both claim a common piece of the text."""
        return self.start < other.end and other.start < self.end


_LONGEST_FIGURE = 40
"""Characters: a longer row of digits is no number that anybody means."""
_ARTICLES = {"half": 0.5, "a": 1, "an": 1, "another": 1}


def _number(text: str) -> float | int:
    plain = text.replace(",", "").lower()
    if plain in NUMBER_WORDS:
        return NUMBER_WORDS[plain]
    return float(plain) if "." in plain else int(plain)


def _dozens(text: str) -> int:
    count = text.split()[0].lower()
    return 12 * (int(count) if count.isdigit() else NUMBER_WORDS.get(count, 1))


def _formed(kind: str, match: re.Match[str]) -> Mention:
    text, value, unit = match.group(), match.group(), ""
    out: Any = value
    if kind == "currency":
        out = CURRENCIES.get(text.lower(), text.upper())
    elif kind == "quoted":
        out = next(g for g in match.groups() if g)
    elif kind == "amount":
        out = _number(next(match[g] for g in ("a", "a2", "a3") if match[g]))
        sign = next(match[g] for g in ("s", "s2", "s3") if match[g])
        unit = CURRENCIES.get(sign.lower(), sign)
    elif kind == "number" and text.lower().endswith(" dozen"):
        out = _dozens(text)
    elif kind == "number":
        out = _ARTICLES.get(text.lower().split()[0]) or _number(text)
    start, end = (
        match.span()
        if kind != "amount"
        else match.span(next(g for g in ("a", "a2", "a3") if match[g]))
    )
    return Mention(kind, out, start, end, text, unit=unit)


def _currency_of(match: re.Match[str]) -> Mention:
    """The currency beside an amount, as a mention of its own."""
    group = next(g for g in ("s", "s2", "s3") if match[g])
    sign = match[group]
    return Mention("currency", CURRENCIES.get(sign.lower(), sign), *match.span(group), sign)


def _moments(text: str, today: date) -> Iterator[Mention]:
    for day in find_dates(text, today):
        said = text[day.start : day.end]
        if len(said) == 3 and said.isalpha() and re.match(r" [^\W\d_a-z]", text[day.end :]):
            continue  # "Thu Ha" is a name
        yield Mention("date", day.value.isoformat(), day.start, day.end, text[day.start : day.end])
    for month in find_months(text, today):
        place = (month.start, month.end)
        yield Mention("month", month.value.isoformat()[:7], *place, text[slice(*place)])
    for time in find_times(text):
        yield Mention("time", time.value, time.start, time.end, text[time.start : time.end])
    for match in re.finditer(r"\d{4}-\d\d-\d\d[T ](\d\d:\d\d)(?::\d\d)?", text):
        yield Mention("time", match[1], match.start(1), match.end(), match[1])


def _is_name_word(word: str, opens: bool) -> bool:
    """Capitalised words that are no names: calendar words, and known words at a sentence start."""
    if _CALENDAR.fullmatch(word) or word in ("I", "I'm", "I'd", "I'll", "I've", "OK"):
        return False
    low = word.lower()
    known = low in STOP_WORDS or low in EITHER or low in _COMMON or stem(low) in VERBS
    known = known or bool(synonyms(stem(low)))
    return not (opens and (known or action_of(low)))


_COMMON = frozenset(word_list("mentions.common"))


def _names(text: str) -> Iterator[Mention]:
    for match in _NAME.finditer(text):
        start, end = match.span()
        while start < end:
            word = re.match(r"\S+", text[start:end])
            before = text[max(0, start - 40) : start].rstrip()
            opens = not before or before[-1] in '.!?:;\n"“'
            if not word or _is_name_word(word.group().rstrip("."), opens):
                break
            start = min(end, start + word.end() + 1)
        bare = re.sub(r"['’]s?$", "", text[start:end])
        if bare and not _CALENDAR.search(bare):
            yield Mention("name", bare, start, start + len(bare), bare)


def _keep(kept: list[Mention], taken: bytearray, found: Iterator[Mention]) -> None:
    """Keep what lies upon nothing that is kept; `taken` marks the characters that are."""
    for mention in found:
        if not any(taken[mention.start : mention.end]):
            kept.append(mention)
            taken[mention.start : mention.end] = b"x" * (mention.end - mention.start)


_ENDLESS = re.compile(r"\S{200,}")
"""What is so long without a blank is no value of anything, and takes the forms seconds to read."""


@lru_cache(maxsize=4_000)
def mentions(text: str, today: date = REFERENCE) -> tuple[Mention, ...]:
    """The mentions in a text in order of place; of overlapping readings the more special counts."""
    text = _ENDLESS.sub(lambda run: " " * len(run.group()), text)
    kept: list[Mention] = []
    taken = bytearray(len(text))
    for kind, pattern in _FORMS:
        _keep(kept, taken, (_formed(kind, m) for m in pattern.finditer(text)))
    quoted = [m for m in kept if m.kind == "quoted"]
    rest = [m for m in kept if m.kind != "quoted"]
    taken = bytearray(len(text))
    for each in rest:
        taken[each.start : each.end] = b"x" * (each.end - each.start)
    _keep(rest, taken, _moments(text, today))
    for kind, pattern in _LATE_FORMS:
        found = [
            m for m in pattern.finditer(text) if len(m.group()) <= _LONGEST_FIGURE or kind == "id"
        ]
        _keep(rest, taken, (_formed(kind, m) for m in found))
        if kind == "amount":
            _keep(rest, taken, (_currency_of(m) for m in found))
    # A quoted title may hold a date or a number; both readings stay, and the claim decides.
    rest = [
        m
        for m in rest
        if m.text.lower() != "one" or not _PRONOUN.search(text[max(0, m.start - 40) : m.start])
    ]
    taken = bytearray(len(text))
    for each in rest:
        taken[each.start : each.end] = b"x" * (each.end - each.start)
    names = [m for m in _names(text) if not any(taken[m.start : m.end])]
    return tuple(sorted([*quoted, *rest, *names], key=lambda m: (m.start, m.end)))


_PRONOUN = cue("mentions.pronoun")
