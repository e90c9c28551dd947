"""Choices: the enumerated values and the switches that a text names.

A value is looked for word by word: by the longest run of its words, written together or apart, by
stems, by synonyms, by a slip of the pen, and by an abbreviation. Words that all values share tell
nothing. What is negated is not chosen.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

from course.models.policy.lexicon import VERBS, phrase_spans, phrases, synonyms
from course.models.policy.match import choose
from course.models.policy.naming import COUNTRIES
from course.models.policy.params import Param
from course.models.policy.patterns import regex
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem, word_list

_TOKEN = regex(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_PIECE = regex(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_NEGATORS = frozenset(
    "not no nothing without never neither skip except excluding dont doesnt didnt isnt cant wont"
    " arent".split()
)
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


class Word(NamedTuple):
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


class Hit(NamedTuple):
    """A value found in a text: how surely (0 to 1 and more), where, and whether it is negated."""

    value: Any
    worth: float
    start: int
    end: int
    negated: bool = False


@lru_cache(maxsize=4_000)
def pieces(value: str) -> tuple[str, ...]:
    """The words of a value in lower case: `noHotWater` gives ("no", "hot", "water")."""
    return tuple(m.group().lower() for m in _PIECE.finditer(value))


@lru_cache(maxsize=2_000)
def told_of(param: Param, value: str) -> tuple[str, ...]:
    """What a description says of a value: "mmol: millimoles per litre", "D1 (dialysis)", or in a
    list of several, "10 yellow, 312 brown"."""
    description = param.description
    if value not in description:  # as most are, and a pattern of each would be dear
        return ()
    found = re.search(
        rf"(?<!\w){re.escape(value)}(?!\w)[\"'`]?\s*(?:[:=–—-]|\(|is |are |means "
        rf"|{'(?=[a-z])' if value.isupper() else '(?!)'})\s*(?P<t>[^;,.()|\n]+)",
        description,
    )
    before = re.search(rf"(?P<t>[\w -]+?) (?:is|=|as) [\"'`]?{re.escape(value)}(?!\w)", description)
    told = found or before
    said = (
        told["t"] if told else _listed(description, tuple(map(str, param.options))).get(value, "")
    )
    return tuple(w for w in pieces(said) if w not in STOP_WORDS)


@lru_cache(maxsize=2_000)
def _listed(description: str, options: tuple[str, ...]) -> Mapping[str, str]:
    """What a list in a description says of each of several values, after it."""
    names = "|".join(re.escape(o) for o in sorted(options, key=len, reverse=True))
    found = {m["v"]: m["t"] for m in re.finditer(
        rf"(?:^|[,;:.|\n(])\s*(?P<v>{names})\s+(?P<t>[^;,.()|\n]+)", description)}  # fmt: skip
    return found if len(found) > 1 else {}


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
    found: list[Hit] = []
    meant = {stem(p) for p in phrases(text)}
    found += _lasting(param, text)
    for option in options:
        if option in _ROMAN and len(options) > 1 and all(o in _ROMAN for o in options):
            found += _numbered(param, option, spoken)
        if meant and {stem(p) for p in pieces(option)} <= meant:
            placed = phrase_spans(text)
            place = next((p for p in placed if {stem(w) for w in phrases(text[slice(*p)])} & meant
                          >= {stem(w) for w in pieces(option)}), (0, 0))  # fmt: skip
            found.append(Hit(option, _BY_PHRASE, *place))
        found += _named(option, pieces(option), spoken)
        told = told_of(param, option)
        if told:
            found += [
                Hit(option, 0.9 * h.worth, h.start, h.end) for h in _named(option, told, spoken)
            ]
    for option in param.options:
        if isinstance(option, int | float) and not isinstance(option, bool):
            found += [Hit(option, 0.6, w.start, w.end) for w in spoken if w.text == str(option)]
    return tuple(_apart(text, found))


def _named(option: str, parts: tuple[str, ...], spoken: tuple[Word, ...]) -> list[Hit]:
    found = [h for h in _together(option, parts, spoken) if _meant(option, h, spoken)]
    if not found and option.isupper() and 1 < len(option) <= 4:
        found += [
            Hit(option, 0.55, w.start, w.end)
            for w in spoken
            if len(w.text) >= 5 and w.text.startswith(option.lower()) and w.text not in STOP_WORDS
        ]
    for meaning in meanings().get(option.lower(), ()):
        found += _together(option, pieces(meaning), spoken)
    return found or [h for h in _piecewise(option, parts, spoken) if _meant(option, h, spoken)]


def _together(option: str, parts: tuple[str, ...], spoken: tuple[Word, ...]) -> list[Hit]:
    """The words of a value side by side, whether they are written together or apart."""
    whole = "".join(parts)
    out = []
    for n, word in enumerate(spoken):
        if not whole.startswith(word.text):
            continue
        made, last = "", n
        while last < len(spoken) and len(made) < len(whole) and last < n + 8:
            made += spoken[last].text
            last += 1
            if made == whole and (len(whole) > 1 or option.islower() or word.capitals):
                out.append(Hit(option, 1.0 + 0.1 * len(whole), word.start, spoken[last - 1].end))
    return out


def _meant(option: str, hit: Hit, spoken: tuple[Word, ...]) -> bool:
    """Whether a value that is written like a small word or a letter is meant: such a code ("it",
    "b") in capitals or after a noun, "I" and "A" only as both."""
    if option.isdigit() or len(option) > 2 or (len(option) == 2 and not _small(option)):
        return True
    place = next(n for n, w in enumerate(spoken) if w.start == hit.start)
    before = spoken[place - 1] if place and spoken[place - 1].end == hit.start - 1 else None
    noun = before is not None and before.text not in STOP_WORDS and before.stem not in VERBS
    capital = spoken[place].capitals
    return (capital and noun) if _small(option) and len(option) == 1 else (
        capital or (noun and not _small(option)))  # fmt: skip


def _small(option: str) -> bool:
    return option.lower() in ("i", "a", *STOP_WORDS) and option.lower() != "no"


_ROMAN = {r: str(n) for n, r in enumerate("I II III IV V VI VII VIII IX X".split(), start=1)}


def _numbered(param: Param, option: str, spoken: tuple[Word, ...]) -> list[Hit]:
    """A Roman numeral that is spoken as a number after what it numbers: "group two" is II."""
    named = {stem(p) for p in pieces(f"{param.name} {param.description}")}
    return [
        Hit(option, 1.0, before.start, word.end)
        for before, word in pairwise(spoken)
        if before.stem in named and word.text == _ROMAN[option]
    ]


_UNITS = {"h": 1 / 24, "hour": 1 / 24, "d": 1, "day": 1, "w": 7, "week": 7, "fortnight": 14,
          "m": 30, "mo": 30, "month": 30, "quarter": 91, "y": 365, "year": 365}  # fmt: skip
_LENGTH = regex(
    rf"(?<![\w.,])(?:(?P<n>\d+|an?|one|half an?|another|{'|'.join(NUMBER_WORDS)})[ _-]?)?(?:more )?"
    rf"(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})s?(?![^\W_])",
    re.IGNORECASE,
)


def _days(length: re.Match[str]) -> float:
    """How many days a length of time has: "a fortnight", "6 months", "90d"."""
    said = (length["n"] or "1").lower()
    count = 0.5 if said.startswith("half") else int(said) if said.isdigit() else 1
    return NUMBER_WORDS.get(said, count) * _UNITS[length["unit"].lower()]


def _lasting(param: Param, text: str) -> list[Hit]:
    """The values of an enumeration of lengths of time that a text names in any unit."""
    unit = next((p for p in pieces(param.name) if p.rstrip("s") in _UNITS), "")
    given = {o: _LENGTH.fullmatch(f"{o} {unit}" if isinstance(o, int) else o)
             for o in param.options if isinstance(o, str | int)}  # fmt: skip
    if not 1 < len(given) == len(param.options) or not all(given.values()):
        return []
    return [
        Hit(option, 1.5, said.start(), said.end())
        for said in _LENGTH.finditer(text)
        for option, length in given.items()
        if length and len(said["unit"]) > 2 and abs(_days(said) / _days(length) - 1) < 0.03
    ]


_LANGUAGES = dict(pair.split(":") for pair in word_list("naming.languages"))
"""The codes of languages (ISO 639), by their names in lower case."""
_TABLES = (
    (_LANGUAGES, {"language", "lang"}, r"ISO[ -]?639|language code|two[- ]letter"),
    (COUNTRIES, {"country", "origin", "nationality"}, r"ISO[ -]?3166|country code|two[- ]letter"),
)
_TWO_LETTERS = regex(r"\^?\[(?:a-z|A-Z)\]\{2\}\$?")


Coding = tuple[Mapping[str, str], bool, Callable[[str], str], frozenset[str]]


@lru_cache(maxsize=2_000)
def _coding(param: Param) -> Coding | None:
    """The table of languages or countries of which a parameter asks for one, whether by code, how
    codes are written, and which are allowed (none: all)."""
    if param.type != "string":
        return None
    pattern = str(param.schema.get("pattern", ""))
    for table, names, told in _TABLES:
        named = bool(names & set(pieces(param.name)))
        code = re.search(told, param.description, re.IGNORECASE) and (
            named or not re.search("two", param.description, re.IGNORECASE)
        )
        codes = {str(o).lower() for o in param.options}
        others = codes - {c.lower() for c in table.values()}
        short = bool(codes) and len(others) <= named
        code = bool(code) or short or (named and bool(_TWO_LETTERS.fullmatch(pattern)))
        if code or (named and table is _LANGUAGES):
            case = str.upper if "A-Z" in pattern else str.lower if "a-z" in pattern else str
            return table, code, case, frozenset(map(str, param.options))
    return None


def coded(param: Param, text: str) -> list[Hit]:
    """The languages or countries that a text names, where a parameter asks for one as `_coding`."""
    coding = _coding(param)
    if coding is None:
        return []
    table, code, case, allowed = coding
    found = [Hit(case(table[m.group().lower()]) if code else m.group(), 1.0, *m.span())
             for m in _one_of(tuple(table)).finditer(text)]  # fmt: skip
    return [h for h in found if not allowed or h.value in allowed]


@cache
def _one_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """One of some names, with a capital."""
    longest = sorted((n.title() for n in names), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b")


_WEEK = "monday tuesday wednesday thursday friday saturday sunday".split()
_A_DAY = rf"(?:{'|'.join(f'{d}s?|{d[:3]}' for d in _WEEK)}|tues|thurs)"
_DAYS = regex(
    rf"\b(?:(?P<first>{_A_DAY})\.? ?(?:to|till|until|through|-|–) ?(?P<last>{_A_DAY})"
    rf"|(?P<work>(?:working|week|business) ?days?)|(?P<end>weekends?)"
    rf"|(?P<all>(?:every|each|any) (?:single )?day|daily)|(?P<day>{_A_DAY}))\b",
    re.IGNORECASE,
)
_BAR = regex(rf"\b(?:bar|except|excluding|but|apart from|other than)(?: on| for)? "
                  rf"(?:{_A_DAY}(?:,| and| or)? )*$", re.IGNORECASE)  # fmt: skip
_DENYING = regex(r"(?:\b(?:not|never|no)|n['’]t)\b[^.,;!?]*$", re.IGNORECASE)


def weekdays(options: tuple[Any, ...], text: str) -> list[Any]:
    """The values of an enumeration of days of the week that a text names, also by "Monday to
    Friday", "on working days" or "every day but Sunday"; none where it enumerates others."""
    place = {str(o).lower()[:3]: o for o in options}
    known = [place.get(d[:3]) for d in _WEEK]
    if len(options) < 5 or len(options) != sum(k is not None for k in known):
        return []
    wanted: set[int] = set()
    barred: set[int] = set()
    for m in _DAYS.finditer(text):
        one, other = ([d[:3] for d in _WEEK].index((m[g] or "mon")[:3].lower())
                      for g in ("first" if m["first"] else "day", "last"))  # fmt: skip
        found = {(one + n) % 7 for n in range((other - one) % 7 + 1)} if m["first"] else (
            range(5) if m["work"] else (5, 6) if m["end"] else range(7) if m["all"] else (one,)
        )  # fmt: skip
        off = _BAR.search(text, 0, m.start()) or _DENYING.search(text, 0, m.start())
        (barred if off else wanted).update(found)
    return [k for n, k in enumerate(known) if k is not None and n in wanted - barred]


