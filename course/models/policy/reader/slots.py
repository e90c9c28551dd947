"""Slots: the parameters of a tool with the shapes and the words that their schemas show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from course.models.policy.params import Param, params
from course.models.policy.schemas import Schema, as_schema, follow, type_of
from course.models.policy.words import NUMBER_WORDS, content, name_words, singular, stem
from course.models.wire import ToolSpec

_EXAMPLE = re.compile(
    r"(?:e\.g\.|eg|for example|such as|like|as in|example:?|looks like)[,:]?\s+[\"'`“(]?"
    r"((?:[A-Z]{1,5} (?=\d)|\d{1,3} [A-Z]{1,2} (?=\d))?[A-Za-z0-9#][\w#/.-]*(?: \d+)*)",
    re.IGNORECASE,
)
_RISKY = re.compile(r"[+*}]\)[+*{]|\\\d")


@dataclass(frozen=True, eq=False)
class Slot:
    """A parameter, or a field of one that is an object.

    Attributes:
        param: name, kind, schema and stems.
        shapes: what its values look like, by its pattern or its examples; each with the example
            whose separators are put into what is found, or "" for a pattern.
        inner: of an object, or of a list of objects, the slots inside.
        item: of a list of plain values, one of them.
    """

    param: Param
    shapes: tuple[tuple[re.Pattern[str], str], ...] = ()
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
    key = json.dumps(schema, default=str)
    return _slots(key, key if root is None else json.dumps(root, default=str), 0)


def slot_of(param: Param) -> Slot:
    """A parameter as a slot of its own."""
    return _slot(param, param.raw, 0)


def shaped_like(param: Param, text: str) -> list[re.Match[str]]:
    """What stands in a text in the form that a parameter's schema shows for its ids."""
    return [m for shape, _ in slot_of(param).shapes for m in shape.finditer(text[:_LONGEST])]


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
    shapes = _shapes(param)
    return Slot(_typed(param, bool(shapes)), shapes, inner, item)


_REACHED = re.compile(r"\b(?:tele)?phone\b.*\be-?mail|\be-?mail\b.*\bphone\b", re.IGNORECASE)


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
    return _slots(json.dumps(schema, default=str), json.dumps(root, default=str), depth + 1)


_NO_SHAPE = ("date", "time", "datetime", "month", "weekday", "enum")


def _shapes(param: Param) -> tuple[tuple[re.Pattern[str], str], ...]:
    if param.type not in ("string", "any") or param.kind in _NO_SHAPE:
        return ()
    declared = param.schema.get("pattern")
    if isinstance(declared, str):
        found = _declared(declared)
        return ((found, ""),) if found else ()
    shown = param.schema.get("examples")
    examples = [e for e in shown if isinstance(e, str)] if isinstance(shown, list) else []
    examples += [m.group(1).rstrip(".") for m in _EXAMPLE.finditer(param.description)]
    examples += [] if examples else _told(param.description)
    made = ((_like(example), example) for example in examples)
    return tuple((shape, example) for shape, example in made if shape)


_TEMPLATE = re.compile(
    r"(?<![\w/-])(?:[A-Z]{1,4}[-/ ]?(?:[0#]{2,}|…)|[0#]{2,}(?=[-/]))(?:[-/ ]?(?:[0#]+|…))*(?![\w-])"
)
_SPELT = re.compile(
    r"(?:(?P<head>[A-Z]{1,4}[-/]?)\s*(?:\+|and|then|followed by)\s*)?"
    r"(?P<count>\d+|[A-Za-z]+) (?P<what>digits|characters|letters)",
)
_JOINTS = {"hyphen": "-", "slash": "/", "dot": ".", "blank": " ", "space": " "}


