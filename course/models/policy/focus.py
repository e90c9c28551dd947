"""Focus: of a result, the rows and figures that a task asks for.

Nothing is left out where the task does not say what it wants: then all is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course.models.policy.kin import meant, nearest
from course.models.policy.words import name_stems, name_words


def focused(data: Any, task: str) -> Any:
    """A result with the rows that the task names, and the figures whose names it has words of."""
    if isinstance(data, Mapping):
        kept = {k: _rows(v, task) if isinstance(v, list) else v for k, v in data.items()}
        return _figures(kept, task)
    return _rows(data, task) if isinstance(data, list) else data


def _rows(rows: list[Any], task: str) -> list[Any]:
    records = [r for r in rows if isinstance(r, Mapping)]
    if len(records) < 2 or len(records) != len(rows):
        return rows
    named = [] if _WHICH.search(task) else [r for r in records if _named(r, task)]
    if 0 < len(named) < len(records):
        return named
    most = _wanted(task)
    return records[:most] if most and _sorted(records) else rows


_WHICH = re.compile(r"\b(?:which|what) [a-z]{3,}s\b", re.IGNORECASE)


def _named(record: Mapping[str, Any], task: str) -> bool:
    """Whether a task names a record: by its first text."""
    label = next((v for v in record.values() if isinstance(v, str)), "")
    return len(label) > 2 and bool(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", task, re.I))


_SECOND = re.compile(r"\b(?:second|both|two|runner-up)\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:leads?|leader|newest|latest|cheapest|largest|biggest|highest|furthest|lowest|smallest"
    r"|longest|shortest|fastest|oldest|earliest|best|worst|most)\b",
    re.IGNORECASE,
)


def _wanted(task: str) -> int:
    """How many rows from the top a task asks for, 0 when it doesn't."""
    if not _FIRST.search(task):
        return 0
    return 2 if _SECOND.search(task) else 1


def _sorted(records: list[Mapping[str, Any]]) -> bool:
    """Whether records stand in the order of one of their figures or days."""
    for key in records[0]:
        values = [r.get(key) for r in records]
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values) or all(
            isinstance(v, str) and re.match(r"\d{4}-\d\d-\d\d$", v) for v in values
        ):
            falling = sorted(values, reverse=True) == values  # type: ignore[type-var]
            if falling or sorted(values) == values:  # type: ignore[type-var]
                return True
    return False


def _figures(record: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    """A record without the figures that the task has no word of, if it has words of others."""
    words = frozenset(meant(task))
    figures = [k for k, v in record.items() if _counts(v) and not _kept(k)]
    if _LOOKUP.match(task) and any(k.endswith("id") for k in record):
        return {k: v for k, v in record.items() if k not in figures}
    if len(figures) < _MANY:
        return record
    asked = [k for k in figures if any(nearest(s, words) >= 0.8 for s in name_stems(k))]
    if not asked:
        return record
    return {k: v for k, v in record.items() if k not in figures or k in asked}


_MANY = 3  # figures of a record, from which on only those are told that are asked for
_LOOKUP = re.compile(r"^Find the [a-z]+ [A-ZÀ-Þ]")
_MAIN = frozenset("year value total amount result number".split())


def _counts(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kept(key: str) -> bool:
    return bool(_MAIN & set(name_words(key)))
