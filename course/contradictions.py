"""Contradictions: what two results say differently of the same thing.

A model that merges results tends to pick one and say nothing, so rules compare them first. What a
figure is of is told by the words before it, a verb that measures ("costs") and its unit; dates,
times, and what is affirmed or denied are read by `course.statements`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from course.statements import Day, in_digits, statements

SAME = 0.005
"""Share by which two figures may differ and still be the same one, rounded differently."""

SHORTEST_NAME, LONGEST_NAME = 3, 90
"""Letters before a figure that are taken for what it is a figure of."""

_FIGURE = re.compile(
    r"(?:\b(?P<verb>is|was|are|were|be|of|at|to|costs?|sells for|sold for|reached|totals?|has|had"
    r"|have|by|amounts? to|comes? to|weigh(?:s|ed)?|holds?|held|takes?|took|lasts?|lasted"
    r"|employ(?:s|ed)?|pays?|paid|makes? up|made up)\b|:|=)"
    r"(?!\s*(?:19|20)\d\d(?:[,:]|\s(?:is|was|are|were|had|has)\b))"  # "revenue of 2025 was"
    r"\s*(?:about |around |approximately |roughly |only |just )?"
    r"(?P<sign>[€$£]?)\s?(?P<number>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s?"
    r"(?P<unit>%|percent|(?:thousand|million|billion|bn|m|k)\b)?\s?"
    r"(?P<of>EUR|USD|GBP|CHF|euros?|dollars?|pounds?|minutes?|days?|weeks?|months?|years?|hours?"
    r"|people|employees|units|tonnes?|kg|g|mg|mmol/l|mg/dl)?(?!\w|/\s?\d|:\d|\s?[ap]\.?m\b)",
    re.IGNORECASE,
)
_PER = re.compile(r"(?:\s?/\s?|\s(?:per|an?|each|every)\s)(second|minute|hour|day|night|week|month"
                  r"|quarter|year|person|head|piece|unit|kg|km)\b")  # fmt: skip
_END = re.compile(r"(?<!\s)\s+\Z")
_PAUSE = re.compile(r"[.;:!?\n]")
_SOURCE = re.compile(r"^(?:according to|as per|per|by) [^,]*,\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|its|their|a|an|and|that)\s+", re.IGNORECASE)
_SCALE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_UNITS = {
    "€": "eur", "euro": "eur", "$": "usd", "dollar": "usd", "£": "gbp", "pound": "gbp",
    "percent": "%",
}  # fmt: skip
_AFTER = re.compile(  # "12 % for Arden in 2025"; what is in brackets may be a source
    r"(?: [a-z]+){0,2}?(?: \((?=\d)|,? (?:in|for|at|during|at the end of) )"
    r"((?:19|20)\d\d\b(?![-.,]\d)|[A-Z][\w-]+(?: [A-Z][\w-]+)*)"
)
_COUNTED = re.compile(r" ([a-z]+s|[a-z]{1,3})\b")
_ONE = re.compile(r" ([a-z]+)\b")
_STAFF = frozenset("employee people staff worker".split())
_MEASURED_IN = {  # what can be turned into another unit without rounding
    "mg": ("g", 1e-3), "kg": ("g", 1e3), "tonne": ("g", 1e6), "km": ("m", 1e3), "cm": ("m", 1e-2),
    "mm": ("m", 1e-3), "second": ("minute", 1 / 60), "hours": ("minute", 60.0),
    "hour": ("minute", 60.0), "days": ("minute", 1440.0), "day": ("minute", 1440.0),
    "week": ("minute", 10080.0), "year": ("month", 12.0),
}  # fmt: skip
_SILENT = frozenset(
    "a about an and according approximately as by find for found from has had in is it its of on"
    " our reported said says that the their this to was were which with year".split()
)

_MEASURES = (  # what a verb says the figure is of; others say nothing of it
    ("cost", "price"), ("sells", "price"), ("sold", "price"), ("weigh", "weight"), ("by", "by"),
    ("hold", "holds"), ("held", "holds"), ("take", "time"), ("took", "time"), ("last", "time"),
    ("employ", "employs"), ("pay", "pays"), ("paid", "pays"),
)  # fmt: skip
_NATURE = re.compile(  # "240 in stock", "84 m high"
    r"(?: [\w-]+){0,4}? (?:(?P<stock>in stock|on hand|left|available)|(?P<size>high|wide|long|deep"
    r"|tall|thick))\b"
)
_METRES = re.compile(r"\s?(?:high|wide|long|deep|tall|thick)\b")
_NOBODY = frozenset(("there", "we"))
_LINKS = frozenset(
    "across all at but if less minus no nor now off on or out per plus so than thus to too up"
    " versus via we who".split()
)


class Told(Protocol):
    """Who said something: the result of a task, or a task as a trace tells of it."""

    @property
    def task_id(self) -> str: ...  # noqa: D102
    @property
    def result(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Claim:
    """A figure that a result gives for something.

    `about` are the words that say for what, `name` the same as written; `shown` is the number as
    written, `value` with million and the like multiplied out; `unit` is in lower case, or what it
    counts ("rooms"), or the kind of a statement ("date", "time", "yes or no").
    """

    task_id: str
    about: frozenset[str]
    shown: str
    value: float | Day
    unit: str
    name: str

    def agrees(self, other: Claim) -> bool:
        """Whether both can be right: dates as far as they are told, figures but for rounding."""
        one, two = self.value, other.value
        if isinstance(one, Day) or isinstance(two, Day):
            return isinstance(one, Day) and isinstance(two, Day) and one.agrees(two)
        return abs(one - two) <= SAME * max(abs(one), abs(two))


@dataclass(frozen=True)
class Contradiction:
    """Two or more results that give different figures for the same thing. Built in chapter 09.

    `about` is what for, as the first puts it; `said` each task's id with its figure.
    """

    about: str
    said: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        told = " and ".join(f"{shown} ({id})" for id, shown in self.said)
        return f"The results disagree on {self.about}: {told}."

    def inside(self, task_id: str) -> Contradiction:
        """The same among a team's results as seen from outside, where the team did this task."""
        said = tuple((f"{task_id}/{id}", shown) for id, shown in self.said)
        return Contradiction(self.about, said)

    def stated_in(self, text: str) -> bool:
        """Whether one sentence of a text gives all figures of the contradiction."""
        sentences = re.split(r"(?<=[.!?])\s+|\n+", in_digits(text))
        return any(all(gives(each, shown) for _, shown in self.said) for each in sentences)


