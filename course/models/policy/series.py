"""Series: lists, and lists of lists, that a task writes out: "week 1: a, b; week 2: c"."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.params import Param
from course.models.policy.schemas import as_schema, type_of

_GROUP = re.compile(r"(?:^|[;.\n])\s*[\w ]{2,20}? ?\d+:\s*(?P<items>[^;:\n]+?)(?=;|\.\s|\.?$|\n)")


def series(param: Param, text: str) -> list[Any]:
    """The one value of an array parameter, as a list with it, or nothing."""
    items = as_schema(param.schema.get("items"))
    if type_of(items) == "array":
        groups = [_members(m["items"]) for m in _GROUP.finditer(text)]
        return [groups] if len(groups) > 1 else []
    if type_of(items) != "string" or ": " not in text:
        return []
    tail = text.split(": ", 1)[1]
    members = _members(tail.rstrip(".?!"))
    return [members] if len(members) > 1 else []


def _members(text: str) -> list[str]:
    """The members of a list, without what stands in brackets after them."""
    bare = re.sub(r"\s*\([^)]*\)", "", text)
    return [m.strip(" .") for m in re.split(r",\s*(?:and )?|\s+and\s+", bare) if m.strip(" .")]
