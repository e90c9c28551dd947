"""The JSON schemas of a request: the tools it offers and the form it wants its answer in.

Every request of a conversation carries the same tools, so whatever was checked once is remembered
by its serialised form and never checked again.

Source of the strict rules: OpenAI guide "Structured Outputs", section "Supported schemas"
(read 2026-11): every object lists all its properties as required and allows no others.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from course.models import refusals, tokens
from course.models.weight import MOST_COPIES, MOST_LETTERS, weigh
from course.models.wire import ToolSpec

MAX_TOOLS = 128
MAX_NAME = 64
MAX_VALUES = 5000
"""The most values that the schemas of a request's tools enumerate together, or those of its form.

The simulated model holds each of them against what was said. Source of the order of magnitude:
OpenAI guide "Structured Outputs", 1000 enumerated values in a strict schema (read 2026-11).
"""

_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_FORMATS = ("text", "json_object", "json_schema")

Path = tuple[str, ...]
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """The tools of a request, what they cost in tokens, and the letters of the shortest call."""

    tools: tuple[ToolSpec, ...] = ()
    tokens: int = 0
    letters: int = 0


@dataclass(frozen=True, slots=True)
class Form:
    """The wanted form of an answer: "text", "json_object" or "json_schema" with its schema, and the
    letters of the shortest such answer."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str | None = None
    schema: Schema | None = None
    tokens: int = 0
    letters: int = 0


def check_tools(tools: list[Any]) -> OfferedTools:
    """The tools of a body; raises ApiError (400) for a bad name, a double one or a bad schema."""
    return _offer(marshal.dumps(tools, 2))


def check_format(wanted: dict[str, Any]) -> Form:
    """The `response_format` of a body; raises ApiError (400) for a bad type or schema."""
    return _form(marshal.dumps(wanted, 2))


# marshal, because it is the fastest way from a value to a key that is equal for equal values.
@lru_cache(maxsize=512)
def _offer(packed: bytes) -> OfferedTools:
    tools = marshal.loads(packed)
    if not tools:
        raise refusals.empty_array("tools")
    if len(tools) > MAX_TOOLS:
        raise refusals.long_array("tools", len(tools), MAX_TOOLS)
    specs: dict[str, ToolSpec] = {}
    for index, tool in enumerate(tools):
        spec = _tool(tool, f"tools[{index}]")
        if spec.name in specs:
            path = f"tools[{index}].function.name"
            raise refusals.invalid(path, f"the name '{spec.name}' is used by more than one tool.")
        specs[spec.name] = spec
    schemas = [spec.parameters for spec in specs.values()]
    _check_values("tools", schemas)
    letters = _check_weight("tools", schemas)
    return OfferedTools(tuple(specs.values()), sum(map(tokens.count_json, tools)), letters)


def _tool(tool: object, path: str) -> ToolSpec:
    if not isinstance(tool, dict):
        raise refusals.wrong_type(path, "an object", tool)
    if "type" not in tool:
        raise refusals.missing(f"{path}.type")
    if tool["type"] != "function":
        raise refusals.unsupported_value(f"{path}.type", tool["type"], ("function",))
    if "function" not in tool:
        raise refusals.missing(f"{path}.function")
    function, path = tool["function"], f"{path}.function"
    if not isinstance(function, dict):
        raise refusals.wrong_type(path, "an object", function)
    name = _name(function, path)
    description = _optional(function, "description", str, path) or ""
    strict = _optional(function, "strict", bool, path) or False
    parameters = _optional(function, "parameters", dict, path)
    if parameters is not None:
        problem = _object_problem(parameters) or schema_problem(parameters, strict=strict)
        if problem:
            message = f"Invalid schema for function '{name}': {problem}"
            raise refusals.bad_parameter(
                f"{path}.parameters", message, "invalid_function_parameters"
            )
    return ToolSpec(name, description, parameters or {}, strict)


def _name(holder: dict[str, Any], path: str) -> str:
    """The name of a tool or of a schema, which ends up in a grammar and so keeps to few letters."""
    if "name" not in holder:
        raise refusals.missing(f"{path}.name")
    name = holder["name"]
    if not isinstance(name, str):
        raise refusals.wrong_type(f"{path}.name", "a string", name)
    if len(name) > MAX_NAME:
        raise refusals.long_string(f"{path}.name", len(name), MAX_NAME)
    if not _NAME.fullmatch(name):
        problem = (
            "string does not match pattern. Expected a string that matches the pattern "
            f"'^{_NAME.pattern}$'."
        )
        raise refusals.invalid(f"{path}.name", problem)
    return name


def _optional(holder: dict[str, Any], name: str, wanted: type, path: str) -> Any:
    value = holder.get(name)
    if value is not None and not isinstance(value, wanted):
        raise refusals.wrong_type(f"{path}.{name}", refusals.kind(wanted()), value)
    return value


