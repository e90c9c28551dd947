"""Slots: the parameters of a tool with the shapes and the words that their schemas show."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from course.models.policy.params import Param, params
from course.models.policy.patterns import regex
from course.models.policy.reader.shapes import Said, Shape, form_in, found_in, shapes_of
from course.models.policy.schemas import Schema, as_key, as_schema, follow, type_of
from course.models.policy.words import content, name_words, singular, stem
from course.models.wire import ToolSpec


@dataclass(frozen=True, eq=False)
class Slot:
    """A parameter, or a field of one that is an object.

    Attributes:
        param: name, kind, schema and stems.
        shapes: what its values look like, by its pattern or its examples, in groups.
        inner: of an object, or of a list of objects, the slots inside.
        item: of a list of plain values, one of them.
    """

    param: Param
    shapes: tuple[tuple[Shape, ...], ...] = ()
    inner: tuple[Slot, ...] = ()
    item: Slot | None = None

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.param.name


@lru_cache(maxsize=1_000)
def _slots(key: str, root: str, depth: int) -> tuple[Slot, ...]:
    whole = json.loads(root)
    return tuple(_slot(p, whole, depth) for p in params(json.loads(key), whole))


def slots_of(schema: Mapping[str, Any], root: Schema | None = None) -> tuple[Slot, ...]:
    """The slots of an object schema, in its order; `root` is the schema that it stands in."""
    key = as_key(schema)
    return _slots(key, key if root is None else as_key(root), 0)


def slot_of(param: Param) -> Slot:
    """A parameter as a slot of its own."""
    return _slot(param, param.raw, 0)


def shaped_like(param: Param, text: str) -> list[Said]:
    """What stands in a text in the form that a parameter's schema shows for its ids."""
    return [s for s in found_in(shapes_of(param), text[:_LONGEST]) if not s.doubtful]


_LONGEST = 4_000
_DEEPEST = 3


def _slot(param: Param, root: Schema, depth: int) -> Slot:
    kind = type_of(param.schema)
    inner: tuple[Slot, ...] = ()
    item = None
    if depth < _DEEPEST and kind == "object":
        inner = _inner(param.schema, root, depth)
    if depth < _DEEPEST and kind == "array":
        raw = as_schema(param.schema.get("items"))
        each = follow(raw, root)
        if type_of(each) == "object":
            inner = _inner(each, root, depth)
        else:
            one = singular(param.name)
            wrapped = {"properties": {one: {"description": param.description, **each}}}
            item = _slots(json.dumps(wrapped), json.dumps(root), depth + 1)[0]
    shapes = shapes_of(param)
    return Slot(_typed(param, bool(shapes)), shapes, inner, item)


_REACHED = regex(r"\b(?:tele)?phone\b.*\be-?mail|\be-?mail\b.*\bphone\b", re.IGNORECASE)


def _typed(param: Param, shaped: bool) -> Param:
    """The parameter with its kind as the schema's own words show it: what has the form of an id
    is one, and a whole number is no sum of money."""
    if shaped and param.kind in ("words", "prose", "name", "query"):
        return replace(param, kind="id")
    if param.kind == "amount" and param.type == "integer":
        return replace(param, kind="number")
    if param.kind in ("name", "words") and _REACHED.search(param.description):
        return replace(param, kind="reach")
    return param


def _inner(schema: Schema, root: Schema, depth: int) -> tuple[Slot, ...]:
    return _slots(as_key(schema), as_key(root), depth + 1)


@lru_cache(maxsize=4_000)
def words_of(slot: Slot) -> frozenset[str]:
    """The stems of a slot's name and description, generic words such as "date" included."""
    return frozenset(stem(w) for w in name_words(slot.name)) | frozenset(
        content(slot.param.description)
    )


@dataclass(frozen=True, eq=False)
class Offer:
    """The tools of a request with their slots, and their schemas as JSON; equal lists of tools give
    the same offer."""

    tools: tuple[ToolSpec, ...]
    slots: tuple[tuple[Slot, ...], ...]
    roots: tuple[str, ...]


