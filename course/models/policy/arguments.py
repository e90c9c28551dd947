"""Arguments: filling the parameters of a schema from a request, with what replies, other parts and
older messages add.

The reader fills what the clause itself holds. What is still missing is then looked for in wider
texts. Nothing is made up; what can't be found is named as missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from course.models.policy.clauses import free_text
from course.models.policy.dates import REFERENCE
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import chosen
from course.models.policy.reader.filling import (
    ASKED_FOR,
    Filling,
    fill_from_afar,
    fill_schema,
    fill_slots,
)
from course.models.policy.reader.odds import LIKELY
from course.models.policy.reader.slots import Slot, slot_of, slots_of
from course.models.policy.schemas import Schema, fits
from course.models.policy.values import spanned
from course.models.policy.words import cue
from course.models.wire import ToolSpec


@dataclass(frozen=True)
class Texts:
    """Where arguments may come from. `clause` is the part itself; `answers` reply to a question
    that was asked about it; `others` are parts and messages that may supply what is missing;
    `guides` (instructions) describe choices."""

    clause: str
    answers: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    today: date = REFERENCE


@dataclass(frozen=True)
class Filled:
    """Arguments found, parameters still missing, and the pieces of the clause that were used."""

    values: Mapping[str, Any]
    missing: tuple[Param, ...] = ()
    used: tuple[Mention, ...] = field(default=())


def fill(
    schema: Schema,
    texts: Texts,
    tool_name: str = "",
    root: Schema | None = None,
    beside: frozenset[str] = frozenset(),
) -> Filled:
    """Fill an object schema from texts; see the module's text for the order.

    `tool_name` tells which words are about the tool rather than about a value, and `beside` adds
    stems of the same sort, such as those of the tool that a lookup is made for.
    """
    slots = slots_of(schema, root)
    made = fill_schema(slots, texts.clause, texts.today, tool_name, beside)
    values = dict(made.values)
    for slot in _open(slots, values):
        if slot.param.kind == "enum":
            value = chosen(slot.param, texts.clause, texts.guides)
            values |= {} if value is None else {slot.name: value}
    for text in texts.answers:
        values = {**fill_slots(_open(slots, values), text, texts.today).values, **values}
    for text in texts.others:
        needed = tuple(s for s in _open(slots, values) if s.param.required)
        values |= fill_from_afar(needed, text, texts.today).values if needed else {}
    values |= dict(_lengths(slots, values, texts))
    values |= dict(_prose(slots, values, texts))
    whole = root or schema
    told = {s.name: values[s.name] for s in slots if s.name in values}
    made = Filling({s.name: told[s.name] for s in slots
                    if s.name in told and fits(told[s.name], s.param.raw, whole)},
                   spans=made.spans)  # fmt: skip
    made.without(slots)
    return Filled(made.values, tuple(s.param for s in made.missing), _used(texts.clause, made))


def stated(wanted: tuple[Param, ...], text: str, today: date, *, asked: bool) -> dict[str, Any]:
    """The values that a text holds for parameters, switches and lists apart.

    What was `asked` for needs less to speak for it, and plain words are only taken then.
    """
    slots = tuple(slot_of(p) for p in wanted if p.kind not in ("boolean", "array", "object"))
    made = fill_slots(slots, text, today, likely=ASKED_FOR if asked else LIKELY)
    words = {p.name for p in wanted if p.kind in ("words", "query", "prose") and not asked}
    return {n: v for n, v in made.values.items() if n not in words or _ADDRESS.search(str(v))}


_ADDRESS = regex(r"\d.*[A-Za-z]|[A-Za-z].*\d")


def _used(text: str, made: Filling) -> tuple[Mention, ...]:
    return tuple(Mention("run", text[a:b], a, b, text[a:b]) for a, b in made.spans)


def _open(slots: tuple[Slot, ...], values: Mapping[str, Any]) -> tuple[Slot, ...]:
    return tuple(s for s in slots if s.name not in values)


def _lengths(
    slots: tuple[Slot, ...], values: Mapping[str, Any], texts: Texts
) -> Iterator[tuple[str, Any]]:
    """Lengths of stays and meetings of which only the beginning and the end were said."""
    for slot in _open(slots, values):
        if slot.param.required and slot.param.kind == "number":
            length = spanned(slot.param, texts.clause, texts.today)
            if length is not None:
                yield slot.name, length


def _prose(
    slots: tuple[Slot, ...], values: Mapping[str, Any], texts: Texts
) -> Iterator[tuple[str, Any]]:
    for slot in _open(slots, values):
        if slot.param.kind == "prose":
            text = free_text(slot.param, texts.clause)
            if text is not None and (text or slot.param.required):
                yield slot.name, text


_COMMA = regex(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+|\s+as well as\s+|;\s*")


def pieces(text: str) -> list[str]:
    """A text cut at commas and "and"."""
    return [p.strip() for p in _COMMA.split(text) if p.strip()]


def variants(texts: Texts, tool: ToolSpec) -> Iterator[Texts]:
    """One text for each of several values that one parameter is asked for ("Paris and Rome")."""
    listing = _listing(texts.clause)
    if any(p.type == "array" for p in params(tool.parameters)):
        yield texts
        return
    counted = _counted(texts, tool)
    if counted or listing is None:
        yield from counted or (texts,)
        return
    start, end, values = listing
    texts_for = [
        replace(texts, clause=texts.clause[:start] + v + texts.clause[end:]) for v in values
    ]
    whole, *filled = (dict(fill(tool.parameters, t, tool.name).values) for t in (texts, *texts_for))
    free = {p.name for p in params(tool.parameters) if p.kind in ("prose", "query")}
    if whole.keys() == filled[0].keys() and _differ_in_one(filled, values, free):
        yield from texts_for
    else:
        yield texts


def _counted(texts: Texts, tool: ToolSpec) -> list[Texts]:
    """One text for each counted thing ("four blades and ten fuses"), when each fills a call."""
    found = pieces(texts.clause)
    if len(found) < 2 or not all(any(m.kind == "number" for m in mentions(p)) for p in found):
        return []
    out = [replace(texts, clause=p) for p in found]
    filled = [fill(tool.parameters, t, tool.name) for t in out]
    numbers = {p.name for p in params(tool.parameters) if p.kind == "number"}
    alike = len({frozenset(f.values) for f in filled}) == 1 and numbers & set(filled[0].values)
    return out if alike and len(filled[0].values) > 1 and not any(f.missing for f in filled) else []


def _differ_in_one(filled: list[dict[str, Any]], values: list[str], free: set[str]) -> bool:
    """Whether several calls have all values in common but one, which is no free text."""
    if len({frozenset(f) for f in filled}) != 1:
        return False
    changed = [k for k in filled[0] if len({str(f[k]) for f in filled}) == len(filled)]
    same = [k for k in filled[0] if len({str(f[k]) for f in filled}) == 1]
    return (
        len(changed) == 1
        and changed[0] not in free
        and len(same) == len(filled[0]) - 1
        and all(
            str(f[changed[0]]).lower() in v.lower()
            or v.lower() in str(f[changed[0]]).lower()
            or not isinstance(f[changed[0]], str)
            or any(str(m.value) == str(f[changed[0]]) for m in mentions(v))
            for f, v in zip(filled, values, strict=True)
        )
    )


_LIST = cue("variants.list", 0)


_LEAD = regex(r"(?:in|on|of|for|at|from|to) ")


def _listing(clause: str) -> tuple[int, int, list[str]] | None:
    """Where a list stands, and its values, each with the small word before the first of them."""
    for match in _LIST.finditer(clause):
        first, *others = pieces(f"{match['a']}{match['more']} and {match['z']}")
        lead = _LEAD.match(first)
        if others:
            values = [first, *(f"{lead[0] if lead else ''}{each}" for each in others)]
            return match.start(), match.end(), values
    return None
