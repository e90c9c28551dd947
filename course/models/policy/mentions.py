"""Mentions: the typed values that stand in a text, found by form alone and in linear time.

A mention knows what kind of thing it looks like (a date, an amount, a name, an id, ...) and where
it stands; which parameter it belongs to is decided elsewhere. Whom or what a text is about, its
subjects, are those of its names that open no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from course.models.policy.dates import REFERENCE, find_dates, find_months
from course.models.policy.lexicon import EITHER, VERBS, action_of, everyday, phrase_spans
from course.models.policy.patterns import regex
from course.models.policy.times import find_times
from course.models.policy.words import (
    NUMBER_WORDS,
    STOP_WORDS,
    cue,
    in_figures,
    stem,
    tokens,
    word_list,
)

_NAMED = {"euro": "EUR", "dollar": "USD", "pound": "GBP", "quid": "GBP", "yen": "JPY"}
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", **_NAMED}
_SIGNS |= {f"{name}s": code for name, code in _NAMED.items()}
_CODES = "EUR|USD|GBP|JPY|CHF|SEK|NOK|DKK|CAD|AUD|PLN|CZK"
_MONEY = rf"(?:{_CODES}|[Ee]uros?|[Dd]ollars?|[Pp]ounds?|quid|[Yy]en)"
_FIGURE = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_PRICE = rf"\d+,\d\d(?![\d,])|{_FIGURE}"
_SPELLED = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_LOOSE = frozenset("once twice couple pair dozen hundred".split())
_SCALE = "(?:dozen|hundred|thousand|million)"
_NUMERAL = "|".join(w for w in _SPELLED.split("|") if w not in _LOOSE)
_ID = regex(
    r"(?<![\w@./+-])(?:"
    r"\d{1,3} [A-Z][a-z]? \d+/\d+"  # a file number: 4 C 100/26
    r"|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3}(?![\w-]))?"  # GB29 NWBK 6016
    r"|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}"  # a postcode: M14 6PX
    r"|[A-Z]{1,3}-[A-Z]{1,2} ?\d{1,4}(?![\w-])"  # a number plate: HH-AB 123
    r"|[A-Z]{1,3}[ -]\d{1,4}[ -][A-Z]{1,3}"  # another: AB 12 CDE
    r"|[A-Z]{1,3}\d{1,4} [A-Z]{2,3}(?!\w)"  # one more: AB12 CDE
    r"|[A-Z]{1,4}[ -]?\d{1,4}(?: \d{3})+"  # AB 123 456
    r"|\d{1,4}[A-Z]{1,4}(?: \d{3,4})+"  # 1ABC 0012 3456
    r"|[1-9]\d{0,3}(?: \d{2,4}){2,}"  # 1 234 567
    r"|[A-Z]{5,8}(?=[ .,?!]*$|[ ,.?!]+[a-z\d])"  # a code of letters: HJKLMN
    r"|(?<=[a-z] )[B-HJ-Z](?= |$|[,.?!])(?! [A-Z\d])"  # studio B
    r"|(?:[A-Z]{1,4} (?=\d{2}))?#?(?=[\w/.-]*\d)[A-Za-z0-9]+(?:[-/._][A-Za-z0-9]+)*"
    r")(?![\w@])"
)
_NO_ID = regex(
    r"\d+(?:st|nd|rd|th|x|am|pm|h|k|km|m|cm|mm|kg|g|l|kwh|min|s|ish)?|\d+[.,]\d+|x\d+|\d+-\w*[a-z]{3,}"
    r"|\d\d?h\d\d|\d\d?\.\d\d?\.(?:\d{2,4})?|\d+/\d+|(?:EUR|USD|GBP|CHF) ?\d[\d.,]*",
    re.IGNORECASE,
)
_QUOTED = regex(r'"([^"\n]{1,300})"|“([^”\n]{1,300})”|(?<!\w)[\'‘]([^\'’\n]{2,200})[\'’](?!\w)')
_ADDRESS = regex(
    r"(?<![\w-])(?:\d{1,4}[a-z]? (?:[A-Z][\w'’-]+ ?){1,4}"
    r"|(?:(?:Rue|Via|Calle|Avenue|Plaza|Piazza|Am|Im|Place) (?:[\w'’-]+ ){1,3}"
    r"|[A-Z]\w+(?:stra(?:ss|ß)e|gasse|weg|v[aä]gen|allee|platz|straat|laan|gade|vej|gatan) )"
    r"\d{1,4}[a-z]?\b)"
    r"(?:, (?:\d{4,5} [A-Z][\w-]+|(?:top|ground|first|second|third) (?:flat|floor)|flat \w+))*"
)
_NO_STREET = regex(r"(?:January|February|March|April|May|June|July|August|September|October"
                        r"|November|December|Mr|Mrs|Ms|I|EUR|USD|GBP)\b")  # fmt: skip
_STREET = regex(
    r"\b(?:Street|St|Road|Rd|Lane|Avenue|Ave|Square|Drive|Way|Court|Place|Park|Row|Close|Terrace"
    r"|Boulevard|Gardens|Hill|Quay)\b"
)
_MOMENT = regex(r"\d{4}-\d\d-\d\d[T ](\d\d:\d\d)(?::\d\d)?")
_EARLY: tuple[tuple[str, str], ...] = (
    ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("file", r"\b[\w-]+\.(?:pdf|docx?|txt|csv|png|jpe?g|md|xlsx?|json|html?)\b"),
    ("phone", r"\+\d{1,3}(?:[ /-]?\(?\d{2,5}\)?){2,5}(?!\w)"),
    ("url", r"https?://[^\s,;)\"']+[^\s,;)\"'.?!]"),
    ("uuid", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
)
_LATE: tuple[tuple[str, str], ...] = (
    ("amount", rf"(?P<s>[€$£¥]) ?(?P<a>{_PRICE})|(?P<a2>{_PRICE}) ?(?P<s2>[€$£¥]|{_MONEY}\b)"
               rf"|\b(?P<s3>{_CODES}) (?P<a3>{_PRICE})"),
    ("phone", r"(?<![\w-])(?:\+\d{1,3}[ /-]?)?(?:\(?\d{2,5}\)?[ /-])\d{2,4}"
              r"(?:[ -]?\d{2,5}){1,3}(?!\w)|\+\d{8,14}\b"),
    ("currency", rf"\b{_MONEY}\b"),
    ("number", r"(?i:\bhalf an?(?= (?:second|minute|hour|year|day|kilo\w*|litre|metre|pound)\b)"
               r"|\b(?:a|three) quarters? of an?(?= \w)"
               r"|\b(?:an?|next)(?= (?:hour|day|week|month|year) and a half\b)"
               r"|(?:(?<=for )|(?<=by )|(?<=in ))an?(?= (?:hour|week|fortnight|month|year|day)\b)"
               r"|\b(?:another|one more)(?= (?:hour|week|month|year|day|night)\b)"
               r"|(?<=\ba )single(?= [a-z]))"),
    ("number", rf"(?i:(?<![\w-])(?:(?P<whole>{_SPELLED}|\d+) and (?:a )?"
               rf"(?P<part>half|quarter|three quarters)"
               rf"|(?P<scaled>(?:(?:{_NUMERAL}|\d+|half an?|an?) {_SCALE}|hundred|dozen)"
               rf"(?:(?: and)? (?:{_NUMERAL}|{_SCALE}))*)"
               rf"|(?P<point>(?:{_NUMERAL}|\d+) point (?:{_NUMERAL})(?: (?:{_NUMERAL}))*))"
               r"(?![\w-]))"),
    ("number", rf"(?i:(?<![\w.,-])(?:-|minus )?(?:{_FIGURE})(?![\w]|[.,:]\d)"
               rf"|(?<![\w-])(?:minus )?(?:{_SPELLED})(?![\w])(?!-))"),
)  # fmt: skip
_FORMS = {kind: regex(pattern) for kind, pattern in _EARLY}
_LATER = tuple((kind, regex(pattern)) for kind, pattern in _LATE)
YEAR = regex(r"\b(?:19|20)\d\d\b(?!-\d)")
_LONGEST_FIGURE = 40  # characters: a longer row of digits is no number that anybody means
_ENDLESS = regex(r"\S{200,}")  # no value of anything; the forms would take seconds to read it


class Mention(NamedTuple):
    """A value in a text: what it looks like, its value, and where it stands.

    Attributes:
        kind: "date", "time", "amount", "number", "email", "phone", "quoted", "name", "id", ...
        doubtful: of a name, that only its place at the opening makes it look like one.
        lead: of a phrase, the preposition before it.
    """

    kind: str
    value: Any
    start: int
    end: int
    text: str = ""
    doubtful: bool = False
    lead: str = ""

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it shares a piece of the text."""
        return self.start < end and start < self.end


