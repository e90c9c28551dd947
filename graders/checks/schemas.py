"""A typed result: it fits a JSON schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from course.models.validators import Draft202012Validator, ValidationError
from graders.checks.places import placed
from graders.checks.text import MISSING, reach
from graders.records.log import Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import fail, sealed, shown, unfinished

CODES = {
    "typed.no_result": "the run ended without a result",
    "typed.nowhere": "the result has nothing at the place that is looked at",
    "typed.missing_field": "a field that the type has is not there",
    "typed.extra_field": "there is a field that the type does not have",
    "typed.wrong_type": "a value is of another type",
    "typed.invalid": "a value is of the right type, but not allowed",
}


def typed(schema: Mapping[str, Any] | type[BaseModel], *, at: str = "") -> Check:
    """The result, or what stands at a path in it, is of this type.

    Args:
        schema: a JSON schema, or the pydantic model that has it.
        at: dotted path into the result; "items.0" is its first item.

    Raises:
        jsonschema.SchemaError: `schema` is none.
    """
    wanted = dict(schema) if isinstance(schema, Mapping) else schema.model_json_schema()
    Draft202012Validator.check_schema(wanted)
    validator = Draft202012Validator(wanted)

    @sealed
    def check(log: Log) -> Verdict:
        stopped = unfinished(log, "typed.no_result", "a typed result")
        if stopped:
            return stopped
        value = reach(log.result, at)
        if value is MISSING:
            return _told("nowhere", f"something at {placed(at)}", f"got {shown(log.result)}")
        errors = sorted(validator.iter_errors(value), key=_depth)
        return _explained(errors[0], at) if errors else passed()

    return check


def _depth(error: ValidationError) -> tuple[int, str]:
    """Shallow errors first: a field that is missing explains what is wrong below it."""
    return len(error.absolute_path), str(list(error.absolute_path))


def _explained(error: ValidationError, at: str) -> Verdict:
    path = ".".join(filter(None, [at, *map(str, error.absolute_path)]))
    where, got = placed(path), f"got {shown(error.instance)}"
    if error.validator == "required":
        name = error.message.split("'")[1]  # the schema's own word, "'day' is a required property"
        return _told("missing_field", f"a field `{name}` in {where}", got)
    if error.validator == "additionalProperties":
        return _told("extra_field", f"no other fields than the type has in {where}", got)
    if error.validator == "type":
        return _told("wrong_type", f"{where} to be of type {shown(error.validator_value)}", got)
    rule = f"{error.validator} {shown(error.validator_value)}"
    return _told("invalid", f"{where} to fit {rule}", got)


def _told(code: str, expected: str, got: str) -> Verdict:
    look = "look at what your code makes its result from"
    return fail(f"typed.{code}", expected=expected, got=got, look=look)
