"""What a sentence says beside its plain figures: dates, times, yes and no; numbers in words.

Rules for English prose, made for comparing two results (`course.contradictions`). They rather say
nothing than something wrong: what cannot be read with certainty is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from course.stems import stem

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBERS = {word: n for n, word in enumerate(_ONES)} | {w: 10 * n for n, w in enumerate(_TENS, 2)}
_BIG = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_WORD = "|".join(_NUMBERS)
_IN_WORDS = re.compile(
    rf"\b(?P<said>(?:{_WORD})(?:[ -](?:and )?(?:{_WORD}|{'|'.join(_BIG)})\b)*)\b"
    r"(?P<half> and a half\b)?",
    re.IGNORECASE,
)
_COUNTED = re.compile(  # what "one" counts; anywhere else it may be a pronoun
    r" (?:second|minute|hour|day|night|week|month|quarter|year|tablet|pill|dose|unit|copy|piece"
    r"|office|lesson|page|person|employee|kilo|kg|euro|dollar|pound|per ?cent)\b"
)
_PARTS = {"quarter": 4, "third": 3, "fifth": 5, "tenth": 10}
_SHARE = re.compile(
    r"(?<!and )\b(?:half|(?P<n>a|one|two|three) (?P<part>quarter|third|fifth|tenth)s?)\b"
    r"(?=\s*(?:[.,;]|\Z| of (?:the|its|all|their)\b))",
    re.IGNORECASE,
)
_OTHERS = (
    (re.compile(r"\b(?:a|one) dozen\b", re.IGNORECASE), "12"),
    (re.compile(r"\bhalf past (\d{1,2})\b", re.IGNORECASE), r"\1:30"),
    (re.compile(r"(?<=\bat )(?:noon|midday)\b", re.IGNORECASE), "12:00"),
    (re.compile(r"\b(EUR|USD|GBP|CHF) ?(\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion)\b)?)"),
     r"\2 \1"),
)  # fmt: skip
_SIGNS = (*_NUMBERS, "half", *_PARTS, "dozen", "noon", "midday", "eur", "usd", "gbp", "chf")
"""One of these stands in whatever any of the patterns above finds."""


def in_digits(text: str) -> str:
    """A text with its numbers in digits: "two years" as "2 years", "a quarter" as "25 %".

    "one" only where it counts something; "EUR 5" as "5 EUR", "half past ten" as "10:30".
    """
    small = text.lower()
    if not any(sign in small for sign in _SIGNS):  # the patterns take fifty times as long
        return text
    text = _IN_WORDS.sub(_digits, _SHARE.sub(_percent, text))
    for pattern, digits in _OTHERS:
        text = pattern.sub(digits, text)
    return text


def _percent(found: re.Match[str]) -> str:
    if not found["part"]:
        return "50 %"
    many = {"a": 1, "one": 1, "two": 2, "three": 3}[found["n"].lower()]
    return f"{100 * many / _PARTS[found['part'].lower()]:.4g} %"


def _digits(found: re.Match[str]) -> str:
    words = re.findall(r"[a-z]+", found["said"].lower())
    alone = words == ["one"] and not found["half"]
    if alone and not _COUNTED.match(found.string, found.end()):
        return found[0]
    whole = part = 0
    for word in words:
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _BIG:
            whole, part = whole + max(part, 1) * _BIG[word], 0
        elif word != "and":
            part += _NUMBERS[word]
    return f"{whole + part}{'.5' if found['half'] else ''}"


class Day(NamedTuple):
    """A date as far as it is told; "in June" has a month alone. Monday is the weekday 0."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def agrees(self, other: Day) -> bool:
        """Whether nothing differs that both tell, and there is something that both tell."""
        both = [(a, b) for a, b in zip(self, other, strict=True) if None not in (a, b)]
        return not both or all(a == b for a, b in both)


@dataclass(frozen=True)
class Statement:
    """Something that is said of something.

    Attributes:
        kind: "date", "time" (minutes of the day), "count" or "yes or no" (1 or 0).
        about: of what, as stems of the words that tell it.
        name, shown: of what, and what, both as written.
        value: the same for comparing.
    """

    kind: str
    about: frozenset[str]
    name: str
    shown: str
    value: Day | float


def statements(text: str) -> Iterator[Statement]:
    """The dates, times, counts, and claims of yes or no in a text, with its numbers in digits."""
    for sentence in _SENTENCE.split(text):
        if not _UNSURE.search(sentence):
            yield from _how_many(sentence)
            yield from _when(sentence)
            yield from _yes_or_no(sentence)


_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|[.!?;]+\Z")
_UNSURE = re.compile(r"\b(?:if|unless|whether|perhaps|maybe|either)\b|\?", re.IGNORECASE)
_LIGHT = frozenset(
    "a about all an and are at be been being by came come did do does for from had has have he her"
    " his in is it its next of on our place planned scheduled set she since take taken takes that"
    " the their there they this to took until was we were what which who will with"
    " would yes no".split()
)


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(w) for w in re.findall(r"[a-z0-9]+", words.lower()) if w not in _LIGHT)


