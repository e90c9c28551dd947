"""Wordings: arguments in words: a name, a unit, or the plain noun that a task is about."""

from __future__ import annotations

import re

from course.models.policy.cues import PLACES
from course.models.policy.naming import countries, subjects
from course.models.policy.params import Param, params
from course.models.policy.queries import FOUND, found_names, query_for
from course.models.policy.store import Store
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import content, name_words, stem
from course.models.wire import ToolSpec


def worded(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> list[str]:
    """Values in words: a query, a name, or the plain noun that the task is about."""
    plain = [p for p in wanted if p.kind in ("name", "words") and p.type == "string"]
    if set(name_words(param.name)) & _UNITS or param.kind == "currency":
        return _unit(param, store)
    if not param.required:
        return list(store.subjects) if param.kind in ("name", "words", "query") else []
    if param.kind == "query":
        return query_for(tool, store.ask, store.task, store.lines)
    if param.kind == "prose" and not _nouns(tool, store):
        return [store.ask]
    place = [p for p in plain if p.required].index(param) if param in plain else 1
    names, nouns = _of_kind(param, store), _nouns(tool, store)
    if any(p.required and p.kind in ("id", "intid") for p in wanted) and nouns:
        return nouns[:1]  # the id says already whom it is about
    return names if place == 0 and names else nouns[:1]


_UNITS = frozenset("unit units currency".split())


_UNIT = cue("wordings.unit", 0)


def _unit(param: Param, store: Store) -> list[str]:
    return [m["unit"] for t in store.texts for m in _UNIT.finditer(t) if m["unit"] != "percent"][:1]


def _of_kind(param: Param, store: Store) -> list[str]:
    """The names that an ask is about, in the form that the parameter's description wants."""
    names = list(store.subjects)
    places = list(countries(store.ask) or countries(store.task))
    if places and (not names or (param.stems | param.about) & PLACES):
        return places
    found = found_names(store.task, store.lines) if not names and FOUND.search(store.task) else ()
    if found:
        return list(found)[:1]
    if not names:
        names = list(subjects(" ".join(store.lines)))[:1] if not _nouns_in(store.ask) else []
    told = param.description.lower()
    if re.search(r"\b(?:family|last) name|surname", told) and not re.search(
        r"\b(?:first|full)\b", told
    ):
        return list(dict.fromkeys(n.split()[-1] for n in names))
    return names


_AFTER = re.compile(r"\b(?:of|in|for|with|on) (?P<noun>[a-z][a-z-]+(?: [a-z][a-z-]+)?)\b")


_COUNTED = re.compile(r"^(?:by )?[Hh]ow (?:much|many) (?P<noun>[a-z][a-z-]+)\b")
_OPENING = re.compile(r"^(?:The|the) (?P<noun>[a-z][a-z-]+(?: [a-z][a-z-]+)?) of the [A-Z]")


def _nouns_in(text: str) -> list[str]:
    return [m["noun"] for p in (_OPENING, _AFTER, _COUNTED) for m in p.finditer(text)]


def _nouns(tool: ToolSpec, store: Store) -> list[str]:
    """The plain nouns that a task is about: after a preposition, and not a word of the tool's."""
    told = frozenset(content(f"{tool.name.replace('_', ' ')} {tool.description}"))
    own = told | {s for p in params(tool.parameters) for s in (*p.stems, *p.about)}
    found = []
    for text in store.texts:
        for noun in _nouns_in(text):
            words = noun.split()
            while words and (words[-1] in _JOINING or stem(words[-1]) in own):
                words = words[:-1]
            if words and words[0] not in _JOINING and not set(content(" ".join(words))) & own:
                found.append(" ".join(words))
    return list(dict.fromkeys(f for f in found if content(f)))


_JOINING = frozenset(word_list("wordings.joining"))
