"""Settings: arguments that a task states by their names, as a rewritten task does."""

from __future__ import annotations

import re
from typing import Any

from course.models.policy.params import Param
from course.models.policy.words import human

_VALUE = r"(?:“(?P<quoted>[^”]+)”|'(?P<single>[^']+)'|(?P<plain>[^\s,;“”]+))"


def settings(param: Param, task: str) -> list[Any]:
    """The values of "with year 2025" or "company “Arden”", typed as the parameter wants them."""
    label = rf"(?:{re.escape(param.name)}|{re.escape(human(param.name))})"
    pattern = re.compile(rf"\b(?:with|and|,) (?:the )?{label}(?: =| is|:)? {_VALUE}", re.IGNORECASE)
    found = []
    for match in pattern.finditer(task):
        text = next(g for g in match.groupdict().values() if g).strip().rstrip(".?!")
        value = _typed(param, text)
        if value is not None:
            found.append(value)
    return found


def _typed(param: Param, text: str) -> Any:
    if param.type not in ("integer", "number"):
        return text
    bare = text.replace(",", "")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", bare):
        return None
    return int(bare) if "." not in bare else float(bare)
