"""Filling: the arguments of one tool, from the marks and choices of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.cues import lead_of, role_of
from course.models.policy.mentions import Mention
from course.models.policy.reader.choices import Hit, hits, negated, switch, words
from course.models.policy.reader.marks import Mark, marks
from course.models.policy.reader.scorer import chance
from course.models.policy.reader.slots import Offer, Slot, as_shown, words_of
from course.models.policy.schemas import fits
from course.models.policy.values import shaped
from course.models.policy.verbs import EITHER, VERBS
from course.models.policy.words import STOP_WORDS, name_words, stem

FITTING: dict[str, frozenset[str]] = {
    kind: frozenset(marked.split())
    for kind, marked in {
        "date": "date", "datetime": "date", "month": "month date", "weekday": "date",
        "time": "time", "hour": "time", "email": "email", "phone": "phone id number",
        "url": "url", "uuid": "uuid", "amount": "amount number", "number": "number amount",
        "intid": "number id", "id": "shape id number phone", "name": "name quoted",
        "words": "shape id name quoted number phone email address phrase",
        "query": "quoted name phrase", "reach": "phone email id number",
        "prose": "quoted", "currency": "",
    }.items()
}  # fmt: skip
SHORTEST_ID, SHORTEST_PHONE = 3, 5
"""Characters: a shorter number is no id where the schema shows what ids look like, and no number
of a telephone."""
CHOSEN = ("enum", "boolean", "array", "object", "null")
LIKELY, ASKED_FOR = 0.5, 0.15
"""From which probability on a mark is taken for a required slot, and for one that was asked for;
optional ones need more."""
MORE_FOR_OPTIONAL, FOR_OPTIONAL_WORDS = 0.1, 0.35


@dataclass(frozen=True)
class Pair:
    """A mark that may be a slot's value, and what speaks for it."""

    slot: Slot
    mark: Mark
    value: Any
    features: Mapping[str, float]


@dataclass
class Filling:
    """What became of a tool's slots.

    Attributes:
        values: arguments by name.
        surely: the probability of each.
        missing: required slots that nothing fills.
        spans: the pieces of the text that were used.
    """

    values: dict[str, Any] = field(default_factory=dict)
    surely: dict[str, float] = field(default_factory=dict)
    missing: list[Slot] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def take(self, slot: Slot, value: Any, worth: float, *spans: tuple[int, int]) -> None:
        """Take a value for a slot."""
        self.values[slot.name] = value
        self.surely[slot.name] = min(1.0, worth)
        self.spans += spans


def fill_tool(offer: Offer, place: int, text: str, today: date) -> Filling:
    """The arguments of one of the offered tools that a text holds."""
    tool, slots = offer.tools[place], offer.slots[place]
    made = _fill(slots, text, today, about(offer, place), tool.parameters)
    for slot in slots:
        if slot.param.required and slot.name not in made.values:
            _without(slot, made)
    return made


def fill_slots(
    slots: tuple[Slot, ...], text: str, today: date, *, likely: float = ASKED_FOR
) -> Filling:
    """What a text holds for some slots; of a reply that was asked for them, all that fits."""
    return _fill(slots, text, today, frozenset(), {}, likely=likely)


def fill_from_afar(slots: tuple[Slot, ...], text: str, today: date) -> Filling:
    """What another text holds for some slots: a plain figure or choice there is about something
    else."""
    made = fill_slots(slots, text, today, likely=LIKELY)
    loose = [s.name for s in slots if s.param.kind not in ("id", "name", "email", "phone")]
    made.values = {n: v for n, v in made.values.items() if n not in loose or _is_id(v)}
    return made


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(
        re.fullmatch(r"(?=.*\d)(?=.*[A-Za-z/-])\S+(?: \d+)?", value)
    )


def _without(slot: Slot, made: Filling) -> None:
    """A required slot of which nothing is said: off, its default, its only value, or missing."""
    param = slot.param
    if param.kind == "boolean" and not param.nullable:
        made.values[slot.name] = bool(param.schema.get("default", False))
    elif "default" in param.schema:
        made.values[slot.name] = param.schema["default"]
    elif len(slot.options) == 1:
        made.values[slot.name] = slot.options[0]
    elif param.nullable:
        made.values[slot.name] = None
    else:
        made.missing.append(slot)


