"""Wordings: the words of a message beside the words of a tool, and slips of the pen mended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from course.models.policy.lexicon import known_words
from course.models.policy.ranking import rank
from course.models.policy.reader.choices import words
from course.models.policy.reader.filling import Filling
from course.models.policy.reader.slots import Offer
from course.models.policy.verbs import head_action, tool_action
from course.models.policy.words import STOP_WORDS, name_stems
from course.models.wire import ToolSpec

Tools = tuple[ToolSpec, ...]
_SAYS_NOTHING = frozenset(
    """the a an of to on for in is it its i my me and that at this with please you we us our
    be""".split()
)
_LETTERS = re.compile(r"[A-Za-z]{5,}")


@cache
def _by_letters() -> Mapping[str, str]:
    """Everyday words by their letters in order: two letters exchanged leave these the same."""
    found: dict[str, str] = {}
    for word in sorted(known_words()):
        found.setdefault("".join(sorted(word)), word)
    return found


def mended(text: str, tools: Tools) -> str:
    """The text with exchanged letters put right, where what is meant is an everyday word or one
    of the tools' own."""
    own = {w.text for t in tools for w in words(f"{t.name.replace('_', ' ')} {t.description}")}
    letters = {"".join(sorted(w)): w for w in own if len(w) > 4}

    def right(found: re.Match[str]) -> str:
        said = found.group()
        low = said.lower()
        if low in own or low in known_words() or not (said.islower() or said.istitle()):
            return said
        key = "".join(sorted(low))
        meant = letters.get(key) or _by_letters().get(key)
        if meant is None or meant[0] != low[0]:
            return said
        return meant.capitalize() if said.istitle() else meant

    return _LETTERS.sub(right, text)


@lru_cache(maxsize=512)
def _deed_stems(offer: Offer) -> tuple[frozenset[str], ...]:
    """For each tool the stems by which it differs from most of the others."""
    each = [
        frozenset(s for s in name_stems(t.name) if s not in _SAYS_NOTHING)
        | frozenset(
            w.stem for w in words(t.description) if w.text not in STOP_WORDS | _SAYS_NOTHING
        )
        for t in offer.tools
    ]
    most = max(2, len(offer.tools) // 2)
    return tuple(
        frozenset(w for w in own if sum(w in other for other in each) <= most) for own in each
    )


def tool_features(
    offer: Offer, place: int, text: str, fillings: Sequence[Filling], scores: tuple[float, ...]
) -> dict[str, float]:
    """What speaks for one tool beside the others: its words, its deed, and what becomes of its
    slots."""
    tool, filling = offer.tools[place], fillings[place]
    rest = [s for n, s in enumerate(scores) if n != place]
    others = [f for n, f in enumerate(fillings) if n != place]
    covered = sum(end - start for start, end in set(filling.spans))
    most = max((sum(b - a for a, b in set(f.spans)) for f in others), default=0)
    found = {
        "score": scores[place],
        "ahead": scores[place] - max(rest, default=0.0),
        "none": float(scores[place] <= 0),
        "missing": float(len(filling.missing)),
        "any missing": float(bool(filling.missing)),
        "filled": float(len(filling.surely)),
        "fuller": len(filling.surely) - max((len(f.surely) for f in others), default=0.0),
        "covers more": min(20.0, max(-20.0, covered - most)) / 10,
        "lacks less": min((len(f.missing) for f in others), default=0) - len(filling.missing),
        "whole": float(bool(filling.surely) and not filling.missing),
        "sure": sum(filling.surely.values()) / len(filling.surely) if filling.surely else 0.0,
    }
    wanted = head_action(text)
    offered = tool_action(tool.name, tool.description)
    found[f"deed {wanted}>{offered}"] = 1.0
    stems = {
        w.stem
        for w in words(text)
        if w.text not in _SAYS_NOTHING and not _used(w.start, w.end, filling)
    }
    for said in stems:
        for own in _deed_stems(offer)[place] - {said}:
            found[f"{said}|{own}"] = 1.0
    return found


def _used(start: int, end: int, filling: Filling) -> bool:
    return any(a <= start and end <= b for a, b in filling.spans)


def scores_of(tools: Tools, text: str) -> tuple[float, ...]:
    """How well the words of a text suit each tool, in the tools' order."""
    by_name = {tool.name: score for score, tool in rank(tools, text, ())}
    return tuple(by_name.get(t.name, 0.0) for t in tools)