def gives(sentence: str, figure: str) -> bool:
    """Whether "412 EUR" gives a figure, and no "12 EUR". Built in chapter 09."""
    letters = r"\s*".join(re.escape(each) for each in figure if not each.isspace())
    pattern = rf"(?<!\d)(?<!\d[.,]){letters}(?!\w)(?![.,]\d)"
    return re.search(pattern, sentence, re.IGNORECASE) is not None


def claims(result: Told) -> Iterator[Claim]:
    """What a result says: its figures, with what they are figures of, dates, yes and no."""
    text = in_digits(result.result)
    yield from figures_of(result.task_id, text)
    for each in statements(text):
        kind, name = each.kind, _ARTICLE.sub("", each.name)
        yield Claim(result.task_id, each.about, each.shown, each.value, kind, name)


def figures_of(task_id: str, text: str) -> Iterator[Claim]:
    """The figures in a text, with what they are figures of."""
    for words, found in figures(text):
        rest = text[found.end() : found.end() + LONGEST_NAME]
        name = _SOURCE.sub("", " ".join(words.split())).strip(" ,-*")
        about = content(name)
        if about <= _NOBODY:  # "there are 14 mixers in stock"
            name = found_in(rest)
            about = content(name)
            if len(about) < 2:
                continue
        if not re.search(r"[a-z]", "".join(about)):
            continue
        after = [each for each in said_after(text, found.end()) if each not in name]
        if after:
            about = about.union(*map(content, after))
            name = f"{name} ({', '.join(after)})"
        scale, unit = _measured(found, rest)
        kind = nature(found["verb"], rest)
        if "employs" in kind and unit in _STAFF:  # as "has 3,000 employees" has it
            kind, unit = kind - {"employs"}, "employee"
        figure = found["sign"] + found["number"]
        yield Claim(
            task_id=task_id,
            about=about - _NOBODY | kind,
            shown=" ".join(filter(None, (figure, *found.group("unit", "of")))),
            value=float(found["number"].replace(",", "")) * scale,
            unit=unit,
            name=_ARTICLE.sub("", name),
        )


