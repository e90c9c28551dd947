"""Collections: lists of values or records named in a text."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy import arguments
from course.models.policy.candidates import candidates
from course.models.policy.choices import chosen
from course.models.policy.cues import BASE
from course.models.policy.mentions import mentions
from course.models.policy.params import Param, params
from course.models.policy.schemas import Schema, as_schema, fits, follow, type_of
from course.models.policy.values import shaped
from course.models.policy.words import name_words, stem

_COMMA = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+|\s+as well as\s+|;\s*")


def pieces(text: str) -> list[str]:
    """A text cut at commas and "and"."""
    return [p.strip() for p in _COMMA.split(text) if p.strip()]


def _item(param: Param, root: Schema) -> Param:
    """The element of an array as a parameter that bears the array's name and description."""
    raw = as_schema(param.schema.get("items"))
    wrapped = {
        "properties": {param.name: {"description": param.description, **raw}},
        "required": [param.name],
    }
    return params(wrapped, root)[0]


def _records(param: Param, texts: arguments.Texts, root: Schema, depth: int) -> list[Any]:
    """Elements that are objects: each piece of the clause that fills one."""
    schema = as_schema(param.schema.get("items"))
    found: list[Any] = []
    for piece in pieces(texts.clause):
        filled = arguments.fill(
            schema,
            arguments.Texts(_after_verb(piece), guides=texts.guides, today=texts.today),
            root=root,
            depth=depth,
        )
        values = {**filled.values, **_one(filled.missing)}
        if (
            len(values) >= len(filled.values)
            and not [m for m in filled.missing if m.name not in values]
            and filled.used
        ):
            found.append(values)
    return found


_SINGLE = re.compile(r"quantity|count|qty|amount|number|pieces|copies")


def _one(missing: tuple[Param, ...]) -> dict[str, Any]:
    """A thing named without a number is one of it."""
    return {
        p.name: 1 for p in missing if p.type in ("integer", "number") and _SINGLE.search(p.name)
    }


def _after_verb(piece: str) -> str:
    return (
        re.sub(
            r"^(?:.*\b(?:order|buy|add|get|want|need|like|of|have|send)\b\s+)",
            "",
            piece,
            flags=re.IGNORECASE,
        )
        or piece
    )


def _scalars(param: Param, texts: arguments.Texts, root: Schema) -> list[Any]:
    item = _item(param, root)
    if item.kind == "enum":
        options = item.schema.get("enum", [])
        named = [(chosen(item, p, texts.guides)) for p in pieces(texts.clause)]
        return [v for v in dict.fromkeys(n for n in named if n is not None) if v in options]
    if item.kind in ("words", "query", "prose", "name"):
        return _phrases(item, texts)
    shape = [
        shaped(item, m, texts.clause)
        for m in mentions(texts.clause, texts.today)
        if m.kind in _accepts(item)
    ]
    return list(dict.fromkeys(s for s in shape if s is not None))


def _accepts(item: Param) -> set[str]:
    return {kind for kind, worth in BASE.get(item.kind, {}).items() if worth >= 1.2}


def _phrases(item: Param, texts: arguments.Texts) -> list[str]:
    """Neighbouring runs of plain words, cut where something else stands between them."""
    vocabulary = frozenset(stem(w) for w in name_words(item.name))
    found = [
        m
        for m in candidates(texts.clause, texts.today, vocabulary)
        if m.kind in _kinds(item, texts.clause)
    ]
    groups: list[list[Any]] = []
    for mention in found:
        between = texts.clause[groups[-1][-1].end : mention.start] if groups else ""
        if groups and re.fullmatch(
            r"\s*(?:,|and|,\s*and|&)\s*(?:an? |the |some |\w+ (?<=[0-9oxenrt] ))?", between
        ):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    best = max(
        groups, key=lambda g: (len(g), any(m.lead in ("of", "with", "for") for m in g)), default=[]
    )
    return [str(m.value) for m in best]


def _kinds(item: Param, text: str) -> set[str]:
    if any(m.kind == "quoted" for m in mentions(text)):
        return {"quoted"}
    names = sum(m.kind == "name" for m in mentions(text))
    return {"name"} if names and item.kind == "name" else {"run"}


def array_of(param: Param, texts: arguments.Texts, root: Schema, depth: int = 0) -> list[Any]:
    """The elements of an array parameter that a text names, without repeats that it forbids.

    `depth` is how many objects and arrays the array stands in.
    """
    raw = as_schema(param.schema.get("items"))
    items = follow(raw, root)
    objects = type_of(items) == "object"
    found = _records(param, texts, root, depth) if objects else _scalars(param, texts, root)
    kept: list[Any] = []
    for value in found:
        if fits(value, raw, root) and not (param.schema.get("uniqueItems") and value in kept):
            kept.append(value)
    limit = param.schema.get("maxItems")
    return kept[:limit] if isinstance(limit, int) else kept