def _piecewise(option: str, parts: tuple[str, ...], spoken: tuple[Word, ...]) -> list[Hit]:
    """The words of a value one by one."""
    own = [p for p in parts if p not in STOP_WORDS] or list(parts)
    if all(p.isdigit() for p in own):
        return []
    places: list[Word] = []
    worth = 0.0
    for part in own:
        best, at = 0.0, None
        for n, word in enumerate(spoken) if part in STOP_WORDS else _telling(spoken):
            alike = _kin(part, word.text, word.stem)
            if not alike and len(part) <= 3 and word.text.startswith(part):
                alike = _shortened(part, parts, spoken, n)
            if alike > best:
                best, at = alike, word
        worth += best
        places += [at] if at else []
    worth = 0.9 * worth / len(own)
    if worth < _ENOUGH or not places:
        return []
    start, end = min(p.start for p in places), max(p.end for p in places)
    return [Hit(option, worth, start, end)] if end - start <= 60 else []


@lru_cache(maxsize=2_000)
def _telling(spoken: tuple[Word, ...]) -> tuple[tuple[int, Word], ...]:
    """The words of a text that are no small ones, with their places."""
    return tuple((n, w) for n, w in enumerate(spoken) if w.text not in STOP_WORDS)


def _shortened(part: str, parts: tuple[str, ...], spoken: tuple[Word, ...], place: int) -> float:
    """How much a short piece of a value stands for a longer word that begins with it."""
    if part.isdigit():
        return 0.0
    after = spoken[place + 1].text if place + 1 < len(spoken) else ""
    if len(part) <= 2 and len(parts) > 1 and after in parts:
        return 0.9  # an e-bike is an electric bike
    if len(part) == 3 and len(parts) == 1 and len(spoken[place].text) > 5:
        return 0.6  # sunglasses for "sun"
    return 0.0


