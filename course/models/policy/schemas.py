"""JSON schemas: following references, checking values, and the smallest value that is valid.

Source: JSON Schema draft 2020-12, core and validation vocabularies.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from course.models.validators import Draft202012Validator, SchemaError

Schema = Mapping[str, Any]
_DEEP = 12
_FORMAT_SAMPLES = {
    "date": "2026-03-02",
    "time": "09:00:00",
    "date-time": "2026-03-02T09:00:00",
    "email": "unknown@example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "https://example.org",
    "ipv4": "192.0.2.1",
    "hostname": "example.org",
    "duration": "P1D",
}


def as_schema(value: object) -> Schema:
    """The value if it is a schema object, else the schema that accepts anything."""
    return value if isinstance(value, Mapping) else {}


def follow(schema: Schema, root: Schema) -> Schema:
    """The schema behind `$ref`, `allOf` and the first non-null branch of `anyOf` and `oneOf`."""
    for _ in range(_DEEP):
        if isinstance(schema.get("$ref"), str):
            rest = {k: v for k, v in schema.items() if k != "$ref"}
            schema = {**_target(schema["$ref"], root), **rest}
        elif isinstance(schema.get("allOf"), list):
            schema = _merged(schema)
        elif _branches(schema):
            branch = next((b for b in _branches(schema) if not _is_null(b)), {"type": "null"})
            rest = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf")}
            schema = {
                **rest,
                **branch,
                **({"description": rest["description"]} if "description" in rest else {}),
            }
        else:
            break
    return schema


def _branches(schema: Schema) -> list[Schema]:
    found = schema.get("anyOf") or schema.get("oneOf")
    return [as_schema(b) for b in found] if isinstance(found, list) else []


def _is_null(schema: Schema) -> bool:
    return schema.get("type") == "null" or ("const" in schema and schema["const"] is None)


def _target(ref: str, root: Schema) -> Schema:
    node: Any = root
    for step in ref.removeprefix("#").strip("/").split("/"):
        if step and isinstance(node, Mapping):
            node = node.get(step.replace("~1", "/").replace("~0", "~"), {})
    return as_schema(node) if node is not root or ref == "#" else {}


def _merged(schema: Schema) -> Schema:
    out: dict[str, Any] = {k: v for k, v in schema.items() if k != "allOf"}
    for part in schema["allOf"]:
        for key, value in as_schema(part).items():
            if key == "properties" and isinstance(value, Mapping):
                out[key] = {**as_schema(out.get(key)), **value}
            elif key == "required" and isinstance(value, list):
                out[key] = [*out.get(key, []), *value]
            else:
                out.setdefault(key, value)
    return out


def type_of(schema: Schema) -> str:
    """The JSON type a (followed) schema asks for; "any" when it leaves that open."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if isinstance(kind, str):
        return kind
    if "properties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    options = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    return "string" if options and all(isinstance(o, str) for o in options) else "any"


def nullable(schema: Schema, root: Schema) -> bool:
    """Whether null is among the allowed values."""
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    if (
        isinstance(schema.get("$ref"), str)
        and (target := _target(schema["$ref"], root)) is not schema
    ):
        return nullable({k: v for k, v in target.items() if k != "$ref"}, root)
    options = schema.get("enum")
    return any(_is_null(b) for b in _branches(schema)) or (
        isinstance(options, list) and None in options
    )


@lru_cache(maxsize=512)
def _validator(text: str) -> Draft202012Validator | None:
    schema = json.loads(text)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return None
    return Draft202012Validator(schema)


def fits(value: Any, schema: Schema, root: Schema | None = None) -> bool:
    """Whether a value validates; a schema that is itself broken accepts everything."""
    whole = {**schema, **{k: root[k] for k in ("$defs", "definitions") if root and k in root}}
    validator = _validator(json.dumps(whole, default=str))
    try:
        return validator is None or validator.is_valid(value)
    except Exception:  # an unresolvable reference or a pattern Python cannot read: nothing to check
        return True


