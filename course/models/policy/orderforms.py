"""Order forms: how a schema wants a list of things written down, line by line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from course.models.policy.params import Param, params
from course.models.policy.schemas import Schema, as_schema, fits, follow, type_of
from course.models.policy.words import name_words

_THINGS = frozenset("item dish product article name thing what food drink part good title".split())
_COUNTS = frozenset("quantity count qty number amount pieces copies how".split())
_ADDED = frozenset("extras extra additions toppings added with options".split())
_LEFT_OUT = frozenset("without removed exclude excluded omit omitted except no".split())


@dataclass
class Line:
    """One thing in an order: its name, how many, the choices named, what is added and left out."""

    thing: str
    count: int = 0  # nothing was said
    choices: dict[str, str] = field(default_factory=dict)
    extras: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Form:
    """The fields of an order's lines, by what they are for."""

    thing: Param
    count: Param | None
    choices: tuple[Param, ...]
    extras: Param | None
    without: Param | None


def form_of(items: Schema, root: Schema) -> Form | None:
    """How a list of things is written down, None when its elements are no such lines: they need a
    thing in words, and a number or a choice."""
    fields = params(follow(items, root), root)
    texts = [p for p in fields if p.type == "string" and p.kind not in ("enum", "date", "time")]
    things = [p for p in texts if set(name_words(p.name)) & _THINGS]
    counts = [p for p in fields if p.type == "integer" and set(name_words(p.name)) & _COUNTS]
    lists = [p for p in fields if p.kind == "array" and _of_text(p, root)]
    choices = tuple(p for p in fields if p.kind == "enum" and p.type == "string")
    if not things or not (counts or choices or lists):
        return None
    return Form(
        things[0],
        next(iter(counts), None),
        choices,
        next((p for p in lists if set(name_words(p.name)) & _ADDED), None),
        next((p for p in lists if set(name_words(p.name)) & _LEFT_OUT), None),
    )


def _of_text(param: Param, root: Schema) -> bool:
    return type_of(follow(as_schema(param.schema.get("items")), root)) == "string"


def written(lines: list[Line], form: Form, items: Schema, root: Schema) -> list[dict[str, Any]]:
    """The lines in the fields of a schema; a line that does not fit is left out."""
    rows = [_row(line, form, items, root) for line in lines]
    return [row for row in rows if fits(row, items, root)]


def _row(line: Line, form: Form, items: Schema, root: Schema) -> dict[str, Any]:
    values: dict[str, Any] = {form.thing.name: line.thing, **line.choices}
    if form.count:
        values[form.count.name] = line.count or 1
    if form.extras:
        values[form.extras.name] = line.extras
    if form.without:
        values[form.without.name] = line.without
    for param in params(follow(items, root), root):
        if param.name not in values and param.nullable:
            values[param.name] = None
        elif param.name not in values and param.required:
            values[param.name] = [] if param.kind == "array" else ""
    return values
