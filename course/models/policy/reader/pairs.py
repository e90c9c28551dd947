"""Pairs: the mentions of a text beside the slots of a schema, and what speaks for each pair.

A slot chooses among its marks, or stays empty, by a conditional logit (`weights`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from course.models.policy.dates import earlier
from course.models.policy.lexicon import EITHER, VERBS, head_action
from course.models.policy.mentions import Mention, candidates
from course.models.policy.params import (
    BIRTH,
    PERSONS,
    SERVING,
    STAFF,
    lead_of,
    role_of,
    role_stems,
    suggested,
)
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import Word, negated, words
from course.models.policy.reader.shapes import found_in
from course.models.policy.reader.slots import Slot, words_of
from course.models.policy.schemas import fits
from course.models.policy.values import plain, shaped, sign_of, signs_in
from course.models.policy.words import STOP_WORDS, content, cue, name_words, stem, word_list

FITTING: dict[str, frozenset[str]] = {
    kind: frozenset(marked.split())
    for kind, marked in {
        "date": "date gone", "datetime": "date", "month": "month date", "weekday": "date",
        "time": "time", "hour": "time", "email": "email", "phone": "phone id number",
        "url": "url", "uuid": "uuid", "amount": "amount number", "number": "number amount",
        "intid": "number id", "id": "shape id number phone", "name": "name quoted",
        "words": "shape id name quoted number phone email address phrase file",
        "query": "quoted name phrase address id email phone", "reach": "phone email id number",
        "prose": "quoted", "currency": "currency",
    }.items()
}  # fmt: skip
SHORTEST_ID, SHORTEST_PHONE = 3, 5
"""Characters: a shorter number is no id where the schema shows what ids look like, and no number
of a telephone."""
CHOSEN = ("enum", "boolean", "array", "object", "null")
"""Kinds of slots that no single mark fills."""


class Pair(NamedTuple):
    """A mark that may be a slot's value, and what speaks for it."""

    slot: Slot
    mark: Mention
    value: Any
    features: dict[str, float]


def _claimed(mark: Mention, spans: tuple[tuple[int, int], ...]) -> bool:
    return mark.kind not in ("quoted", "shape") and any(
        start <= mark.start and mark.end <= end for start, end in spans
    )


def pairs(
    slots: tuple[Slot, ...],
    text: str,
    today: date,
    spans: tuple[tuple[int, int], ...] = (),
    shared: frozenset[str] = frozenset(),
    foreign: tuple[tuple[int, int], ...] = (),
) -> list[Pair]:
    """Every mark that may be the value of a plain slot, with what speaks for it; `spans` are
    claimed by choices, `shared` are stems that speak of the tool as a whole, and `foreign` is
    where ids of other tools stand."""
    found = [m for m in _trimmed(text, today, shared) if not _claimed(m, spans)]
    dates = [m for m in found if m.kind == "date"]
    until_now = [m for m in dates if _AS_IT_WAS.search(text[max(0, m.start - 40) : m.start])]
    found = [m for m in found if m not in until_now or len(until_now) == len(dates)]
    shapes = [m for s in slots for m in _shaped_like(s, text)]
    now = [m._replace(kind="date", value=today.isoformat()) for m in found
           if m.kind == "time" and not dates]  # fmt: skip
    found += [m._replace(kind="gone", value=day.isoformat()) for m in found if m.kind == "date"
              and (day := earlier(date.fromisoformat(m.value), m.text, today))]  # fmt: skip
    out: list[Pair] = []
    for slot in slots:
        if slot.param.kind in CHOSEN:
            continue
        own = [m for m in _shaped_like(slot, text) if not (m.doubtful and _inside(m, found))]
        fitting = FITTING.get(slot.param.kind, frozenset())
        others = [m for m in found if m.kind in fitting]
        for mark in (*own, *others, *(now if slot.param.kind == "datetime" else ())):
            if mark.kind != "shape" and (
                (own and mark.kind in ("id", "number"))
                or (slot.shapes and mark.kind == "number" and len(mark.text) < SHORTEST_ID)
                or _too_plain(slot, mark)
                or (
                    not own
                    and (slot.shapes or slot.param.kind in ("words", "query", "name", "prose"))
                    and any(mark.overlaps(m.start, m.end) for m in shapes)
                )
                or (mark.kind == "phrase" and slot.param.kind == "query" and shared & PERSONS)
                or (
                    mark.kind in ("date", "gone")
                    and not (slot.param.required or _dated(slot, text))
                )
                or (
                    slot.param.kind == "name"
                    and _ARTICLE.search(text, max(0, mark.start - 4), mark.start)
                )
            ):
                continue
            value = _value(slot, mark, text)
            if value is not None:
                out.append(Pair(slot, mark, value, {}))
    rivals = _rivals(out)
    made = [Pair(p.slot, p.mark, p.value, _features(p, text, rivals, shared)) for p in out]
    told = _from_to(made)
    for pair in made:
        if (pair.slot.name, pair.mark.start) in told:
            pair.features[f"from one to the other>{pair.slot.param.kind}"] = 1.0
        if pair.mark.kind != "shape" and any(pair.mark.overlaps(a, b) for a, b in foreign):
            pair.features[f"foreign>{pair.slot.param.kind}"] = 1.0
    return made