def minimal(schema: Schema, root: Schema, depth: int = 0) -> Any:
    """A small valid value: the default or first choice if there is one, null where allowed."""
    raw = schema
    if "default" in raw:
        return raw["default"]
    if nullable(raw, root) and not _is_null(raw):
        return None
    schema = follow(raw, root)
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    return _MAKERS.get(type_of(schema), _make_string)(schema, root, depth)


def _make_string(schema: Schema, root: Schema, depth: int) -> str:
    if schema.get("format") in _FORMAT_SAMPLES and "pattern" not in schema:
        return _FORMAT_SAMPLES[schema["format"]]
    text = sample(schema["pattern"]) if isinstance(schema.get("pattern"), str) else ""
    return text.ljust(int(schema.get("minLength", 0) or 0), "a" if "pattern" in schema else "-")


def _limits(schema: Schema) -> tuple[float, float]:
    low = max(_limit(schema, key, -math.inf) for key in ("minimum", "exclusiveMinimum"))
    high = min(_limit(schema, key, math.inf) for key in ("maximum", "exclusiveMaximum"))
    return low, high


_HUGE = 10**300


def _limit(schema: Schema, key: str, without: float) -> float:
    """A bound of a number; what is no number, or beyond what a float holds, bounds nothing."""
    told = schema.get(key)
    fit = isinstance(told, int | float) and not isinstance(told, bool) and abs(told) < _HUGE
    return told if fit and isinstance(told, int | float) else without


def _make_integer(schema: Schema, root: Schema, depth: int) -> int:
    low, high = _limits(schema)
    step = int(schema.get("multipleOf", 1)) or 1
    value = 0 if low <= 0 <= high else int(math.ceil(low) if low > 0 else math.floor(high))
    value = math.ceil(value / step) * step if low > 0 else math.floor(value / step) * step
    if value == schema.get("exclusiveMinimum"):
        value += step
    return value - step if value == schema.get("exclusiveMaximum") else value


def _make_number(schema: Schema, root: Schema, depth: int) -> float:
    whole = _make_integer({k: v for k, v in schema.items() if k != "multipleOf"}, root, depth)
    low, high = _limits(schema)
    if schema.get("multipleOf"):
        step = schema["multipleOf"]
        return (
            float(math.ceil(max(low, 0) / step) * step)
            if low > 0
            else 0.0
            if high >= 0
            else math.floor(high / step) * step
        )
    inside = low <= whole <= high and whole not in (
        schema.get("exclusiveMinimum"),
        schema.get("exclusiveMaximum"),
    )
    return whole if inside or math.isinf(low) or math.isinf(high) else (low + high) / 2


def _make_array(schema: Schema, root: Schema, depth: int) -> list[Any]:
    if depth > _DEEP:
        return []
    items = as_schema(schema.get("items"))
    made = [minimal(as_schema(p), root, depth + 1) for p in schema.get("prefixItems", [])]
    while len(made) < int(schema.get("minItems", 0) or 0) and len(made) < 50:
        made.append(
            _another(items, root, depth, made)
            if schema.get("uniqueItems")
            else minimal(items, root, depth + 1)
        )
    return made


def _another(items: Schema, root: Schema, depth: int, made: list[Any]) -> Any:
    inner = follow(items, root)
    if isinstance(inner.get("enum"), list):
        return next((v for v in inner["enum"] if v not in made), inner["enum"][0])
    first = minimal(items, root, depth + 1)
    if isinstance(first, int | float) and not isinstance(first, bool):
        return first + len(made) * (inner.get("multipleOf") or 1)
    return f"{first}{len(made)}" if isinstance(first, str) and made else first


def _make_object(schema: Schema, root: Schema, depth: int) -> dict[str, Any]:
    if depth > _DEEP:
        return {}
    properties = as_schema(schema.get("properties"))
    required = schema.get("required")
    names = [n for n in required if isinstance(n, str)] if isinstance(required, list) else []
    return {n: minimal(as_schema(properties.get(n)), root, depth + 1) for n in names}


_MAKERS = {
    "string": _make_string,
    "integer": _make_integer,
    "number": _make_number,
    "boolean": lambda schema, root, depth: False,
    "null": lambda schema, root, depth: None,
    "array": _make_array,
    "object": _make_object,
}