_HOW_MANY = re.compile(
    r"\A\W*(?:(?:only|about|around|some|all|exactly)\s)?(?P<count>\d[\d,]*)"
    r"(?P<of>(?: of (?:the |its |their |all )?(?:\d+ )?)?) ?(?P<what>[a-z]\D*)\Z",
    re.IGNORECASE,
)


def _how_many(sentence: str) -> Iterator[Statement]:
    """How many do something, where a sentence begins with that: "3 of the clauses are risky"."""
    found = _HOW_MANY.match(sentence)
    if found and not _CLAUSE.search(found["what"]) and len(about := _stems(found["what"])) > 1:
        value = float(found["count"].replace(",", ""))
        yield Statement("count", about, " ".join(found["what"].split()), found["count"], value)


# --- dates and times ------------------------------------------------------------------------

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>January|February|March|April|May|June|July|August|September|October|November"
    r"|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)\b(?![-/]\d)"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_ON = r"\b(?P<on>[Ii]n|[Oo]n|by|until|till|from|since|for|before|after|at|is|was|are|were|due)\s+"
_DATES = tuple(
    re.compile(_ON + rf"(?:the )?(?P<date>{form})\b")
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)",
        rf"{_NTH} (?:of )?{_MONTH}(?:,? {_YEAR})?",
        rf"{_MONTH} {_NTH}(?:,? {_YEAR})?",
        rf"{_MONTH}(?: (?:of )?{_YEAR})?",
        r"(?P<weekday>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)(?! (?:to|and|or|through))",
        _YEAR,
    )
)
_TIME = re.compile(
    r"\b(?P<on>at|from|until|till|by|before|after)\s+(?P<date>(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?)(?![\d:])"
)
_IS = r"(?:is|was|are|were|be|been)"
_ONCE = re.compile(  # what happens once, and so has one date
    rf"\b(?:{_IS} (?:\w+ly )?(?:only )?\Z|[a-z]{{2,}}ed\b|built|born|began|begun|left|went|set|made"
    r"|due|valid|force|sent|found|bought|(?:end|begin|start|open|close|leave|arrive|expire|depart"
    r"|run|last|take|come|go|retire|return|apply|applie|finishe)s?\b)",
    re.IGNORECASE,
)
_AGAIN = re.compile(  # what may happen in one year and in the next
    r"\b(?:rose|risen|increased|grew|grown|fell|fallen|declined|dropped|improved|doubled|tripled"
    r"|published|reported|used|visited|sold|earned|gained|lost|remained|stayed|recorded|counted"
    r"|reached|averaged|totalled|totaled|covered|listed|estimated|expected|based|compared)\b"
)
_CLAUSE = re.compile(r",\s|\s(?:and|but|while|when|where|because|so|or)\s")
_GOES_ON = re.compile(r"\s+(?:is|was|are|were|had|has|have|will|would|rose|fell|grew)\b")


def _when(sentence: str) -> Iterator[Statement]:
    """The first date and the first time of a sentence, with what they are dates of."""
    for kind, patterns in (("date", _DATES), ("time", (_TIME,))):
        found = min(
            (m for p in patterns if (m := p.search(sentence)) and _real(m)),
            key=lambda m: (m.start("date"), -m.end("date")),
            default=None,
        )
        if found and (subject := _subject(sentence, found)):
            value: Day | float = _day(found) if kind == "date" else _minutes(found)
            yield Statement(kind, _stems(subject), subject, found["date"], value)


def _real(found: re.Match[str]) -> bool:
    given = found.groupdict()
    if "hour" in given:
        return int(given["hour"]) < 24 and bool(given["minute"] or given["half"])
    return int(given.get("day") or 1) in range(1, 32)


def _day(found: re.Match[str]) -> Day:
    given = {name: value for name, value in found.groupdict().items() if value}
    weekday = _WEEKDAYS.index(given["weekday"].lower()) if "weekday" in given else None
    month = given.get("month", "")
    number = int(month) if month.isdigit() else None
    if month and number is None:
        number = _MONTHS.index(month[:3].lower()) + 1
    year, day = given.get("year"), given.get("day")
    return Day(int(year) if year else None, number, int(day) if day else None, weekday)


def _minutes(found: re.Match[str]) -> float:
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] == "p" else 0)
    return 60.0 * hour + int(found["minute"] or 0)


