"""Figures: numbers, lengths and times of day that a text spells out, put into digits."""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.words import NUMBER_WORDS

_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000}
_SMALL = {w: n for w, n in NUMBER_WORDS.items() if w not in (*_SCALES, "once", "couple", "pair")}
_SMALL.pop("twice")
_ONE = "|".join(sorted(_SMALL, key=len, reverse=True))
_SCALE = "|".join(_SCALES)
_SPOKEN = re.compile(
    rf"(?<![\w'-])(?:(?:{_ONE}|an?|half an?|\d+) (?:{_SCALE})|{_ONE})"
    rf"(?:(?:[ -]| and | )(?:{_ONE}|{_SCALE})(?![\w-]))*(?: point(?: (?:{_ONE}))+)?(?![\w'-])"
    r"(?! (?-i:[A-Z][a-z]))",
    re.IGNORECASE,
)
_LONE = re.compile(r"(?:one|a|an)", re.IGNORECASE)
_DECIMAL = re.compile(r"(?<![\w.,])(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})(?![\d,.]*\d)(?! \d)")
_MINUS = re.compile(r"\bminus (?=\d)", re.IGNORECASE)
_BELOW = re.compile(r"(?<![\w.,-])(\d+(?:\.\d+)?)(?=(?: degrees?| ?°C?)? below (?:0|freezing)\b)")
_MINUTES = {"quarter": 15, "a quarter": 15, "half": 30}
_CLOCK = re.compile(
    r"\b(?:(?P<m>half|(?:a )?quarter|\d{1,2}) past|(?P<m2>(?:a )?quarter|5|10|20|25) to)"
    r" (?P<h>(?:1[0-2]|\d)(?! \w+s\b|[\d.-])|noon|midnight)\b",
    re.IGNORECASE,
)
_LENGTHS = (
    (re.compile(r"\b(?:3|three) quarters of an hour\b", re.I), lambda m: "45 minutes"),
    (re.compile(r"\ba quarter of an hour\b", re.I), lambda m: "15 minutes"),
    (re.compile(r"\bhalf an hour\b", re.I), lambda m: "30 minutes"),
    (re.compile(r"\ban? (hour|year|month) and a half\b", re.I), lambda m: f"1.5 {m[1]}s"),
    (re.compile(r"\b(\d+) and a half\b", re.I), lambda m: f"{m[1]}.5"),
)


def _amount(words: list[str]) -> int:
    """The number that a row of number words makes: "a hundred and fifty" is 150."""
    total = part = 0
    for word in words:
        if word == "and":
            continue
        if word in _SCALES:
            part = (part or 1) * _SCALES[word]
            if word == "thousand":
                total, part = total + part, 0
        else:
            part += int(word) if word.isdigit() else _SMALL.get(word, 0)
    return total + part


def _figure(match: re.Match[str]) -> str:
    said = match.group().lower()
    if _LONE.fullmatch(said):
        return match.group()
    whole, _, decimals = said.partition(" point ")
    half = whole.startswith("half a")
    words = re.sub(r"^(?:half )?an? ", "", whole)
    value = _amount(words.split() if words in _SMALL else re.split(r"[ -]+", words))
    digits = "".join(str(_SMALL[w]) for w in decimals.split())
    return f"{value // 2 if half else value}{'.' + digits if digits else ''}"


def _clock(match: re.Match[str]) -> str:
    to = match["m"] is None
    said = (match["m2"] if to else match["m"]).lower()
    past = _MINUTES.get(said) or int(said)
    named = {"noon": 12, "midnight": 24}.get(match["h"].lower())
    hour = (named or int(match["h"])) - to
    return f"{hour % 24 if named else hour or 12}:{60 - past if to else past:02}"


@lru_cache(maxsize=1_000)
def in_figures(text: str) -> str:
    """The text with what it spells out in digits, and with decimal points: "2.5 hours"."""
    out = _SPOKEN.sub(_figure, text)
    out = _BELOW.sub(r"-\1", _MINUS.sub("-", out))
    out = _DECIMAL.sub(lambda m: f"{m[1].replace('.', '')}.{m[2]}", out)
    out = _CLOCK.sub(_clock, out)
    for pattern, written in _LENGTHS:
        out = pattern.sub(written, out)
    return out
