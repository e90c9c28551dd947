"""Filling: the arguments of one tool, from the mentions and choices of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.lexicon import synonyms
from course.models.policy.reader.choices import hits, switch
from course.models.policy.reader.pairs import Pair, chance, pairs
from course.models.policy.reader.slots import Offer, Slot
from course.models.policy.schemas import fits
from course.models.policy.words import name_words, stem

LIKELY, PERHAPS, ASKED_FOR = 0.5, 0.4, 0.2
"""From which probability on a mark is taken for a required slot, and for one that was asked for;
optional ones need more."""
MORE_FOR_OPTIONAL, FOR_OPTIONAL_WORDS = 0.0, 0.1


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

    def without(self, slots: tuple[Slot, ...]) -> None:
        """Required slots of which nothing is said: off, the default, the only value, or missing."""
        for slot in slots:
            param = slot.param
            if not param.required or slot.name in self.values:
                continue
            if param.kind == "boolean" and not param.nullable:
                self.values[slot.name] = bool(param.schema.get("default", False))
            elif "default" in param.schema:
                self.values[slot.name] = param.schema["default"]
            elif len(slot.param.options) == 1:
                self.values[slot.name] = slot.param.options[0]
            elif param.nullable:
                self.values[slot.name] = None
            else:
                self.missing.append(slot)


def fill_tool(offer: Offer, place: int, text: str, today: date) -> Filling:
    """The arguments of one of the offered tools that a text holds."""
    tool, slots = offer.tools[place], offer.slots[place]
    made = _fill(slots, text, today, about(offer, place), tool.parameters)
    made.without(slots)
    return made


def fill_schema(
    slots: tuple[Slot, ...], text: str, today: date, name: str, beside: frozenset[str]
) -> Filling:
    """What a text holds for the slots of a schema; `name` is what the tool is called, and
    `beside` are more stems that speak of it."""
    return _fill(slots, text, today, _about(name, slots) | beside, {}, ASKED_FOR, PERHAPS)


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


@lru_cache(maxsize=2_000)
def about(offer: Offer, place: int) -> frozenset[str]:
    """The stems that speak of the tool as a whole and so of no switch."""
    return _about(offer.tools[place].name, offer.slots[place])


def _about(name: str, slots: tuple[Slot, ...]) -> frozenset[str]:
    own = list(name_words(name))
    others = [w for s in slots if s.param.kind != "boolean" for w in name_words(s.name)]
    values = [w for s in slots for o in s.param.options for w in name_words(str(o))]
    known = frozenset(stem(w) for w in (*own, *others, *values))
    return known.union(*(synonyms(stem(w)) for w in own))


def _fill(
    slots: tuple[Slot, ...],
    text: str,
    today: date,
    shared: frozenset[str],
    root: Mapping[str, Any],
    likely: float = LIKELY,
    optional: float | None = None,
) -> Filling:
    made = Filling()
    for slot in slots:
        _choose(slot, text, shared, made)
    for slot in slots:
        if slot.param.kind == "array" and slot.inner:
            _lines(slot, text, today, shared, made)
    spoken = [v for v in made.values.values() if isinstance(v, str)]
    shared = shared.union(stem(w) for v in spoken for w in name_words(v))
    floors = (likely, likely if optional is None else optional)
    assign(pairs(slots, text, today, tuple(made.spans), shared), made, floors)
    for slot in slots:
        if slot.param.kind == "array" and slot.item and slot.item.param.kind != "enum":
            _several(slot, text, today, shared, made)
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
        said = switch(slot.param, text, shared)
        if said:
            made.take(slot, said.value, said.worth)
        return
    listed = slot.item is not None and slot.item.param.kind == "enum"
    if slot.param.kind != "enum" and not listed:
        return
    found = [
        h for h in hits((slot.item if listed and slot.item else slot).param, text) if not h.negated
    ]
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


_LESS_FOR_PROSE = 0.05
"""What was marked goes to a field for it before it goes to free text, which is told otherwise."""


def assign(found: list[Pair], made: Filling, floors: tuple[float, float], of: str = "slot") -> None:
    """Take the likeliest pairs, each slot once and each piece of the text once.

    `floors` are for required and optional slots; `of` is whose coefficients score the pairs.
    """
    worth_of = [
        chance(of, p.features) - _LESS_FOR_PROSE * (p.slot.param.kind == "prose") for p in found
    ]
    whole = [
        p for p, w in zip(found, worth_of, strict=True) if p.mark.kind == "phrase" and w >= LIKELY
    ]
    scored = sorted(
        (-worth, n)
        for n, worth in enumerate(worth_of)
        if worth >= _floor(found[n], floors)
        and found[n].slot.name not in made.values
        and not _cut_short(found[n], whole)
    )
    chosen: dict[str, int] = {}
    for _, n in scored:
        if found[n].slot.name not in chosen and not _clash(n, chosen.values(), found):
            chosen[found[n].slot.name] = n
    _exchange(chosen, [n for _, n in scored], found, worth_of)
    for n in chosen.values():
        pair = found[n]
        made.take(pair.slot, pair.value, worth_of[n], (pair.mark.start, pair.mark.end))


def _floor(pair: Pair, floors: tuple[float, float]) -> float:
    more = FOR_OPTIONAL_WORDS if pair.mark.kind == "phrase" else MORE_FOR_OPTIONAL
    floor = floors[0] if pair.slot.param.required else floors[1] + more
    return max(floor, LIKELY) if pair.slot.param.kind == "prose" else floor


def _clash(n: int, others: Iterable[int], found: list[Pair]) -> bool:
    """Whether a pair's mark shares a piece of the text with one of some others."""
    mark = found[n].mark
    return any(mark.overlaps(found[o].mark.start, found[o].mark.end) for o in others)


