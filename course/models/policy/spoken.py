"""Spoken: whether a person's words order a deed, only speak of it, or say nothing of it.

A deed that changes something is never a guess: whoever says "HV-7 looks sick" has not asked to
delete it, and whoever says "don't delete HV-7", "did you delete HV-7?" or "I already paid" has
not either.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from course.models.policy.lexicon import (
    VERBS,
    action_of,
    phrases,
    suggested,
    synonyms,
    tool_action,
)
from course.models.policy.words import STOP_WORDS, cue, name_words, stem, tokens
from course.models.wire import ToolSpec

_QUOTED, _NOT, _TOLD, _MUSED, _FACT = (
    cue(f"spoken.{n}") for n in "quoted not told mused fact".split()
)
Spoken = Literal["denied", "told", ""]
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]*)*[.!?]*")
_ORDER = re.compile(r"\b(?:please|(?:can|could|would|will) you(?: please)?) (?P<verb>[a-z]+)", re.I)
_COUNTED = re.compile(r"\bhow (?:much|many)\s*$", re.IGNORECASE)
_JOINT = re.compile(r"[,;:]\s+(?:and |but |or )?|\b(?:and|but) ")
_LASTING = ("cancel", "pay", "refund")
"""Kinds of deeds that nothing undoes: none is meant without a word for it."""


def unspoken(tool: ToolSpec, text: str) -> bool:
    """Whether a tool does what nothing undoes, and no word of a text speaks of that."""
    if tool_action(tool.name, tool.description) not in _LASTING:
        return False
    alike = _alike(tool.name, tool.description) | _opening(tool.description)
    meant = {stem(w) for said in phrases(text) for w in said.split()} | suggested(text).keys()
    named = {n for n, _ in _named(tool.name, tool.description, text)}
    return not (named or meant & alike or any(_strange(m["verb"]) for m in _ORDER.finditer(text)))


def _strange(verb: str) -> bool:
    """Whether a verb that orders is none of those known: whatever it means, it means a deed."""
    return not action_of(verb) and stem(verb) not in VERBS and verb not in STOP_WORDS


def only_spoken_of(tool: ToolSpec, text: str) -> Spoken:
    """How a text speaks of a deed that changes something, if it nowhere orders it: "denied", or
    "told" where it is told, asked about or quoted; "" where it is ordered, or not named."""
    changes = tool_action(tool.name, tool.description) not in ("find", "transfer", None)
    return _spoken(tool.name, tool.description, text) if changes else ""


@lru_cache(maxsize=4_000)
def _spoken(name: str, description: str, text: str) -> Spoken:
    said = (m.group() for m in _SENTENCE.finditer(_QUOTED.sub(" ", text)))
    found = [(own, _way(s, n)) for s in said for n, own in _named(name, description, s)]
    ways = [way for own, way in found if own]
    named = any(own for _, own in _named(name, description, text))
    if any(not way for _, way in found) or not named:
        return ""
    return "denied" if "denied" in ways else "told"


def _alike(name: str, description: str) -> frozenset[str]:
    """The stems that name a tool's deed: its verbs, and what stands for these."""
    first, *rest = name_words(name)
    does = tool_action(name, description)
    known = {stem(first)} if action_of(first) or stem(first) in VERBS else set()
    named = {stem(w) for w in rest if does and action_of(w) == does}
    verbs = known | named or {stem(first)}
    return frozenset(verbs).union(*map(synonyms, verbs))


def _opening(description: str) -> frozenset[str]:
    """The stems of the verb that opens a description, and what stands for it."""
    verbs = [w.stem for w in tokens(description)[:1] if action_of(w.text)]
    return frozenset(verbs).union(*map(synonyms, verbs))


@lru_cache(maxsize=4_000)
def _named(name: str, description: str, text: str) -> tuple[tuple[int, bool], ...]:
    """Where the words stand that are for a tool's deed, and whether they name it: others are only
    for deeds of that kind."""
    does, alike = tool_action(name, description), _alike(name, description)
    return tuple((w.start, w.stem in alike) for w in tokens(text)
                 if w.stem in alike or (does and action_of(w.text) == does))  # fmt: skip


def _way(sentence: str, place: int) -> Spoken:
    """How a sentence means the verb at a place."""
    before = sentence[:place]
    if _NOT.search(before):
        return "denied"
    if _COUNTED.search(before):  # "how much rent" asks for a rent
        return ""
    past = tokens(sentence[place : place + 30])[0].text.lower()
    tells = _TOLD.search(before) and (past.endswith("ed") or past in _PAST)
    asks = sentence.endswith("?") and _FACT.match(_JOINT.split(before)[-1])
    return "told" if tells or asks or _MUSED.search(before) else ""


_PAST = frozenset("paid sent sold lent bought made put written took taken drawn left".split())
