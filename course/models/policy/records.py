"""Records: the objects inside tool results, and choosing the one a request is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param, lead_of
from course.models.policy.wordlists import cue, table, word_list
from course.models.policy.words import ORDINALS, content, name_stems, name_words, stem

_ID_KEYS = frozenset(word_list("records.id_keys"))
_MOMENTS = frozenset(word_list("records.moments"))
_UNBOUND = frozenset(word_list("records.unbound"))
_FIRST = cue("records.first")
_EXTREMES = tuple(
    (re.compile(rf"\b(?:{words})\b", re.I), frozenset(keys.split()), largest)
    for words, keys, largest in table("records.extremes")
)
_SHAPES = {"date": re.compile(r"\d{4}-\d\d-\d\d"), "time": re.compile(r"\d\d:\d\d")}


@dataclass(frozen=True)
class Record:
    """An object found in a result, with the call that brought it."""

    made: Made
    fields: Mapping[str, Any]


def _objects(data: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if depth > 6:
        return
    if isinstance(data, Mapping):
        if any(not isinstance(v, Mapping | list) for v in data.values()):
            yield data
        data = list(data.values())
    for value in data[:200] if isinstance(data, list) else ():
        yield from _objects(value, depth + 1)


def records(made: tuple[Made, ...]) -> list[Record]:
    """All objects in the results of calls that worked."""
    return [Record(m, o) for m in made if m.error is None for o in _objects(m.data)]


def value_for(param: Param, record: Record) -> Any:
    """What a record offers for a parameter: its own key, one that means the same, or the id of the
    thing it describes."""
    fields = record.fields
    if not isinstance(fields.get(param.name), Mapping | list | None):
        return fields[param.name]
    plain = {k: v for k, v in fields.items() if isinstance(v, str | int)}
    ids = {k: v for k, v in plain.items() if set(name_words(k)) & _ID_KEYS}
    if param.kind not in ("id", "intid"):
        keys = (k for k in plain if k not in ids)
        alike = (k for k in keys if {*name_stems(k)} == param.stems or param.kind in name_words(k))
        return next((plain[k] for k in alike), None)
    entity = stem((param.entity.split() or [""])[-1])
    own = {*name_stems(record.made.name)}
    described = not entity or entity in own or bool(synonyms(entity) & own)
    fit = (v for k, v in ids.items() if entity in name_stems(k) or (described and k in _ID_KEYS))
    return next(fit, None)


def _values(record: Record) -> str:
    inner = (v.values() if isinstance(v, Mapping) else (v,) for v in record.fields.values())
    return " ".join(str(v) for part in inner for v in part if not isinstance(v, list))


def _overlap(record: Record, text: str, today: date) -> float:
    """How much of a record's values the text mentions: words, names, dates, times and ids."""
    values = _values(record)
    score = float(len(set(content(values)) & set(content(text))))
    for mention in mentions(text, today):
        told = str(mention.value).lstrip("#")
        if mention.kind in ("date", "time"):
            score += 1.5 * (told in values)
        elif mention.kind in ("id", "number"):
            score += 2.0 * bool(re.search(rf"(?<!\w){re.escape(told)}(?!\w)", values))
    return score


def _moments(record: Record) -> str:
    """When the thing that a record describes takes place; nobody's birthday counts."""
    named = ((set(name_words(k)), v) for k, v in record.fields.items())
    return " ".join(str(v) for k, v in named if k & _MOMENTS and not k & {"birth", "born"})


def then(found: list[Record], text: str, today: date, used: tuple[Mention, ...]) -> list[Record]:
    """The records at the date and time that a text states, of those that tell theirs.

    What a call takes for itself (`used`), such as the day something is moved to, is no condition,
    nor is a time beside such a day.
    """
    said = mentions(text, today)
    bound = [
        m
        for m in said
        if any(m.overlaps(u.start, u.end) for u in used) or lead_of(text, m) in _UNBOUND
    ]
    days = any(m.kind == "date" for m in bound)
    for mention in (m for m in said if m.kind in _SHAPES and m not in bound):
        told = all(_SHAPES[mention.kind].search(_moments(r)) for r in found)
        if told and not (days and mention.kind == "time"):
            found = [r for r in found if str(mention.value) in _moments(r)]
    return found


def pick(found: list[Record], text: str, today: date) -> tuple[list[Record], bool]:
    """The records a text speaks of, best first, and whether the first is meant beyond doubt."""
    scores = [_overlap(r, text, today) for r in found]
    top = [r for r, score in zip(found, scores, strict=True) if score == max(scores)]
    return _superlative(top, text) if len(top) > 1 else (top, bool(top))


def _superlative(top: list[Record], text: str) -> tuple[list[Record], bool]:
    for pattern, keys, largest in _EXTREMES:
        key = next((k for k in top[0].fields if set(name_words(k)) & keys), None)
        if key and pattern.search(text):
            try:
                return sorted(top, key=lambda r: r.fields[key], reverse=largest), True
            except (TypeError, KeyError):
                return top, True
    said = content(text)
    place = next((n for w, n in ORDINALS.items() if stem(w) in said and n <= len(top)), 0)
    return ([top[place - 1], *top], True) if place else (top, bool(_FIRST.search(text)))
