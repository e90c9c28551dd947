"""Extraction: the fields of a JSON schema out of a text that somebody wrote.

First come rows, choices and switches, and of the rest the reader's pairs of mark and field, scored
by coefficients that were trained on documents. What nothing speaks for stays open: no sentence
fills a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

from course.models.policy.corrected import corrected
from course.models.policy.lexicon import suggested, synonyms
from course.models.policy.mentions import mentions
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import Hit, Word, hits, words
from course.models.policy.reader.documents import cue, document_pairs
from course.models.policy.reader.enumerations import (
    behind,
    counted,
    days,
    denied,
    pieces,
    told_apart,
)
from course.models.policy.reader.fields import (
    RELATIVES,
    is_person,
    left_empty,
    own_stems,
    vocabulary,
)
from course.models.policy.reader.filling import Filling, assign, joined, place_parts
from course.models.policy.reader.odds import Floors
from course.models.policy.reader.options import option_features, switch_features
from course.models.policy.reader.pairs import Pair
from course.models.policy.reader.slots import Slot, slots_of
from course.models.policy.reader.weights import likeliest
from course.models.policy.schemas import Schema, fits
from course.models.policy.values import spanned
from course.models.policy.words import content, in_figures, name_words, stem
from course.models.policy.words import cue as pattern

WHOLE, IN_ROW = Floors(0.03, 0.3, 0.4), Floors(0.1, 0.3, 0.1)
"""From which probability on a mark is taken: of a whole text, and inside a row."""


def extract(schema: Schema, text: str, today: date) -> dict[str, Any]:
    """The fields that a text holds, in the schema's names; null where a field may be null.

    Args:
        schema: an object schema, with its `$defs` where it refers to them.
        text: what somebody wrote.
        today: the day it was written, for relative dates.
    """
    slots, plain = slots_of(schema), as_read(text)
    made = settled(slots, plain, today)
    assign(left(slots, made, plain, today), made, WHOLE, "field")
    made.values |= dict(_between(_flat(slots), made.values, plain, today))
    made.values |= dict(_stories(_open(_flat(slots), made), plain))
    return _nested(slots, made.values)


def as_read(text: str) -> str:
    """A text with its figures in digits and without what it takes back."""
    return corrected(in_figures(text))


def settled(slots: tuple[Slot, ...], text: str, today: date) -> Filling:
    """What rows, lists, choices and switches of a text say, before marks are weighed."""
    made = Filling()
    flat = _open(_flat(slots), made)
    for slot in flat:
        if left_empty(slot, text):
            made.values[slot.name] = None
    for slot in _open(flat, made):
        if slot.param.kind == "array":
            values, spans = _listed(slot, text, today, made)
            if values:
                made.take(slot, values, 1.0, *spans)
    _of_vocabulary(_open(flat, made), text, made)
    place_parts(_open(flat, made), text, made)
    for slot in _open(flat, made):
        value = None
        if slot.param.kind == "boolean":
            value = _switched(slot, text)
        elif slot.param.kind == "enum":
            value = _chosen(slot, text)
        if value is not None:
            made.take(slot, value, 1.0)
    return made


def _of_vocabulary(slots: tuple[Slot, ...], text: str, made: Filling) -> None:
    """Take the words of fields that hold no others, such as a colour: of several the one that the
    words around it give to the field, the first where none do."""
    spoken = words(text)
    found = [
        (cue(slot, text, Hit(text[w.start : w.end], 1.0, w.start, w.end)), -w.start, -n, w)
        for n, slot in enumerate(slots)
        if (known := vocabulary(slot)) and not {*RELATIVES} & known and slot.param.kind == "words"
        for w in spoken
        if w.text in known and not _denied(text, w)
    ]
    for _, _, n, word in sorted(found, key=lambda f: f[:3], reverse=True):
        slot = slots[-n]
        if slot.name not in made.values and _free(word.start, word.end, made):
            made.take(slot, text[word.start : word.end], 1.0, (word.start, word.end))


def left(slots: tuple[Slot, ...], made: Filling, text: str, today: date) -> list[Pair]:
    """The pairs of fields that are still open and the marks that nothing has taken."""
    found = document_pairs(_open(_flat(slots), made), text, today, tuple(made.spans))
    return [p for p in found if _free(p.mark.start, p.mark.end, made)]


def _free(start: int, end: int, made: Filling) -> bool:
    return all(end <= s or e <= start for s, e in made.spans)


def _open(slots: tuple[Slot, ...], made: Filling) -> tuple[Slot, ...]:
    return tuple(s for s in slots if not any(f"{s.name}.".startswith(f"{n}.") for n in made.values))


# ---- fields inside fields


def _flat(slots: tuple[Slot, ...], above: Slot | None = None) -> tuple[Slot, ...]:
    """The fields with those of inner objects beside them, named by their path; a field that may not
    be null is asked for, required or not."""
    out: list[Slot] = []
    for slot in slots:
        param = replace(slot.param, required=not slot.param.nullable)
        if param.kind == "words" and _DONE_BY.search("_".join(name_words(param.name))):
            param = replace(param, kind="name")
        if above is not None:
            name, about = f"{above.name}.{param.name}", param.about | above.param.about
            param = replace(param, name=name, about=about)
        slot = replace(slot, param=param)
        inner = slot.param.kind == "object" and slot.inner
        out += _flat(slot.inner, slot) if inner else (slot,)
    return tuple(out)


_DONE_BY = regex(r"(?:ed|en|ne|found|brought|bought|sold|made|sent)_by$")


def _nested(slots: tuple[Slot, ...], values: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The values put back where they belong; an object without what it needs is left out."""
    found: dict[str, Any] = {}
    for slot in slots:
        name = f"{path}{slot.name}"
        if name in values:
            found[slot.name] = values[name]
        elif slot.param.kind == "object" and slot.inner:
            inner = _nested(slot.inner, values, f"{name}.")
            said = any(v is not None for v in inner.values())
            lacks = any(s.param.required and s.name not in inner for s in slot.inner)
            if (slot.param.required and not slot.param.nullable) or (said and not lacks):
                found[slot.name] = inner
        if slot.name not in found and slot.param.nullable:
            found[slot.name] = None
    return found


