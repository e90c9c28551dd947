"""Words: the word lists and cues, which are data (`wordlists.toml`: lists, tables, and cues, which
are regular expressions); tokens with their places in a text, stems, stop words, and numbers spelled
out.

Everything the policy compares, it compares as stems (`course.stems`), so "bookings" meets
`book_room` and "rented" meets `rental`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from course.models.policy.patterns import regex
from course.stems import stem as stem


@cache
def _tables() -> dict[str, Any]:
    text = files("course.models.policy").joinpath("wordlists.toml").read_text("utf-8")
    return tomllib.loads(text)


def table(name: str) -> Any:
    """What stands under a section and a name ("verbs.actions"); KeyError if nothing does."""
    module, _, entry = name.partition(".")
    return _tables()[module][entry]


def word_list(name: str) -> list[str]:
    """The words of a list, by its section and name."""
    return str(table(name)).split()


def cue(name: str, flags: re.RegexFlag | int = re.IGNORECASE) -> re.Pattern[str]:
    """The pattern of a cue, by its section and name; a list holds alternatives."""
    module, _, entry = name.partition(".")
    told = _tables()["cue"][module][entry]
    return regex(told if isinstance(told, str) else "|".join(told), flags)


_WORD = regex(r"[^\W_]+(?:['’][^\W\d_]+)?(?:-[^\W_]+)*")
_CAMEL = regex(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

STAND_IN = "\u2192"  # opens the name of an agent that stands among tools; no tool is called so

STOP_WORDS = frozenset(word_list("words.stop_words"))

_UNITS = word_list("words.units")
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = {word: number for number, word in enumerate(_UNITS)} | {
    word: 10 * (number + 2) for number, word in enumerate(_TENS)
}
NUMBER_WORDS |= {
    f"{ten}-{one}": 10 * (place + 2) + unit
    for place, ten in enumerate(_TENS)
    for unit, one in enumerate(_UNITS[:10])
    if unit
}
NUMBER_WORDS |= {"once": 1, "twice": 2, "dozen": 12, "couple": 2, "pair": 2, "hundred": 100}
ORDINALS = {word: number + 1 for number, word in enumerate(word_list("words.ordinals"))}


class Token(NamedTuple):
    """One word of a text: as written, its stem, and where it stands (character offsets)."""

    text: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=4_000)
def tokens(text: str) -> tuple[Token, ...]:
    """All words of a text in order."""
    return tuple(
        Token(m.group(), stem(m.group()), m.start(), m.end()) for m in _WORD.finditer(text)
    )


@lru_cache(maxsize=8_000)
def content(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning, hyphenated words both whole and in pieces."""
    found: list[str] = []
    for token in tokens(text):
        pieces = token.text.split("-")
        named = [(token.text, token.stem), *((p, stem(p)) for p in pieces if len(pieces) > 1)]
        found += [s for p, s in named if p.lower() not in STOP_WORDS and len(p) > 1]
    return tuple(found)


@lru_cache(maxsize=4_000)
def name_words(name: str) -> tuple[str, ...]:
    """The words inside an identifier, without the plugin's or server's that stands before it:
    `find_freeSlots` and `Desk-find_freeSlots` give ("find", "free", "slots"). One without any ("",
    "_", "名") is a word of its own."""
    own = _SERVED.sub("", name)
    return tuple(m.group().lower() for m in _CAMEL.finditer(own)) or (name.lower() or "value",)


_SERVED = regex(r"^(?:[A-Z]\w*-(?=[a-z]+_)|(?:[a-zA-Z0-9-]+?__)+(?=[a-zA-Z]))")
"""How a plugin's or server's name stands before a tool's: `Desk-book_it`, `mcp__desk__book_it`."""


@lru_cache(maxsize=4_000)
def name_stems(name: str) -> tuple[str, ...]:
    """The stems inside an identifier, and of particles written together ("check_in", "checkin")."""
    words = name_words(name)
    joined = [a + b for a, b in pairwise(words) if b in _PARTICLES]
    return tuple(stem(w) for w in (*words, *joined))


_PARTICLES = {"in", "out", "up", "off"}


def human(name: str) -> str:
    """An identifier as a person would say it: `birth_date` becomes "birth date"."""
    words = [_SPELLED.get(w, w) for w in name_words(name)]
    if words[1:] and words[-1] in ("no", "nr", "num"):
        words[-1] = "number"
    return " ".join(words) or name


_SPELLED = {"id": "ID"} | {day: day.capitalize() for day in word_list("words.spelled")}


def plural(noun: str) -> str:
    """The plural of an English noun, by the ordinary rules."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun if noun.endswith("s") and not noun.endswith("ss") else noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def singular(noun: str) -> str:
    """The singular of an English noun, by the ordinary rules."""
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


def listed(items: list[str], last: str = "and") -> str:
    """Items as English lists them: "a, b and c"."""
    return " ".join([", ".join(items[:-1]), last, items[-1]]) if len(items) > 1 else "".join(items)


_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000}
_SMALL = {w: n for w, n in NUMBER_WORDS.items() if w not in (*_SCALES, "once", "couple", "pair")}
_SMALL.pop("twice")
_ONE = "|".join(sorted(_SMALL, key=len, reverse=True))
_SCALE = "|".join(_SCALES)
_SPOKEN = regex(
    rf"(?<![\w'-])(?:(?:{_ONE}|an?|half an?|\d+) (?:{_SCALE})|{_ONE})"
    rf"(?:(?:[ -]| and | )(?:{_ONE}|{_SCALE})(?![\w-]))*(?: point(?: (?:{_ONE}))+)?(?![\w'-])"
    r"(?! (?-i:[A-Z][a-z]))",
    re.IGNORECASE,
)
_LONE = regex(r"(?:one|a|an)", re.IGNORECASE)
_DECIMAL = regex(r"(?<![\w.,])(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})(?![\d,.]*\d)(?! \d)")
_MINUS = regex(r"\bminus (?=\d)", re.IGNORECASE)
_BELOW = regex(r"(?<![\w.,-])(\d+(?:\.\d+)?)(?=(?: degrees?| ?°C?)? below (?:0|freezing)\b)")
_MINUTES = {"quarter": 15, "a quarter": 15, "half": 30}
_CLOCK = regex(
    r"\b(?:(?P<m>half|(?:a )?quarter|\d{1,2}) past|(?P<m2>(?:a )?quarter|5|10|20|25) to)"
    r" (?P<h>(?:1[0-2]|\d)(?! \w+s\b|[\d.-])|noon|midnight)\b",
    re.IGNORECASE,
)
_LENGTHS = (
    (regex(r"\b(?:3|three) quarters of an hour\b", re.I), lambda m: "45 minutes"),
    (regex(r"\ba quarter of an hour\b", re.I), lambda m: "15 minutes"),
    (regex(r"\bhalf an hour\b", re.I), lambda m: "30 minutes"),
    (regex(r"\ban? (hour|year|month) and a half\b", re.I), lambda m: f"1.5 {m[1]}s"),
    (regex(r"\b(\d+) and a half\b", re.I), lambda m: f"{m[1]}.5"),
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
