"""Variants: one part of a request that asks for the same thing several times over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from course.models.policy.arguments import Texts, fill
from course.models.policy.mentions import mentions
from course.models.policy.params import params
from course.models.policy.wordlists import cue
from course.models.wire import ToolSpec

_COMMA = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s+plus\s+|\s+as well as\s+|;\s*")


def pieces(text: str) -> list[str]:
    """A text cut at commas and "and"."""
    return [p.strip() for p in _COMMA.split(text) if p.strip()]


def variants(texts: Texts, tool: ToolSpec) -> Iterator[Texts]:
    """One text for each of several values that one parameter is asked for ("Paris and Rome")."""
    listing = _listing(texts.clause)
    if any(p.type == "array" for p in params(tool.parameters)):
        yield texts
        return
    counted = _counted(texts, tool)
    if counted or listing is None:
        yield from counted or (texts,)
        return
    start, end, values = listing
    texts_for = [
        replace(texts, clause=texts.clause[:start] + v + texts.clause[end:]) for v in values
    ]
    filled = [dict(fill(tool.parameters, t, tool.name).values) for t in texts_for]
    if _differ_in_one(filled, values):
        yield from texts_for
    else:
        yield texts


def _counted(texts: Texts, tool: ToolSpec) -> list[Texts]:
    """One text for each counted thing ("four blades and ten fuses"), when each fills a call."""
    found = pieces(texts.clause)
    if len(found) < 2 or not all(any(m.kind == "number" for m in mentions(p)) for p in found):
        return []
    out = [replace(texts, clause=p) for p in found]
    filled = [fill(tool.parameters, t, tool.name) for t in out]
    numbers = {p.name for p in params(tool.parameters) if p.kind == "number"}
    alike = len({frozenset(f.values) for f in filled}) == 1 and numbers & set(filled[0].values)
    return out if alike and len(filled[0].values) > 1 and not any(f.missing for f in filled) else []


def _differ_in_one(filled: list[dict[str, Any]], values: list[str]) -> bool:
    if len({frozenset(f) for f in filled}) != 1:
        return False
    changed = [k for k in filled[0] if len({str(f[k]) for f in filled}) == len(filled)]
    same = [k for k in filled[0] if len({str(f[k]) for f in filled}) == 1]
    return (
        len(changed) == 1
        and len(same) == len(filled[0]) - 1
        and all(
            str(f[changed[0]]).lower() in v.lower()
            or v.lower() in str(f[changed[0]]).lower()
            or not isinstance(f[changed[0]], str)
            or any(str(m.value) == str(f[changed[0]]) for m in mentions(v))
            for f, v in zip(filled, values, strict=True)
        )
    )


_LIST = cue("variants.list", 0)


def _listing(clause: str) -> tuple[int, int, list[str]] | None:
    for match in _LIST.finditer(clause):
        values = pieces(f"{match['a']}{match['more']} and {match['z']}")
        if len(values) >= 2:
            return match.start(), match.end(), values
    return None
