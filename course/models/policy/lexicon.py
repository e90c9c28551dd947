"""A small general lexicon: everyday English words that stand for one another.

The kin of a word are more than its synonyms: words of reporting and figuring, used where a longer
task is matched with workers and tools.

It holds no word of any particular business beyond what an English learner knows. A group lists
words that may replace one another when a request is compared with a tool; ACTIONS sorts verbs
into what they do to the world, so that "cancel my order" never becomes a new order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from course.models.policy.wordlists import cue, table, word_list
from course.models.policy.words import NUMBER_WORDS, STOP_WORDS, content, stem

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
        *(w for pattern, words in _TURNS if any(pattern.finditer(text)) for w in words.split()),
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


_REPORTING = table("kin.groups")
_REPORTED = table("kin.kinds")


_TABLE = related(_REPORTING, _REPORTED)
_NOTHING: frozenset[str] = frozenset()


def kin(word_stem: str) -> frozenset[str]:
    """The stems that may stand for a stem where tasks are matched."""
    return synonyms(word_stem) | _TABLE.get(word_stem, _NOTHING)


@lru_cache(maxsize=4_000)
def meant(text: str) -> tuple[str, ...]:
    """The stems of a text that carry meaning, and those that its turns of phrase stand for."""
    text = _BEFORE.sub("", text)
    spoken = (*phrases(text), *(words for turn, words in _ASKED if turn.search(text)))
    turned = (stem(w) for p in spoken for w in p.split() if stem(w) not in _SMALL)
    return tuple(dict.fromkeys((*content(text), *turned)))


_BEFORE = cue("kin.before")
_ASKED = (
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
