"""Options: which of its values a text means for an enumeration, and which way for a switch; the
weights of what speaks for each are trained."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache
from typing import Any

from course.models.policy.lexicon import phrases_said, suggested, synonyms
from course.models.policy.params import Param
from course.models.policy.reader.choices import (
    Hit,
    Word,
    formed,
    hits,
    negated,
    pieces,
    told_of,
    words,
)
from course.models.policy.reader.weights import Features
from course.models.policy.words import STOP_WORDS, content, name_words, stem


@lru_cache(maxsize=8_000)
def option_features(param: Param, text: str) -> tuple[tuple[Any, Features], ...]:
    """What speaks for each value of an enumeration, and last for none of them (None)."""
    found = hits(param, text)
    hinted, spoken = suggested(text), set(content(text))
    sayings = [s for s in phrases_said(text) if s.table == "values"]
    out: list[tuple[Any, Features]] = []
    for option, stems, told in _stems_of(param):
        named = [h for h in found if h.value == option]
        features = {
            "hit": max((h.worth for h in named if not h.negated), default=0.0),
            "named": float(any(not h.negated for h in named)),
            "denied": float(bool(named) and all(h.negated for h in named)),
            "said": _share(stems, {h for s in sayings if set(s.head) <= stems for h in s.head}),
            "hinted": _share(stems, hinted.keys()),
            "told": _share(told, spoken),
            "told hinted": _share(told, hinted.keys()),
        }
        out.append((option, {k: v for k, v in features.items() if v}))
    best = max((f.get("hit", 0.0) for _, f in out), default=0.0)
    nothing = {
        "": 1.0,
        "hit": best,
        "options": math.log(max(1, len(out))),
        "words": min(40, len(text.split())) / 10,
    }
    return (*out, (None, nothing))


@lru_cache(maxsize=2_000)
def _stems_of(param: Param) -> tuple[tuple[Any, frozenset[str], frozenset[str]], ...]:
    """Each value of an enumeration with its stems and those of its description, without those of
    other values."""
    own = [_stems(o) for o in param.options]
    having = Counter(s for stems in own for s in stems)
    out = []
    for option, stems in zip(param.options, own, strict=True):
        alone = frozenset(s for s in stems if having[s] == 1)
        told = {stem(w) for w in told_of(param, str(option))}
        told_alone = frozenset(s for s in told if having[s] == (s in stems))
        out.append((option, alone or stems, told_alone))
    return tuple(out)


def _stems(option: Any) -> frozenset[str]:
    words = [w for w in pieces(str(option)) if w not in STOP_WORDS]
    return frozenset(stem(w) for w in words or pieces(str(option)))


def _share(wanted: frozenset[str], found: Any) -> float:
    return sum(w in found for w in wanted) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=8_000)
def switch_features(
    param: Param, text: str, shared: frozenset[str]
) -> tuple[tuple[bool | None, Features], ...]:
    """What speaks for a switch being on, for off, and for nothing being said of it."""
    said = switch(param, text, shared)
    names = frozenset(stem(w) for w in name_words(param.name)) - shared
    about = frozenset(content(param.description))
    on = off = no = 0.0
    for each in phrases_said(text):
        if each.table not in ("switches", "off"):
            continue
        near = _share(names, each.head) or 0.5 * _share(frozenset(each.head), about)
        if each.table == "off":
            off = max(off, near)
        elif negated(text, each.start, each.end):
            no = max(no, near)
        else:
            on = max(on, near)
    hinted = suggested(text)
    yes = {
        "said": said.worth if said and said.value else 0.0,
        "on": on,
        "hinted": _share(names, hinted.keys()),
        "told": _share(about, set(content(text))),
    }
    noes = {
        "": 1.0,
        "said off": said.worth if said and not said.value else 0.0,
        "off": off,
        "denied": no,
    }
    nothing = {"": 1.0, "words": min(40, len(text.split())) / 10}
    return ((True, yes), (False, noes), (None, nothing))


# --- switches ---

_SWITCHING = frozenset(
    stem(w)
    for w in "is has with include included want wanted needs need whether should only if the true "
    "false available required wish wished".split()
)


_BY_MEANING = 0.6


def switch(param: Param, text: str, shared: frozenset[str]) -> Hit | None:
    """Whether a text speaks of a switch, and which way; `shared` are stems that say nothing."""
    own = [p for p in pieces(param.name) if stem(p) not in _SWITCHING | shared and len(p) > 2]
    own = own or [p for p in pieces(param.name) if stem(p) not in _SWITCHING]
    best: Hit | None = None
    spoken = words(text)
    for part in own:
        for word in spoken:
            worth = formed(part, word.text, word.stem)
            undone = word.text.startswith("un") and stem(word.text[2:]) == stem(part)
            if undone:
                worth = 0.9
            if worth < _BY_MEANING and word.stem in synonyms(stem(part)):
                worth = _BY_MEANING
            if worth >= _BY_MEANING and (best is None or worth > best.worth):
                no = undone or negated(text, word.start, word.end) or _off(text, word)
                best = Hit(not no, worth, word.start, word.end)
    return best or _described(param, text, shared)


def _off(text: str, word: Word) -> bool:
    """Whether what a word names is to be off: "switch the light off", "off with the light"."""
    before, after = text[max(0, word.start - 24) : word.start], text[word.end : word.end + 5]
    return bool(re.search(r"\b(?:off|leave out|leaving out|omit)(?: \w+){0,3} $", before)
                or re.match(r" off\b", after))  # fmt: skip


_SHORT = 3
"""Words up to which a description says what its switch is rather than what it depends on."""


def _described(param: Param, text: str, shared: frozenset[str]) -> Hit | None:
    """A switch by the words of its description, where a text has one of them."""
    told = {w.stem for w in words(param.description) if w.text not in STOP_WORDS}
    told = {root for root in told - _SWITCHING - shared if len(root) > 3}
    if len(told) > _SHORT:
        return None
    for word in words(text):
        if word.stem in told:
            no = negated(text, word.start, word.end) or _off(text, word)
            return Hit(not no, _BY_MEANING, word.start, word.end)
    return None
