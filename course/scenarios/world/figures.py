"""Figures in prose: what number a text states, in whichever way it writes it.

"EUR 1.24 million", "1,240 thousand" and "1 240 000" are the same figure; "12.4 %" and "12.4
percent" too. Ids, days and years are no figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SCALES = {
    "k": 1e3, "thousand": 1e3, "thousands": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6,
    "millions": 1e6, "bn": 1e9, "billion": 1e9, "billions": 1e9,
}  # fmt: skip
_CURRENCY = r"(?:EUR|USD|GBP|CHF|GBX|SEK|€|\$|£)"
_NUMBER = r"\d{1,3}(?:[,\u00a0\u202f' ]\d{3})+(?:\.\d+)?(?!\d)|\d+,\d{1,2}(?!\d)|\d+(?:\.\d+)?"
_FIGURE = re.compile(
    rf"(?<![\w.,])(?P<sign>[-+\u2212\u2013])?(?P<before>{_CURRENCY}\s?)?(?P<minus>[-\u2212])?"
    rf"(?P<number>{_NUMBER})"
    rf"(?P<after>[\s\-]?{_CURRENCY}(?!\s?\d))?(?:\s?-?(?P<scale>{'|'.join(_SCALES)})\b)?"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b|percentage points?\b|pp\b))?",
    re.IGNORECASE,
)
_UNITS = ("before", "after", "scale", "percent")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_NO_FIGURE = re.compile(
    r"\b[A-Z]{1,5}-?\d+(?:[-.]\d+)*\b|\b\d{4}-\d{2}(?:-\d{2})?\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?: \d{{4}})?|\b{_MONTH} \d{{1,2}}(?:, \d{{4}})?\b"
    r"|(?m:^\s*\d{1,2}[.)]\s)|\b[Qq][1-4]\b|\bFY\s?\d{2,4}\b"
)
_FALLING = (
    r"fell|falls?|fallen|falling|down|decreas\w+|declin\w+|los[ts]\w*|loses?|negative|drop\w*|"
    r"shrank|shr[iu]nk\w*|below|under\w*|lower|minus|short|sell|sold|less"
)
_RISING = (
    r"grew|grow\w*|rise\w*|rose|rising|up|increas\w+|gain\w*|positive|plus|above|over\w*|buy|"
    r"bought|add|added|higher|more"
)
_DIRECTION = re.compile(rf"\b(?:(?P<falling>{_FALLING})|(?:{_RISING}))\b", re.IGNORECASE)
_BEFORE, _AFTER = 90, 40  # characters in which a word that gives the direction may stand


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a text states.

    Attributes:
        value: in whole units: 1.2 million is 1200000; 12.4 % is 12.4.
        percent: whether it is said in percent.
        start: where in the text it stands.
        step: how much its last digit is worth.
        whole: written as a bare whole number, without unit or scale.
    """

    value: float
    percent: bool
    start: int
    step: float
    whole: bool

    @property
    def year(self) -> bool:
        """Whether it reads as a year rather than as an amount."""
        return self.whole and 1900 <= self.value <= 2100


def figures(text: str) -> Iterator[Figure]:
    """The figures that a text states, in order."""
    masked = _NO_FIGURE.sub(lambda found: " " * len(found[0]), text)
    for found in _FIGURE.finditer(masked):
        number = re.sub(r"[,\u00a0\u202f' ](?=\d{3})", "", found["number"]).replace(",", ".")
        scale = _SCALES.get((found["scale"] or "").lower(), 1.0)
        sign = -1.0 if (found["sign"] or "")[:1] in ("-", "−", "–") and found["sign"] else 1.0
        sign = -1.0 if found["minus"] else sign
        decimals = len(number.partition(".")[2])
        yield Figure(
            value=sign * float(number) * scale,
            percent=found["percent"] is not None,
            start=found.start("number"),
            step=scale * 10.0**-decimals,
            whole=number.isdigit() and not any(found[group] for group in _UNITS)
            and "," not in found["number"],
        )  # fmt: skip


def states(figure: Figure, value: float, *, within: float, text: str, signed: bool = False) -> bool:
    """Whether a figure in `text` is `value`, give or take `within`; "fell by 3 %" is -3.

    Args:
        figure: one of the figures in `text`.
        value: what it should be.
        within: how far it may be off.
        text: the statement, for the words around the figure.
        signed: the direction counts, so that "fell by 3 %" is not 3.
    """
    falls = signed and _falls(text, figure.start)
    if abs(figure.value - value) <= within:
        return not (falls and value > 0)
    return value < 0 and abs(figure.value + value) <= within and _falls(text, figure.start)


def _falls(text: str, place: int) -> bool:
    """Whether the nearest word of direction, before the figure or else after it, says less."""
    before = list(_DIRECTION.finditer(text[max(0, place - _BEFORE) : place]))
    nearest = before[-1] if before else _DIRECTION.search(text[place : place + _AFTER])
    return nearest is not None and nearest["falling"] is not None
