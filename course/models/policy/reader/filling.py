"""Filling: the arguments of one tool, from the mentions and choices of a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from course.models.policy.dates import find_dates, find_spans
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import lead_of, role_of
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import Hit, coded, hits, weekdays
from course.models.policy.reader.odds import LIKELY, Floors, chances
from course.models.policy.reader.options import option_features, switch, switch_features
from course.models.policy.reader.pairs import Pair, allowed, pairs
from course.models.policy.reader.slots import Offer, Slot, Spans, foreign_ids, same_as
from course.models.policy.reader.stories import STORY, stories, whereabouts
from course.models.policy.reader.weights import likeliest
from course.models.policy.schemas import Schema, fits
from course.models.policy.words import name_words, stem

PERHAPS, ASKED_FOR = 0.4, 0.12
"""From which probability on a mark is taken for an optional slot, and one that was asked for."""


@dataclass
class Filling:
    """What became of a tool's slots.

    Attributes:
        values: arguments by name.
        surely: the probability of each.
        missing: required slots that nothing fills.
        spans: the pieces of the text that were used.
        told: slots for free text that a sentence fills, which speaks for no tool.
    """

    values: dict[str, Any] = field(default_factory=dict)
    surely: dict[str, float] = field(default_factory=dict)
    missing: list[Slot] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    told: list[Slot] = field(default_factory=list)

    def take(self, slot: Slot, value: Any, worth: float, *spans: tuple[int, int]) -> None:
        """Take a value for a slot."""
        self.values[slot.name] = value
        self.surely[slot.name] = min(1.0, worth)
        self.spans += spans

    def without(self, slots: tuple[Slot, ...]) -> None:
        """Required slots of which nothing is said: off, the default, the only value, that of the
        slot that its description names, or missing."""
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
            elif (same := same_as(slot)) and same in self.values:
                self.values[slot.name] = self.values[same]
            else:
                self.missing.append(slot)


def fill_tool(offer: Offer, place: int, text: str, today: date) -> Filling:
    """The arguments of one of the offered tools that a text holds, which nobody may change."""
    named, slots = offer.tools[place].name, offer.slots[place]
    return _filled(named, slots, offer.roots[place], text, today, foreign_ids(offer, place, text))


@lru_cache(maxsize=4_000)
def _filled(
    name: str, slots: tuple[Slot, ...], root: str, text: str, today: date, foreign: Spans
) -> Filling:
    """The arguments of a tool, whichever others are offered beside it."""
    made = _fill(slots, text, today, _about(name, slots), _schema(root),
                 implied=True, foreign=foreign)  # fmt: skip
    made.without(slots)
    return made


@lru_cache(maxsize=512)
def _schema(key: str) -> Schema:
    found: Schema = json.loads(key)
    return found


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
    made.values = {n: v for n, v in made.values.items() if n not in loose or _ID.fullmatch(str(v))}
    return made


_ID = regex(r"(?=.*\d)(?=.*[A-Za-z/-])\S+(?: \d+)?")


def about(offer: Offer, place: int) -> frozenset[str]:
    """The stems that speak of the tool as a whole and so of no switch."""
    return _about(offer.tools[place].name, offer.slots[place])


@lru_cache(maxsize=2_000)
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
    *,
    implied: bool = False,
    foreign: Spans = (),
) -> Filling:
    made = Filling()
    for slot in slots:
        _choose(slot, text, shared, made, implied)
    for slot in slots:
        if slot.param.kind == "array" and slot.inner:
            _lines(slot, text, today, shared, made)
    place_parts(slots, text, made)
    _span(slots, text, today, made)
    shared |= {stem(w) for v in made.values.values() if isinstance(v, str) for w in name_words(v)}
    floors = Floors(likely, likely if optional is None else optional, likely)
    found = pairs(slots, text, today, tuple(made.spans), shared, foreign)
    told = [*stories(slots, text, shared)] if implied else []
    assign([*found, *told], made, floors)
    for slot, place in whereabouts(slots, text) if implied else ():
        if made.surely.get(slot.name, 0.0) < _SAID_WHERE:
            made.take(slot, place.group(), _SAID_WHERE, place.span())
    for slot in slots:
        if slot.param.kind == "array" and slot.item and slot.item.param.kind != "enum":
            _several(slot, text, today, shared, made)
        if slot.param.kind == "object" and slot.inner:
            inner = _fill(slot.inner, text, today, shared, root, likely)
            lacks = [s for s in slot.inner if s.param.required and s.name not in inner.values]
            if inner.values and not lacks:
                made.take(slot, inner.values, min(inner.surely.values()), *inner.spans)
    forms = {s.name: s for s in slots}
    made.values = {n: v for n, v in made.values.items() if _valid(forms[n], v, root)}
    return made


def _valid(slot: Slot, value: Any, root: Mapping[str, Any]) -> bool:
    whole = slot.param.raw is not slot.param.schema or isinstance(value, list | dict)
    return fits(value, slot.param.raw, root) if whole else allowed(slot, value)


def _choose(slot: Slot, text: str, shared: frozenset[str], made: Filling, implied: bool) -> None:
    """Enumerated values, lists of them, and switches; those that are only `implied` are taken from
    a request alone, not from what else was said."""
    if slot.param.kind == "boolean":
        said = switch(slot.param, text, shared)
        on = said.value if said else None
        likely = said.worth if said else 0.0
        if said is None and implied:
            on, likely = likeliest("switch", switch_features(slot.param, text, shared))
        if on is not None:
            made.take(slot, on, likely)
        return
    one = slot.item or slot
    named = coded(one.param, text)
    if not named and one.param.kind != "enum":
        return
    if slot.item and (days := weekdays(one.param.options, text)):
        made.take(slot, days, 1.0)
        return
    found = _in_role(one, [h for h in named or hits(one.param, text) if not h.negated], text, made)
    if slot.item and found:
        best = [h for h in found if h.worth >= 0.7 * found[0].worth]
        inside = sorted(best, key=lambda h: h.start)
        values = list(dict.fromkeys(h.value for h in inside))
        made.take(slot, values, found[0].worth, *((h.start, h.end) for h in inside))
    elif found:
        tied = len(found) > 1 and found[1].worth >= found[0].worth - 0.05
        worth = found[0].worth * (0.6 if tied and found[0].value != found[1].value else 1.0)
        made.take(slot, found[0].value, worth, (found[0].start, found[0].end))
    elif one is slot and implied:
        value, likely = likeliest("value", option_features(slot.param, text))
        if value is not None and (slot.param.required or likely >= _SURELY):
            made.take(slot, value, likely)


_SURELY = 0.8
"""How likely a value has to be that nothing names, where none is needed."""


def _in_role(slot: Slot, found: list[Hit], text: str, made: Filling) -> list[Hit]:
    """The values without those that another choice has taken, where several are left; of those
    that a preposition gives a role ("from Finnish into Swedish") the ones of the slot's own."""
    free = [h for h in found if (h.start, h.end) not in made.spans or h.start == h.end] or found
    role = {h: role_of(lead_of(text, Mention("", "", h.start, h.end)), slot.param) for h in free}
    own = [h for h in free if role[h] == "for"]
    if own and len(own) < len(free):
        last = max(h.end for h in own)
        own += [h for h in free if h not in own and _BETWEEN.fullmatch(text, last, h.start)]
    return own or [h for h in free if role[h] != "against"] or free