_FIRM = ("date", "time", "amount", "month", "phone", "id")


def _inside(mark: Mention, found: Sequence[Mention]) -> bool:
    """Whether a bare number is a piece of something else: the year of a day."""
    return any(mark.overlaps(m.start, m.end) for m in found if m.kind in _FIRM)


def _from_to(found: list[Pair]) -> set[tuple[str, int]]:
    """The slots with where their marks begin, of two slots of a kind and two marks that are said as
    one ("from ... until ..."), the first for the first."""
    out: set[tuple[str, int]] = set()
    each: dict[str, list[Pair]] = {}
    for pair in found:
        if pair.slot.param.kind == pair.mark.kind:
            each.setdefault(pair.mark.kind, []).append(pair)
    for alike in each.values():
        slots = list(dict.fromkeys(p.slot.name for p in alike))
        marks = sorted({(p.mark.start, p.mark.end) for p in alike})
        if len(marks) == 2 == len(slots) and marks[1][0] - marks[0][1] <= _JOINED:
            out |= {(slot, start) for slot, (start, _) in zip(slots, marks, strict=True)}
    return out


_JOINED = 8  # characters between two values that are said as one


@lru_cache(maxsize=8_000)
def _trimmed(text: str, today: date, shared: frozenset[str]) -> tuple[Mention, ...]:
    """The marks of a text, phrases without the words at their ends that speak of the tool as a
    whole."""
    found = []
    for mark in candidates(text, today):
        start, end = _core(mark.text, shared) if mark.kind == "phrase" else (0, 0)
        if mark.kind != "phrase":
            found.append(mark)
        elif end:
            said, start = mark.text[start:end], mark.start + start
            end = start + len(said)
            found.append(Mention("phrase", said, start, end, said, mark.doubtful, mark.lead))
    return tuple(found)


@lru_cache(maxsize=20_000)
def _core(phrase: str, shared: frozenset[str]) -> tuple[int, int]:
    """Where in a phrase stands what does not speak of the tool; nowhere: (0, 0)."""
    told = list(words(phrase))
    while told and (_speaks(told[0].stem, shared) or told[0].text in _BEFORE):
        told = told[1:]
    while told and (_speaks(told[-1].stem, shared) or told[-1].text == "of"):
        told = told[:-1]
    if all(w.stem in _UNITS or w.text in _EMPTY for w in told):
        return 0, 0
    return told[0].start, told[-1].end


def _speaks(word: str, shared: frozenset[str]) -> bool:
    """Whether a stem is one of some, or the beginning of one: to cover, coverage."""
    return word in shared or (len(word) > 4 and any(s.startswith(word) for s in shared))


_EMPTY = frozenset("place places thing things something somewhere way kind sort".split())
_BEFORE = frozenset(("of", "the", *word_list("candidates.qualifiers")))


def _too_plain(slot: Slot, mark: Mention) -> bool:
    """Whether a short or spelled number, or a mere unit, can't be what a slot asks for."""
    if mark.kind == "phrase":
        coded = _CODED & {*name_words(slot.name)} and not re.search(r"\d", mark.text)
        return bool(coded) or words(mark.text)[-1].stem in _UNITS
    if mark.kind != "number":
        return False
    if slot.param.kind in ("phone", "reach"):
        return len(mark.text) < SHORTEST_PHONE
    return slot.param.kind in ("id", "words") and not mark.text[0].isdigit()


_CODED = frozenset(word_list("pairs.coded"))
"""Words in the names of slots whose values no plain words are: an address, an IBAN, a plate."""
_ARTICLE = regex(r"\b[Aa]n? $")

