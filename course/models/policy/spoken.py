"""Spoken: whether a word speaks for a deed that nothing undoes.

Such a deed is never a guess: whoever says "HV-7 looks sick" has not asked to delete it.
"""

from __future__ import annotations

import re

from course.models.policy.lexicon import (
    VERBS,
    action_of,
    phrases,
    suggested,
    synonyms,
    tool_action,
)
from course.models.policy.words import STOP_WORDS, name_words, stem, tokens
from course.models.wire import ToolSpec

_ORDER = re.compile(r"\b(?:please|(?:can|could|would|will) you(?: please)?) (?P<verb>[a-z]+)", re.I)
LASTING = ("cancel", "pay", "refund")
"""Kinds of deeds that nothing undoes: none is meant without a word for it."""


def unspoken(tool: ToolSpec, text: str) -> bool:
    """Whether a tool does what nothing undoes, and no word of a text speaks of that."""
    does = tool_action(tool.name, tool.description)
    if does not in LASTING:
        return False
    alike = _alike(tool.name, tool.description)
    named = any(w.stem in alike or action_of(w.text) == does for w in tokens(text))
    meant = {stem(w) for said in phrases(text) for w in said.split()} | suggested(text).keys()
    hinted = meant & (alike | _opening(tool.description))
    return not (named or hinted or any(_strange(m["verb"]) for m in _ORDER.finditer(text)))


def _strange(verb: str) -> bool:
    """Whether a verb that orders is none of those known: whatever it means, it means a deed."""
    return not action_of(verb) and stem(verb) not in VERBS and verb not in STOP_WORDS


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