def offer_of(tools: tuple[ToolSpec, ...]) -> Offer:
    """The offer that a list of tools makes."""
    return _offer(as_key([(t.name, t.description, t.parameters) for t in tools]))


@lru_cache(maxsize=256)
def _offer(key: str) -> Offer:
    tools = tuple(ToolSpec(*told) for told in json.loads(key))
    roots = tuple(as_key(t.parameters) for t in tools)
    return Offer(tools, tuple(slots_of(t.parameters) for t in tools), roots)


_SENTENCE = regex(r"(?<=[.;])\s+|\n+")


def as_told(tools: tuple[ToolSpec, ...], instructions: str) -> tuple[ToolSpec, ...]:
    """The tools with what instructions say of the form of an id ("Accounts: HC and five digits") or
    of enumerated values ("Wards: A1 medicine, A2 surgery") in their parameters' descriptions. Where
    a tool has a `studentNo`, what they say of students' numbers is for no other's `student`."""
    told = _SENTENCE.split(instructions[:_LONGEST])
    ids = frozenset(s for t in tools for p in params(t.parameters) if p.kind == "id"
                    for s in _own(p))  # fmt: skip
    return tuple(_as_told(t, told, ids) for t in tools) if instructions else tools


def _as_told(tool: ToolSpec, told: list[str], ids: frozenset[str]) -> ToolSpec:
    more = {slot.name: _told(slot.param, told) for slot in slots_of(tool.parameters)
            if not slot.shapes and (slot.param.kind in ("enum", "id") or not ids & _own(slot.param))
            }  # fmt: skip
    if not any(more.values()):
        return tool
    properties = dict(tool.parameters["properties"])
    for name, said in more.items():
        schema = as_schema(properties[name])
        if said:
            description = f"{schema.get('description') or ''} {said}".strip()
            properties[name] = {**schema, "description": description}
    return replace(tool, parameters={**tool.parameters, "properties": properties})


def _told(param: Param, told: list[str]) -> str:
    """What sentences say of the form of a parameter, or of the values that it enumerates."""
    if param.kind == "enum" and all(isinstance(o, str) for o in param.options):
        listed = "|".join(map(re.escape, param.options))
        return next((s for s in told if len({*re.findall(rf"\b(?:{listed})\b", s)}) > 1), "")
    if param.kind not in ("id", "words", "name"):
        return ""
    own = _own(param)
    form = next((f for s in told if own & {*content(s)} if (f := form_in(s))), "")
    return f"(e.g. {form})" if form else ""


def _own(param: Param) -> frozenset[str]:
    """The stems that say what a parameter is an id or a name of."""
    return frozenset(stem(w) for w in name_words(param.name)) - _ANY


_ANY = frozenset("id number no nr code ref refer name".split())


_SAME_AS = regex(r"\bsame (?:day |date |value )?as (?:the |for )?[\"'`]?(?P<name>[\w-]+)", re.I)


def same_as(slot: Slot) -> str:
    """The slot whose value a description gives where nothing else is said, else ""."""
    told = _SAME_AS.search(slot.param.description)
    return told["name"] if told else ""


Spans = tuple[tuple[int, int], ...]
_LONG_ID = 4
"""Characters that an id of another tool must have to be nothing else."""


@lru_cache(maxsize=8_000)
def foreign_ids(offer: Offer, place: int, text: str) -> Spans:
    """The pieces of a text that have the form of other tools' ids, and of none of a tool's own."""
    each = _ids(offer, text)
    others = {(s.start, s.end) for n, found in enumerate(each) for s in found
              if n != place and not s.doubtful and len(s.value) >= _LONG_ID}  # fmt: skip
    own = [(s.start, s.end) for s in each[place]]
    return tuple((a, b) for a, b in sorted(others) if all(b <= c or d <= a for c, d in own))


@lru_cache(maxsize=2_000)
def _ids(offer: Offer, text: str) -> tuple[tuple[Said, ...], ...]:
    """For each tool what a text holds in the form of its ids."""
    forms = {slot.shapes: found_in(slot.shapes, text) for slots in offer.slots for slot in slots}
    return tuple(tuple(s for slot in slots for s in forms[slot.shapes]) for slots in offer.slots)
