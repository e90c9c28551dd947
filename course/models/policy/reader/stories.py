"""Stories: the sentences of a request that may be what a slot for free text asks for, and where
something is said to be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from course.models.policy.lexicon import head_action
from course.models.policy.mentions import Mention
from course.models.policy.patterns import regex
from course.models.policy.reader.choices import words
from course.models.policy.reader.pairs import Pair
from course.models.policy.reader.slots import Slot, words_of
from course.models.policy.words import STOP_WORDS, cue, name_words

STORY = "story"
"""The kind of mark that a sentence is."""
_SENTENCE = regex(
    r"[^\s.!?;\n](?:[^.!?;\n]|[.](?=\w)|(?<=\b[A-Z])[.]|(?<=\bMr|\bDr|\bMs)[.])*[.!?]*"
)
_CAUSE = regex(r"\b(?:because|since|as|so that|due to|owing to)\b", re.IGNORECASE)
_WISHES = regex(
    r"\b(?:please|pls|plz|kindly|(?:could|can|would|will) you|i(?:['’]d| would) like|i want"
    r"|(?:i|we) need)\b",
    re.IGNORECASE,
)
_GREETS = regex(
    r"(?:good (?:morning|day|afternoon|evening)|hello|hi|hey|dear|thanks|thank you|many thanks"
    r"|cheers|(?:kind|best) regards|sorry)\b.{0,25}",
    re.IGNORECASE,
)
_NOTE = cue("stories.note")
_LEAST = 2
"""Words with a meaning of its own that a sentence must have to tell something."""


def stories(slots: tuple[Slot, ...], text: str, shared: frozenset[str]) -> Iterator[Pair]:
    """Each sentence that tells something beside each slot for free text: `shared` are stems that
    speak of the tool as a whole."""
    open_to = [s for s in slots if s.param.kind == "prose"]
    for mark, own, features in _told(text) if open_to else ():
        if sum(w not in shared for w in own) < _LEAST:
            continue
        for slot in open_to:
            about = not words_of(slot).isdisjoint(own)
            whole = {"": 1.0, **features, "told": float(about)}
            need = "needed" if slot.param.required else "optional"
            named = {f"{need} {STORY} {k}".strip(): v for k, v in whole.items() if v}
            yield Pair(slot, mark, mark.text, named)


@lru_cache(maxsize=4_000)
def _told(text: str) -> list[tuple[Mention, list[str], dict[str, float]]]:
    """The sentences of a text that greet nobody, with the stems of their own words and what speaks
    for them wherever a story is asked for."""
    out = []
    said = [*_SENTENCE.finditer(text)]
    for place, found in enumerate(said):
        begin = _NOTE.match(text, found.start(), found.end())
        start = begin.end() if begin else found.start()
        told = text[start : found.end()].strip(" ,-–.") if begin else found.group().strip(" ,-–")
        own = [w.stem for w in words(told) if w.text not in STOP_WORDS and not w.text.isdigit()]
        if _GREETS.fullmatch(told):
            continue
        mark = Mention(STORY, told, start, start + len(told), told)
        features = {
            "first": float(place == 0),
            "last": float(place == len(said) - 1),
            "only": float(len(said) == 1),
            "orders": float(head_action(told) is not None),
            "asks": float(told.endswith("?")),
            "wishes": float(bool(_WISHES.search(told))),
            "cause": float(bool(_CAUSE.search(told))),
            "words": min(20, len(own)) / 10,
            "oneself": float(bool(re.match(r"(?:i|we)\b", told, re.IGNORECASE))),
        }
        out.append((mark, own, features))
    return out


_PLACE = frozenset("location place where spot whereabouts".split())
_AT_PLACE = cue("stories.at_place")


def whereabouts(slots: tuple[Slot, ...], text: str) -> Iterator[tuple[Slot, re.Match[str]]]:
    """The one place that is wanted, with where something is first said to be."""
    wanted = [s for s in slots if s.param.required
              and s.param.kind in ("words", "query", "prose") and _PLACE & {*name_words(s.name)}
              ]  # fmt: skip
    said = _AT_PLACE.search(text) if len(wanted) == 1 else None
    if said:
        yield wanted[0], said