# ---- choices and switches


def _chosen(slot: Slot, text: str) -> Any:
    """The value of an enumeration that a text names, or else what people say for one."""
    said = next((h for h in hits(slot.param, text) if not h.negated), None)
    return said.value if said else likeliest("value", option_features(slot.param, text))[0]


def _switched(slot: Slot, text: str) -> bool | None:
    """Which way a text decides a switch: by the words of its name, or else of its description, and
    else by what people say for it; where its words stand for the last time decides, and a thing
    without its modifier is off ("our only car")."""
    name = name_words(slot.name.rpartition(".")[2])
    own = own_stems(replace(slot, param=replace(slot.param, name="_".join(name))))
    spoken = words(text)
    named = [w for w in spoken if {w.stem, *synonyms(w.stem)} & own or _un(w, own)]
    lacking = own - {s for w in named for s in (w.stem, *synonyms(w.stem))}
    if not named or (lacking and not slot.param.required):
        about = {w for w in slot.param.about if len(w) > 3} - own
        partly, named = bool(named), [w for w in spoken if w.stem in about]
        if partly and not named:
            return None
        lacking = frozenset()
    if not named:
        way, likely = likeliest("switch", switch_features(slot.param, text, frozenset()))
        return way if slot.param.required or likely > _SURELY else None
    *modifiers, head = (stem(w) for w in name)
    alone = head not in lacking and bool(lacking & {*modifiers})
    beside = _BESIDE if "includ" in own else None
    off = [_denied(text, w) or _un(w, own) or bool(beside and beside.search(text[: w.start]))
              for w in named]  # fmt: skip
    return not alone and not off[-1]


_SURELY = 0.8
"""How likely a switch must be that may be null, where its own words are not said."""


_BESIDE = regex(r"\b(?:plus|excluding|without|extra for) (?:the )?$")
_DENIES = regex(
    r"\b(?:no|not|never|nobody|none|nothing|neither|nor|without|no one|hardly)\b|n['’]t\b"
    r"|\b(?:do|does|did|is|was|ca|wo)nt\b",
    re.I,
)


