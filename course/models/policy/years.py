"""Years: the year that a text states, kept in a query in words that nothing else would date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from course.models.policy.params import Param
from course.models.policy.words import stem

_YEAR = re.compile(r"\b(?:Q[1-4](?: of)? )?(?:19|20)\d\d\b(?!-)")


def with_year(wanted: tuple[Param, ...], values: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A free-text query with the year that a text states, if nothing else takes the year."""
    match = _YEAR.search(text)
    dated = any(p.kind in ("date", "month", "datetime") or p.stems & _YEARS for p in wanted)
    if match is None or dated or any(match.group() in str(v) for v in values.values()):
        return {}
    queries = [p.name for p in wanted if p.kind == "query" and isinstance(values.get(p.name), str)]
    return {name: f"{values[name]} {match.group()}" for name in queries[:1]}


_YEARS = frozenset(stem(w) for w in "year quarter period".split())
