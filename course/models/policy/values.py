"""Values: a mention in the type and form that a parameter asks for."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param
from course.models.policy.schemas import matches
from course.models.policy.units import in_unit
from course.models.policy.words import name_words


def shaped(param: Param, mention: Mention, text: str) -> Any:
    """A mention's value in the type that the parameter asks for, None when it can't be."""
    value = mention.value
    if mention.kind in ("number", "amount"):
        value = in_unit(text, param, mention)
    if param.kind in ("weekday", "month", "hour") and mention.kind != "number":
        return _calendar(param, mention)
    if param.type in ("integer", "number"):
        return _figure(param, value)
    if param.kind == "datetime":
        return _moment(param, mention, text)
    if param.kind == "name":
        value = _person(param, str(value))
    if param.kind == "id" and isinstance(value, str):
        value = value.lstrip("#") if not re.search(r"#", param.description) else value
    if param.kind == "time" and param.schema.get("format") == "time":
        value = f"{value}:00"
    value = str(value) if param.type == "string" else value
    pattern = param.schema.get("pattern")
    if isinstance(pattern, str) and not matches(pattern, str(value)):
        value = next((v for v in (str(value).upper(), mention.text) if matches(pattern, v)), None)
    return value


def _calendar(param: Param, mention: Mention) -> str | int:
    """The day of the week of a date, the hour of a time, or a month."""
    if param.kind == "hour":
        return int(str(mention.value)[:2])
    if param.kind == "weekday":
        return f"{date.fromisoformat(str(mention.value)):%A}"
    return _month(param, mention)


def _month(param: Param, mention: Mention) -> str:
    """A month as digits, or by its name when the description shows no digits."""
    told = f"{param.description} {param.schema.get('pattern', '')}"
    digits = re.search(r"\d{4}-\d\d|yyyy|\\d", told, re.IGNORECASE)
    if digits or mention.kind == "date":
        return str(mention.value)[:7]
    return mention.text.split()[0]


def _figure(param: Param, value: Any) -> float | int | None:
    if isinstance(value, str):
        digits = re.fullmatch(r"[^\d ]*(\d+)[^\d ]*", value)
        value = int(digits[1]) if digits else None
    if value is None or (param.type == "integer" and float(value) != int(value)):
        return None
    return int(value) if param.type == "integer" else value


def _moment(param: Param, mention: Mention, text: str) -> str | None:
    """A date with the time of day nearest to it; without a time there is no moment."""
    times = [m for m in mentions(text) if m.kind == "time"]
    if not times:
        return None
    nearest = min(times, key=lambda m: min(abs(m.start - mention.end), abs(mention.start - m.end)))
    seconds = "" if re.search(r"hh:mm(?!:ss)", param.description, re.IGNORECASE) else ":00"
    zone = "Z" if re.search(r"\bUTC\b|time ?zone", param.description) else ""
    return f"{mention.value}T{nearest.value}{seconds}{zone}"


def _person(param: Param, name: str) -> str:
    shown = re.search(r"\b(?:Dr|Prof)\b", param.description)
    bare = (
        name
        if shown
        else re.sub(r"^(?:Dr|Prof|Mr|Mrs|Ms|Miss|Doctor|Professor)\b\.?\s*", "", name) or name
    )
    low = f"{' '.join(name_words(param.name))} {param.description}".lower()
    if "full name" in low or re.search(
        r"first\b.{0,8}\b(?:last|family)|(?:last|family)\b.{0,8}\bfirst", low
    ):
        return bare
    if re.search(r"\b(?:family|last) ?name|surname", low):
        return bare.split()[-1]
    if re.search(r"\b(?:first|given) name\b", low):
        return bare.split()[0]
    return bare