_AS_IT_WAS = cue("pairs.as_it_was")
"""What stands before a day that is no longer to hold, where another day is named."""


def _dated(slot: Slot, text: str) -> bool:
    """Whether a date may be meant: one of birth is only ever called so, or the whole of a reply."""
    if not role_stems(slot.param) & BIRTH:
        return True
    return bool(BIRTH & {w.stem for w in words(text)}) or len(content(text)) <= 4


def _rivals(found: list[Pair]) -> dict[str, int]:
    count: dict[str, int] = {}
    for kind in {p.slot.param.kind for p in found}:
        slots = {p.slot.name for p in found if p.slot.param.kind == kind}
        count[f"slots {kind}"] = len(slots)
        needed = {p.slot.name for p in found if p.slot.name in slots and p.slot.param.required}
        count[f"required {kind}"] = len(needed)
        likewise = sorted({(p.mark.start, p.mark.kind) for p in found if p.slot.param.kind == kind})
        alone = [m for m in likewise if m[1] == likewise[0][1]] if likewise else []
        count |= {f"at {start} {kind}": n for n, (start, _) in enumerate(alone)}
        ordered = dict.fromkeys(p.slot.name for p in found if p.slot.name in slots)
        count |= {f"place {name}": n for n, name in enumerate(ordered)}
    for name in {p.slot.name for p in found}:
        same = [p for p in found if p.slot.name == name]
        told = {p.value if p.mark.kind == "name" else p.mark.start for p in same}
        count[f"marks {name}"] = len(told)
        count[f"named {name}"] = any(not p.mark.doubtful for p in same if p.mark.kind == "name")
        count[f"full {name}"] = any(" " in p.mark.text for p in same if p.mark.kind == "name")
    return count


@lru_cache(maxsize=8_000)
def _shaped_like(slot: Slot, text: str) -> tuple[Mention, ...]:
    return tuple(
        Mention("shape", said.value, said.start, said.end, said.text, said.doubtful)
        for said in found_in(slot.shapes, text)
    )


def _value(slot: Slot, mark: Mention, text: str) -> Any:
    if mark.kind == "shape":
        return plain(slot.param, mark.value)
    try:
        value = shaped(slot.param, mark, text)
    except (ValueError, OverflowError):
        return None
    if slot.param.kind in ("id", "words") and mark.kind == "number" and value is not None:
        return mark.text
    return None if value is None or value == "" or not allowed(slot, value) else value


@lru_cache(maxsize=20_000, typed=True)
def allowed(slot: Slot, value: Any) -> bool:
    """Whether the schema of a slot allows a plain value."""
    return fits(value, slot.param.schema)


_NEXT = 2
_UNITS = frozenset(
    "day week month year hour minut night star peopl person guest adult child of euro eur o'clock "
    "metr percent page time copi".split()
)


_ADDRESSED = frozenset(stem(w) for w in "address street deliver ship location site".split())


def _features(
    pair: Pair, text: str, rivals: Mapping[str, int], shared: frozenset[str]
) -> dict[str, float]:
    """What speaks for a pair: kinds, the words around the mark, its rivals."""
    slot, mark = pair.slot, pair.mark
    kind, begin = slot.param.kind, max(0, mark.start - _AROUND)
    near = _around(
        slot, mark.kind, mark.text, mark.doubtful, lead_of(text, mark),
        text[begin : mark.end + _AROUND], mark.start - begin, mark.end - begin, shared,
    )  # fmt: skip
    slots, marks = rivals[f"slots {kind}"], rivals[f"marks {slot.name}"]
    found = dict(near)
    if slots == 1:
        found["lone slot"] = 1.0
    if marks == 1:
        found["lone mark"] = 1.0
    if slots == 1 == marks:
        found["lone pair"] = 1.0
    if slot.param.required and rivals[f"required {kind}"] == 1:
        found[f"sole {mark.kind}>{kind}"] = 1.0
    if special := _special(slot, mark, text, rivals):
        found[special] = 1.0
    told = _sentences(text) if marks > 1 else ()
    if told and told[bisect_right(told, (mark.start, True)) - 1][1]:
        found[f"asking>{kind}"] = 1.0
    if rivals.get(f"place {slot.name}") == rivals.get(f"at {mark.start} {kind}"):
        found["in order"] = 1.0
    return found


