"""Extraction: the fields of a JSON schema out of a text that somebody wrote.

Labelled lines are taken at their word. Of the rest, every typed mention of the text is weighed
beside every field by its kind, the words around it and its role; the best pairs are taken, each
piece of the text once. What nothing speaks for stays open: no sentence fills a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from course.models.policy.figures import in_figures
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention, candidates
from course.models.policy.reader.choices import hits, words
from course.models.policy.reader.slots import Slot, slots_of
from course.models.policy.rows import phrase_after, row_texts
from course.models.policy.schemas import Schema, fits
from course.models.policy.values import spanned
from course.models.policy.weighing import (
    Reading,
    cue,
    joined,
    own_stems,
    value_for,
    vocabulary,
    weight_of,
)
from course.models.policy.words import name_words, stem

_NOTHING = re.compile(
    r"\W*(?:\(?(?:empty|none|nothing|n/?a|unknown|not (?:\w+ )?(?:known|counted|given|stated|"
    r"available))\)?|no (?:answer|idea))?\W*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|(?<=\n)|(?<= {3})|(?<=\t)|(?<= / ))[ \t•*-]*"
    r"(?:(?P<label>[A-Z]?[\w'’/-]+(?: [\w'’/()-]+){0,3}?)"
    r"\s?[:=][ \t]+(?P<value>[^\n]*?)(?= {3}|\t| / |\n|$)"
    r"|(?<=\n)(?P<empty>\w[\w ]{1,30}):[ \t]*(?=\n|$))"
)


def extract(schema: Schema, text: str, today: date) -> dict[str, Any]:
    """The fields that a text holds, in the schema's names; null where a field may be null.

    Args:
        schema: an object schema, with its `$defs` where it refers to them.
        text: what somebody wrote.
        today: the day it was written, for relative dates.
    """
    reading = Reading(in_figures(text), today)
    return _fields(slots_of(schema), reading, schema)


def _fields(slots: tuple[Slot, ...], reading: Reading, schema: Schema) -> dict[str, Any]:
    found = _labelled(slots, reading)
    for slot in slots:
        if slot.param.kind == "array" and slot.name not in found:
            rows = _listed(slot, reading)
            found |= {slot.name: rows} if rows else {}
    for slot in slots:
        if slot.name not in found and slot.param.kind in ("enum", "boolean"):
            value = _chosen(slot, reading, found, slots)
            found |= {} if value is None else {slot.name: value}
    plain = [s for s in slots if s.name not in found and s.param.kind not in _CHOSEN]
    found |= _assigned(plain, reading)
    found |= _ranges(plain, found, reading)
    for slot in slots:
        if slot.param.kind == "object" and slot.inner and slot.name not in found:
            found[slot.name] = _fields(slot.inner, reading, slot.param.schema)
    return {s.name: found.get(s.name) for s in slots if s.name in found or s.param.nullable}


_PAST = frozenset(
    "born birth loss lost issued delivered certificate purchase purchased bought happened "
    "incident since found taken signed".split()
)


def _ranges(
    slots: list[Slot], found: dict[str, Any], reading: Reading
) -> Iterator[tuple[str, Any]]:
    """What follows from two values: an end is after its beginning, a length lies between; and a
    day that is over is the last one of its name."""
    times = [s.name for s in slots if s.param.kind == "time" and isinstance(found.get(s.name), str)]
    if len(times) == 2:
        first, last = found[times[0]], found[times[1]]
        if last < first and last < "12":
            yield times[1], f"{int(last[:2]) + 12:02}{last[2:]}"
    for slot in slots:
        value = found.get(slot.name)
        over = set(name_words(slot.name)) & _PAST
        year = str(value or "")[:4]
        late = slot.param.kind == "date" and over and str(value) > reading.today.isoformat()
        if late and value and year not in reading.text:
            yield slot.name, f"{int(year) - 1}{str(value)[4:]}"
        if slot.param.kind == "number" and slot.name not in found:
            length = spanned(slot.param, reading.text, reading.today)
            if length is not None:
                yield slot.name, length


_CHOSEN = ("enum", "boolean", "array", "object", "null")


# ---- labelled lines


_LABELLED = 90  # characters, from which on a label opens a text rather than a value


def _labelled(slots: tuple[Slot, ...], reading: Reading) -> dict[str, Any]:
    """What stands behind a label that says the same as a field's name or description."""
    found: dict[str, Any] = {}
    for match in _LABEL.finditer(reading.text):
        label = match["label"] or match["empty"] or ""
        said = {w.stem for w in words(label)}
        ranked = sorted(((_alike(s, said), -n) for n, s in enumerate(slots)), reverse=True)
        if not ranked or ranked[0][0] <= 0:
            continue
        slot = slots[-ranked[0][1]]
        if len(match["value"] or "") > _LABELLED:
            continue
        value = _of_label(slot, (match["value"] or "").strip(), reading.today)
        if slot.name not in found and value is not _OPEN:
            found[slot.name] = value
            reading.taken.append(match.span())
    return found


