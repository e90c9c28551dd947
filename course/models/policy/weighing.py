"""Weighing: how well a piece of a text suits a field of a schema, by its kind, the words around
it and its role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention, candidates
from course.models.policy.reader.choices import Hit, negated, words
from course.models.policy.reader.pairs import FITTING
from course.models.policy.reader.slots import Slot
from course.models.policy.schemas import fits
from course.models.policy.values import shaped
from course.models.policy.wordlists import word_list
from course.models.policy.words import ORDINALS, STOP_WORDS, name_words, stem

_ROLES = (
    ("from start starts begin begins since outbound old opening open available",
     r"\b(?:from|since|starting|starts|start|as of|between|beginning|begins)\b[^,.;]{0,12}$"),
    ("to until end ends new till close closing ended",
     r"\b(?:to|until|till|through|ends?|and|-|–)\s*(?:the |on )?$"),
    ("by deadline before due latest needed back return",
     r"\b(?:by|before|until|no later than|not later than|back|due|return\w*)\b[^,.;]{0,12}$"),
)  # fmt: skip
_IS_PERSON = re.compile(
    r"\b(?:my name(?: is|['’]s)|i am|i['’]m|this is|name:|called|signed|sister|brother)\s+"
    r"(?:Dr\.? |Prof\.? )?$"
    r"|\b(?:Dr|Prof|Mrs?|Ms|Miss)\.? $",
    re.IGNORECASE,
)
_ACTS = re.compile(r"(?:ant|er|ist|ian|ee)$")
_SPEAKS = re.compile(r",? (?:speaking|here\b|\(?my name)|,? (?:from|of) [A-Z]|\s*<[\w.]+@")
_PLACED = re.compile(r"\b(?:in|at|near|from|to|of|via)\s+(?:the )?$")
_PLACES = frozenset(
    stem(w)
    for w in "city town place venue street address location hotel station ward hall site country "
    "from to destination origin shop company issuer business restaurant harbour port".split()
)
_GENERIC = frozenset(
    stem(w) for w in "required needed wanted wants is has with the number id ref no given".split()
)


@dataclass
class Reading:
    """A text with its marks, and what has been taken from it."""

    text: str
    today: date
    taken: list[tuple[int, int]] = field(default_factory=list)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing has taken this piece yet."""
        return all(end <= s or e <= start for s, e in self.taken)


def own_stems(slot: Slot) -> frozenset[str]:
    """The stems of a field's name, without those that any field may have."""
    own = frozenset(stem(w) for w in name_words(slot.name)) - _GENERIC
    return own or frozenset(stem(w) for w in name_words(slot.name))


def value_for(slot: Slot, mark: Mention, text: str) -> Any:
    """A mark's value in the type and form of a field; None where it cannot be one."""
    plain = slot.param.kind in ("words", "query", "prose")
    greets = mark.start < 2 and " " not in mark.text and text[mark.end : mark.end + 1] in ",!"
    if mark.kind == "name" and (greets or re.match(r"(?:I|We|You|He|She|They|It)['’]", mark.text)):
        return None
    known = vocabulary(slot)
    if known and plain and mark.text.lower() not in known:
        return None
    if (mark.kind == "run" and not plain) or mark.kind not in (*FITTING[slot.param.kind], "run"):
        return None
    if slot.param.type == "string" and mark.kind in ("number", "amount", "phone"):
        return mark.text.strip()
    try:
        value = mark.text if mark.kind in ("run", "id") else shaped(slot.param, mark, text)
    except (ValueError, OverflowError):
        return None
    return value if value not in (None, "") and fits(value, slot.param.schema) else None


def languages() -> frozenset[str]:
    """The names of languages, in lower case."""
    return frozenset(word_list("weighing.language"))


def vocabulary(slot: Slot) -> frozenset[str]:
    """The only words that a field may hold, by its name; empty where any may."""
    said = set(own_stems(slot))
    if said & {"colour", "color"}:
        return frozenset(word_list("weighing.colour"))
    return languages() if stem("language") in said else frozenset()


_BASE = {
    ("name", "name"): 1.2, ("id", "id"): 1.4, ("id", "number"): 0.6, ("id", "phone"): -0.5,
    ("words", "name"): 0.3, ("words", "run"): 0.2, ("words", "number"): -0.6, ("words", "id"): 0.2,
    ("words", "phone"): -1.0, ("phone", "id"): -0.6, ("phone", "number"): -0.8,
    ("number", "amount"): 0.5, ("amount", "number"): -0.5, ("words", "email"): -0.4,
    ("words", "address"): 0.4, ("words", "quoted"): 0.5,
}  # fmt: skip