def _special(slot: Slot, mark: Mention, text: str, rivals: Mapping[str, int]) -> str:
    """What speaks for a pair because of the kind of its mark alone, if anything does."""
    if mark.kind == "name" and " " not in mark.text:
        return "part of a name" if rivals[f"full {slot.name}"] else ""
    if mark.kind == "name":
        return f"fuller name>{slot.param.kind}" if rivals[f"marks {slot.name}"] > 1 else ""
    if mark.kind == "phrase":
        return "names beside" if rivals[f"named {slot.name}"] else ""
    if mark.kind in ("date", "gone"):
        return "" if _dated(slot, text) else "birth unsaid"
    return ""


_AROUND = 60  # characters before and after a mark that tell what it is


@lru_cache(maxsize=30_000)
def _around(
    slot: Slot, what: str, said: str, doubtful: bool, lead: str,
    text: str, start: int, end: int, shared: frozenset[str],
) -> dict[str, float]:  # fmt: skip
    """What speaks for a mark beside a slot in the piece of text around it."""
    kind, mark = slot.param.kind, Mention(what, said, start, end, said, doubtful)
    before = list(words(text[max(0, start - 40) : start]))[-4:]
    after = list(words(text[end : end + 30]))[:_NEXT]
    own = words_of(slot)
    found = {
        f"{what}>{kind}": 1.0,
        f"{lead or '-'}>{kind}": 1.0,
        "required": float(slot.param.required),
        "denied": float(negated(text, start, end)),
        "doubtful": float(doubtful),
        "long id": float(what == "number" and len(said) > 3),
        "replaced": float(bool(_REPLACED.search(text[max(0, start - 30) : start]))),
        "replaces": float(bool(_REPLACES.match(text, end))),
    }
    name = frozenset(stem(w) for w in name_words(slot.name))
    found |= _of_kind(slot, mark, text, shared)
    if role := role_of(lead, slot.param):
        found[f"role {role}"] = 1.0
    for place, word in enumerate(reversed(before)):
        if word.stem in own and word.text not in STOP_WORDS:
            key = "named" if word.stem in name else "told"
            found[f"{key} before"] = max(found.get(f"{key} before", 0.0), 1.0 - 0.2 * place)
    for word in after:
        if word.stem in own and word.text not in STOP_WORDS:
            found["named after"] = 1.0
    return {k: v for k, v in found.items() if v}


_SENTENCES = regex(r"(?<=[.!?;])\s+|\n")
_ASKING, _REPLACED, _REPLACES = cue("pairs.asking"), cue("pairs.replaced"), cue("pairs.replaces")


@lru_cache(maxsize=2_000)
def _sentences(text: str) -> tuple[tuple[int, bool], ...]:
    """Where each sentence of a text begins, and whether it asks for something."""
    starts = [0, *(m.end() for m in _SENTENCES.finditer(text)), len(text)]
    said = [(a, text[a:b]) for a, b in pairwise(starts)]
    return tuple((a, bool(_ASKING.search(s)) or head_action(s) is not None) for a, s in said)


def _of_kind(slot: Slot, mark: Mention, text: str, shared: frozenset[str]) -> dict[str, float]:
    """What speaks for a mark because of what it looks like."""
    own, found = words_of(slot), {}
    after = words(text[mark.end : mark.end + 30])
    if mark.kind == "phrase":
        found = _of_phrase(slot, mark, text, own, shared)
    if mark.kind in ("number", "amount") and after:
        found = _of_number(slot, after[0], own)
    if mark.kind == "name":
        found = _of_name(slot, mark, text, shared)
    if mark.kind == "gone":
        found = _of_the_past(slot, mark, text)
    if mark.kind == "address":
        found = {"address told": float(bool(own & _ADDRESSED))}
    if mark.kind in ("phrase", "name", "quoted"):
        found = {**found, "as shown": float(_offered(words(mark.text), slot))}
    return found


_PAST = frozenset(stem(w) for w in word_list("documents.past"))
_HAPPENED, _TO_COME = cue("pairs.happened"), cue("pairs.to_come")


def _of_the_past(slot: Slot, mark: Mention, text: str) -> dict[str, float]:
    """What speaks for the day before the coming one: the slot's words, the verbs around it."""
    start = max((m.end() for m in re.finditer(r"[.!?;\n]", text[: mark.start])), default=0)
    clause = text[start : mark.end + 40]
    return {
        "gone told": float(bool(words_of(slot) & _PAST)),
        "happened": float(bool(_HAPPENED.search(clause))),
        "to come": float(bool(_TO_COME.search(clause))),
    }