@lru_cache(maxsize=4_000)
def mentions(text: str, today: date = REFERENCE) -> tuple[Mention, ...]:
    """The mentions in a text in order of place; of overlapping readings the more special counts,
    but for what is quoted, which may hold others."""
    plain, early, ids, places, names, quoted = _undated(text)
    found = _typed(plain, early, today)
    phones = [m for m in found if m.kind == "phone" and m.text[0] in "0+("]
    ids = [m for m in ids if m.text[0].isalpha() or _beside([m], phones)]
    firm = [m for m in found if m.kind in ("date", "time", "email", "url", "amount")]
    ids = _beside(ids, firm)
    codes = [m for m in found if m.kind == "currency"]
    names = _beside(names, [*firm, *codes, *ids, *places])
    claimed = [*ids, *(m for m in places if _STREET.search(m.text) or not m.text[0].isdigit())]
    found = [m for m in found if m in firm or _beside([m], claimed)]
    return tuple(sorted([*quoted, *found, *ids, *places, *names], key=lambda m: (m.start, m.end)))


Found = list[Mention]


@lru_cache(maxsize=4_000)
def _undated(text: str) -> tuple[str, Found, Found, Found, Found, Found]:
    """What no day changes: the text without its ids, in which no date or number is seen inside
    one; and what has a form of its own, ids, addresses, names, and what is quoted."""
    text = plain = _ENDLESS.sub(lambda run: " " * len(run.group()), text)
    early = [m for kind, form in _FORMS.items() for m in _of(form, kind, text)]
    ids = _beside([m for m in _of(_ID, "id", text) if not _NO_ID.fullmatch(m.text)], early)
    for each in ids:
        if re.search(r"[A-Za-z]", each.text):
            plain = plain[: each.start] + "x" * len(each.text) + plain[each.end :]
    places = [m for m in _of(_ADDRESS, "address", text) if in_street(m.text)]
    quoted = [m._replace(value=m.text.strip("\"“”'‘’")) for m in _of(_QUOTED, "quoted", text)]
    return plain, early, ids, places, _names(text), quoted


