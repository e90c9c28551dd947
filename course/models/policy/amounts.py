"""Amounts: the figures for an argument, from a task or from the results of others, or calculated.

"Calculate the growth of each" with the line "Arden, revenue 2025 120, revenue 2024 100" is
(120 - 100) / 100. Whose figures a sum is about is said with its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from course.models.policy.errand import Store
from course.models.policy.kin import nearest
from course.models.policy.naming import YEAR, subjects
from course.models.policy.params import Param
from course.models.policy.wordlists import cue
from course.models.policy.words import content, name_stems


def amounts(param: Param, store: Store) -> list[Any]:
    """What a figure may be: as the task says, or else as results have it."""
    return amounts_said(param, store) or amounts_in(param, store.lines)


def _typed(param: Param, text: str) -> Any:
    value = float(text.replace(",", ""))
    return int(value) if param.type == "integer" or value.is_integer() else value


_NUMBER = re.compile(r"(?<![\w.-])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\.?\d|-\d|\w)")


def amounts_said(param: Param, store: Store) -> list[Any]:
    """Figures in the task beside words of the parameter: "6 working days", "a band of 3"."""
    own = frozenset(name_stems(param.name)) | param.stems
    for text in store.texts:
        for match in _NUMBER.finditer(text):
            after = content(" ".join(text[match.end() :].split()[:3]))[:2]
            before = content(" ".join(text[: match.start()].split()[-3:]))[-2:]
            if YEAR.fullmatch(match.group()):
                continue
            if any(nearest(w, own) >= 0.8 for w in (*after, *before)):
                return [_typed(param, match.group())]
    return []


def amounts_in(param: Param, lines: tuple[str, ...]) -> list[Any]:
    """Figures in results after or before most words of the parameter's name; of texts that say
    it alike, the one written last counts."""
    own = frozenset(name_stems(param.name))
    best: tuple[float, str, list[Any]] = (0.0, "", [])
    written = ""
    for line in lines:
        dated = _WRITTEN.search(line)
        written = dated["day"] if dated else written if line.startswith(">") else ""
        for match in _NUMBER.finditer(line):
            if YEAR.fullmatch(match.group()):
                continue
            worth = _worth(own, param, line, match)
            if (worth, written) > best[:2]:
                best = (worth, written, [_typed(param, match.group())])
    return best[2] if best[0] >= 0.6 else []


_WRITTEN = re.compile(r"\bwritten (?P<day>\d{4}-\d\d-\d\d)")


def _worth(own: frozenset[str], param: Param, line: str, match: re.Match[str]) -> float:
    """How many of a parameter's words stand before a figure, or as its unit after it."""
    label = re.split(r"[,;:.](?=\s)", line[: match.start()].rstrip(": "))[-1]
    before = frozenset(content(label.replace("_", " "))[-6:])
    after = frozenset(content(" ".join(line[match.end() :].split()[:2])))
    share = sum(nearest(s, before) for s in own) / max(1, len(own))
    unit = len(after) > 1 and after <= param.about
    return max(share, 0.7 if unit else 0.0)


# --- sums -----------------------------------------------------------------------------------------

_OPERATIONS = (
    (re.compile(r"\b(?:grow|grew|year-over-year|increase|decrease|percent)", re.I),
     "round(({new} - {old}) / {old} * 100, 2)", "growth", " percent"),
    (re.compile(r"\b(?:difference|change)\b", re.I), "round({new} - {old}, 2)", "difference", ""),
)  # fmt: skip
_DATED = cue("amounts.dated", 0)


class Sum(NamedTuple):
    """One calculation: the arithmetic, in words whose figure of which years it is, and its unit."""

    expression: str
    told: str
    unit: str


def is_arithmetic(param: Param) -> bool:
    """Whether a parameter takes arithmetic as text."""
    return param.type == "string" and param.name in ("expression", "formula", "arithmetic")


def sums(store: Store) -> Iterator[Sum]:
    """What a task orders to be calculated of the dated figures in results, once for each line
    that has figures of two years."""
    for _, form, name, unit in [o for o in _OPERATIONS if o[0].search(store.task)][:1]:
        for line in store.lines:
            dated: dict[str, dict[int, str]] = {}
            for m in _DATED.finditer(line):
                value = m["value"].replace(",", "")
                dated.setdefault(m["what"].strip(), {})[int(m["year"])] = value
            whose = next(iter(subjects(f"({line})")), "")
            for what, values in dated.items():
                if len(values) > 1 and float(values[min(values)]):
                    old, new = min(values), max(values)
                    expression = form.format(new=values[new], old=values[old])
                    yield Sum(expression, f"{whose}: {name} of {what}, {old} to {new}", unit)


def told_of(arguments: Mapping[str, Any], store: Store, text: str) -> str:
    """What a calculation brought, with whose it is; the text as it is where it is none of these."""
    own = next((s for s in sums(store) if s.expression in str(arguments)), None)
    result = re.search(r"-?\d[\d,]*(?:\.\d+)?\W*$", text)
    return f"{own.told}: {result.group().strip(' .')}{own.unit}." if own and result else text
