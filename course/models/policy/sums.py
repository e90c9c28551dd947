"""Sums: what is to be calculated from figures that stand in results, as arithmetic.

"Calculate the growth of each" with the line "Arden, revenue 2025 120, revenue 2024 100" is
(120 - 100) / 100. Whose figures a sum is about is said with its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.models.policy.naming import subjects
from course.models.policy.params import Param
from course.models.policy.store import Store
from course.models.policy.wordlists import cue

_OPERATIONS = (
    (re.compile(r"\b(?:grow|grew|year-over-year|increase|decrease|percent)", re.I),
     "round(({new} - {old}) / {old} * 100, 2)", "growth", " percent"),
    (re.compile(r"\b(?:difference|change)\b", re.I), "round({new} - {old}, 2)", "difference", ""),
)  # fmt: skip
_DATED = cue("sums.dated", 0)


@dataclass(frozen=True)
class Sum:
    """One calculation: the arithmetic, and in words whose figure of which years it is."""

    expression: str
    told: str
    unit: str


def is_arithmetic(param: Param) -> bool:
    """Whether a parameter takes arithmetic as text."""
    return param.type == "string" and param.name in ("expression", "formula", "arithmetic")


def sums(store: Store) -> Iterator[Sum]:
    """What a task orders to be calculated of the dated figures in results, once for each line
    that has figures of two years."""
    wanted = next((o for o in _OPERATIONS if o[0].search(store.task)), None)
    for line in store.lines if wanted else ():
        assert wanted is not None
        dated: dict[str, dict[int, str]] = {}
        for m in _DATED.finditer(line):
            value = m["value"].replace(",", "")
            dated.setdefault(m["what"].strip(), {})[int(m["year"])] = value
        whose = next(iter(subjects(f"({line})")), "")
        for what, values in dated.items():
            if len(values) > 1 and float(values[min(values)]):
                old, *_, new = sorted(values)
                form, name, unit = wanted[1:]
                expression = form.format(new=values[new], old=values[old])
                yield Sum(expression, f"{whose}: {name} of {what}, {old} to {new}", unit)


def told_of(arguments: object, store: Store, text: str) -> str:
    """What a calculation brought, with whose it is; the text as it is where it is none of these."""
    own = next((s for s in sums(store) if s.expression in str(arguments)), None)
    result = re.search(r"-?\d[\d,]*(?:\.\d+)?\W*$", text)
    return f"{own.told}: {result.group().strip(' .')}{own.unit}." if own and result else text