@lru_cache(maxsize=60_000)
def _kin(part: str, said: str, root: str) -> float:
    """How much a word by itself says the same as a piece of a value, 0 to 1."""
    if (form := formed(part, said, root)) or said in STOP_WORDS or part.isdigit() or said.isdigit():
        return form
    own = stem(part)
    return 0.7 if root in synonyms(own) or own in synonyms(root) else 0.0


_BEGINNING = 5
"""Letters from which on the beginning of a word stands for the whole."""


@lru_cache(maxsize=60_000)
def formed(part: str, said: str, root: str) -> float:
    """How much a word is the same word as a piece of a value, by its form alone."""
    if part == said:
        return 1.0
    if part.isdigit() or said.isdigit() or said in STOP_WORDS:
        return 0.0
    if stem(part) == root:
        return 0.95
    if (
        part[:_BEGINNING] == said[:_BEGINNING]
        and min(len(part), len(said)) >= _BEGINNING
        and (said.startswith(part) or part.startswith(said) or (part[:6] == said[:6] and said[5:]))
    ):
        return 0.8
    return 0.8 if len(part) >= 5 and swapped(part, said) else 0.0


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
    half = (min(len(one), len(other)) - 1) // 2  # of the slip's two sides one is as long
    if one[:half] != other[:half] and one[-half:] != other[-half:]:
        return False
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    left, right = one[head : len(one) - tail], other[head : len(other) - tail]
    return (len(left) <= 1 and len(right) <= 1) or (len(left) == 2 and left == right[::-1])


_BEGUN, _ENDED = regex(r"[.!?;\n]|,(?! none)| but (?!not)| and "), regex(r"[.!?;\n]")
_DENIED = regex(r"[^,]{0,14}\b(?:is|are|need)(?: not|n't)\b")


def negated(text: str, start: int, end: int) -> bool:
    """Whether what stands there is denied: "not the small one", "no lift", "lift: none"."""
    head = _BEGUN.split(text[max(0, start - 60) : start])[-1]
    before = [w.text for w in words(head)][-4:]
    tail = _ENDED.split(text[end : end + 30], 1)[0]
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