def _denied(text: str, word: Word) -> bool:
    """Whether a word is denied in its clause, before or after it."""
    before = re.split(r"[.!?;:,\n]|\bbut\b", text[max(0, word.start - 50) : word.start])[-1]
    after = re.split(r"[.!;,\n]|\band\b|\bbut\b", text[word.end : word.end + 40])[0]
    return bool(_DENIES.search(before) or _DENIES.search(after))


def _un(word: Word, own: frozenset[str]) -> bool:
    return word.text.startswith("un") and stem(word.text[2:]) in own


# ---- lists

_NAMED, _CUED = 0.9, 0.5
"""What a value of a list must be worth: as much as its own name; and how much the words around one
of several in a row must speak of the field."""
_OF_FORM = ("name", "date", "time", "email", "phone", "url")
"""Kinds of which several in a row are a list by their form alone."""
_Found = tuple[list[Any], list[tuple[int, int]]]
_Row = tuple[dict[str, Any], list[tuple[int, int]]]


def _listed(slot: Slot, text: str, today: date, made: Filling) -> _Found:
    """The values of a list, and where they stand."""
    if slot.inner:
        return _rows(slot, text, today, made)
    if slot.item is None or denied(slot, text):
        return [], []
    if slot.item.param.kind == "enum":
        said = [h for h in hits(slot.item.param, text) if not h.negated and h.worth >= _NAMED]
        days = [m for m in mentions(text, today) if m.kind == "date" and re.search(r"\d", m.text)]
        said = [h for h in said if not any(d.overlaps(h.start, h.end) for d in days)]
        found = [(h.value, h.start, h.end) for h in sorted(said, key=lambda h: h.start)]
    elif known := vocabulary(slot) or vocabulary(slot.item):
        told = [w for w in words(text) if w.text in known and not _denied(text, w)]
        found = [(text[w.start : w.end], w.start, w.end) for w in told]
    elif told_so := _in_form(slot, slot.item, text, today):
        found = told_so
    else:
        every = left((slot.item,), made, text, today)
        rows = [(max(cue(slot, text, p.mark) for p in r), r) for r in joined(every, text)]
        best = max((worth for worth, _ in rows), default=0.0)
        kind = "name" if is_person(slot.item) else slot.item.param.kind
        if best <= _CUED and kind in _OF_FORM:
            row = max((r for _, r in rows if {p.mark.kind for p in r} == {kind}),
                      key=len, default=[])  # fmt: skip
            rows, best = [(1.0, row)] if len(row) > 1 else [], 1.0
        found = [(p.value, p.mark.start, p.mark.end) for worth, row in rows
                 if worth > max(_CUED, 0.8 * best) for p in row]  # fmt: skip
    return list(dict.fromkeys(v for v, *_ in found)), [(a, b) for _, a, b in found]


def _in_form(slot: Slot, item: Slot, text: str, today: date) -> list[tuple[Any, int, int]]:
    """The values that the form of a list tells: days, figures one by one, things in a row."""
    if item.param.kind == "date":
        return [(d, 0, 0) for d in days(slot, text, today)]
    if item.param.type in ("integer", "number"):
        told = [(float(text[a:b]), a, b) for a, b in told_apart(text)]
        return [(int(n) if n.is_integer() else n, a, b) for n, a, b in told]
    return [(text[a:b], a, b) for a, b in behind(slot, text)] if _is_plain(item) else []


def _is_plain(slot: Slot) -> bool:
    """Whether a field may hold any words."""
    return slot.param.kind in ("words", "query", "prose", "name") and not slot.shapes


def _rows(slot: Slot, text: str, today: date, made: Filling) -> _Found:
    """The objects of a list: of the items of a written list, of what stands behind the same word
    with a number each ("Plot 17 ... Plot 22 ..."), or of the pieces of an enumeration."""
    for spans in (_items(text), _anchored(slot, text)):
        rows = [(row, start) for start, end in spans
                if (row := _row(slot, text[start:end], today, whole=True))]  # fmt: skip
        if len(rows) > max(1, len(spans) / 2):
            return _told(rows)
    return _enumerated(slot, text, today, made)


