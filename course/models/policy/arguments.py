"""Arguments: filling the parameters of a schema from a request, with what replies, other parts and
older messages add.

The reader fills what the clause itself holds. What is still missing is then looked for in wider
texts. Nothing is made up; what can't be found is named as missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from course.models.policy.dates import REFERENCE
from course.models.policy.mentions import Mention
from course.models.policy.params import Param
from course.models.policy.prose import free_text
from course.models.policy.reader.choices import chosen
from course.models.policy.reader.filling import (
    ASKED_FOR,
    LIKELY,
    Filling,
    fill_from_afar,
    fill_schema,
    fill_slots,
)
from course.models.policy.reader.slots import Slot, slot_of, slots_of
from course.models.policy.schemas import Schema, fits
from course.models.policy.units import spanned


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


_ADDRESS = re.compile(r"\d.*[A-Za-z]|[A-Za-z].*\d")


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
