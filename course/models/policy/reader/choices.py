"""Choices: the enumerated values and the switches that a text names.

A value is looked for word by word: by the longest run of its words, written together or apart, by
stems, by synonyms, by a slip of the pen, and by an abbreviation. Words that all values share tell
nothing. What is negated is not chosen.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from course.models.policy.lexicon import phrases, synonyms
from course.models.policy.match import choose
from course.models.policy.params import Param
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_PIECE = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_NEGATORS = frozenset("not no without never neither skip except excluding".split())
_PAIRS = frozenset("once twice dozen couple pair hundred".split())
_ENOUGH, _BY_PHRASE = 0.5, 1.0
"""Which share of a value's words, found one by one, is enough to name it, and the worth of a turn
of phrase that stands for it."""


@cache
def meanings() -> dict[str, tuple[str, ...]]:
    """What people say for common enumerated values, by the value in lower case."""
    table = tomllib.loads(
        files("course.models.policy.reader").joinpath("meanings.toml").read_text("utf-8")
    )
    return {value: tuple(said) for value, said in table["meanings"].items()}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text in lower case, its stem, and where it stands."""

    text: str
    stem: str
    start: int
    end: int
    capitals: bool = False


@lru_cache(maxsize=4_000)
def words(text: str) -> tuple[Word, ...]:
    """The words and figures of a text; number words count as figures."""
    found = []
    for m in _TOKEN.finditer(text):
        low = m.group().lower()
        plain = str(NUMBER_WORDS[low]) if low in NUMBER_WORDS and low not in _PAIRS else low
        found.append(Word(plain, stem(low), m.start(), m.end(), m.group().isupper()))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Hit:
    """A value found in a text: how surely (0 to 1 and more), where, and whether it is negated."""

    value: Any
    worth: float
    start: int
    end: int
    negated: bool = False


@lru_cache(maxsize=4_000)
def _pieces(value: str) -> tuple[str, ...]:
    return tuple(m.group().lower() for m in _PIECE.finditer(value))


@lru_cache(maxsize=2_000)
def _told(description: str, value: str) -> tuple[str, ...]:
    """What a description says of a value: "mmol: millimoles per litre" or "D1 (dialysis)"."""
    found = re.search(
        rf"(?<!\w){re.escape(value)}(?!\w)[\"'`]?\s*(?:[:=–—-]|\(|is |are |means )\s*"
        r"(?P<t>[^;,.()|\n]+)",
        description,
    )
    before = re.search(rf"(?P<t>[\w -]+?) (?:is|=|as) [\"'`]?{re.escape(value)}(?!\w)", description)
    told = found or before
    return tuple(w for w in _pieces(told["t"]) if w not in STOP_WORDS) if told else ()


def hits(param: Param, text: str) -> list[Hit]:
    """The values of an enumeration that a text names, the surest first."""
    return list(_hits(param, text))


_DESCRIBED = 0.9
"""What a description must have in common with a text to speak for its value."""


def chosen(param: Param, text: str, guides: tuple[str, ...] = ()) -> Any:
    """The value of an enumeration that a text names, or whose description fits it; else None.

    `guides` are texts that may describe the values, such as instructions.
    """
    said = next((h.value for h in hits(param, text) if not h.negated), None)
    names = tuple(o for o in param.options if isinstance(o, str))
    if said is not None or not names:
        return said
    ranked = choose(names, text, (param.description, *guides))
    return ranked[0][1] if ranked[0][0] >= _DESCRIBED else None


@lru_cache(maxsize=8_000)
def _hits(param: Param, text: str) -> tuple[Hit, ...]:
    spoken = words(text)
    options = [o for o in param.options if isinstance(o, str)]
    shared = _shared(tuple(options))
    found: list[Hit] = []
    meant = {stem(p) for p in phrases(text)}
    for option in options:
        if meant and {stem(p) for p in _pieces(option)} <= meant:
            found.append(Hit(option, _BY_PHRASE, 0, 0))
        found += _named(option, _pieces(option), shared, spoken)
        told = _told(param.description, option)
        if told:
            found += [
                Hit(option, 0.9 * h.worth, h.start, h.end)
                for h in _named(option, told, frozenset(), spoken)
            ]
    for option in param.options:
        if isinstance(option, int | float) and not isinstance(option, bool):
            found += [Hit(option, 0.6, w.start, w.end) for w in spoken if w.text == str(option)]
    return tuple(_apart(text, found))