_ITEM = regex(r"^ *(?:[-*•–]|\d{1,2}[.)]|(?=\d+ ?(?:x|×) )) *(?P<item>\S.*)$", re.M)


def _items(text: str) -> list[tuple[int, int]]:
    """The lines of a written list, without their signs."""
    return [m.span("item") for m in _ITEM.finditer(text) if not m["item"].endswith(".")]


def _anchored(slot: Slot, text: str) -> list[tuple[int, int]]:
    """The pieces of a text that begin with the same word of a field and a number."""
    for each in slot.inner:
        name = next((w for w in name_words(each.name) if len(w) > 2), "")
        if each.param.type not in ("integer", "string") or not name:
            continue
        head = rf"\b{name}s?\.? (?:no\.? )?(?:\d|(?-i:[A-Z]\b))"
        found = [m.start() for m in re.finditer(head, text, re.I)]
        if len(found) > 1:
            return [(a, b) for a, b in pairwise([*found, len(text)])]
    return []


def _told(rows: list[tuple[_Row, int]]) -> _Found:
    return [r for (r, _), _ in rows], [(s + a, s + b) for (_, at), s in rows for a, b in at]


def _enumerated(slot: Slot, text: str, today: date, made: Filling) -> _Found:
    """The rows in the pieces of an enumeration, all in the same order, of the sentence with most;
    a thing that is told again in other numbers stands as it was told last."""
    best: _Found = ([], [])
    sentence: _Found = ([], [])
    listed = any(s.param.kind == "enum" and s.param.required for s in slot.inner)
    closes = False  # whether a figure stands at the end of a piece
    begun: int | None = None  # where the piece before begins, if it holds no whole row
    for start, end, last in pieces(text):
        whole = _free(start, end, made)
        row = _row(slot, text[start:end], today, article=bool(sentence[0])) if whole else None
        if row is None and listed and whole and begun is not None:
            row, start = _row(slot, text[begun:end], today), begun
        begun = start if row is None and not last else None
        figure = re.search(r"\d\W*$", text[start:end]) is not None
        if row is not None and (again := _again(row[0], sentence[0] or best[0])) is not None:
            if _MENDS.search(text[:end].rpartition("\n")[2]):
                (sentence[0] or best[0])[again] |= {
                    k: v for k, v in row[0].items() if v is not None
                }
        elif row is not None and (listed or not sentence[0] or figure == closes):
            sentence[0].append(row[0])
            sentence[1].extend((start + a, start + b) for a, b in row[1])
            closes = figure
        elif sentence[0] and _TOLD_AFTER.match(text[start:end]):
            more = settled(slot.inner, text[start:end], today).values
            empty = {k for k, v in sentence[0][-1].items() if v is None}
            sentence[0][-1] |= {k: v for k, v in more.items() if k in empty and v is not None}
        if len(sentence[0]) > len(best[0]):
            best = sentence
        if last and not listed:
            sentence = ([], [])
    return best


_TOLD_AFTER = regex(r"\s*(?:the|all|both|each|in) (?:[\w-]+ ){0,2}[\w-]+\W*$", re.I)
"""What tells more of the thing before: "150 tulips, the yellow ones"."""
_MENDS = regex(r"\b(?:no|sorry|make|rather|actually|instead|correction)\b", re.I)


def _again(row: Mapping[str, Any], rows: list[dict[str, Any]]) -> int | None:
    """Which of some rows has the same words as another one, and maybe more."""
    said = {k: v for k, v in row.items() if isinstance(v, str)}.items()
    return next((n for n, r in enumerate(rows) if said <= r.items()), None) if said else None


