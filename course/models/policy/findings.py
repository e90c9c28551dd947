"""Findings: what an errand brought, with nothing left out that was asked for.

A text out of a document stays a quotation, each line with its mark, so that nothing in it passes
for somebody's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.focus import focused
from course.models.policy.lines import head, scalar
from course.models.policy.results import error_words, sentence
from course.models.policy.words import human

_ROWS = 30  # of a list that a finding shows


def finding(made: Made, task: str = "", known: frozenset[str] = frozenset()) -> str:
    """The result of a call as lines of text; with a task only what it asks for, where it says,
    and of those that `known` names."""
    data = focused(made.data, task, known) if task else made.data
    if isinstance(data, Mapping):
        lines = list(_record(data))
    elif isinstance(data, list):
        lines = list(_rows(data)) or ["Nothing was found."]
    else:
        lines = str(data if data is not None else made.text or "").strip().splitlines()
    whole = "\n".join(lines)
    about = [str(v) for v in made.arguments.values() if isinstance(v, str) and _named(v)]
    lead = [a for a in about if a.lower() not in whole.lower()]
    return f"For {', '.join(lead)}:\n{whole}" if lead else whole


def _named(value: str) -> bool:
    return bool(re.match(r"[A-ZÀ-Þ][^\d]+$", value)) and 2 < len(value) <= 60


def _record(data: Mapping[str, Any]) -> Iterator[str]:
    """A record: its plain fields on one line, then its lists, then the texts that it quotes."""
    plain = {k: v for k, v in data.items() if not _quotes(v) and not _table(v)}
    if plain:
        line = _line(plain)
        yield sentence(line)
    for key, value in data.items():
        if _table(value):
            yield f"{human(key).capitalize()}:"
            yield from _rows(value)
    for value in data.values():
        if _quotes(value):
            yield from str(value).splitlines()


def _rows(values: list[Any]) -> Iterator[str]:
    for value in values[:_ROWS]:
        if isinstance(value, Mapping):
            plain = {k: v for k, v in value.items() if not _quotes(v)}
            yield f"- {_line(plain)}"
        else:
            yield f"- {_flat(value)}"
    if len(values) > _ROWS:
        yield f"- and {len(values) - _ROWS} more"


def _line(record: Mapping[str, Any]) -> str:
    """A record on one line: how it is called, then its fields by their names."""
    called, used = head(record)
    rest = (f"{human(k)} {_flat(v)}" for k, v in record.items() if k not in used and v is not None)
    return ": ".join(p for p in (called, ", ".join(rest)) if p)


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{human(str(k))} {_flat(v)}" for k, v in value.items()) or "none"
    if isinstance(value, list):
        return " and ".join(_flat(v) for v in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return scalar(value)


def _table(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, Mapping) for v in value)


def _quotes(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(">")


def shortcoming(made: Made) -> str:
    """What a call did not bring, in the words of its error, and about whom."""
    told = error_words(made.error or "")[:300].rstrip("?").strip()
    about = [str(v) for v in made.arguments.values() if isinstance(v, str) and _named(v)]
    lacking = [a for a in about if a.lower() not in told.lower()]
    return f"Missing for {', '.join(lacking)}: {told}" if lacking else f"Missing: {told}"