def _of(form: re.Pattern[str], kind: str, text: str) -> list[Mention]:
    found = ((m.start(), m.group().strip()) for m in form.finditer(text))
    return [Mention(kind, said, start, start + len(said), said) for start, said in found]


def _beside(found: list[Mention], others: list[Mention]) -> list[Mention]:
    """Those that lie upon none of the others."""
    return [m for m in found if not any(m.overlaps(o.start, o.end) for o in others)]


def in_street(said: str) -> bool:
    """Whether what has the form of a house in a street is one."""
    street = re.sub(r"^\d+\w? ", "", said)
    return not _NO_STREET.match(street) and len(re.sub(r"[^A-Za-z]", "", street)) > 3


def _typed(text: str, early: list[Mention], today: date) -> list[Mention]:
    """What its form alone types, the more special forms first, each piece of the text once."""
    kept: list[Mention] = []
    taken = bytearray(len(text))

    for mention in (*early, *_moments(text, today), *_figures(text)):
        if not any(taken[mention.start : mention.end]):
            kept.append(mention)
            taken[mention.start : mention.end] = b"x" * (mention.end - mention.start)
    money = {m.start for m in kept if m.kind == "currency"}  # "nine thousand dollars"
    return [m._replace(kind="amount") if m.kind == "number" and m.end + 1 in money else m
            for m in kept]  # fmt: skip