def _subject(sentence: str, found: re.Match[str]) -> str:
    """Of what something is the date: the words before it, without other dates; or those after it,
    where it leads. Empty where it is no date of a thing, but tells of which year a figure is.
    """
    before = _without_dates(sentence[: found.start()])
    after = sentence[found.end() :]
    if re.search(r"\d", before) or _GOES_ON.match(after):
        return ""
    if found["on"] in ("is", "was", "are", "were", "due"):
        before += f" {found['on']} "
    if not _stems(before):  # "In 2018 Lumen acquired Brite"
        before = _CLAUSE.split(after.lstrip(", "))[0]
        if re.search(r"\d", before):
            return ""
    elif not _CLAUSE.search(before) and re.match(r"\s*[A-Z]?[a-z]+(?:ed|ilt)\s*\Z", before):
        lead = re.match(r",\s+((?:[A-Za-z-]+\s){1,4}?)(?=(?:is|was|has|had|[a-z]+s)\b)", after)
        before = f"{before} {lead[1]}" if lead else ""  # "Completed in 2013, the bridge has ..."
    elif len(parts := _CLAUSE.split(before)) > 2 or (len(parts) == 2 and not _apposed(before)):
        return ""
    once = _ONCE.search(before.rstrip() + " ") or re.search(rf"\b{_IS}\s*\Z", before)
    if not once or _AGAIN.search(before) or len(_stems(before)) < 1:
        return ""
    return " ".join(before.split()).strip(" ,")


def _apposed(before: str) -> bool:
    """Whether a comma stands between a name and its participle: "Northwind, founded"."""
    return bool(re.search(r",\s+(?:\w+ly\s)?\w+(?:ed|ilt|orn)\s*(?:\w+\s*)?\Z", before))


def _without_dates(words: str) -> str:
    for pattern in (*_DATES, _TIME):
        words = pattern.sub(" ", words)
    return words


# --- yes and no -----------------------------------------------------------------------------

_PARTS_OF = re.compile(
    r",\s+(?:and |but )?|\s+but\s+|\s+and\s+(?=(?:is|are|was|were|has|have|do|does|did|not|can"
    r"|it|they|the)\b)"
)
_SOME = re.compile(
    r"\b(?:some|many|most|few|several|often|sometimes|partly|other|others|only|almost|rarely|might"
    r"|seems?|appears?|no longer|not yet|than|more|less)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|cannot|no|without any)\b|n't\b", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|can|may|must|will|shall|should|do|does|did|isn't|aren't"
    r"|wasn't|don't|doesn't|didn't|can't|cannot|won't|[a-z]{3,}(?:s|ed))\b|\b(?:allow|support|need"
    r"|get|take|offer|include|require|accept|contain|cover|permit|work|cause|give)\b",
    re.IGNORECASE,
)
_OPPOSITES = {
    "closed": "open", "shut": "open", "negative": "positive", "forbidden": "allow",
    "prohibited": "allow", "banned": "allow", "forbids": "allow", "prohibits": "allow",
    "disabled": "enabled", "absent": "present", "false": "true", "lacks": "has", "lack": "has",
    "refuses": "accept", "rejects": "accept", "rejected": "accept", "excludes": "includes",
    "excluded": "included", "off": "on", "illegal": "legal", "invalid": "valid",
}  # fmt: skip
_SAME = {"permitted": "allow", "permits": "allow", "permit": "allow", "have": "has"}
_PREFIX = re.compile(
    r"\b(?:un(?=\w{3,}(?:able|ible|ed|safe|paid|likely|known|clear|lawful|fair)\b)"
    r"|in(?=\w{3,}(?:able|ible)\b|(?:active|complete|correct|sufficient|effective|compatible"
    r"|accurate|eligible|secure)\b)|im(?=p\w+(?:ible|er|able)\b)|il(?=l\w+al\b)|ir(?=r\w+ible\b)"
    r"|non-)",
    re.IGNORECASE,
)


def _yes_or_no(sentence: str) -> Iterator[Statement]:
    """What a sentence affirms or denies, clause by clause."""
    sentence = re.sub(r"\A\W*(?:yes|no),\s+", "", sentence, flags=re.IGNORECASE)
    for clause in _PARTS_OF.split(sentence):
        last = max((each.start() for each in _VERB.finditer(clause)), default=0)
        if _SOME.search(clause) or not _stems(clause[:last]):
            continue
        turns = len(_NOT.findall(clause))
        plain = re.sub(r"n't\b", "", re.sub(r"\bcan't|\bcannot", "can", _NOT.sub(" ", clause)))
        plain, prefixes = _PREFIX.subn("", plain)
        words, turns = re.findall(r"[a-z0-9]+", plain.lower()), turns + prefixes
        turns += sum(word in _OPPOSITES for word in words)
        plain_words = (_OPPOSITES.get(w) or _SAME.get(w) or w for w in words if w not in _LIGHT)
        about = set(map(stem, plain_words))
        if {"was", "were", "had", "did"} & set(words):
            about.add("past")
        shown = " ".join(clause.split()).strip(" .")
        if len(about - {"past", "has"}) > 1:
            yield Statement("yes or no", frozenset(about), shown, shown, float(turns % 2 == 0))