def repaired(value: Any, schema: Schema, root: Schema) -> Any:
    """The value if valid, else the value with its invalid parts replaced or left out."""
    if fits(value, schema, root):
        return value
    inner = follow(schema, root)
    if isinstance(value, dict) and type_of(inner) == "object":
        value = _repaired_object(value, inner, root)
        if fits(value, schema, root):
            return value
    return minimal(schema, root)


def _repaired_object(value: dict[str, Any], schema: Schema, root: Schema) -> dict[str, Any]:
    properties = as_schema(schema.get("properties"))
    required = schema.get("required") if isinstance(schema.get("required"), list) else []
    out: dict[str, Any] = {}
    for name in [*value, *(n for n in required or [] if n not in value)]:
        part = as_schema(properties.get(name))
        if name in value and fits(value[name], part, root):
            out[name] = value[name]
        elif name in (required or []):
            out[name] = repaired(value.get(name), part, root)
    return out


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches a schema's pattern; a pattern Python cannot read matches anything."""
    try:
        return re.search(pattern, text[:200]) is not None
    except re.error:
        return True


_CLASSES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_MOST = 200


def sample(pattern: str) -> str:
    """A text that the pattern accepts, or "" when the pattern is beyond this reader."""
    try:
        text, _ = _alternatives(pattern, 0, 0)
        return text if re.search(pattern, text) else ""
    except (IndexError, ValueError, re.error, RecursionError):
        return ""


def _alternatives(p: str, i: int, depth: int) -> tuple[str, int]:
    """The first alternative from place `i` to the closing bracket or the end."""
    out = ""
    while i < len(p) and p[i] != ")":
        if p[i] == "|":
            return out, _skip(p, i)
        piece, i = _atom(p, i, depth)
        least, i = _count(p, i)
        out += piece * least
        if len(out) > _MOST:
            raise ValueError("the pattern asks for a long text")
    return out, i


def _skip(p: str, i: int) -> int:
    """The place of the bracket that closes the group around `i`, or the end of the pattern."""
    open_groups = 0
    while i < len(p):
        if p[i] == "\\":
            i += 1
        elif p[i] == "[":
            i = p.index("]", i + 2)
        elif p[i] == "(":
            open_groups += 1
        elif p[i] == ")" and not open_groups:
            return i
        elif p[i] == ")":
            open_groups -= 1
        i += 1
    return i


def _atom(p: str, i: int, depth: int) -> tuple[str, int]:
    char = p[i]
    if char == "(":
        return _group(p, i, depth)
    if char == "[":
        return _bracket(p, i)
    if char == "\\":
        return _CLASSES.get(p[i + 1], "" if p[i + 1] in "bBAZ" else p[i + 1]), i + 2
    if char in "^$":
        return "", i + 1
    return ("a" if char == "." else char), i + 1


def _group(p: str, i: int, depth: int) -> tuple[str, int]:
    if depth > 20:
        raise ValueError("the pattern is nested too deeply")
    if p.startswith(("(?=", "(?!", "(?<=", "(?<!"), i):
        return "", _skip(p, i + 1) + 1
    opening = re.compile(r"\((?:\?:|\?P?<\w+>)?").match(p, i)
    text, end = _alternatives(p, opening.end() if opening else i + 1, depth + 1)
    return text, end + 1


def _bracket(p: str, i: int) -> tuple[str, int]:
    end = p.index("]", i + 2)
    body = p[i + 1 : end]
    if body.startswith("^"):
        return next(c for c in "a0-_ ~A" if re.fullmatch(p[i : end + 1], c) is not None), end + 1
    if body.startswith("\\"):
        return _CLASSES.get(body[1], body[1]), end + 1
    return body[0], end + 1


def _count(p: str, i: int) -> tuple[int, int]:
    """The least number of repeats asked for at place `i`, and the place after it."""
    match = re.compile(r"(?:\{(\d+)(?:,\d*)?\}|([*+?]))[?+]?").match(p, i)
    if not match:
        return 1, i
    if match.group(1) is not None:
        return int(match.group(1)), match.end()
    return (1 if match.group(2) == "+" else 0), match.end()
