"""Businesses by program: each with tools of its own style, from the rows of two tables."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OPERATIONS_EACH = 7
NUMBER_STYLES = ("pattern", "examples", "like", "shape", "bare")
METHODS = {"card": ["by card", "with my credit card"], "cash": ["in cash", "in coins and notes"],
           "transfer": ["by bank transfer", "straight from my account"]}  # fmt: skip
CHANNELS = {"sms": ["by text message", "on my mobile"], "email": ["by email", "by e-mail"],
            "letter": ["by post", "on paper"]}  # fmt: skip
STATES = {"open": ["open", "unfinished"], "done": ["finished", "completed"],
          "cancelled": ["cancelled", "called off"]}  # fmt: skip
LABELS = {"vip": ["VIP"], "fragile": ["fragile"], "late": ["late"], "disputed": ["disputed"]}


@dataclass(frozen=True)
class Tool:
    """One tool of a business: which operation it is, and what its parameters are called.

    Attributes:
        spec: as a chat request offers it.
        named: from a slot ("kind", "date", ...) to the parameter's name.
        required: the slots that must be filled.
    """

    operation: str
    spec: dict[str, Any]
    named: dict[str, str]
    required: tuple[str, ...]

    @property
    def name(self) -> str:
        return str(self.spec["function"]["name"])


@dataclass(frozen=True)
class Domain:
    """A business: its row in the table, its tools, and which part of the ruler it is."""

    name: str
    row: dict[str, Any]
    tools: tuple[Tool, ...]
    part: str


@cache
def tables() -> tuple[dict[str, Any], dict[str, Any]]:
    """The businesses by name, and the operations with their phrases."""
    businesses, operations = (
        tomllib.loads((HERE / name).read_text()) for name in ("domains.toml", "operations.toml")
    )
    return businesses, operations


@cache
def domains() -> tuple[Domain, ...]:
    """All businesses; of each five three are for training, one for validation, one for the end."""
    businesses, _ = tables()
    shuffled = sorted(businesses)
    random.Random("parts").shuffle(shuffled)
    parts = ("train", "validation", "train", "test", "train")
    return tuple(
        Domain(name, businesses[name], _tools(name, businesses[name]), parts[place % 5])
        for place, name in enumerate(shuffled)
    )


def number(shape: str, luck: random.Random) -> str:
    """An identifier of this shape: a digit for each 0, a capital for each @."""
    each = {"0": "0123456789", "@": "BCDFGHJKLMNPRSTVWXZ"}
    return "".join(luck.choice(each[sign]) if sign in each else sign for sign in shape)


def _tools(name: str, row: dict[str, Any]) -> tuple[Tool, ...]:
    luck = random.Random(f"tools {name}")
    _, table = tables()
    chosen = luck.sample(sorted(table["operations"]), OPERATIONS_EACH)
    style = luck.choice(("snake", "camel", "kebab", "bare"))
    numbers = luck.choice(NUMBER_STYLES)
    strict = luck.random() < 0.3
    return tuple(
        _tool(operation, table["operations"][operation], row, (style, numbers, strict), luck)
        for operation in chosen
    )


def _tool(
    operation: str,
    entry: dict[str, Any],
    row: dict[str, Any],
    styles: tuple[str, str, bool],
    luck: random.Random,
) -> Tool:
    style, numbers, strict = styles
    one, many = row["thing"]
    words = f"{luck.choice(entry['names'])}_{many if operation in ('list', 'order') else one}"
    optional = [slot for slot in entry["optional"] if strict or luck.random() < 0.7]
    slots = {slot: _slot(slot, row, numbers, luck) for slot in (*entry["required"], *optional)}
    named = {slot: _cased(name, style) for slot, (name, _) in slots.items()}
    properties = {named[slot]: schema for slot, (_, schema) in slots.items()}
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    parameters["required"] = [named[slot] for slot in entry["required"]]
    if "contact" in named and luck.random() < 0.5:
        parameters["$defs"] = {"Contact": properties[named["contact"]]}
        properties[named["contact"]] = {"$ref": "#/$defs/Contact"}
    if luck.random() < 0.5:
        parameters["additionalProperties"] = False
    describes = luck.choice(entry["describes"]).format(thing=one, things=many)
    function = {"name": _cased(words, style), "description": describes, "parameters": parameters}
    return Tool(
        operation, {"type": "function", "function": function}, named, tuple(entry["required"])
    )


def _cased(words: str, style: str) -> str:
    parts = re.split(r"[ _-]", words)
    if style == "camel":
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    return ("-" if style == "kebab" else "_").join(parts)


def _slot(
    slot: str, row: dict[str, Any], numbers: str, luck: random.Random
) -> tuple[str, dict[str, Any]]:
    """A parameter's name and its schema."""
    one, _ = row["thing"]
    if slot == "number":
        return row["called"], _number_schema(row, numbers)
    if slot == "kind":
        return row["kind"], {"type": "string", "enum": list(row["kinds"])}
    if slot == "flag":
        return row["flag"], {"type": "boolean"} | (
            {"default": False} if luck.random() < 0.5 else {}
        )
    plain: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
        "date": (("date", "day", "on"), {"type": "string", "format": "date"}),
        "time": (("time", "start_time", "at"), {"type": "string", "description": "HH:MM"}),
        "count": (("count", "quantity", f"number_of_{one.split()[0]}s"),
                  {"type": "integer", "minimum": 1}),
        "person": (("name", "customer", "person"), {"type": "string", "description": "full name"}),
        "amount": (("amount", "sum", "euros"), {"type": "number", "description": "in euros"}),
        "method": (("method", "paid_by"), {"type": "string", "enum": list(METHODS)}),
        "channel": (("channel", "sent_by"), {"type": "string", "enum": list(CHANNELS)}),
        "days": (("days_before", "days"), {"type": "integer", "minimum": 1, "maximum": 30}),
        "stars": (("stars", "rating"), {"type": "integer", "minimum": 1, "maximum": 5}),
        "state": (("state", "status"), {"type": "string", "enum": list(STATES)}),
        "note": (("note", "text", "remark"), {"type": "string"}),
        "labels": (("labels", "tags"), {"type": "array", "items": {"enum": list(LABELS)}}),
        "contact": (("contact", "reach"), {
            "type": "object",
            "properties": {"email": {"type": "string", "format": "email"},
                           "phone": {"type": "string"}},
        }),
        "lines": (("lines", "items"), {"type": "array", "items": {
            "type": "object",
            "properties": {"kind": {"type": "string", "enum": list(row["kinds"])},
                           "count": {"type": "integer", "minimum": 1}},
            "required": ["kind", "count"],
        }}),
    }  # fmt: skip
    names, schema = plain[slot]
    return luck.choice(names), schema


def _number_schema(row: dict[str, Any], numbers: str) -> dict[str, Any]:
    shape = row["number"]
    example = number(shape, random.Random(f"example {shape}"))
    if numbers == "pattern":
        pattern = re.escape(shape).replace("0", r"\d").replace("@", "[A-Z]")
        return {"type": "string", "pattern": f"^{pattern}$"}
    if numbers == "examples":
        return {"type": "string", "examples": [example]}
    if numbers == "like":
        return {"type": "string", "description": f"like {example}"}
    if numbers == "shape":
        return {"type": "string", "description": f"the {row['called']}, e.g. {example}"}
    return {"type": "string"}