@lru_cache(maxsize=4_000)
def _figures(text: str) -> Found:
    """What has the form of a sum of money, a telephone, a currency or a number."""
    out = []
    for kind, form in _LATER:
        found = [m for m in form.finditer(text) if len(m.group()) <= _LONGEST_FIGURE]
        out += [_figured(kind, m) for m in found if not _misread(text, m)]
        if kind == "amount":
            out += [_currency(m, next(g for g in ("s", "s2", "s3") if m[g])) for m in found]
    return out


def _moments(text: str, today: date) -> Iterator[Mention]:
    for day in find_dates(text, today):
        said = text[day.start : day.end]
        if len(said) == 3 and said.isalpha() and re.match(r" [^\W\d_a-z]", text[day.end :]):
            continue  # "Thu Ha" is a name
        yield Mention("date", day.value.isoformat(), day.start, day.end, said)
    for month in find_months(text, today):
        place = (month.start, month.end)
        yield Mention("month", month.value.isoformat()[:7], *place, text[slice(*place)])
    for time in find_times(text):
        yield Mention("time", time.value, time.start, time.end, text[time.start : time.end])
    for match in _MOMENT.finditer(text):
        yield Mention("time", match[1], match.start(1), match.end(), match[1])


_PRONOUN = cue("mentions.pronoun")
_QUALIFIED = cue("mentions.qualified")
_LISTS = regex(
    r" (?:more |other |little |quick )?(?:things|jobs|matters|questions|requests|points|tasks"
    r"|wishes|favours)\b[^.:!?]{0,20}[.:,!?]"
)
"""What follows a number that only says how many things are asked for."""
_WITH_WORD = regex(r"[ -][a-z]")
_OUT_OF = regex(r"\bout of (?:an? )?$")  # "seven out of ten"


def _misread(text: str, match: re.Match[str]) -> bool:
    """Something that looks like a number ("a pair of", "which one")."""
    said, before = match.group().lower(), text[max(0, match.start() - 40) : match.start()]
    alone = not _WITH_WORD.match(text, match.end())
    alone = alone and not re.search(r"(?:^|\b(?:just|only|for))\W*$", before)
    thing = _PRONOUN.search(before) or _QUALIFIED.search(before + text[match.start() :][:20])
    if _LISTS.match(text, match.end()):
        return True
    return bool(said == "pair" or _OUT_OF.search(before) or (said == "one" and (alone or thing)))


def _figured(kind: str, match: re.Match[str]) -> Mention:
    """A sum of money by its figure, a currency, a telephone, or a number."""
    if kind == "currency":
        return _currency(match, 0)
    group = next((g for g in ("a", "a2", "a3") if match[g]), 0) if kind == "amount" else 0
    said = match[group]
    value = said if kind == "phone" else _number(said) if group else _counted(match)
    return Mention(kind, value, *match.span(group), match.group())


def _currency(match: re.Match[str], group: str | int) -> Mention:
    sign = match[group]
    code = _SIGNS.get(sign.lower(), sign.upper())
    return Mention("currency", code, *match.span(group), sign)


_ARTICLES = {
    "half": 0.5,
    "a": 1,
    "an": 1,
    "another": 1,
    "one": 1,
    "next": 1,
    "single": 1,
    "three": 3,
}
_PARTS = {"half": 0.5, "quarter": 0.25, "three quarters": 0.75}


def _number(said: str) -> float | int:
    plain = re.sub(r",(?=\d\d$)", ".", said.lower()).replace(",", "").removeprefix("minus ")
    worth = NUMBER_WORDS.get(plain)
    value = (float(plain) if "." in plain else int(plain)) if worth is None else worth
    return -value if said.lower().startswith("minus ") else value


