"""JSON schemas: following references, checking values, and the smallest value that is valid.

Source: JSON Schema draft 2020-12, core and validation vocabularies.
"""

from __future__ import annotations

import json
import marshal
import math
import re
import string
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from course.models.policy.patterns import regex
from course.models.validators import Draft202012Validator, SchemaError
from course.models.weight import LONGEST, MOST_ITEMS

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


def as_key(value: Any) -> str:
    """A schema, or a list of such, as JSON: what is worked out of it is kept under this."""
    try:
        return _json(marshal.dumps(value, _BY_VALUE))
    except ValueError:  # holds what is no JSON
        return json.dumps(value, default=str)


@lru_cache(maxsize=4_000)
def _json(packed: bytes) -> str:
    return json.dumps(marshal.loads(packed), default=str)


_BY_VALUE = 2
"""The form of `marshal` in which equal values have equal bytes."""


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
    named = {k: root[k] for k in ("$defs", "definitions") if root and k in root}
    validator = _validator(as_key({**schema, **named} if named else schema))
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
    heights = _heights(as_key(root))
    if _height(raw, heights) == math.inf:  # it requires itself: no value is valid
        return {}
    if isinstance(raw.get("$ref"), str):
        rest = {k: v for k, v in raw.items() if k != "$ref"}
        return minimal({**_target(raw["$ref"], root), **rest}, root, depth)
    if branches := [b for b in _branches(raw) if not _is_null(b)]:
        rest = {k: v for k, v in raw.items() if k not in ("anyOf", "oneOf")}
        lowest = min(branches, key=lambda b: _height(b, heights))
        return minimal({**rest, **lowest}, root, depth)
    schema = follow(raw, root)
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    return _MAKERS.get(type_of(schema), _make_string)(schema, root, depth)


@lru_cache(maxsize=512)
def _heights(text: str) -> Mapping[str, float]:
    """For each reference of a schema, given as JSON text, how many others its smallest value has
    within one another; those that require themselves have none."""
    root = json.loads(text)
    named = {json.loads(m) for m in re.findall(r'"\$ref": ("(?:[^"\\]|\\.)*")', text)}
    found: dict[str, float] = {}
    for height in range(1, len(named) + 1):
        found |= {r: height for r in named - {*found} if _height(_target(r, root), found) < height}
    return found


def _height(schema: Schema, heights: Mapping[str, float]) -> float:
    """How many references the smallest value of a schema has within one another."""
    if "default" in schema or "const" in schema or schema.get("enum"):
        return 0
    if isinstance(schema.get("$ref"), str):
        return heights.get(schema["$ref"], math.inf)
    if nullable(schema, {}):
        return 0
    fields, needed = as_schema(schema.get("properties")), schema.get("required")
    inner = [as_schema(fields.get(n)) for n in needed] if isinstance(needed, list) else []
    inner += [as_schema(p) for key in ("allOf", "prefixItems") for p in schema.get(key) or ()]
    inner += [as_schema(schema.get("items"))] if schema.get("minItems") else []
    ways = [_height(b, heights) for b in _branches(schema)]
    return max([min(ways, default=0), *(_height(s, heights) for s in inner)])


def _make_string(schema: Schema, root: Schema, depth: int) -> str:
    if schema.get("format") in _FORMAT_SAMPLES and "pattern" not in schema:
        return _FORMAT_SAMPLES[schema["format"]]
    text = sample(schema["pattern"]) if isinstance(schema.get("pattern"), str) else ""
    least = min(int(schema.get("minLength", 0) or 0), LONGEST)
    return text.ljust(least, "a" if "pattern" in schema else "-")


_MOST_OBJECTS = 50
"""Of lists of objects or lists, items beyond which no bound of a schema is met."""


_HUGE = 10**300


def _limit(schema: Schema, keys: tuple[str, str]) -> float | None:
    """A bound of a number; what is no number, or beyond what a float holds, bounds nothing."""
    told = [schema[k] for k in keys if type(schema.get(k)) in (int, float)]
    return next((t for t in told if abs(t) < _HUGE), None)


def _make_number(schema: Schema, root: Schema, depth: int) -> float:
    """The number nearest to zero that is allowed: a bound, the next step from it, or between."""
    low = _limit(schema, ("exclusiveMinimum", "minimum"))
    high = _limit(schema, ("exclusiveMaximum", "maximum"))
    step = schema.get("multipleOf") or 1
    near = low if low is not None and low > 0 else high if high is not None and high < 0 else 0
    first = math.ceil(near / step) * step if near > 0 else math.floor(near / step) * step
    between = (low + high) / 2 if low is not None and high is not None else near
    tried = (first, first + step, first - step, near, between)
    return next((n for n in tried if fits(n, schema, root)), first)


def _make_array(schema: Schema, root: Schema, depth: int) -> list[Any]:
    items = as_schema(schema.get("items"))
    made = [minimal(as_schema(p), root, depth + 1) for p in schema.get("prefixItems", [])]
    most = _MOST_OBJECTS if type_of(follow(items, root)) in ("object", "array") else MOST_ITEMS
    while len(made) < min(int(schema.get("minItems", 0) or 0), most):
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
    properties = as_schema(schema.get("properties"))
    required = schema.get("required")
    names = [n for n in required if isinstance(n, str)] if isinstance(required, list) else []
    return {n: minimal(as_schema(properties.get(n)), root, depth + 1) for n in names}


_MAKERS = {
    "string": _make_string,
    "integer": _make_number,
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


_LOOK = regex(r"\(\?<?[=!][^()]*\)")
_OPENING = regex(r"\(\?(?::|P?<\w+>)")
_LEAST = r"(?:\{(?P<least>\d+)(?:,\d*)?\}|(?P<sign>[*+?]))?[?+]?"
_ATOM = regex(rf"(?<=\))\{{[\d,]+\}}|(?P<atom>\\.|\[\^?.[^]]*\]|[^\\()|*+?{{}}]){_LEAST}")
_GROUP = regex(rf"\((?P<all>[\ue000-\uf8ff]*)(?:\|[\ue000-\uf8ff|]*)?\){_LEAST}")
_TRIED = f"a0A-_ ~{string.printable}"
_KEPT = 0xE000
_MOST = 200


def sample(pattern: str) -> str:
    """A text that the pattern accepts, or "" when the pattern is beyond this reader.

    Each class of characters gives one of them; then groups, the innermost first, give their first
    alternative, as often as it must stand there. What is made stands among the private characters
    meanwhile, apart from the pattern's own.
    """
    try:
        made = _ATOM.sub(_one_of, _OPENING.sub("(", _LOOK.sub("", pattern)))
        while _GROUP.search(made):
            made = _GROUP.sub(lambda m: _repeated(m["all"], m), made)
        text = "".join(chr(ord(c) - _KEPT) for c in made.partition("|")[0])
        return text if re.search(pattern, text) else ""
    except (ValueError, OverflowError, re.error, RecursionError):
        return ""


def _one_of(found: re.Match[str]) -> str:
    if not found["atom"]:  # how often a group stands there
        return found.group()
    if re.fullmatch(r"[$^]|\\[bBAZ]", found["atom"]):
        return ""
    char = next((c for c in _TRIED if re.fullmatch(found["atom"], c)), found["atom"][-1])
    return _repeated(chr(_KEPT + ord(char)), found)


def _repeated(text: str, found: re.Match[str]) -> str:
    count = int(found["least"] or found["sign"] not in ("*", "?"))
    if count * len(text) > _MOST:
        raise ValueError("the pattern asks for a long text")
    return text * count