def content(name: str) -> frozenset[str]:
    """The words of a name that tell it from others."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    return frozenset("price" if each == "priced" else each for each in words) - _SILENT


def found_in(rest: str) -> str:
    """What there is, where a sentence begins with a figure: "14 mixers in stock"."""
    words = _PAUSE.split(rest.replace(",", "."))[0].split()
    return " ".join(words[1:] if words[:1] == ["of"] else words)


def nature(verb: str | None, rest: str) -> frozenset[str]:
    """What of a thing is told, by the verb before its figure and the words after it: its price."""
    said = (verb or "").lower()
    found = {kind for start, kind in _MEASURES if said.startswith(start)}
    if told := _NATURE.match(rest):
        found.add("stock" if told["stock"] else told["size"])
    return frozenset(found)


def _measured(found: re.Match[str], rest: str) -> tuple[float, str]:
    """By how much a figure is multiplied, and its unit: (1e6, "eur"), (1.0, "eur/month")."""
    factor = found["unit"] or ""
    if factor == "m" and _METRES.match(rest):
        return 1.0, "m"
    scale = _SCALE.get(factor.lower(), 1.0)
    unit = found["sign"] or found["of"] or ("%" if scale == 1.0 and factor else "")
    counts = _ONE if found["number"] == "1" else _COUNTED
    counted = counts.match(rest)  # the word after it, where that looks like one: "64 rooms"
    if not unit and counted and counted[1] not in _LINKS | _SILENT:
        unit = counted[1]
    plain = unit.lower() if unit.lower() in ("hours", "days") else unit.lower().rstrip("s")
    per, plain = _PER.match(rest), _UNITS.get(plain, plain)
    unit, times = _MEASURED_IN.get(plain, (plain, 1.0))
    return scale * times, unit + (f"/{per[1]}" if per else "")


def figures(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Each figure of a text with the words before it, back to a pause or the last figure."""
    end = 0
    for found in _FIGURE.finditer(text):
        before = text[max(end, found.start() - LONGEST_NAME) : found.start()]
        words = _PAUSE.split(_END.sub(" ", before))[-1]
        if len(words) >= SHORTEST_NAME:
            yield words, found
            end = found.end()


def said_after(text: str, end: int) -> Iterator[str]:
    """Whose figure it is or of which year, where that stands behind it: "Arden", "2025"."""
    while found := _AFTER.match(text, end):
        yield found[1]
        end = found.end()


def contradictions(results: Iterable[Told]) -> tuple[Contradiction, ...]:
    """Where two results give different figures for the same thing, in the same unit.
    Built in chapter 09, exercise 9.2.

    What is the same thing is told by its words alone: another year or another company
    is another thing. So it finds what is put in similar words, and nothing else. What a
    result says first of a thing is its figure.
    """
    same: dict[tuple[frozenset[str], str], dict[str, Claim]] = defaultdict(dict)
    for result in results:
        for claim in claims(result):
            same[claim.about, claim.unit].setdefault(claim.task_id, claim)
    found = []
    for group in same.values():
        differing = different(group.values())
        if len(differing) > 1:
            said = tuple((claim.task_id, claim.shown) for claim in differing)
            found.append(Contradiction(differing[0].name, said))
    return tuple(found)


def different(group: Iterable[Claim]) -> list[Claim]:
    """One claim for each figure that stands out from those before it. Built in chapter 09."""
    kept: list[Claim] = []
    for claim in group:
        if not any(claim.agrees(each) for each in kept):
            kept.append(claim)
    return kept
