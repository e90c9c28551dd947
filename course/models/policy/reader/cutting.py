"""Cutting: where a message may be cut into pieces that ask for one thing each, and how a piece
opens."""

from __future__ import annotations

import re

from course.models.policy.lexicon import EITHER, VERBS
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import words
from course.models.policy.words import cue

SENTENCE = regex(r"(?<=[.!?])[\s\"”]+(?=\S)|\n+|;\s*")
_AND = regex(r",?\s+and (?:then |also |please )?(?=\w)")
_COMMA = regex(r",\s+(?:then\s+)?(?=\w)")
_MOST = 6
"""Pieces that are read, half of them at each end of a message."""
_THING, _ONE_THING, _WONDERS = (cue(f"matters.{n}") for n in "thing one_thing wonders".split())
"""How what follows a comma is a thing of its own, and what follows an "and" is none; how a piece
only asks for something to be told."""


def sentence_ends(text: str) -> set[int]:
    """Where the sentences of a text end, in characters."""
    return {m.start() for m in SENTENCE.finditer(text) if m.start() > 0} | {len(text)}


def ends_of(text: str) -> list[int]:
    """Where a message may be cut: after sentences, and before an "and" that may join matters."""
    ends = [*sentence_ends(text)]
    for joint in _AND.finditer(text):
        left, right = text[: joint.start()], text[joint.end() :]
        one = leans(right) or _ONE_THING.match(right)
        if len(left.split()) > 1 and len(right.split()) > 1 and not one:
            ends.append(joint.start())
    for joint in _COMMA.finditer(text):
        if _THING.match(text, joint.end()) or orders(text[joint.end() : joint.end() + _OPENING]):
            ends.append(joint.start())
    ends = sorted({*ends, len(text)})
    ends = ends if len(ends) <= _MOST else sorted(sentence_ends(text))
    return ends if len(ends) <= _MOST else [*ends[: _MOST // 2], *ends[-_MOST // 2 :]]


_LEANS = regex(r"(?:with|at|in|on|for|by|to|from|of|about) ", re.IGNORECASE)


def leans(text: str) -> bool:
    """Whether a text is only a turn that goes on about what was asked before it."""
    return bool(_LEANS.match(text)) and len(text.split()) <= 4


_OPENING = 60
"""Characters that tell whether a piece opens with an order."""
_OBJECTS = frozenset("me us the my our a an it them that this all".split())
_POLITE = regex(r"^(?:(?:please|also|then|kindly|just|(?:can|could|would) you)\s+)*", re.I)


_TO_ID = regex(r"\w+ (?-i:[A-Z]{0,5}[-/ ]?)\d[\w/-]*\d\b", re.IGNORECASE)
"""A verb that may be a noun, with the number of what it is done to: "hire KT-1500"."""


def orders(text: str) -> bool:
    """Whether a piece opens with a verb that orders something."""
    bare = _POLITE.sub("", text.strip())
    first = words(bare)[:2]
    if first and first[0].text in EITHER:
        return len(first) > 1 and (first[1].text in _OBJECTS or bool(_TO_ID.match(bare)))
    return bool(first) and first[0].stem in VERBS


def wonders(text: str) -> bool:
    """Whether a text asks for something to be told, and orders nothing."""
    return bool(_WONDERS.search(text)) and not any(orders(s) for s in SENTENCE.split(text))