@lru_cache(maxsize=256)
def _form(packed: bytes) -> Form:
    wanted = marshal.loads(packed)
    if "type" not in wanted:
        raise refusals.missing("response_format.type")
    sort = wanted["type"]
    if sort not in _FORMATS:
        raise refusals.unsupported_value("response_format.type", sort, _FORMATS)
    if sort != "json_schema":
        return Form(sort)
    return _schema_form(wanted)


def _schema_form(wanted: dict[str, Any]) -> Form:
    path = "response_format.json_schema"
    if "json_schema" not in wanted:
        raise refusals.missing(path)
    holder = wanted["json_schema"]
    if not isinstance(holder, dict):
        raise refusals.wrong_type(path, "an object", holder)
    name = _name(holder, path)
    schema = _optional(holder, "schema", dict, path)
    if schema is None:
        raise refusals.missing(f"{path}.schema")
    strict = _optional(holder, "strict", bool, path) or False
    problem = (_object_problem(schema) if strict else None) or schema_problem(schema, strict=strict)
    if problem:
        message = f"Invalid schema for response_format '{name}': {problem}"
        raise refusals.bad_parameter("response_format", message)
    _check_values("response_format", [schema])
    letters = _check_weight("response_format", [schema])
    return Form("json_schema", name, schema, tokens.count_json(schema), letters)


def _object_problem(schema: Schema) -> str | None:
    """Why a schema is not the schema of an object, or None."""
    if schema and schema.get("type") != "object":
        return (
            "schema must be a JSON Schema of 'type: \"object\"', "
            f"got 'type: {schema.get('type')!r}'."
        )
    if schema and not isinstance(schema.get("properties"), dict):
        return "In context=(), object schema missing properties."
    return None


def schema_problem(schema: Schema, *, strict: bool = False) -> str | None:
    """Why `schema` is no valid JSON Schema (2020-12, local references only), or None when it is.

    `strict` adds the rules of structured outputs: every object closed, every property required.
    """
    # Imported here because it takes a while and most runs check few schemas.
    from course.models.validators import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"In context={tuple(map(str, error.absolute_path))}, {error.message:.200}."
    except RecursionError:
        return "it is nested too deeply."
    for path, part in _parts(schema, ()):
        problem = _reference_problem(part, schema) or (_strict_problem(part) if strict else None)
        if problem:
            return f"In context={path}, {problem}"
    return None


def _parts(schema: object, path: Path) -> Iterator[tuple[Path, Schema]]:
    """The schema and every schema inside it, with the way to each."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for keyword in ("properties", "patternProperties", "$defs", "definitions"):
        for name, inner in (schema.get(keyword) or {}).items():
            yield from _parts(inner, (*path, keyword, name))
    for keyword in ("items", "additionalProperties", "not"):
        yield from _parts(schema.get(keyword), (*path, keyword))
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for number, inner in enumerate(schema.get(keyword) or ()):
            yield from _parts(inner, (*path, keyword, str(number)))


def _check_values(param: str, schemas: Iterable[Schema]) -> None:
    """Refuse schemas that enumerate too many values together; they are known to be valid."""
    found = sum(_values(part, root) for root in schemas for _, part in _parts(root, ()))
    if found > MAX_VALUES:
        raise refusals.many_values(param, found, MAX_VALUES)


def _check_weight(param: str, schemas: Sequence[Schema]) -> int:
    """Refuse valid schemas that grow when they are written out; else the letters of the largest of
    the shortest answers."""
    weights = [weigh(schema, _pointed_at) for schema in schemas]
    grown = sum(weight.parts for weight in weights)
    grown -= sum(1 for schema in schemas for _ in _parts(schema, ()))
    letters = max((weight.letters for weight in weights), default=0)
    if grown > MOST_COPIES:
        raise refusals.many_copies(param, MOST_COPIES)
    if letters > MOST_LETTERS:
        raise refusals.long_answer(param, letters, MOST_LETTERS)
    return letters


def _values(part: Schema, root: Schema) -> int:
    """How many values a part enumerates, itself or where its reference leads."""
    there = _pointed_at(part["$ref"], root) if "$ref" in part else part
    return len(there.get("enum") or ()) if isinstance(there, Mapping) else 0


def _pointed_at(reference: str, root: Schema) -> Any:
    """What a reference leads to; None where it leads nowhere."""
    steps = reference.split("/")
    found: Any = root if steps[0] == "#" else None
    for step in steps[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _reference_problem(part: Schema, root: Schema) -> str | None:
    reference = part.get("$ref")
    if reference is None or _pointed_at(reference, root) is not None:
        return None
    return f"reference '{reference}' leads nowhere in this schema."


def _strict_problem(part: Schema) -> str | None:
    properties = part.get("properties")
    if part.get("type") != "object" and properties is None:
        return None
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    lacking = [name for name in properties or () if name not in part.get("required", ())]
    if lacking:
        return (
            "'required' is required to be supplied and to be an array including every key in "
            f"properties. Missing '{lacking[0]}'."
        )
    return None
