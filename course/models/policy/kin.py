"""Kin: words of reporting and figuring that stand for one another, beyond the everyday lexicon.

They are used where a longer task is matched with workers and tools: what "grew" is a growth, what
is "worth" something has a value. General English only, nothing of any one trade.
"""

from __future__ import annotations

import re
from functools import lru_cache

from course.models.policy.lexicon import phrases, related, synonyms
from course.models.policy.wordlists import cue, table, word_list
from course.models.policy.words import content, stem

_GROUPS = table("kin.groups")
_KINDS = table("kin.kinds")


_TABLE = related(_GROUPS, _KINDS)
_NOTHING: frozenset[str] = frozenset()


def kin(word_stem: str) -> frozenset[str]:
    """The stems that may stand for a stem where tasks are matched."""
    return synonyms(word_stem) | _TABLE.get(word_stem, _NOTHING)


@lru_cache(maxsize=4_000)
def meant(text: str) -> tuple[str, ...]:
    """The stems of a text that carry meaning, and those that its turns of phrase stand for."""
    text = _BEFORE.sub("", text)
    spoken = (*phrases(text), *(words for turn, words in _TURNS if turn.search(text)))
    turned = (stem(w) for p in spoken for w in p.split() if stem(w) not in _SMALL)
    return tuple(dict.fromkeys((*content(text), *turned)))


_BEFORE = cue("kin.before")
_TURNS = (
    (re.compile(r"\blast day\b|\bby when\b|\bat the latest\b", re.IGNORECASE), "deadline"),
    (re.compile(r"^\W*how (?:many|much)\b", re.IGNORECASE), "figure"),
    (re.compile(r"\bhow (?:hot|warm|cold)\b", re.IGNORECASE), "temperature"),
    (re.compile(r"\bhow long\b", re.IGNORECASE), "duration"),
    (re.compile(r"\bin all\b|\baltogether\b|\boverall\b", re.IGNORECASE), "total"),
)


_SMALL = frozenset(stem(w) for w in word_list("kin.small"))


def alike(word: str, other: str) -> float:
    """How well one stem stands for another: 1 the same, 0.6 kin, 0 not at all."""
    if word == other:
        return 1.0
    short, long = sorted((word, other), key=len)
    if long.startswith(short) and (len(short) > 4 or (len(short) == 4 and len(long) < 7)):
        return 0.8
    return 0.6 if other in kin(word) or word in kin(other) else 0.0


def nearest(word: str, others: frozenset[str]) -> float:
    """How well the best of several stems stands for one."""
    if word in others:
        return 1.0
    return max((alike(word, o) for o in others), default=0.0)