@lru_cache(maxsize=2_000)
def about(offer: Offer, place: int) -> frozenset[str]:
    """The stems that speak of the tool as a whole and so of no switch."""
    tool, slots = offer.tools[place], offer.slots[place]
    own = list(name_words(tool.name))
    others = [w for s in slots if s.param.kind != "boolean" for w in name_words(s.name)]
    values = [w for s in slots for o in s.options for w in name_words(str(o))]
    return frozenset(stem(w) for w in (*own, *others, *values))


def _fill(
    slots: tuple[Slot, ...],
    text: str,
    today: date,
    shared: frozenset[str],
    root: Mapping[str, Any],
    likely: float = LIKELY,
) -> Filling:
    made = Filling()
    for slot in slots:
        _choose(slot, text, shared, made)
    for slot in slots:
        if slot.param.kind == "array" and slot.inner:
            _lines(slot, text, today, made)
    _assign(pairs(slots, text, today, tuple(made.spans), shared), made, likely)
    for slot in slots:
        if slot.param.kind == "array" and slot.item and slot.item.param.kind != "enum":
            _several(slot, text, today, made)
        if slot.param.kind == "object" and slot.inner:
            inner = _fill(slot.inner, text, today, shared, root, likely)
            lacks = [s for s in slot.inner if s.param.required and s.name not in inner.values]
            if inner.values and not lacks:
                made.take(slot, inner.values, min(inner.surely.values()), *inner.spans)
    for name in [n for n, v in made.values.items() if not _valid(slots, n, v, root)]:
        del made.values[name]
    return made


def _valid(slots: tuple[Slot, ...], name: str, value: Any, root: Mapping[str, Any]) -> bool:
    slot = next(s for s in slots if s.name == name)
    return fits(value, slot.param.raw, root)


def _choose(slot: Slot, text: str, shared: frozenset[str], made: Filling) -> None:
    """Enumerated values, lists of them, and switches."""
    if slot.param.kind == "boolean":
        said = switch(slot, text, shared)
        if said:
            made.take(slot, said.value, said.worth)
        return
    listed = slot.item is not None and slot.item.param.kind == "enum"
    if slot.param.kind != "enum" and not listed:
        return
    found = [h for h in hits(slot.item if listed and slot.item else slot, text) if not h.negated]
    if listed and found:
        best = [h for h in found if h.worth >= 0.7 * found[0].worth]
        inside = sorted(best, key=lambda h: h.start)
        values = list(dict.fromkeys(h.value for h in inside))
        made.take(slot, values, found[0].worth, *((h.start, h.end) for h in inside))
    elif found:
        tied = len(found) > 1 and found[1].worth >= found[0].worth - 0.05
        worth = found[0].worth * (0.6 if tied else 1.0)
        made.take(slot, found[0].value, worth, (found[0].start, found[0].end))


def claims(offer: Offer, place: int, text: str) -> tuple[tuple[int, int], ...]:
    """The pieces of a text that choices have claimed before marks are weighed."""
    made = Filling()
    for slot in offer.slots[place]:
        _choose(slot, text, about(offer, place), made)
    return tuple(made.spans)


def _claimed(mark: Mark, spans: tuple[tuple[int, int], ...]) -> bool:
    return mark.kind not in ("quoted", "shape") and any(
        start <= mark.start and mark.end <= end for start, end in spans
    )


def pairs(
    slots: tuple[Slot, ...],
    text: str,
    today: date,
    spans: tuple[tuple[int, int], ...] = (),
    shared: frozenset[str] = frozenset(),
) -> list[Pair]:
    """Every mark that may be the value of a plain slot, with what speaks for it; `spans` are
    claimed by choices, and `shared` are stems that speak of the tool as a whole."""
    found = [m for m in marks(text, today) if not _claimed(m, spans)]
    out: list[Pair] = []
    for slot in slots:
        if slot.param.kind in CHOSEN:
            continue
        own = _shaped_like(slot, text)
        for mark in (*own, *found):
            if mark.kind != "shape" and (
                mark.kind not in FITTING.get(slot.param.kind, ())
                or (own and mark.kind in ("id", "number"))
                or (slot.shapes and mark.kind == "number" and len(mark.text) < SHORTEST_ID)
                or _too_plain(slot, mark)
            ):
                continue
            value = _value(slot, mark, text)
            if value is not None:
                out.append(Pair(slot, mark, value, {}))
    rivals = _rivals(out)
    return [replace(p, features=_features(p, text, rivals, shared)) for p in out]