@lru_cache(maxsize=1_000)
def _shared(options: tuple[str, ...]) -> frozenset[str]:
    """The words that more than one value has, of which each has others besides."""
    each = [set(_pieces(o)) for o in options]
    return frozenset(
        w for n, one in enumerate(each) for w in one if any(w in o for o in each[n + 1 :])
    )


def _named(
    option: str, parts: tuple[str, ...], shared: frozenset[str], spoken: tuple[Word, ...]
) -> list[Hit]:
    found = _together(option, parts, spoken)
    if not found and len(option) <= 4 and option.isupper():
        found += _initials(option, spoken)
    for meaning in meanings().get(option.lower(), ()):
        found += _together(option, _pieces(meaning), spoken)
    if not found and len(parts) > 1:
        found += _acronym(option, parts, spoken)
    return found or _piecewise(option, parts, shared, spoken)


def _together(option: str, parts: tuple[str, ...], spoken: tuple[Word, ...]) -> list[Hit]:
    """The words of a value side by side, whether they are written together or apart."""
    whole = "".join(parts)
    out = []
    for n, word in enumerate(spoken):
        if not whole.startswith(word.text[:1]):
            continue
        made, last = "", n
        while last < len(spoken) and len(made) < len(whole) and last < n + 8:
            made += spoken[last].text
            last += 1
            if made == whole:
                out.append(Hit(option, 1.0 + 0.1 * len(whole), word.start, spoken[last - 1].end))
    return out


def _initials(option: str, spoken: tuple[Word, ...]) -> list[Hit]:
    size = len(option)
    rows = (spoken[n : n + size] for n in range(len(spoken) - size + 1))
    return [
        Hit(option, 0.8, row[0].start, row[-1].end)
        for row in rows
        if size > 1 and "".join(w.text[0] for w in row) == option.lower()
    ]


def _acronym(option: str, parts: tuple[str, ...], spoken: tuple[Word, ...]) -> list[Hit]:
    """Capitals in the text that begin with the initials of a value's words."""
    initials = "".join(p[0] for p in parts)
    return [
        Hit(option, 0.7, w.start, w.end)
        for w in spoken
        if w.capitals and len(w.text) <= len(initials) + 1 and w.text.startswith(initials)
    ]


def _piecewise(
    option: str, parts: tuple[str, ...], shared: frozenset[str], spoken: tuple[Word, ...]
) -> list[Hit]:
    """The words of a value one by one; those that other values share add only to the rest."""
    own = [p for p in parts if p not in shared and p not in STOP_WORDS] or list(parts)
    if all(p.isdigit() for p in own):
        return []
    places: list[Word] = []
    worth = 0.0
    for part in own:
        best, at = 0.0, None
        for n, word in enumerate(spoken):
            alike = _alike(part, word, parts, spoken, n)
            if alike > best:
                best, at = alike, word
        worth += best
        places += [at] if at else []
    worth = 0.9 * worth / len(own) if own else 0.0
    if worth < _ENOUGH or not places:
        return []
    also = [w for w in spoken if w.text in shared & set(parts)]
    start, end = min(p.start for p in places), max(p.end for p in places)
    near = [w for w in also if 0 <= w.start - end <= 2 or 0 <= start - w.end <= 2]
    end = max([end, *(w.end for w in near)])
    start = min([start, *(w.start for w in near)])
    return [Hit(option, worth + 0.2 * bool(near), start, end)] if end - start <= 60 else []