def claims(offer: Offer, place: int, text: str) -> Spans:
    """The pieces of a text that choices have claimed before marks are weighed."""
    made = Filling()
    for slot in offer.slots[place]:
        _choose(slot, text, about(offer, place), made, implied=True)
    return tuple(made.spans)


_SAID_WHERE = 0.6
"""How likely a place is meant where something is said to be."""
_LESS_FOR_PROSE = 0.05
"""What was marked goes to a field for it before it goes to free text, which is told otherwise."""


def assign(found: list[Pair], made: Filling, floors: Floors, of: str = "slot") -> None:
    """Take the likeliest pairs, each slot once and each piece of the text once.

    `of` is whose coefficients score the pairs.
    """
    likely = chances(of, found)
    worth_of = [
        w - _LESS_FOR_PROSE * (p.slot.param.kind == "prose")
        for p, (w, _) in zip(found, likely, strict=True)
    ]
    whole = [p for p, (_, said) in zip(found, likely, strict=True)
             if p.mark.kind == "phrase" and said >= _WHOLE]  # fmt: skip
    scored = sorted(
        (-worth, n)
        for n, worth in enumerate(worth_of)
        if likely[n][1] >= floors.of(found[n])
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
        if pair.mark.kind == STORY:
            made.values[pair.slot.name] = _story(n, found, likely)
            made.told.append(pair.slot)
        else:
            made.take(pair.slot, pair.value, worth_of[n], (pair.mark.start, pair.mark.end))


def _story(n: int, found: list[Pair], likely: list[tuple[float, float]]) -> str:
    """A sentence that tells what a slot for free text asks for, with its neighbours that do too."""
    own = [m for m, p in enumerate(found) if p.slot is found[n].slot and p.mark.kind == STORY]
    first = last = own.index(n)
    while first > 0 and likely[own[first - 1]][1] >= PERHAPS:
        first -= 1
    while last + 1 < len(own) and likely[own[last + 1]][1] >= PERHAPS:
        last += 1
    return " ".join(str(found[m].value) for m in own[first : last + 1])


def _clash(n: int, others: Iterable[int], found: list[Pair]) -> bool:
    """Whether a pair's mark shares a piece of the text with one of some others; a story, which is
    told of them all, with none."""
    mark, marks = found[n].mark, [found[o].mark for o in others]
    return mark.kind != STORY and any(
        m.kind != STORY and mark.overlaps(m.start, m.end) for m in marks
    )


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


_WHOLE = 0.9
"""How likely a phrase has to be said of a slot for a name in it to be only its beginning."""


def _cut_short(pair: Pair, whole: list[Pair]) -> bool:
    """Whether a name is only the beginning of what is likely meant: the "Sable" of a grinder."""
    mark, slot = pair.mark, pair.slot
    return mark.kind == "name" and any(
        p.slot is slot and p.mark.start == mark.start and p.mark.end > mark.end for p in whole
    )


_PARTS = {"street": "street road", "house": "house", "zip": "zip postcode postal postalcode plz",
          "city": "city town place"}  # fmt: skip
_HOUSE = regex(
    r"(?:(?P<before>\d+[a-z]?) (?P<street>[^,\d]+)|(?P<street2>[^,\d]+?) (?P<after>\d+[a-z]?))"
    r"(?:, (?P<zip>\d{4,5}) (?P<city>[^,]+))?(?:,.*)?"
)


_TOWN = regex(r",? (?:in )?(?P<city>[A-Z][\w-]+(?: [A-Z][\w-]+)*)(?=\W*$|[.,;!?])")


def place_parts(slots: tuple[Slot, ...], text: str, made: Filling) -> None:
    """Take the parts of the only address that a text names, where they are asked for apart:
    street, house, postcode, town."""
    asked = _parts_asked(slots)
    if "street" not in asked or len(asked) < 2:
        return
    places = [m for m in mentions(text) if m.kind == "address"]
    told = places[0] if len(places) == 1 else None
    read = _HOUSE.fullmatch(told.text) if told else None
    if told is None or read is None:
        return
    street, house = read["street"] or read["street2"], read["before"] or read["after"]
    if "house" not in asked:
        street = f"{house} {street}" if read["before"] else f"{street} {house}"
    town = _TOWN.match(text, told.end)
    city = read["city"] or (town["city"] if town else None)
    parts = {"street": street, "house": house, "zip": read["zip"], "city": city}
    for part, slot in asked.items():
        said = parts[part]
        if said and (slot.param.type == "string" or said.isdigit()):
            value = int(said) if slot.param.type == "integer" else said
            made.take(slot, value, 1.0, (told.start, told.end))


@lru_cache(maxsize=2_000)
def _parts_asked(slots: tuple[Slot, ...]) -> Mapping[str, Slot]:
    """The slots that ask for the parts of an address, by part."""
    plain = [s for s in slots if s.param.type in ("string", "integer")]
    return {part: s for part, names in _PARTS.items() for s in plain
            if set(name_words(s.name)) & set(names.split())}  # fmt: skip


def _span(slots: tuple[Slot, ...], text: str, today: date, made: Filling) -> None:
    """The first and the last day of a time that is named as a whole, where both are asked for and
    no day is: "the whole of January"."""
    dates = [s for s in slots if s.param.kind == "date"]
    roles = {s.name: (role_of("from", s.param), role_of("until", s.param)) for s in dates}
    ends = [next((s for s in dates if roles[s.name] == wanted), None)
            for wanted in (("for", "against"), ("against", "for"))]  # fmt: skip
    if ends[0] is None or ends[1] is None:
        return
    spans = find_spans(text, today)
    if len(spans) != 1:
        return
    first, last, start, end = spans[0]
    if all(start <= d.start < end for d in find_dates(text, today)):
        made.take(ends[0], first.isoformat(), 0.9, (start, end))
        made.take(ends[1], last.isoformat(), 0.9, (start, end))


_SURE = frozenset(("shape", "email", "time", "date", "phone", "uuid", "url"))
"""Kinds of marks of which a list holds all that there are."""


def _several(slot: Slot, text: str, today: date, shared: frozenset[str], made: Filling) -> None:
    """A list of plain values: all marks of the kind; of words and names the longest row of
    neighbours."""
    if slot.item is None:
        return
    found = pairs((slot.item,), text, today, tuple(made.spans), shared)
    kinds = {p.mark.kind for p in found}
    if kinds & _SURE:
        found = [p for p in found if p.mark.kind in _SURE]
    elif slot.item.param.kind in ("words", "query", "prose", "name"):
        found = row_of([p for p in found if p.mark.kind in ("phrase", "name", "quoted")], text)
    else:
        row = row_of(found, text)
        told = zip(found, chances("slot", found), strict=True)
        likely = [p for p, (_, worth) in told if worth >= LIKELY]
        found = row if len(row) > max(1, len(likely)) else likely
    values = list(dict.fromkeys(p.value for p in found))
    if values:
        made.take(slot, values, LIKELY, *((p.mark.start, p.mark.end) for p in found))


_BETWEEN = regex(
    r"\s*(?:,|and|,\s*and|&|plus|as well as)\s*(?:(?:an?|the|some|my|\w+(?<=[0-9oxenrt])) )?"
)


def row_of(found: list[Pair], text: str) -> list[Pair]:
    """The longest row of things that stand side by side; quoted ones alone if there are any."""
    quoted = [p for p in found if p.mark.kind == "quoted"]
    rows = joined(quoted or found, text)
    return max(rows, key=lambda r: (len(r), r[0].mark.lead in ("of", "with", "for")), default=[])


def joined(found: list[Pair], text: str) -> list[list[Pair]]:
    """The rows of things that stand side by side, in order of place."""
    rows: list[list[Pair]] = []
    for pair in sorted(found, key=lambda p: (p.mark.start, -p.mark.end)):
        last = rows[-1][-1].mark.end if rows else -1
        if rows and pair.mark.start < last:
            continue
        if rows and _BETWEEN.fullmatch(text[last : pair.mark.start]):
            rows[-1].append(pair)
        else:
            rows.append([pair])
    return rows


_JOINT = regex(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+|\s+as well as\s+|;\s*")
_COUNTED = regex(r"quantity|count|qty|amount|number|pieces|copies")


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
    whole = [m for m in mentions(text) if m.kind == "number"]  # "a hundred and six"
    joints = [m.span() for m in _JOINT.finditer(text)
              if not any(w.start < m.start() < w.end for w in whole)]  # fmt: skip
    starts, ends = [0, *(b for _, b in joints)], [*(a for a, _ in joints), len(text)]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if text[a:b].strip()]