def _clause(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a piece, as far as its clause goes."""
    before = re.split(r"[.!?](?:\s|$)|[;\n]", text[max(0, start - 90) : start])[-1]
    after = re.split(r"[.!?](?:\s|$)|[;\n]", text[end : end + 60])[0]
    return before, after


def cue(slot: Slot, text: str, piece: Mention | Hit) -> float:
    """How much the words around a piece speak of a field: its own words most, the nearer the
    more; a word after a number is its unit."""
    before, after = _clause(text, piece.start, piece.end)
    own, about, names = own_stems(slot), slot.param.about, name_words(slot.name)
    total = 0.0
    for side, told in ((-1, list(reversed(words(before)))), (1, list(words(after)))):
        text_side = before if side < 0 else after
        for place, word in enumerate(told[:7]):
            weight = 2.0 if word.stem in own else 1.0 if word.stem in about else 0.0
            if not weight and word.text not in STOP_WORDS and synonyms(word.stem) & own:
                weight = 1.4
            if not weight and len(word.text) > 2 and any(o.startswith(word.text) for o in names):
                weight = 1.6
            if weight:
                gap = text_side[word.end :] if side < 0 else text_side[: word.start]
                crossed = 0.4 if re.search(r",| and | but ", gap) else 1.0
                total = max(total, crossed * weight * (1 - 0.12 * place))
    return total


def weight_of(slot: Slot, mark: Mention, reading: Reading, lone: bool) -> float:
    """What speaks for a mark as a field's value; `lone` where no other mark is of its kind."""
    text, param = reading.text, slot.param
    worth = _BASE.get((param.kind, mark.kind), 1.0) + cue(slot, text, mark)
    before, after = _clause(text, mark.start, mark.end)
    own = set(name_words(slot.name))
    if mark.kind in ("date", "time"):
        worth += 0.5 * lone
        for role, lead in _ROLES:
            if own & set(role.split()):
                worth += 1.5 if re.search(lead, before, re.IGNORECASE) else -0.3
    if mark.kind in ("name", "run"):
        worth += _named(slot, mark, before, after, text)
    if mark.kind in ("number", "amount") and param.kind in ("number", "amount"):
        if re.match(r" ?(?:%|percent)", after) and "percent" not in slot.name:
            worth -= 0.5
        if negated(text, mark.start, mark.end):
            worth -= 1.0
    if mark.doubtful or mark.text.isupper():
        worth -= 1.2 * (mark.kind == "name")
    if mark.kind == "id" and param.kind != "words":
        worth += 0.2 * len(re.findall(r"[ /.-]", mark.text))
    return worth + (0.3 if param.required and not param.nullable else 0.0)


_SHORT = 40  # characters, up to which a text is a reply that nobody signs


def _named(slot: Slot, mark: Mention, before: str, after: str, text: str) -> float:
    """What speaks for a name as the person's or as a place's."""
    person = bool(_IS_PERSON.search(before) or _SPEAKS.match(after))
    if mark.kind == "name" and slot.param.kind == "words" and _ACTS.search(slot.name):
        return 0.8
    signed = not text[mark.end :].strip(" .\n") and not mark.doubtful and len(text) > _SHORT
    place = bool(_PLACED.search(before))
    if slot.param.kind == "name":
        return 1.5 * person + 1.0 * signed - 0.8 * place + 0.3 * (" " in mark.text)
    if (own_stems(slot) | slot.param.about) & _PLACES:
        return 1.2 * place - 1.5 * person - 0.5 * signed
    return -1.0 * person - 0.5 * signed - 0.9 * (mark.kind == "address")


_PIECES = re.compile(
    r"(?<![\w.,/-])(?=[^\n]{0,18}\d)(?:[A-Z]{1,5}|[A-Z]*\d+[A-Z]*)"
    r"(?:[ /.-](?:[A-Z]{1,4}|[A-Z]*\d+[A-Z]*)(?![\w]*[a-z])){1,3}(?!\w|[.,:]\d)"
)
_ORDINAL = re.compile(rf"\b(?P<n>{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th)) (?P<of>[a-z]+)", re.I)
_HOUSE = re.compile(r"\b\d{1,4}[a-z]? (?:[A-Z][\w'’-]+ ?)+\b")


def joined(slots: list[Slot], reading: Reading) -> Iterator[Mention]:
    """References of several pieces ("12 F 88/26", "EV 22 NAA"), and houses in streets."""
    text = reading.text
    moments = [m for m in candidates(text, reading.today) if m.kind in ("date", "time", "phone")]
    for found in _PIECES.finditer(text):
        if not any(m.overlaps(*found.span()) for m in moments):
            yield Mention("id", found.group(), *found.span(), found.group())
    for found in _ORDINAL.finditer(text):
        if any(stem(found["of"]) in own_stems(s) for s in slots if s.param.kind == "number"):
            place = ORDINALS.get(found["n"].lower()) or int(re.sub(r"\D", "", found["n"]))
            yield Mention("number", place, *found.span("n"), found["n"])
    for found in _HOUSE.finditer(text) if any("address" in s.name for s in slots) else ():
        said = found.group().strip()
        yield Mention("address", said, found.start(), found.start() + len(said), said)
