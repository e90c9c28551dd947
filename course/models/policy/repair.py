"""Repair: a second try at a call that failed, guided by the words of its error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.match import choose
from course.models.policy.words import content, stem

_ALLOWED = re.compile(
    r"\b(?:one of|allowed(?: values)?(?: are)?|valid(?: \w+)?(?: are)?|available(?: \w+)?"
    r"(?: are)?|choose (?:from|one of)|known(?: \w+)?(?: are)?"
    r"|options(?: are)?|must be(?: either)?|try|expected|supported(?: \w+)?(?: are)?"
    r"|there (?:is|are)(?: only)?|use)\s*:?\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_FORM = re.compile(r"YYYY|HH:MM|\bISO\b|format", re.IGNORECASE)  # says how, not which
_MEANT = re.compile(r"did you mean:? ['\"“]?([^'\"”?]+)['\"”]?\??", re.IGNORECASE)


def allowed_values(error: str) -> list[str]:
    """The values that an error message says would have been right."""
    meant = _MEANT.search(error)
    if meant:
        return [meant.group(1).strip()]
    match = _ALLOWED.search(error)
    if not match:
        return []
    tail = re.sub(r"^(?:either|one of|any of)\b:?\s*", "", match.group(1))
    quoted = re.findall(r"['\"“]([^'\"”]+)['\"”]", tail)
    plain = re.split(
        r",\s*(?:and |or )?|\s+or\s+|\s+and\s+|;|\|", re.split(r"\.(?:\s|$)|\n|\)", tail)[0]
    )
    found = quoted or [p.strip(" []().'\"") for p in plain]
    return [f for f in found if f and len(f) <= 40 and not _FORM.search(f)]


def blamed(arguments: Mapping[str, Any], error: str, allowed: list[str]) -> str | None:
    """The argument that an error is about: named in it, or quoted by its value."""
    named = [k for k in arguments if re.search(rf"\b{re.escape(k)}\b", error)]
    quoted = [
        k for k, v in arguments.items() if v not in ("", None) and str(v).lower() in error.lower()
    ]
    spoken = [k for k in arguments if {stem(w) for w in k.split("_")} & set(content(error))]
    for group in (named, quoted, spoken):
        if group:
            return group[0]
    texts = [k for k, v in arguments.items() if isinstance(v, str)]
    return texts[0] if len(texts) == 1 and allowed else None


def _closest(value: Any, request: str, allowed: list[str]) -> str:
    ranked = choose(tuple(allowed), f"{value} {request}")
    return ranked[0][1] if ranked[0][0] > 0 else nearest_spelling(str(value), allowed)


def nearest_spelling(value: str, allowed: list[str]) -> str:
    """The allowed value that is spelled most like the given one."""
    return max(allowed, key=lambda a: SequenceMatcher(None, a.lower(), value.lower()).ratio())


def _typed(text: str, like: Any) -> Any:
    if (
        isinstance(like, int | float)
        and not isinstance(like, bool)
        and re.fullmatch(r"-?\d+(?:\.\d+)?", text)
    ):
        return float(text) if "." in text else int(text)
    return text


def repaired_call(made: Made, request: str) -> dict[str, Any] | None:
    """Changed arguments for a failed call, None when its error gives no hint."""
    error = made.error or ""
    allowed = allowed_values(error)
    name = blamed(made.arguments, error, allowed)
    if name is None:
        return None
    old = made.arguments[name]
    if allowed:
        new: Any = _typed(_closest(old, request, allowed), old)
    elif (
        isinstance(old, str)
        and re.search(
            r"not found|no such|no \w+ (?:found|named|called)|unknown", error, re.IGNORECASE
        )
        and len(old.split()) > 1
    ):
        new = old.split()[-1]
    else:
        return None
    return {**made.arguments, name: new} if new != old else None