def _too_plain(slot: Slot, mark: Mark) -> bool:
    """Whether a short or spelled number, or a mere unit, can't be what a slot asks for."""
    if mark.kind == "phrase":
        return words(mark.text)[-1].stem in _UNITS
    if mark.kind != "number":
        return False
    if slot.param.kind in ("phone", "reach"):
        return len(mark.text) < SHORTEST_PHONE
    return slot.param.kind == "id" and not mark.text[0].isdigit()


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
    for pair in found:
        count[f"marks {pair.slot.name}"] = count.get(f"marks {pair.slot.name}", 0) + 1
    return count


@lru_cache(maxsize=8_000)
def _shaped_like(slot: Slot, text: str) -> tuple[Mark, ...]:
    return tuple(
        Mark("shape", as_shown(m.group(), example), m.start(), m.end(), m.group())
        for shape, example in slot.shapes
        for m in shape.finditer(text)
        if m.group().strip() and re.search(r"\d", m.group())
    )


def _value(slot: Slot, mark: Mark, text: str) -> Any:
    if mark.kind == "shape":
        return mark.value
    mention = Mention(mark.kind, mark.value, mark.start, mark.end, mark.text)
    try:
        value = shaped(slot.param, mention, text)
    except (ValueError, OverflowError):
        return None
    if slot.param.kind in ("id", "words") and mark.kind == "number" and value is not None:
        return mark.text
    if value is None or value == "" or not fits(value, slot.param.schema):
        return None
    return value


def _at(mark: Mark, kind: str) -> str:
    return f"at {mark.start} {kind}"


_NEXT = 2
_UNITS = frozenset(
    "day week month year hour minut night star peopl person guest adult child of euro eur o'clock "
    "metr percent page time copi".split()
)


def _features(
    pair: Pair, text: str, rivals: Mapping[str, int], shared: frozenset[str]
) -> dict[str, float]:
    """What speaks for a pair: kinds, the words around the mark, its rivals."""
    slot, mark = pair.slot, pair.mark
    kind = slot.param.kind
    mention = Mention(mark.kind, mark.value, mark.start, mark.end, mark.text)
    lead = lead_of(text, mention)
    before = list(words(text[max(0, mark.start - 40) : mark.start]))[-4:]
    after = list(words(text[mark.end : mark.end + 30]))[:_NEXT]
    own = words_of(slot)
    found = {
        f"{mark.kind}>{kind}": 1.0,
        f"{lead or '-'}>{kind}": 1.0,
        "required": float(slot.param.required),
        "denied": float(negated(text, mark.start, mark.end)),
        "doubtful": float(mark.doubtful),
        "lone slot": float(rivals[f"slots {kind}"] == 1),
        "lone mark": float(rivals[f"marks {slot.name}"] == 1),
        "lone pair": float(rivals[f"slots {kind}"] == 1 and rivals[f"marks {slot.name}"] == 1),
        f"sole {mark.kind}>{kind}": float(rivals[f"required {kind}"] == 1 and slot.param.required),
        "long id": float(mark.kind == "number" and len(mark.text) > 3),
    }
    name = frozenset(stem(w) for w in name_words(slot.name))
    if mark.kind == "phrase":
        found |= _of_phrase(mark, text, own, shared)
    if role := role_of(lead, slot.param):
        found[f"role {role}"] = 1.0
    found["in order"] = float(rivals.get(f"place {slot.name}") == rivals.get(_at(mark, kind)))
    for place, word in enumerate(reversed(before)):
        if word.stem in own and word.text not in STOP_WORDS:
            key = "named" if word.stem in name else "told"
            found[f"{key} before"] = max(found.get(f"{key} before", 0.0), 1.0 - 0.2 * place)
    for word in after:
        if word.stem in own and word.text not in STOP_WORDS:
            found["named after"] = 1.0
    if after and mark.kind in ("number", "amount") and after[0].stem in _UNITS:
        found[f"{after[0].stem}>{kind}"] = 1.0
        found["unit told"] = float(after[0].stem in own)
    return {k: v for k, v in found.items() if v}


