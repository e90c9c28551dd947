"""Prose fields: fields of a form out of results in words, by their labels."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.conversation import Talk
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param
from course.models.policy.schemas import Schema, fits
from course.models.policy.words import human

_TYPED = ("amount", "number", "date", "time", "id", "name", "email", "phone", "quoted")


def prose_fields(wanted: tuple[Param, ...], root: Schema, talk: Talk) -> dict[str, Any]:
    """The fields that results in words name: "Total owed 85.00 EUR, patient Ada Lang"."""
    texts = [m.text for m in talk.made if m.error is None and isinstance(m.data, str) and m.text]
    found: dict[str, Any] = {}
    for param in wanted:
        for text in texts:
            value = _labelled(param, text, talk)
            if value is not None and fits(value, param.raw, root):
                found.setdefault(param.name, value)
    return found


def _labelled(param: Param, text: str, talk: Talk) -> Any:
    """What stands after a field's name in a text."""
    label = re.escape(human(param.name))
    match = re.search(rf"\b{label}\b(?::| is| was| are)?\s+", text, re.IGNORECASE)
    if match is None or param.type not in ("string", "number", "integer"):
        return None
    rest = text[match.end() :]
    near = [m for m in mentions(rest, talk.today) if m.kind in _TYPED and m.start <= 1]
    if not near:
        return None
    return _valued(param, max(near, key=lambda m: (m.kind == "amount", len(m.text))))


def _valued(param: Param, mention: Mention) -> Any:
    if param.type == "string":
        return mention.text if mention.kind in ("amount", "quoted") else str(mention.value)
    if not isinstance(mention.value, int | float):
        return None
    return int(mention.value) if param.type == "integer" else float(mention.value)
