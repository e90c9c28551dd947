"""Moments: the years and months that a task means, one or several, or the ends of a span."""

from __future__ import annotations

import re

from course.models.policy.errand import Store
from course.models.policy.mentions import mentions
from course.models.policy.naming import YEAR
from course.models.policy.params import Param
from course.models.policy.wordlists import word_list
from course.models.policy.words import content, name_words, stem


def years(param: Param, store: Store) -> list[int | str]:
    """The years that a parameter may have; a year of birth is only ever one that is called so."""
    words = set(name_words(param.name))
    born = [y for t in store.texts for y in re.findall(r"\bborn (?:in |on )?[\w -]*?(\d{4})", t)]
    if words & {"birth", "born"}:
        return [_as(param, y) for y in born[:1]]
    said = [y for y in YEAR.findall(store.ask) if y not in born]
    whole = [y for y in YEAR.findall(store.task) if y not in born]
    if words & _STARTS or words & _ENDS:
        return _ends(param, words, sorted({*said} if len(set(said)) > 1 else {*said, *whole}))
    found = said or whole
    if param.required or not (_SEARCH & set(content(param.description))):
        return [_as(param, y) for y in dict.fromkeys(found)]
    return []  # a filter of a search may hide what is looked for


_SEARCH = frozenset(stem(w) for w in "documents written".split())


_STARTS = frozenset("first from start begin since".split())


_ENDS = frozenset("last to end until".split())


def _ends(param: Param, words: set[str], said: list[str]) -> list[int | str]:
    if not said:
        return []
    if len(said) == 1:
        said = [str(int(said[0]) - 1), said[0]]
    return [_as(param, said[0] if words & _STARTS else said[-1])]


def _as(param: Param, text: str) -> int | str:
    return int(text) if param.type == "integer" else text


def months(param: Param, store: Store) -> list[str]:
    """The months that a parameter may have, as year and month."""
    words = set(name_words(param.name))
    for text in store.texts:
        found = list(dict.fromkeys(_in_text(text)))
        if words & (_STARTS | _ENDS):
            ends = sorted(found) if len(found) > 1 else _year_as_months(text)
            if ends:
                return [ends[0] if words & _STARTS else ends[-1]]
        elif found:
            return found
    return []


_NAMES = word_list("moments.names")
_MONTH = re.compile(
    rf"\b(?P<name>{'|'.join(_NAMES)}),? (?P<year>(?:19|20)\d\d)\b"
    r"|\b(?P<iso>(?:19|20)\d\d-(?:0[1-9]|1[0-2]))\b",
    re.IGNORECASE,
)


def _in_text(text: str) -> list[str]:
    """The months of a text that are named with their year, as "2026-02"."""
    found = _MONTH.finditer(text)
    return [m["iso"] or f"{m['year']}-{_NAMES.index(m['name'].lower()) + 1:02d}" for m in found]


def _year_as_months(text: str) -> list[str]:
    """A year as the end of December before it and its own."""
    said = YEAR.findall(_without_months(text))
    return [f"{int(said[0]) - 1}-12", f"{said[0]}-12"] if said else []


def _without_months(text: str) -> str:
    """A text without the months in it."""
    for mention in reversed([m for m in mentions(text) if m.kind == "month"]):
        text = text[: mention.start] + text[mention.end :]
    return text