def _counted(match: re.Match[str]) -> float | int:
    """A number: "half an", "two dozen", "nine and a half", "a hundred and twenty", "12"."""
    said, groups = match.group().lower(), match.groupdict()
    if groups.get("whole"):
        return _number(groups["whole"]) + _PARTS[groups["part"].lower()]
    if groups.get("scaled") or groups.get("point"):
        return _number(in_figures(re.sub(r"^(?=hundred|dozen)", "a ", said)))
    if (first := said.split()[0]) in _ARTICLES:
        longer = re.match(r" \w+ and a half\b", match.string[match.end() :])
        return _ARTICLES[first] * (1.5 if longer else 0.25 if "quarter" in said else 1)
    return _number(said)


# --- names ----------------------------------------------------------------------------------------

_WORD = regex(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_TITLE = regex(r"\b(?:Dr|Prof|Mrs?|Ms|Miss)\.$")
_PARTICLES, _NO_NAME, _OPENERS, _COMMON = (
    frozenset(word_list(f"mentions.{n}")) for n in ("particles", "no_name", "openers", "common")
)

_OPENING = STOP_WORDS | EITHER | _OPENERS | _COMMON


def _names(text: str) -> list[Mention]:
    """Runs of capitalised words, with the particles between them."""
    found: list[Mention | None] = []
    run: list[re.Match[str]] = []
    for word in [*_WORD.finditer(text), None]:
        if run and (word is None or not _goes_on(text, run[-1], word)):
            found.append(_name(text, run))
            run = []
        if word is not None and (run or _capital(word.group())):
            run.append(word)
    return [m for m in found if m]


def _capital(word: str) -> bool:
    return word[0].isupper() or (not word.isalpha() and bool(_PREFIXED.match(word)))


_PREFIXED = regex(r"[a-z]{1,2}['’-][A-Z]")


def _goes_on(text: str, last: re.Match[str], word: re.Match[str]) -> bool:
    gap = text[last.end() : word.start()]
    initial = len(last.group()) == 1 and gap == ". "
    titled = word.group() == "of" or (word.group() == "the" and last.group() == "of")
    fits = _capital(word.group()) or word.group() in _PARTICLES or titled
    return (gap in (" ", " & ") or initial) and fits and not re.search(r"['’]s$", last.group())


def _name(text: str, run: list[re.Match[str]]) -> Mention | None:
    opening = opens(text, run[0].start())
    kept = len(run) > 1 and re.match(r"[A-Z]\. ", text[run[0].start() :])  # an initial
    while run and not kept and (not _capital(w := run[0].group()) or _no_name(w, opening)):
        run = run[1:]
        opening = False
    while run and not _capital(run[-1].group()):
        run = run[:-1]
    if run and run[-1].group().lower() in _NO_NAME:
        run = run[:-1]
    if not run:
        return None
    start = run[0].start()
    said = re.sub(r"['’]s?$", "", text[start : run[-1].end()])
    plain = bool({said.lower(), stem(said)} & everyday())
    doubtful = opening and len(run) == 1 and plain
    return Mention("name", said, start, start + len(said), said, doubtful)


def opens(text: str, start: int) -> bool:
    """Whether a sentence begins at this place."""
    before = text[max(0, start - 20) : start].rstrip(" \"'“‘(•*-")
    return not before or (before[-1] in ".!?:;\n" and not _TITLE.search(before))


def _no_name(word: str, opening: bool) -> bool:
    low = re.sub(r"['’].*", "", word.lower())
    if word.lower() in _NO_NAME or low in _NO_NAME:
        return True
    return opening and (low in _OPENING or stem(low) in VERBS or action_of(low) is not None)


# --- phrases --------------------------------------------------------------------------------------

_BREAKS = frozenset(word_list("runs.breaks"))
_SKIPS = frozenset(word_list("runs.skips"))
_WISHES = frozenset(word_list("runs.wishes"))
_DEEDS = frozenset(stem(w) for w in word_list("runs.verbs"))
_AUXILIARIES = frozenset("is are was were be and or then so but if that which who".split())
_SUBJECTS = frozenset(("to ", *"i we they you who that which".split()))
# "Where do the otters live?": what stands between is asked about, and the last word is the verb.
_ASKED = cue("runs.asked")


@lru_cache(maxsize=2_000)
def candidates(text: str, today: date) -> tuple[Mention, ...]:
    """The mentions and the phrases of a text in order of place: whatever may be a value."""
    found = mentions(text, today)
    told = [m for m in found if m.kind not in ("quoted", "name", "address")]
    said = {(m.start, m.end) for m in found if m.kind == "name"}
    places = [m for m in found if m.kind == "address"]
    phrases = [m for m in _beside(_phrases(text, told), places) if (m.start, m.end) not in said]
    return tuple(sorted([*found, *phrases], key=lambda m: (m.start, m.end)))


def _phrases(text: str, told: list[Mention]) -> list[Mention]:
    """The runs of plain words left when typed values, small words and deeds go, each with the
    preposition before it: "a table by the window" gives "table" and, led by "by", "window".
    `of` stays inside a run ("The Lord of the Rings")."""
    state = _Runs(text, [*((m.start, m.end) for m in told), *phrase_spans(text)])
    last = 0
    for token in tokens(text):
        if _parts(text, last, token.start):
            state.close()
        title = token.text == "The" and token.start > 0 and re.match(r" [A-Z]", text[token.end :])
        if title or (token.text.lower() == "the" and re.search(r"\w of $", text[: token.start])):
            state.words.append((token.start, token.end))
        else:
            state.add(token.text.lower(), token.stem, token.start, token.end)
        last = token.end
    state.close()
    return [m for m in state.found if m.text.lower() not in _NO_NAME | _OPENERS]


def _parts(text: str, start: int, end: int) -> bool:
    """Whether the marks between two words part them; a dot after a title or initial does not."""
    between = text[start:end]
    if between == " ":  # as most are
        return False
    if between == ". " and re.search(r"\b(?:Dr|Prof|Mr|Mrs|Ms|Miss|[A-Z])$", text[:start][-6:]):
        return False
    return not _MARKS.isdisjoint(between)


_MARKS = frozenset(',.;:?!()\n"“”')


class _Runs:
    """Collects runs of plain words; a boundary word, a mark or a claimed place ends one."""

    def __init__(self, text: str, taken: list[tuple[int, int]]) -> None:
        self.text, self.taken = text, {n for start, end in taken for n in range(start, end)}
        self.found: list[Mention] = []
        self.words: list[tuple[int, int]] = []
        self.lead = self.before = ""
        self.begun = False  # whether a word that is no small word has been seen
        asked = _ASKED.match(text)
        self.subject = asked.span("subject") if asked else (0, 0)
        self.verb = asked.start("verb") if asked else -1

    def close(self, lead: str = "") -> None:
        if self.words:
            start, end = self.words[0][0], self.words[-1][1]
            said = re.sub(r"['’]s$", "", self.text[start:end])
            asked = self.subject[0] <= start < self.subject[1] and not self.lead
            led = "subject" if asked else self.lead
            self.found.append(Mention("phrase", said, start, start + len(said), said, lead=led))
        self.words, self.lead = [], lead

    def add(self, low: str, root: str, start: int, end: int) -> None:
        before, self.before = self.before, low
        infinitive = before in _SUBJECTS and low not in _SKIPS and low not in _BREAKS
        if low == "to" and before.strip() in _WISHES:
            self.before = "to "
        first = not (self.found or self.words or self.begun)
        opens = first and (low in EITHER or root in VERBS or bool(action_of(low)))
        if start == self.verb or infinitive:
            self.close()
            self.begun = True
        elif not self.taken.isdisjoint(range(start, end)):
            self.close()
        elif low in _BREAKS or low.endswith(("n't", "n’t")):
            self.close("" if low in _AUXILIARIES or low not in _BREAKS else low)
        elif low in _SKIPS or before == "how" or root in _DEEDS or opens:
            self.close("" if self.words else self.lead)
            self.begun = self.begun or low not in STOP_WORDS
        else:
            self.words.append((start, end))
