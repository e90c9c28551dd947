"""A small general lexicon: everyday English words that stand for one another.

It holds no word of any particular business beyond what an English learner knows. A group lists
words that may replace one another when a request is compared with a tool; ACTIONS sorts verbs
into what they do to the world, so that "cancel my order" never becomes a new order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from course.models.policy.wordlists import table
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, stem

_GROUPS = table("lexicon.groups")

# Kinds of things: a word on the left may be meant by one on the right, never the other way round.
_KINDS = table("lexicon.kinds")

PHRASES = table("lexicon.phrases")

# Turns of phrase that mean more than their words.
_TURNS = tuple((re.compile(p, re.IGNORECASE), words) for p, words in table("lexicon.turns"))


def related(groups: str, kinds: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For the stem of each word those that mean much the same.

    Args:
        groups: groups of words that stand for one another, with commas between them.
        kinds: names of a kind, and the things that are of it: a thing may be called by its kind.
    """
    found: dict[str, set[str]] = {}
    for line in groups.split(","):
        group = {stem(word) for word in line.split()}
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    for names, things in kinds.items():
        for word in things.split():
            found.setdefault(stem(word), set()).update(stem(name) for name in names.split())
    return {word: frozenset(others) for word, others in found.items()}


_SYNONYMS = related(_GROUPS, _KINDS)
_NONE: frozenset[str] = frozenset()
_PHRASE = re.compile(r"\b(" + "|".join(re.escape(p) for p in PHRASES) + r")\b", re.IGNORECASE)


def synonyms(word_stem: str) -> frozenset[str]:
    """The stems that may stand for this stem."""
    known = _SYNONYMS.get(word_stem, _NONE)
    if not known and word_stem[2:] in _SYNONYMS and word_stem.startswith("re"):
        return _SYNONYMS[word_stem[2:]] | _SYNONYMS["chang"] | {word_stem[2:], "chang"}
    return known


@lru_cache(maxsize=4_000)
def phrases(text: str) -> tuple[str, ...]:
    """The plain words that the phrasal verbs in a text stand for."""
    named = [w for m in _PHRASE.finditer(text) for w in PHRASES[m.group().lower()].split()]
    return (
        *named,
        *(w for pattern, words in _TURNS if pattern.search(text) for w in words.split()),
    )


def leading_phrase(text: str) -> tuple[int, str] | None:
    """Where the first phrasal verb of a text starts, and the plain words it stands for."""
    match = _PHRASE.search(text)
    return (match.start(), PHRASES[match.group().lower()]) if match else None


def phrase_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where phrasal verbs stand in a text."""
    return tuple(m.span() for m in _PHRASE.finditer(text))


@cache
def known_words() -> frozenset[str]:
    """All everyday words that the lexicon, the verbs and the function words hold, as written."""
    groups = re.findall(r"[a-z]+", " ".join((_GROUPS, *_KINDS, *_KINDS.values(), *PHRASES)))
    return frozenset((*groups, *STOP_WORDS, *NUMBER_WORDS, *"please would could should".split()))