def _of_phrase(
    mark: Mark, text: str, own: frozenset[str], shared: frozenset[str]
) -> dict[str, float]:
    """What speaks for a run of plain words: its head, its length and what stands around it."""
    inside = words(mark.text)
    before = words(text[max(0, mark.start - 30) : mark.start])[-3:]
    deeds = [w.stem in VERBS or w.text in EITHER for w in before]
    others = [w for w in inside if w.stem not in shared and w.stem not in own]
    return {
        "head named": float(bool(inside) and inside[-1].stem in own),
        "head of tool": float(bool(inside) and inside[-1].stem in shared - own),
        "nothing else": float(not others),
        "one word": float(len(inside) == 1),
        "capital phrase": float(mark.text[:1].isupper()),
        "after a deed": float(any(deeds)),
        "after an article": float(bool(before) and before[-1].text in ("a", "an", "some", "any")),
        "after a number": float(bool(before) and before[-1].text.isdigit()),
        "ends in ing": float(mark.text.endswith("ing")),
        "closes": float(not re.match(r"\s*\w", text[mark.end : mark.end + 3])),
        "opens": float(not before),
    }


def _assign(found: list[Pair], made: Filling, likely: float) -> None:
    """Take the likeliest pairs, each slot once and each piece of the text once."""
    scored = [(chance("slot", p.features), n) for n, p in enumerate(found)]
    taken: list[Mark] = []
    for worth, n in sorted(scored, key=lambda s: (-s[0], s[1])):
        pair = found[n]
        more = FOR_OPTIONAL_WORDS if pair.mark.kind == "phrase" else MORE_FOR_OPTIONAL
        floor = likely if pair.slot.param.required else likely + more
        if worth < floor or pair.slot.name in made.values:
            continue
        if any(pair.mark.overlaps(t.start, t.end) for t in taken):
            continue
        taken.append(pair.mark)
        made.take(pair.slot, pair.value, worth, (pair.mark.start, pair.mark.end))


def _several(slot: Slot, text: str, today: date, made: Filling) -> None:
    """A list of plain typed values: all marks of the kind."""
    if slot.item is None or slot.item.param.kind in ("words", "query", "prose", "number"):
        return
    found = [p for p in pairs((slot.item,), text, today) if chance("slot", p.features) >= LIKELY]
    values = list(dict.fromkeys(p.value for p in found))
    if values:
        made.take(slot, values, LIKELY, *((p.mark.start, p.mark.end) for p in found))


_JOINT = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+|;\s*")


def _lines(slot: Slot, text: str, today: date, made: Filling) -> None:
    """A list of objects: one for each choice that is named, with what stands before it."""
    keys = [s for s in slot.inner if s.param.kind == "enum"]
    if not keys:
        return
    found = sorted((h for h in hits(keys[0], text) if not h.negated), key=lambda h: h.start)
    rows, start = [], 0
    for hit in found:
        row = _line(slot, keys[0], hit, text, start, today)
        if row is not None:
            rows.append(row)
        start = hit.end
    if rows:
        made.take(slot, [r for r, _ in rows], 0.9, *(span for _, span in rows))


def _line(
    slot: Slot, key: Slot, hit: Hit, text: str, start: int, today: date
) -> tuple[dict[str, Any], tuple[int, int]] | None:
    head = text[start : hit.start]
    tail = _JOINT.split(text[hit.end : hit.end + 20])[0]
    row: dict[str, Any] = {key.name: hit.value}
    begin = hit.start
    for other in slot.inner:
        if other is key:
            continue
        if other.param.type in ("integer", "number"):
            before = [m for m in marks(head, today) if m.kind == "number"][-1:]
            after = [m for m in marks(tail, today) if m.kind == "number"][:1]
            mark = next(iter(before or after), None)
            if mark is not None:
                row[other.name] = int(mark.value)
                begin = start + mark.start if before else begin
            elif other.param.required:
                row[other.name] = 1
        elif other.param.required:
            return None
    return row, (begin, hit.end)