def _of_number(slot: Slot, unit: Word, own: frozenset[str]) -> dict[str, float]:
    """What the unit after a number says: "3 centimetres" are for what is told in cm."""
    known, sign = unit.stem in _UNITS, sign_of(unit.text)
    told = sign in signs_in(slot.param) if sign else known and unit.stem in own
    each = {f"{unit.stem}>{slot.param.kind}": 1.0} if known else {}
    return {**each, "unit told": float(told)}


_TITLED = regex(r"\b(?:Dr|Prof|Doctor|Professor)\.? ?$")
_SERVED_BY = regex(r"\b(?:with|by)\b(?: \w+){0,2} $")
_ONESELF = regex(
    r"\b(?:i['’]m|i am|name is|name['’]s|this is|it['’]s|\b(?:me|i),?) \(?$", re.IGNORECASE
)
_SPEAKS = regex(r",? (?:here|speaking|writing|writes)\b")
_APART, _CLOSES = regex(r"(?:^|[-–.,;:!?()\n] *)$"), regex(r"[.!)]*\s*$")
_GOES_ON = regex(r" (?P<next>[a-z][\w-]+)")


def _of_name(slot: Slot, mark: Mention, text: str, shared: frozenset[str]) -> dict[str, float]:
    """What speaks for a name: the title before it, who serves whom, and whether it goes on."""
    stems = frozenset(stem(w) for w in name_words(slot.name))
    before = text[max(0, mark.start - 30) : mark.start]
    on = _GOES_ON.match(text, mark.end)
    plain = on and on["next"] not in STOP_WORDS and stem(on["next"]) not in VERBS | shared
    kind = slot.param.kind
    titled, served_by = bool(_TITLED.search(before)), bool(_SERVED_BY.search(before))
    unnamed = stems & SERVING and not slot.param.required and not (titled or served_by)
    return {
        f"titled {'staff' if stems & STAFF else 'other'}": float(titled),
        f"with {'staff' if stems & SERVING else 'other'}": float(served_by),
        "unnamed staff": float(bool(unnamed)),
        "oneself as staff": float(bool(stems & STAFF and _ONESELF.search(before))),
        "goes on": float(bool(plain)),
        f"oneself>{kind}": float(bool(_ONESELF.search(before) or _SPEAKS.match(text, mark.end))),
        f"signs>{kind}": float(bool(_CLOSES.match(text, mark.end) and _APART.search(before))),
    }


def _offered(said: tuple[Word, ...], slot: Slot) -> bool:
    """Whether words are among the examples of a slot's description."""
    shown = {stem for each in suggested(slot.param) for stem in content(each)}
    return any(w.stem in shown for w in said)


def _of_phrase(
    slot: Slot, mark: Mention, text: str, own: frozenset[str], shared: frozenset[str]
) -> dict[str, float]:
    """What speaks for a run of plain words: its head, its length and what stands around it."""
    inside = words(mark.text)
    before = words(text[max(0, mark.start - 30) : mark.start])[-3:]
    deeds = [w.stem in VERBS or w.text in EITHER for w in before]
    others = [w for w in inside if w.stem not in shared and w.stem not in own]
    return {
        "head named": float(bool(inside) and inside[-1].stem in own),
        "head of tool": float(bool(inside) and inside[-1].stem in shared - own),
        "nothing else": float(not others and not _offered(inside, slot)),
        "one word": float(len(inside) == 1),
        "capital phrase": float(mark.text[:1].isupper()),
        "after a deed": float(any(deeds)),
        "after an article": float(bool(before) and before[-1].text in ("a", "an", "some", "any")),
        "after a number": float(bool(before) and before[-1].text.isdigit()),
        "ends in ing": float(mark.text.endswith("ing")),
        "closes": float(not re.match(r"\s*\w", text[mark.end : mark.end + 3])),
        "opens": float(not before),
        "denies": float(any(w.text.endswith(("n't", "n’t")) for w in inside)),
        "holds a deed": float(any(w.stem in VERBS for w in inside)),
        "long": max(0, len(inside) - 2) / 2,
        "after I": float(any(w.text in ("i", "we", "you", "they", "he", "she") for w in before)),
        "after my": float(
            bool(before) and before[-1].text in ("my", "our", "his", "her", "the", "your")
        ),
    }
