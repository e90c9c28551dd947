"""Findings: what a call brought or did not bring, in words, with the rows and figures of it that a
task asks for; a text out of a document stays a quotation.

Nothing is left out where the task does not say what it wants: then all is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.lexicon import meant, nearest
from course.models.policy.lines import bullets, record_block
from course.models.policy.results import error_words, sentence
from course.models.policy.wordlists import cue
from course.models.policy.words import name_stems, name_words, stem

_ROWS = 30  # of a list that a finding shows


def finding(made: Made, task: str = "") -> str:
    """The result of a call as lines of text; with a task only what it asks for, where it says."""
    data = focused(made.data, task) if task else made.data
    if isinstance(data, Mapping):
        lines = list(_record(data))
    elif isinstance(data, list):
        lines = bullets(_unquoted(data), most=_ROWS) if data else ["Nothing was found."]
    else:
        lines = str(data if data is not None else made.text or "").strip().splitlines()
        lines = lines or ["Nothing was found."]
    whole = "\n".join(lines)
    lead = [a for a in _about(made) if a.lower() not in whole.lower()]
    return f"For {', '.join(lead)}:\n{whole}" if lead else whole


def shortcoming(made: Made) -> str:
    """What a call did not bring, in the words of its error, and about whom."""
    told = error_words(made.error or "")[:300].rstrip("?").strip()
    lacking = [a for a in _about(made) if a.lower() not in told.lower()]
    return f"Missing for {', '.join(lacking)}: {told}" if lacking else f"Missing: {told}"


def _about(made: Made) -> list[str]:
    """The names among the arguments of a call."""
    values = (v for v in made.arguments.values() if isinstance(v, str) and 2 < len(v) <= 60)
    return [v for v in values if re.match(r"[A-ZÀ-Þ][^\d]+$", v)]


def _record(data: Mapping[str, Any]) -> Iterator[str]:
    """A record: its plain fields on one line, then its lists, then the texts that it quotes."""
    first, *rows = record_block(_unquoted(data), most=_ROWS).splitlines() or [""]
    yield from [sentence(first), *rows] if first else rows
    for value in data.values():
        if _quotes(value):
            yield from str(value).splitlines()


def _unquoted(value: Any) -> Any:
    """A value without the texts in it that quote a document; that a list is empty is told."""
    if isinstance(value, Mapping):
        return {k: _unquoted(v) for k, v in value.items() if not _quotes(v)}
    return ([_unquoted(v) for v in value] or "none") if isinstance(value, list) else value


def _quotes(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(">")


# --- the rows and figures that a task asks for --------------------------------------------------


def focused(data: Any, task: str) -> Any:
    """A result with the rows that the task names, and the figures whose names it has words of."""
    if isinstance(data, Mapping):
        kept = {k: _trimmed(v, task) if isinstance(v, list) else v for k, v in data.items()}
        return _figures(kept, task)
    return _rows(data, task) if isinstance(data, list) else data


def _trimmed(rows: list[Any], task: str) -> list[Any]:
    """The rows that a task names, of each the figures that it has words of."""
    return [_figures(r, task) if isinstance(r, Mapping) else r for r in _rows(rows, task)]


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
_FIRST = cue("findings.first")


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
    record = {k: v for k, v in record.items() if not _aside(k, v, words)}
    figures = [k for k, v in record.items() if _counts(v) and not _kept(k)]
    if _LOOKUP.match(task) and any(k.endswith("id") for k in record):
        return {k: v for k, v in record.items() if k not in figures}
    groups = [k for k, v in record.items() if _counted(v)]
    if len(figures) + sum(len(record[k]) for k in groups) < _MANY:
        return record
    asked = _rated([k for k in (*figures, *groups) if _asked(k, words)], task)
    if not asked and (figures or not any(_kept(k) for k in record)):
        return record
    return {k: v for k, v in record.items() if k not in (*figures, *groups) or k in asked}


def _aside(key: str, value: Any, words: frozenset[str]) -> bool:
    """Whether a value only remarks, in sentences with figures, on what a task does not ask for."""
    texts = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    told = [v for v in texts if isinstance(v, str) and len(v.split()) > 3]
    return any(re.search(r"\d", v) for v in told) and not _asked(key, words)


def _asked(key: str, words: frozenset[str]) -> bool:
    """Whether a task has a word of a figure's name, units apart where there is more to it."""
    stems = name_stems(key)
    telling = [s for s in stems if s not in _UNITS] or stems
    return any(nearest(s, words) >= 0.8 for s in telling)


def _rated(asked: list[str], task: str) -> list[str]:
    """The figures asked for, without counts where a task asks for the rate of them."""
    for key in [k for k in asked if _SHARES & set(name_words(k))]:
        stems = set(name_stems(key)) - _UNITS
        for other in [k for k in asked if not _SHARES & set(name_words(k))]:
            counted = {s for s in name_stems(other) if any(nearest(s, frozenset({t})) >= 0.8
                                                           for t in stems)}  # fmt: skip
            if counted and _RATE.search(task):
                asked = [k for k in asked if k != other]
    return asked


_SHARES = frozenset("percent rate share".split())
_RATE = re.compile(r"\brates?\b", re.IGNORECASE)


def _counted(value: Any) -> bool:
    """Whether a value is a group of figures by their names."""
    return isinstance(value, Mapping) and len(value) > 1 and all(map(_counts, value.values()))


_UNITS = frozenset(stem(w) for w in "percent percentage point euro eur year month days".split())
_MANY = 3  # figures of a record, from which on only those are told that are asked for
_LOOKUP = re.compile(r"^Find the [a-z]+ [A-ZÀ-Þ]")
_MAIN = frozenset("year value total amount result number".split())


def _counts(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kept(key: str) -> bool:
    return bool(_MAIN & set(name_words(key)))