def _alike(slot: Slot, said: set[str]) -> float:
    own = own_stems(slot)
    close = {s for s in said if s in own or synonyms(s) & own}
    about = said & slot.param.about
    return (2 * len(close) + 0.5 * len(about)) / (len(said) + 0.1 * len(own)) - 0.6 if said else 0.0


_OPEN = object()


def _of_label(slot: Slot, value: str, today: date) -> Any:
    """A field's value out of what its label says; `_OPEN` where it does not fit."""
    if _NOTHING.fullmatch(value) and slot.param.kind != "boolean":
        return None if slot.param.nullable else _OPEN
    if slot.param.kind == "boolean":
        return not re.match(r"\W*(?:no|none|not|false|-)\b", value, re.IGNORECASE)
    if slot.param.kind == "enum":
        return next((h.value for h in hits(slot.param, value) if not h.negated), _OPEN)
    if slot.param.kind == "array" and slot.item is not None:
        pieces = [p.strip(" .") for p in re.split(r",|;|\band\b", value)]
        return [p for p in pieces if p] if slot.item.param.type == "string" else _OPEN
    if slot.param.kind in ("object", "array"):
        return _OPEN
    pairs = [
        (m, v) for m in candidates(value, today) if (v := value_for(slot, m, value)) is not None
    ]
    exact = [v for m, v in pairs if m.kind == slot.param.kind] or [v for _, v in pairs]
    if slot.param.type != "string" or slot.param.kind in ("date", "time", "email", "phone", "name"):
        return exact[0] if exact else _OPEN
    bare = re.sub(r"^(?:Dr|Mrs?|Ms)\. ?", "", value).strip(" .")
    return bare if len(bare) <= 120 and fits(bare, slot.param.raw) else _OPEN


# ---- choices


def _chosen(slot: Slot, reading: Reading, found: dict[str, Any], slots: tuple[Slot, ...]) -> Any:
    if slot.param.kind == "boolean":
        return _switched(slot, reading.text)
    rivals = [s for s in slots if s.param.options == slot.param.options and s is not slot]
    used = {found.get(s.name) for s in rivals}
    said = [h for h in hits(slot.param, reading.text) if not h.negated and h.value not in used]
    if rivals and said:
        alike = sorted((h for h in said if h.worth >= 0.7 * said[0].worth), key=lambda h: h.start)
        return alike[0].value
    near = sorted(said, key=lambda h: -(h.worth + 0.4 * cue(slot, reading.text, h)))
    return near[0].value if near else None


def _switched(slot: Slot, text: str) -> bool | None:
    """Which way a text decides a switch: by the words of its name, or else of its description;
    what is denied once is off, and so is what lacks a word of the name ("our only car")."""
    own = own_stems(slot)
    spoken = words(text)
    named = [w for w in spoken if {w.stem, *synonyms(w.stem)} & own or _un(w.text, own)]
    lacking = own - {s for w in named for s in (w.stem, *synonyms(w.stem))}
    if not named or (lacking and not slot.param.required):
        about = {w for w in slot.param.about if len(w) > 3} - own
        named = [w for w in spoken if w.stem in about]
        lacking = frozenset()
    if not named:
        return None
    off = any(_denied(text, w.start, w.end) or _un(w.text, own) for w in named)
    return not off and not lacking


_DENIES = re.compile(
    r"\b(?:no|not|never|nobody|none|nothing|neither|nor|without|no one|hardly)\b|n['’]t\b", re.I
)


def _denied(text: str, start: int, end: int) -> bool:
    """Whether what stands there is denied in its clause, before or after it."""
    before = re.split(r"[.!?;:,\n]|\bbut\b", text[max(0, start - 50) : start])[-1]
    after = re.split(r"[.!?;,\n]|\band\b|\bbut\b", text[end : end + 40])[0]
    return bool(_DENIES.search(before) or _DENIES.search(after))


def _un(word: str, own: frozenset[str]) -> bool:
    return word.startswith("un") and stem(word[2:]) in own


# ---- the best pairs