_UNFILLED = 0.02
"""What an empty slot counts when marks are exchanged."""


def _exchange(
    chosen: dict[str, int], open_to: list[int], found: list[Pair], worth_of: list[float]
) -> None:
    """Give a slot another's mark where both together are likelier then: the other one takes the
    best that is left, or nothing. Free text takes nothing away, as it is told otherwise."""
    for _ in range(len(chosen)):
        best, gain = None, 1.001
        for n in open_to:
            mine = found[n].slot.name
            owners = [k for k, o in chosen.items() if k != mine and _clash(n, [o], found)]
            if len(owners) != 1 or found[n].slot.param.kind == "prose":
                continue
            kept = [o for k, o in chosen.items() if k not in (mine, owners[0])]
            other = next(
                (o for o in open_to
                 if found[o].slot.name == owners[0] and not _clash(o, [*kept, n], found)), None,
            )  # fmt: skip
            before = worth_of[chosen[owners[0]]] * (
                worth_of[chosen[mine]] if mine in chosen else _UNFILLED
            )
            after = worth_of[n] * (_UNFILLED if other is None else worth_of[other])
            if after > gain * before:
                best, gain = (mine, n, owners[0], other), after / before
        if best is None:
            return
        mine, n, owner, other = best
        chosen.pop(owner)
        chosen[mine] = n
        if other is not None:
            chosen[owner] = other


def _cut_short(pair: Pair, whole: list[Pair]) -> bool:
    """Whether a name is only the beginning of what is likely meant: the "Sable" of a grinder."""
    mark, slot = pair.mark, pair.slot
    return mark.kind == "name" and any(
        p.slot is slot and p.mark.start == mark.start and p.mark.end > mark.end for p in whole
    )


def _several(slot: Slot, text: str, today: date, shared: frozenset[str], made: Filling) -> None:
    """A list of plain values: all marks of the kind; of words and names the longest row of
    neighbours."""
    if slot.item is None:
        return
    found = pairs((slot.item,), text, today, tuple(made.spans), shared)
    if slot.item.param.kind in ("words", "query", "prose", "name"):
        found = row_of([p for p in found if p.mark.kind in ("phrase", "name", "quoted")], text)
    else:
        found = [p for p in found if chance("slot", p.features) >= LIKELY]
    values = list(dict.fromkeys(p.value for p in found))
    if values:
        made.take(slot, values, LIKELY, *((p.mark.start, p.mark.end) for p in found))


_BETWEEN = re.compile(
    r"\s*(?:,|and|,\s*and|&|plus|as well as)\s*(?:(?:an?|the|some|my|\w+(?<=[0-9oxenrt])) )?"
)


def row_of(found: list[Pair], text: str) -> list[Pair]:
    """The longest row of things that stand side by side; quoted ones alone if there are any."""
    quoted = [p for p in found if p.mark.kind == "quoted"]
    rows: list[list[Pair]] = []
    for pair in sorted(quoted or found, key=lambda p: (p.mark.start, -p.mark.end)):
        last = rows[-1][-1].mark.end if rows else -1
        if rows and pair.mark.start < last:
            continue
        if rows and _BETWEEN.fullmatch(text[last : pair.mark.start]):
            rows[-1].append(pair)
        else:
            rows.append([pair])
    return max(rows, key=lambda r: (len(r), r[0].mark.lead in ("of", "with", "for")), default=[])


_JOINT = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+|\s+as well as\s+|;\s*")
_COUNTED = re.compile(r"quantity|count|qty|amount|number|pieces|copies")


def _lines(slot: Slot, text: str, today: date, shared: frozenset[str], made: Filling) -> None:
    """A list of objects: each piece of an enumeration that holds what every object needs."""
    rows: list[dict[str, Any]] = []
    spans: list[tuple[int, int]] = []
    for start, end in _pieces(text):
        own = _fill(slot.inner, text[start:end], today, shared, {}, ASKED_FOR, LIKELY)
        if not any(s.name in own.values and s.param.kind not in ("number", "boolean")
                   for s in slot.inner):  # fmt: skip
            continue
        for each in slot.inner:
            if each.param.required and each.param.kind == "number" and _COUNTED.search(each.name):
                own.values.setdefault(each.name, 1)
        if all(s.name in own.values for s in slot.inner if s.param.required):
            rows.append({s.name: own.values[s.name] for s in slot.inner if s.name in own.values})
            spans += [(start + a, start + b) for a, b in own.spans]
    if rows:
        made.take(slot, rows, 0.9, *spans)


def _pieces(text: str) -> list[tuple[int, int]]:
    joints = [m.span() for m in _JOINT.finditer(text)]
    starts, ends = [0, *(b for _, b in joints)], [*(a for a, _ in joints), len(text)]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if text[a:b].strip()]
