"""Wordings: arguments in words: a query, a name, a unit, or the plain noun that a task is about."""

from __future__ import annotations

import re

from course.models.policy.cues import PLACES
from course.models.policy.errand import Store
from course.models.policy.mentions import mentions
from course.models.policy.naming import YEAR, countries, subjects, without_names
from course.models.policy.params import Param, params
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import STOP_WORDS, content, name_words, stem, tokens
from course.models.wire import ToolSpec


def worded(param: Param, wanted: tuple[Param, ...], tool: ToolSpec, store: Store) -> list[str]:
    """Values in words: a query, a name, or the plain noun that the task is about."""
    plain = [p for p in wanted if p.kind in ("name", "words") and p.type == "string"]
    if set(name_words(param.name)) & _UNITS or param.kind == "currency":
        return _unit(param, store)
    if not param.required:
        return list(store.subjects) if param.kind in ("name", "words", "query") else []
    if param.kind == "query":
        return _query(tool, store)
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
    found = _found_names(store) if not names and _FOUND.search(store.task) else ()
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


# --- queries --------------------------------------------------------------------------------------

_MOST = 5  # words of a query
_ASKING = frozenset(stem(w) for w in word_list("wordings.asking"))
_FOUND = re.compile(r"\b(?:what was found|th(?:at|is) one)\b", re.IGNORECASE)


def _query(tool: ToolSpec, store: Store) -> list[str]:
    """A query of few telling words, without the names that another argument takes; with the names
    of what results found, where the task is about that."""
    if found := _found_names(store) if any(map(_FOUND.search, store.texts)) else ():
        return [" ".join(f'"{n}"' if " " in n else n for n in found)]
    quoted = [str(m.value) for m in mentions(store.ask) if m.kind == "quoted"]
    if quoted:
        return [f'"{quoted[0]}"']
    optional = [p.kind for p in params(tool.parameters) if not p.required]
    named = {"name", "words", "query"} & set(optional)
    told = (_telling(without_names(t) if named else t) for t in store.texts)
    words = next(filter(None, told), [])
    return [" ".join(words[:_MOST])] if words else list(subjects(store.task)[:1])


def _found_names(store: Store) -> tuple[str, ...]:
    """The names in the first row of a list in results, those that the task does not name first."""
    rows = (re.sub(r"^- ", "The ", line) for line in store.lines if line.startswith("- "))
    names = next(filter(None, map(subjects, rows)), ())
    return (tuple(n for n in names if n not in store.task) or names)[:2]


def _telling(text: str) -> list[str]:
    """The words of a text that a document about it would hold."""
    found: dict[str, str] = {}
    for token in tokens(re.sub(r"\([^)]*\)", " ", YEAR.sub(" ", text))):
        low = token.text.lower()
        if low in STOP_WORDS or token.stem in _ASKING or low[:1].isdigit() or len(low) < 3:
            continue
        if content(token.text):
            found.setdefault(token.stem, low)
    return list(found.values())