def _alike(
    part: str, word: Word, parts: tuple[str, ...], spoken: tuple[Word, ...], place: int
) -> float:
    """How much a word says the same as a piece of a value, 0 to 1."""
    form = _formed(part, word)
    if form or word.text in STOP_WORDS or part.isdigit() or word.text.isdigit():
        return form
    root = stem(part)
    if word.stem in synonyms(root) or root in synonyms(word.stem):
        return 0.7
    after = spoken[place + 1].text if place + 1 < len(spoken) else ""
    if len(part) <= 2 and word.text.startswith(part) and len(parts) > 1 and after in parts:
        return 0.9  # an e-bike is an electric bike
    if len(part) == 3 and len(parts) == 1 and len(word.text) > 5 and word.text.startswith(part):
        return 0.6  # sunglasses for "sun"
    return 0.0


_BEGINNING = 5
"""Letters from which on the beginning of a word stands for the whole."""


def _formed(part: str, word: Word) -> float:
    """How much a word is the same word as a piece of a value, by its form alone."""
    if part == word.text:
        return 1.0
    if part.isdigit() or word.text.isdigit() or word.text in STOP_WORDS:
        return 0.0
    if stem(part) == word.stem:
        return 0.95
    if min(len(part), len(word.text)) >= _BEGINNING and (
        word.text.startswith(part) or part.startswith(word.text) or _common(part, word.text) >= 6
    ):
        return 0.8
    return 0.8 if len(part) >= 5 and swapped(part, word.text) else 0.0


def _common(one: str, other: str) -> int:
    """How many letters two words have in common from their beginning."""
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size


def swapped(one: str, other: str) -> bool:
    """Whether two words differ by one slip: a letter more, less or other, or two exchanged."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    left, right = one[head : len(one) - tail], other[head : len(other) - tail]
    return (len(left) <= 1 and len(right) <= 1) or (len(left) == 2 and left == right[::-1])


_DENIED = re.compile(r"[^,]{0,14}\b(?:is|are|need)(?: not|n't)\b")


def negated(text: str, start: int, end: int) -> bool:
    """Whether what stands there is denied: "not the small one", "no lift", "lift: none"."""
    head = re.split(r"[.!?;\n]|,(?! none)| but (?!not)| and ", text[max(0, start - 60) : start])[-1]
    before = [w.text for w in words(head)][-4:]
    tail = re.split(r"[.!?;\n]", text[end : end + 30])[0]
    after = [w.text for w in words(tail)]
    return (
        any(w in _NEGATORS or w.endswith(("n't", "n’t")) for w in before)
        or after[:2] == ["so", "none"]
        or after[:1] == ["none"]
        or bool(_DENIED.match(tail))
    )


def _apart(text: str, found: list[Hit]) -> list[Hit]:
    """The best of what overlaps, in order of worth."""
    kept: list[Hit] = []
    for hit in sorted(found, key=lambda h: (-h.worth, h.start)):
        if all(hit.end <= k.start or k.end <= hit.start for k in kept):
            kept.append(
                Hit(hit.value, hit.worth, hit.start, hit.end, negated(text, hit.start, hit.end))
            )
    return kept


_SWITCHING = frozenset(
    stem(w)
    for w in "is has with include included want wanted needs need whether should only if the true "
    "false available required wish wished".split()
)


_BY_MEANING = 0.6


def switch(param: Param, text: str, shared: frozenset[str]) -> Hit | None:
    """Whether a text speaks of a switch, and which way; `shared` are stems that say nothing."""
    own = [p for p in _pieces(param.name) if stem(p) not in _SWITCHING | shared and len(p) > 2]
    own = own or [p for p in _pieces(param.name) if stem(p) not in _SWITCHING]
    best: Hit | None = None
    spoken = words(text)
    for part in own:
        for word in spoken:
            worth = _formed(part, word)
            undone = word.text.startswith("un") and stem(word.text[2:]) == stem(part)
            if undone:
                worth = 0.9
            if worth < _BY_MEANING and word.stem in synonyms(stem(part)):
                worth = _BY_MEANING
            if worth >= _BY_MEANING and (best is None or worth > best.worth):
                no = undone or negated(text, word.start, word.end)
                best = Hit(not no, worth, word.start, word.end)
    return best
