"""Contradictions: figures that two results give differently for the same thing.

A model asked to merge results tends to pick one of two figures and say nothing. So the figures are
compared before it is asked, by rules, and it is told where they differ.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from course.supervisor_worker.results import TaskResult

SAME = 0.005
"""Share by which two figures may differ and still be the same one, rounded differently."""

_FIGURE = re.compile(
    r"(?P<about>[^.;:!?\n]{3,90}?)\s*(?:\b(?:is|was|are|were|be|of|at|to|costs?|reached|totals?|has"
    r"|had|amounts? to|comes? to)\b|:|=)\s*(?:about |around |approximately |roughly |only |just )?"
    r"(?P<sign>[€$£]?)\s?(?P<number>-?\d[\d,]*(?:\.\d+)?)\s?"
    r"(?P<unit>%|percent|(?:thousand|million|billion|bn|m|k)\b)?\s?"
    r"(?P<of>EUR|USD|GBP|CHF|euros?|dollars?|pounds?|days?|weeks?|months?|years?|hours?|people"
    r"|employees|units|tonnes?|kg|g|mg|mmol/l|mg/dl)?(?![\w/])",
    re.IGNORECASE,
)
_SOURCE = re.compile(r"^(?:according to|as per|per|by) [^,]*,\s*", re.IGNORECASE)
_SCALE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_UNITS = {
    "€": "eur", "euro": "eur", "$": "usd", "dollar": "usd", "£": "gbp", "pound": "gbp",
    "percent": "%",
}  # fmt: skip
_SILENT = frozenset(
    "a about an and according approximately as by find for found from has had in is it its of on"
    " our reported said says that the their this to was were which with year".split()
)


@dataclass(frozen=True)
class Claim:
    """A figure that a result gives for something.

    Attributes:
        about: the words that say for what, in any order, years included.
        shown: the figure as it was written.
        value: the number, with million and the like multiplied out.
        unit: in lower case; empty if there is none.
    """

    task_id: str
    about: frozenset[str]
    shown: str
    value: float
    unit: str
    name: str


@dataclass(frozen=True)
class Contradiction:
    """Two or more results that give different figures for the same thing.

    Attributes:
        about: what for, as the first of them puts it.
        said: each task's id with its figure, as written.

    Built in chapter 09.
    """

    about: str
    said: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        told = " and ".join(f"{shown} ({id})" for id, shown in self.said)
        return f"The results disagree on {self.about}: {told}."

    def stated_in(self, text: str) -> bool:
        """Whether one sentence of a text gives all the figures that contradict each other."""
        sentences = [_bare(each) for each in re.split(r"(?<=[.!?])\s+|\n+", text)]
        return any(all(_bare(s) in sentence for _, s in self.said) for sentence in sentences)


def claims(result: TaskResult) -> Iterator[Claim]:
    """The figures in a result, with what they are figures of.

    Built in chapter 09.
    """
    for found in _FIGURE.finditer(result.result):
        name = _SOURCE.sub("", " ".join(found["about"].split())).strip(" ,-*")
        about = frozenset(re.findall(r"[a-z0-9]+", name.lower())) - _SILENT
        if not about or not re.search(r"[a-z]", "".join(about)):
            continue
        scale = _SCALE.get((found["unit"] or "").lower(), 1.0)
        unit = found["sign"] or found["of"] or ("%" if scale == 1.0 and found["unit"] else "")
        plain = unit.lower() if unit.lower() in ("hours", "days") else unit.lower().rstrip("s")
        yield Claim(
            task_id=result.task_id,
            about=about,
            shown=f"{found['sign']}{found['number']} {found['unit'] or ''} {found['of'] or ''}",
            value=float(found["number"].replace(",", "")) * scale,
            unit=_UNITS.get(plain, plain),
            name=name,
        )


def contradictions(results: Iterable[TaskResult]) -> tuple[Contradiction, ...]:
    """Where two results give different figures for the same thing, in the same unit.

    What is the same thing is told by its words alone: another year or another company is another
    thing. So it finds what is put in similar words, and nothing else.

    Built in chapter 09, exercise 9.2.
    """
    same: dict[tuple[frozenset[str], str], list[Claim]] = defaultdict(list)
    for result in results:
        for claim in claims(result):
            same[claim.about, claim.unit].append(claim)
    found = []
    for group in same.values():
        differing = different(group)
        if len({claim.task_id for claim in differing}) > 1:
            said = tuple((c.task_id, " ".join(c.shown.split())) for c in differing)
            found.append(Contradiction(_plain(differing[0].name), said))
    return tuple(found)


def different(group: Iterable[Claim]) -> list[Claim]:
    """One claim for each figure that stands out from those before it.

    Built in chapter 09.
    """
    kept: list[Claim] = []
    for claim in group:
        close = (
            abs(claim.value - k.value) <= SAME * max(abs(claim.value), abs(k.value)) for k in kept
        )
        if not any(close):
            kept.append(claim)
    return kept


def _bare(text: str) -> str:
    return text.replace(" ", "").lower()


def _plain(name: str) -> str:
    return re.sub(r"^(?:the|its|their|a|an|and|that)\s+", "", name, flags=re.IGNORECASE)