def _row(
    slot: Slot, piece: str, today: date, *, whole: bool = False, article: bool = False
) -> _Row | None:
    """The object that a piece of a text holds, and where; None where something lacks: in the
    pieces of an enumeration what it must have, else (`whole`) all but one. Where `article` says so,
    "a saw" is counted."""
    made = settled(slot.inner, piece, today)
    _things(slot.inner, piece, made, article=whole or article)
    assign(left(slot.inner, made, piece, today), made, IN_ROW, "field")
    row = _nested(slot.inner, made.values)
    counted = whole or any(type(v) in (int, float) for v in row.values())
    for each in slot.inner:
        if not each.param.required or each.name in row:
            continue
        if each.param.kind == "boolean":
            row[each.name] = _WELL.search(piece) is not None and not _DENIES.search(piece)
        elif counted and each.param.type == "integer" and fits(0, each.param.raw):
            row[each.name] = int(bool(_COUNTS.search(each.name)))
    lacks = [s for s in slot.inner if s.param.required and s.name not in row]
    lacks += [s for s in slot.inner if (known := vocabulary(s)) and isinstance(row.get(s.name), str)
              and known.isdisjoint(w.text for w in words(row[s.name]))]  # fmt: skip
    spoken = any(v is not None and not isinstance(v, bool) for v in row.values())
    return (row, made.spans) if spoken and not lacks else None


_WELL = pattern("enumerations.well")
_COUNTS = regex(r"quantity|count|qty|amount|number|pieces|copies", re.I)


def _things(slots: tuple[Slot, ...], piece: str, made: Filling, *, article: bool) -> None:
    """Take the thing that a piece counts, without the words that choices have taken at its edges,
    and its number, where fields for both are open."""
    counts = [s for s in _open(slots, made) if s.param.kind == "number"]
    named = [s for s in counts if _COUNTS.search(s.name)] or counts
    things = [s for s in _open(slots, made) if _is_plain(s)]
    found = counted(piece, article=article) if named and things else None
    if found is None:
        return
    count, thing = named[0], min(things, key=lambda s: not s.param.required)
    told = [w for w in words(found.thing)
            if _free(found.at + w.start, found.at + w.end, made)]  # fmt: skip
    if not told or told[0].stem in own_stems(count) | count.param.about:
        return
    said = found.thing[told[0].start : told[-1].end]
    figure = int(found.number) if found.number == int(found.number) else found.number
    if fits(figure, count.param.schema) and fits(said, thing.param.schema):
        made.take(count, figure, 1.0, (found.start, found.at))
        made.take(thing, said, 1.0, (found.at, found.end))


# ---- free text

_CLAUSE = regex(r"[^\s.!?;\n](?:[^.!?;\n]|\.(?=\w)|(?<=\bM[rs])\.|(?<=\bDr)\.)*")


def _stories(slots: tuple[Slot, ...], text: str) -> Iterator[tuple[str, str]]:
    """For each field of free text the clause that has most of its words, or of what people say for
    them; none where no clause has."""
    told = [m.group().strip(" -–,") for m in _CLAUSE.finditer(text)]
    for slot in slots:
        if slot.param.kind != "prose" or slot.param.type != "string":
            continue
        own, about = own_stems(slot) - _NOTES, slot.param.about
        worth = {c: _worth(own, c) + 0.3 * len(about & {*content(c)}) for c in told}
        best = max(told, key=worth.__getitem__, default="")
        if best and worth[best] and fits(best, slot.param.schema):
            yield slot.name, best


def _worth(own: frozenset[str], clause: str) -> float:
    said = {s for w in content(clause) for s in (w, *synonyms(w))}
    return len(own & said) + 0.7 * len(own & suggested(clause).keys())


_NOTES = frozenset(map(stem, "note notes remark remarks comment comments text details".split()))


# ---- what follows


def _between(
    slots: tuple[Slot, ...], found: Mapping[str, Any], text: str, today: date
) -> Iterator[tuple[str, Any]]:
    """What follows from two values: an end is after its beginning, and a length lies between."""
    times = [s.name for s in slots if s.param.kind == "time" and isinstance(found.get(s.name), str)]
    if len(times) == 2:
        first, last = found[times[0]], found[times[1]]
        if last < first and last < "12":
            yield times[1], f"{int(last[:2]) + 12:02}{last[2:]}"
    for slot in slots:
        if slot.param.kind == "number" and slot.name not in found:
            length = spanned(slot.param, text, today)
            if length is not None:
                yield slot.name, length