def _assigned(slots: list[Slot], reading: Reading) -> dict[str, Any]:
    """The best pairs of field and mark, each field once and each piece of the text once."""
    text = reading.text
    every = (*candidates(text, reading.today), *_runs(slots, reading), *joined(slots, reading))
    found = [m for m in every if reading.free(m.start, m.end)]
    scored = []
    for s, slot in enumerate(slots):
        own = [
            Mention("shape", m.group(), m.start(), m.end(), m.group())
            for shape, _ in slot.shapes
            for m in shape.finditer(text)
            if re.search(r"\d", m.group())
        ]
        for mark in own or found:
            value = mark.value if mark.kind == "shape" else value_for(slot, mark, text)
            if value is None:
                continue
            lone = sum(m.kind == mark.kind for m in found) == 1
            worth = 3.0 if mark.kind == "shape" else weight_of(slot, mark, reading, lone)
            scored.append((-worth, s, mark.start, mark.end, value))
    out: dict[str, Any] = {}
    for negative, s, start, end, value in sorted(scored, key=lambda p: (p[0], p[1], p[2], -p[3])):
        slot = slots[s]
        if slot.name in out or not reading.free(start, end) or -negative < _floor(slot, text):
            continue
        out[slot.name] = value
        reading.taken.append((start, end))
    return out


_REPLY = 6  # words: so short is the reply to a question for what it holds


def _floor(slot: Slot, text: str) -> float:
    """What a pair must be worth: more where a field may stay empty."""
    if (not slot.param.nullable and slot.param.required) or vocabulary(slot):
        return 0.2
    if slot.param.kind in ("email", "phone", "date", "time", "url"):
        return 0.9
    return 0.3 if len(text.split()) <= _REPLY and slot.param.type == "string" else 1.9


def _runs(slots: list[Slot], reading: Reading) -> Iterator[Mention]:
    """Plain words that stand beside a field's own: "colour: dark green", "a leak in the roof"."""
    if not any(s.param.kind in ("words", "query", "prose") for s in slots):
        return
    text = reading.text
    known = frozenset().union(*(vocabulary(s) for s in slots))
    places = [(w.start, w.end) for w in words(text) if w.text in known]
    for start, end in (*phrase_after(text), *places):
        yield Mention("run", text[start:end], start, end, text[start:end])


# ---- lists

_NAMED = 0.9
"""What a value of a list must be worth: as much as its own name."""


def _listed(slot: Slot, reading: Reading) -> list[Any]:
    if slot.inner:
        return _rows(slot, reading)
    if slot.item is None:
        return []
    if slot.item.param.kind == "enum":
        named = [
            h for h in hits(slot.item.param, reading.text) if not h.negated and h.worth >= _NAMED
        ]
        return list(dict.fromkeys(h.value for h in sorted(named, key=lambda h: h.start)))
    kind = slot.item.param.kind
    if known := vocabulary(slot):
        said = [w for w in words(reading.text) if w.text in known]
        return [
            reading.text[w.start : w.end] for w in said if not _denied(reading.text, w.start, w.end)
        ]
    if kind in ("words", "query", "prose", "name"):
        return []
    found = [
        (m, v)
        for m in candidates(reading.text, reading.today)
        if m.kind == kind or (kind in ("number", "amount") and m.kind == "number")
        if (v := value_for(slot.item, m, reading.text)) is not None
    ]
    cued = [(m, v) for m, v in found if cue(slot, reading.text, m) > 0.5] or found
    return list(dict.fromkeys(v for _, v in cued))


def _rows(slot: Slot, reading: Reading) -> list[dict[str, Any]]:
    """The objects of a list: each piece of an enumeration that fills what every row needs."""
    rows = []
    for start, end in row_texts(reading.text):
        if not reading.free(start, end):
            continue
        piece = Reading(reading.text[start:end], reading.today)
        row = _row(slot, piece)
        if row is not None:
            rows.append(row)
            reading.taken += [(start + s, start + e) for s, e in piece.taken]
    return rows


def _rest(piece: Reading) -> list[tuple[int, int]]:
    """The phrases of a row without the words at their ends that are already taken."""
    out = []
    for start, end in phrase_after(piece.text):
        for s, e in piece.taken:
            if s <= start < e < end:
                start = e + 1
        out.append((start, end))
    return out


def _row(slot: Slot, piece: Reading) -> dict[str, Any] | None:
    typed = tuple(s for s in slot.inner if s.param.kind not in ("words", "query", "prose"))
    row = _fields(typed, piece, slot.param.schema)
    if not any(v is not None and not isinstance(v, bool) for v in row.values()):
        return None
    for other in sorted(slot.inner, key=lambda s: not vocabulary(s)):
        if other in typed:
            continue
        known = vocabulary(other)
        places = [(w.start, w.end) for w in words(piece.text) if w.text in known]
        places = places if known else _rest(piece)
        phrase = next((p for p in places if piece.free(*p)), None)
        if phrase is not None:
            row[other.name] = piece.text[slice(*phrase)]
            piece.taken.append(phrase)
        elif other.param.nullable:
            row[other.name] = None
    lacks = [s for s in slot.inner if s.param.required and s.name not in row]
    return None if lacks else {s.name: row[s.name] for s in slot.inner if s.name in row}