def _told(description: str) -> Iterator[str]:
    """Examples of what a description says in words or by a template: "BK + five digits"."""
    for found in _TEMPLATE.finditer(description):
        yield found.group().replace("#", "0").replace("…", "0000")
    made, last = "", 0
    for found in _SPELT.finditer(description):
        count = found["count"].lower()
        size = int(count) if count.isdigit() else NUMBER_WORDS.get(count, 0)
        if not 0 < size <= 20:
            continue
        gap = description[last : found.start()].strip(" ,").lower() if made else ""
        letter = "A" if found["what"] == "letters" else "0"
        body = "A0" if found["what"] == "characters" and size == 2 else letter * int(size)
        made += _JOINTS.get(gap.removesuffix(", then").strip(), "") + (found["head"] or "") + body
        last = found.end()
    if made and re.search(r"\d", made):
        yield made


@lru_cache(maxsize=1_000)
def _declared(text: str) -> re.Pattern[str] | None:
    """A schema's pattern as something to search for; None where it is unreadable or risky."""
    body = text.removeprefix("^").removesuffix("$")
    if len(text) > 120 or _RISKY.search(text) or not re.search(r"\\d|\d|\[", body):
        return None
    try:
        return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])")
    except re.error:
        return None


def _class(found: re.Match[str]) -> str:
    text = found.group()
    if text.isdigit():
        close = rf"\d{{{max(1, len(text) - 1)},{len(text) + 1}}}"
        apart = rf"\d(?: ?\d){{{len(text) - 1}}}"  # in groups: 55 01 27
        before = found.string[: found.start()]
        lead = r"[-\s./_]?" if len(text) > 2 and before[-1:].isalpha() else ""
        grouped = len(text) > (3 if before[:1].isalpha() else 4)
        return lead + (rf"(?:{close}(?! ?\d)|{apart}(?! ?\d)|{close})" if grouped else close)
    if text.isalpha():
        case = "[A-Z]" if text.isupper() else "[A-Za-z]"
        return rf"(?:{case}{{{len(text)}}}|(?i:{text}))"
    return r"[-\s./_]?"


@lru_cache(maxsize=1_000)
def _like(example: str) -> re.Pattern[str] | None:
    """What looks like an example with digits, however its parts are joined."""
    if not re.search(r"\d", example) or len(example) > 40:
        return None
    if example.isdigit():
        apart = "[ -]?" if len(example) > 4 else ""
        return re.compile(rf"(?<![\w.,-])\d(?:{apart}\d){{{len(example) - 1}}}(?![\w-]|[.,]\d)")
    body = re.sub(r"[A-Za-z]+|\d+|[^A-Za-z0-9]+", _class, example)
    return re.compile(rf"(?<![\w-]){body}(?![\w-])")


def as_shown(said: str, example: str) -> str:
    """What was said, joined as the example joins its parts: "fm 2291" is FM-2291."""
    if example.isdigit():
        return re.sub(r"\D", "", said)
    if not re.search(r"\d \d", example):
        said = re.sub(r"(?<=\d) (?=\d)", "", said)
    parts = re.findall(r"[A-Za-z]+|\d+", said)
    shown = re.findall(r"[A-Za-z]+|\d+", example)
    if not example or len(parts) != len(shown):
        return said
    out, rest = "", example
    for part, model in zip(parts, shown, strict=True):
        place = rest.index(model)
        out += rest[:place] + (part.upper() if model.isupper() else part)
        rest = rest[place + len(model) :]
    return out


@lru_cache(maxsize=4_000)
def words_of(slot: Slot) -> frozenset[str]:
    """The stems of a slot's name and description, generic words such as "date" included."""
    return frozenset(stem(w) for w in name_words(slot.name)) | frozenset(
        content(slot.param.description)
    )


@dataclass(frozen=True, eq=False)
class Offer:
    """The tools of a request with their slots; equal lists of tools give the same offer."""

    tools: tuple[ToolSpec, ...]
    slots: tuple[tuple[Slot, ...], ...]


def offer_of(tools: tuple[ToolSpec, ...]) -> Offer:
    """The offer that a list of tools makes."""
    return _offer(json.dumps([(t.name, t.description, t.parameters) for t in tools], default=str))


@lru_cache(maxsize=256)
def _offer(key: str) -> Offer:
    tools = tuple(ToolSpec(*told) for told in json.loads(key))
    return Offer(tools, tuple(slots_of(t.parameters) for t in tools))
