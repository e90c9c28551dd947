"""Marks: the typed values that stand in a text, found by form alone and in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.mentions import Mention, mentions
from course.models.policy.runs import runs
from course.models.policy.verbs import EITHER, VERBS
from course.models.policy.wordlists import word_list
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem

_ID = re.compile(
    r"(?<![\w@./-])(?:"
    r"\d{1,3} [A-Z][a-z]? \d+/\d+"  # a file number: 4 C 100/26
    r"|[A-Z]{1,3}[ -]\d{1,4}[ -][A-Z]{1,3}"  # a number plate: AB 12 CDE
    r"|[A-Z]{1,4}[ -]?\d{2,4}(?: \d{3})+"  # AB 123 456
    r"|[1-9]\d{0,3}(?: \d{2,4}){2,}"  # 1 234 567
    r"|[A-Z]{5,8}(?=[ .,?!]*$|[ ,.?!]+[a-z\d])"  # a code of letters: HJKLMN
    r"|(?<=[a-z] )[B-HJ-Z](?= |$|[,.?!])(?! [A-Z])"  # studio B
    r"|(?:[A-Z]{1,4} (?=\d{2}))?#?(?=[\w/.-]*\d)[A-Za-z0-9]+(?:[-/._][A-Za-z0-9]+)*"
    r")(?![\w@])"
)
_ADDRESS = re.compile(
    r"(?<![\w-])(?:\d{1,4}[a-z]? (?:[A-Z][\w'’-]+ ?){1,4}"
    r"|(?:(?:Rue|Via|Calle|Avenue|Plaza|Piazza|Am|Im|Place) (?:[\w'’-]+ ){1,3}"
    r"|[A-Z]\w+(?:stra(?:ss|ß)e|gasse|weg|allee|platz|straat|laan|gade|vej|gatan) )"
    r"\d{1,4}[a-z]?\b)"
    r"(?:, (?:\d{4,5} [A-Z][\w-]+|(?:top|ground|first|second|third) (?:flat|floor)|flat \w+))*"
)
_NO_STREET = re.compile(r"(?:January|February|March|April|May|June|July|August|September|October"
                        r"|November|December|Mr|Mrs|Ms|I|EUR|USD|GBP)\b")  # fmt: skip
_NO_ID = re.compile(
    r"\d+(?:st|nd|rd|th|x|am|pm|h|k|km|m|cm|mm|kg|g|l|kwh|min|s|ish)?|\d+[.,]\d+|x\d+|\d+-\w*[a-z]{3,}"
    r"|\d\d?\.\d\d?\.(?:\d{2,4})?|\d+/\d+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_PARTICLES = frozenset(
    "van von der den de del della di da dos la le el al bin ibn ter ten zu".split()
)
_NO_NAME = frozenset(
    """i i'm i'd i'll i've ok eur usd gbp chf monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november december
    mr mrs ms dr prof miss vip pdf am pm english german french dear""".split()
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A value in a text: what it looks like, its value, and where it stands.

    Attributes:
        kind: "date", "time", "amount", "number", "email", "phone", "quoted", "name", "id", ...
        doubtful: of a name, that only its place at the opening makes it look like one.
    """

    kind: str
    value: Any
    start: int
    end: int
    text: str
    doubtful: bool = False
    lead: str = ""

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it shares a piece of the text."""
        return self.start < end and start < self.end


@lru_cache(maxsize=2_000)
def marks(text: str, today: date) -> tuple[Mark, ...]:
    """The marks of a text in order of place; those of one text may lie upon one another."""
    ids = list(_ids(text))
    masked = _masked(text, [m for m in ids if re.search(r"[A-Za-z]", m.text)])
    found = [
        Mark(m.kind, _said(text, m), m.start, m.end, text[m.start : m.end])
        for m in mentions(masked, today)
        if m.kind not in ("id", "name") and not _misread(text, m.text, m.end)
    ]
    typed = [m for m in found if m.kind in ("date", "time", "email", "url", "amount")]
    spans = _of(typed)
    ids = [m for m in ids if not _within(m, spans)]
    spans += _of(ids)
    found = [m for m in found if m.kind not in ("number", "phone") or not _within(m, _of(ids))]
    names = [m for m in _names(text) if not _within(m, spans)]
    typed = [m for m in found if m.kind != "quoted"]
    phrases = list(_phrases(text, (*typed, *ids)))
    sums = list(_sums(text))
    found = [m for m in found if m.kind != "number" or not _within(m, _of(sums))]
    said = {(m.start, m.end) for m in names}
    phrases = [m for m in phrases if (m.start, m.end) not in said]
    found = _dated(found, text)
    places = list(_places(text))
    found = [m for m in found if m.kind != "address" or not _within(m, _of(places))]
    names = [m for m in names if not _within(m, _of(places))]
    names += [*places, *(m for m in phrases if not _within(m, _of(places))), *sums]
    return tuple(sorted([*found, *ids, *names], key=lambda m: (m.start, m.end)))


def _masked(text: str, found: list[Mark]) -> str:
    """The text with its ids made unreadable, so that no date or number is seen in them."""
    for mark in found:
        text = text[: mark.start] + "x" * (mark.end - mark.start) + text[mark.end :]
    return text


def _said(text: str, mention: Mention) -> Any:
    """The value of a mention; of quoted words as they stand in the text itself."""
    if mention.kind == "quoted":
        return text[mention.start : mention.end].strip("\"“”'‘’")
    return mention.value


def _misread(text: str, said: str, end: int) -> bool:
    """A thing that looks like a number ("a pair of", "which one")."""
    alone = said.lower() == "one" and not re.match(r"[ -][a-z]", text[end:])
    return alone or said.lower() == "pair"


def _of(found: list[Mark]) -> list[tuple[int, int]]:
    return [(m.start, m.end) for m in found]


def _within(mark: Mark, spans: list[tuple[int, int]]) -> bool:
    return any(mark.overlaps(*span) for span in spans)


def _ids(text: str) -> Iterator[Mark]:
    for found in _ID.finditer(text):
        said = found.group()
        if not _NO_ID.fullmatch(said):
            yield Mark("id", said, found.start(), found.end(), said)


_DAY = re.compile(r"(?:the )?(\d{1,2})(?:st|nd|rd|th)?", re.IGNORECASE)
_SAME_MONTH = re.compile(r"\s*of (?:this|the same|that) month\b", re.IGNORECASE)


def _dated(found: list[Mark], text: str) -> list[Mark]:
    """The marks with days that have no month of their own in the month of the date beside them."""
    days = [m for m in found if m.kind == "date"]
    whole = [m for m in days if not _DAY.fullmatch(m.text) and re.search(r"[A-Za-z]{3}", m.text)]
    out = []
    for mark in found:
        told = _DAY.fullmatch(mark.text) if mark.kind == "date" else None
        near = [w for w in whole if abs(w.start - mark.end) < 60 or abs(mark.start - w.end) < 60]
        month = _SAME_MONTH.match(text, mark.end)
        if told and near and (month or near[0].start > mark.start):
            with suppress(ValueError):
                day = date.fromisoformat(near[0].value).replace(day=int(told[1]))
                out.append(replace(mark, value=day.isoformat()))
                continue
        out.append(mark)
    return out


_SPELT = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_SUM = re.compile(
    rf"(?<![\w-])(?:(?P<whole>{_SPELT}|\d+) and a (?P<part>half|quarter)"
    rf"|(?:(?P<times>{_SPELT}|\d+|a) )?hundred(?: and)? (?P<rest>{_SPELT}))(?![\w-])",
    re.IGNORECASE,
)


def _sums(text: str) -> Iterator[Mark]:
    """Numbers of several words: "nine and a half", "a hundred and twenty"."""

    def figure(word: str) -> int:
        return int(word) if word.isdigit() else NUMBER_WORDS.get(word.lower(), 1)

    for found in _SUM.finditer(text):
        if found["whole"]:
            value: float = figure(found["whole"]) + (
                0.5 if found["part"].lower() == "half" else 0.25
            )
        else:
            value = 100 * figure(found["times"] or "a") + figure(found["rest"])
        yield Mark("number", value, *found.span(), found.group())


_VERBS = frozenset(stem(w) for w in word_list("candidates.verbs"))


def _phrases(text: str, typed: tuple[Mark, ...]) -> Iterator[Mark]:
    """Runs of plain words between typed marks, each with the preposition before it."""
    taken = tuple(Mention(m.kind, m.value, m.start, m.end) for m in typed)
    for run in runs(text, taken, _VERBS):
        if run.text.lower() not in _NO_NAME | _OPENERS:
            yield Mark("phrase", run.text, run.start, run.end, run.text, lead=run.lead)


def _places(text: str) -> Iterator[Mark]:
    """A house number and a street, in either order, with what follows of the address."""
    for found in _ADDRESS.finditer(text):
        said = found.group().strip()
        word = re.sub(r"^\d+\w? ", "", said)
        if not _NO_STREET.match(word) and len(re.sub(r"[^A-Za-z]", "", word)) > 3:
            yield Mark("address", said, found.start(), found.start() + len(said), said)


def _names(text: str) -> Iterator[Mark]:
    """Runs of capitalised words, with the particles between them."""
    run: list[re.Match[str]] = []
    for word in [*_WORD.finditer(text), None]:
        if run and (word is None or not _goes_on(text, run[-1], word)):
            yield from _name(text, run)
            run = []
        if word is not None and (run or _capital(word.group())):
            run.append(word)


def _capital(word: str) -> bool:
    return word[0].isupper() or bool(re.match(r"[a-z]{1,2}['’-][A-Z]", word))


def _goes_on(text: str, last: re.Match[str], word: re.Match[str]) -> bool:
    gap = text[last.end() : word.start()]
    initial = len(last.group()) == 1 and gap == ". "
    titled = word.group() == "of" or (word.group() == "the" and last.group() == "of")
    fits = _capital(word.group()) or word.group() in _PARTICLES or titled
    return (gap == " " or initial) and fits and not re.search(r"['’]s$", last.group())


def _name(text: str, run: list[re.Match[str]]) -> Iterator[Mark]:
    opening = _opens(text, run[0].start())
    while run and (_no_name(run[0].group(), opening)):
        run = run[1:]
        opening = False
    while run and not _capital(run[-1].group()):
        run = run[:-1]
    if run and run[-1].group().lower() in _NO_NAME:
        run = run[:-1]
    if not run:
        return
    start, end = run[0].start(), run[-1].end()
    said = re.sub(r"['’]s?$", "", text[start:end])
    lone = opening and len(run) == 1
    yield Mark("name", said, start, start + len(said), said, doubtful=lone)


def _opens(text: str, start: int) -> bool:
    before = text[max(0, start - 20) : start].rstrip(" \"'“‘(")
    return not before or (before[-1] in ".!?:;\n" and not _TITLE.search(before))


_TITLE = re.compile(r"\b(?:Dr|Prof|Mrs?|Ms|Miss)\.$")


def _no_name(word: str, opening: bool) -> bool:
    low = re.sub(r"['’].*", "", word.lower())
    if word.lower() in _NO_NAME or low in _NO_NAME:
        return True
    return opening and (low in STOP_WORDS or low in EITHER or low in _OPENERS or stem(low) in VERBS)


_OPENERS = frozenset(
    """hello hi hey good morning evening afternoon sorry thanks thank many cheers quick so what no
    yes also then and but well ha oh ah wow please kindly dear great call change write label
    tag""".split()
)
