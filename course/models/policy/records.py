"""Records: the objects inside tool results, and choosing the one a request is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from course.models.policy.conversation import Made
from course.models.policy.cues import lead_of
from course.models.policy.lexicon import synonyms
from course.models.policy.mentions import Mention, mentions
from course.models.policy.params import Param
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import ORDINALS, content, name_stems, name_words, stem

_ID_KEYS = ("id", "number", "reference", "code", "ref", "no", "key")
_FIRST = cue("records.first")
_EXTREMES = (
    (
        re.compile(r"\b(?:cheapest|lowest|least expensive|most affordable)\b", re.I),
        ("price", "cost", "fare", "fee", "rate", "total", "amount"),
        1,
    ),
    (
        re.compile(r"\b(?:most expensive|highest|dearest)\b", re.I),
        ("price", "cost", "fare", "fee", "rate", "total", "amount"),
        -1,
    ),
    (
        re.compile(r"\b(?:latest|newest|most recent|last)\b", re.I),
        ("date", "start", "time", "created", "day", "year"),
        -1,
    ),
    (
        re.compile(r"\b(?:earliest|oldest|soonest|first)\b", re.I),
        ("date", "start", "time", "created", "day", "year"),
        1,
    ),
)


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
        for value in data.values():
            yield from _objects(value, depth + 1)
    elif isinstance(data, list):
        for value in data[:200]:
            yield from _objects(value, depth + 1)


def records(made: tuple[Made, ...]) -> list[Record]:
    """All objects in the results of calls that worked."""
    return [Record(m, o) for m in made if m.error is None for o in _objects(m.data)]


def value_for(param: Param, record: Record) -> Any:
    """What a record offers for a parameter: its own key, or the id of the thing it describes."""
    fields = record.fields
    if not isinstance(fields.get(param.name), Mapping | list | None):
        return fields[param.name]
    if param.kind not in ("id", "intid"):
        return _like_named(param, fields)
    entity = stem((param.entity.split() or [""])[-1])
    own = {*name_stems(record.made.name)}
    if entity and entity not in own and not synonyms(entity) & own:
        return _like_named(param, fields)
    keys = [k for k in fields if name_words(k)[-1:] and name_words(k)[-1] in _ID_KEYS]
    exact = [k for k in keys if k in _ID_KEYS or entity in name_stems(k)]
    return next((fields[k] for k in exact if isinstance(fields[k], str | int)), None)


_TIMES = {
    "datetime": ("start", "starts", "begin", "datetime", "when", "slot"),
    "time": ("time", "start", "from"),
}


def _like_named(param: Param, fields: Mapping[str, Any]) -> Any:
    """A value under a key that means the same as the parameter."""
    for key, value in fields.items():
        if isinstance(value, Mapping | list) or value is None:
            continue
        stems = {s for s in name_stems(key) if s not in ("id", "number")}
        is_id = bool(set(name_words(key)) & set(_ID_KEYS))
        if (
            is_id == (param.kind in ("id", "intid"))
            and stems
            and param.stems
            and stems == param.stems
        ):
            return value
        if param.kind in ("email", "phone") and param.kind in name_words(key):
            return value
        if key.lower() in _TIMES.get(param.kind, ()):
            return value
    return None


def overlap(record: Record, text: str, today: date) -> float:
    """How much of a record's values the text mentions: words, names, dates and times."""
    values = " ".join(str(v) for v in _flat(record.fields))
    stems = set(content(values))
    score = float(len(stems & set(content(text))))
    for mention in mentions(text, today):
        if mention.kind in ("date", "time") and str(mention.value) in values:
            score += 1.5
        elif mention.kind in ("id", "number") and re.search(
            rf"(?<!\w){re.escape(str(mention.value).lstrip('#'))}(?!\w)", values
        ):
            score += 2.0
    return score


def _flat(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, Mapping) and depth < 4:
        for inner in value.values():
            yield from _flat(inner, depth + 1)
    elif not isinstance(value, list):
        yield value


_MOMENTS = frozenset(word_list("records.moments"))
_UNBOUND = ("since", "from", "until", "till", "to", "before", "after", "by")


def _moments(record: Record) -> str:
    """When the thing that a record describes takes place; nobody's birthday counts."""
    return " ".join(
        str(v)
        for k, v in record.fields.items()
        if (words := set(name_words(k))) & _MOMENTS and not words & {"birth", "born"}
    )


def then(found: list[Record], text: str, today: date, used: tuple[Mention, ...]) -> list[Record]:
    """The records at the date and time that a text states, of those that tell theirs.

    What a call takes for itself (`used`), such as the day something is moved to, is no condition.
    """
    for mention in mentions(text, today):
        shape = _SHAPES.get(mention.kind)
        if shape is None or _claimed(mention, text, today, used):
            continue
        if lead_of(text, mention) in _UNBOUND or not all(shape.search(_moments(r)) for r in found):
            continue
        found = [r for r in found if str(mention.value) in _moments(r)]
    return found


def _claimed(mention: Mention, text: str, today: date, used: tuple[Mention, ...]) -> bool:
    """Whether a day or time is needed elsewhere: by the call itself, with a day that the call
    needs, or as somebody's date of birth."""
    if any(mention.overlaps(u) for u in used) or _BORN.search(text[: mention.start]):
        return True
    days = [m for m in mentions(text, today) if m.kind == "date"]
    if mention.kind != "time" or not days:
        return False
    nearest = min(days, key=lambda d: min(abs(d.start - mention.end), abs(mention.start - d.end)))
    bound = lead_of(text, nearest) in _UNBOUND
    return bound or any(nearest.overlaps(u) for u in used)


_BORN = re.compile(r"\b(?:born|birth|birthday)\b[^.]{0,20}$", re.IGNORECASE)
_SHAPES = {"date": re.compile(r"\d{4}-\d\d-\d\d"), "time": re.compile(r"\d\d:\d\d")}


def pick(found: list[Record], text: str, today: date) -> tuple[list[Record], bool]:
    """The records a text speaks of, best first, and whether the first is meant beyond doubt."""
    scored = sorted(((overlap(r, text, today), -n) for n, r in enumerate(found)), reverse=True)
    if not scored:
        return [], False
    best = scored[0][0]
    top = [found[-n] for score, n in scored if score == best]
    if len(top) > 1:
        return _superlative(top, text)
    return top, True


def _superlative(top: list[Record], text: str) -> tuple[list[Record], bool]:
    for pattern, keys, sign in _EXTREMES:
        key = next((k for k in top[0].fields if set(name_words(k)) & set(keys)), None)
        if pattern.search(text) and key:
            try:
                return sorted(
                    top,
                    key=lambda r: (
                        sign * r.fields[key]
                        if isinstance(r.fields[key], int | float)
                        else r.fields[key]
                    ),
                    reverse=sign < 0 and isinstance(top[0].fields[key], str),
                ), True
            except (TypeError, KeyError):
                return top, True
    for word in content(text):
        place = next((n for w, n in ORDINALS.items() if stem(w) == word), 0)
        if place and place <= len(top):
            return [top[place - 1], *top], True
    return top, bool(_FIRST.search(text))
