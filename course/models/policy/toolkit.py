"""Toolkit: which of a worker's tools serve one thing that a task asks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.lexicon import meant, nearest
from course.models.policy.match import tool_index, values_in
from course.models.policy.mentions import without_names
from course.models.policy.params import params
from course.models.policy.verbs import action_of, head_action, tool_action
from course.models.policy.wordlists import word_list
from course.models.policy.words import content, name_stems, name_words, stem
from course.models.wire import ToolSpec

Tools = tuple[ToolSpec, ...]

_NAME, _TOLD, _VALUES, _PARAMETER = 1.0, 0.7, 0.8, 0.35
_ENOUGH = 1.0  # what a tool must score to be taken for an ask
_MORE = 1.6  # what another tool must score by the words that the first does not know
_FAINTEST = 0.4  # what counts as having anything in common
_MOST = 3  # tools for one ask
_ALIKE = 1.3  # by how much what served the asks before comes first
_MEASURE = 0.35  # what words that measure count: they say little about what is measured
_MEASURES = frozenset(stem(w) for w in word_list("toolkit.measures"))
_PLAIN = frozenset(stem(w) for w in "get list find show give fetch use call given".split())
_DEEDS = frozenset("create change cancel pay refund send transfer return".split())
_AS_TOLD = re.compile(r"\bas (\w{3,}ed)\b")  # "the dose as prescribed"


@dataclass(frozen=True)
class _Card:
    """What is known of a tool: its stems by where they stand."""

    name: frozenset[str]
    told: frozenset[str]
    values: frozenset[str]
    parameters: frozenset[str]

    def knows(self, word: str) -> float:
        """How much a word speaks for the tool."""
        return max(
            _NAME * nearest(word, self.name),
            _TOLD * nearest(word, self.told),
            _VALUES * (word in self.values),
            _PARAMETER * (word in self.parameters),
        )


@lru_cache(maxsize=1_000)
def _cards(key: object) -> tuple[_Card, ...]:
    return tuple(_card(t) for t in key.tools)  # type: ignore[attr-defined]


def _card(tool: ToolSpec) -> _Card:
    stems = name_stems(tool.name)
    values = " ".join(" ".join(name_words(v)) for v in values_in(tool.parameters))
    return _Card(
        frozenset((*(s for s in stems if s not in _PLAIN), *stems[1:][-1:])),
        frozenset(s for s in content(tool.description) if s not in _PLAIN),
        frozenset(content(values)),
        frozenset(s for p in params(tool.parameters) for s in p.stems),
    )


def tools_for(ask: str, tools: Tools, before: frozenset[str] = frozenset()) -> list[ToolSpec]:
    """The tools that serve an ask, best first; none when none has enough in common with it. What
    served the asks `before` comes first among those that suit about alike."""
    cards = _cards(tool_index(tools))
    words = [*_words(ask), *(stem(w) for w in _AS_TOLD.findall(ask))]  # where it stands: twice
    lead = [_ALIKE if t.name in before else 1.0 for t in tools]
    found: list[int] = []
    while words and len(found) < _MOST:
        scores = _scored(ask, words, tools)
        best = max(range(len(tools)), key=lambda n: (scores[n] * lead[n], -n))
        if scores[best] < (_MORE if found else _ENOUGH) or best in found:
            break
        found.append(best)
        words = [w for w in words if cards[best].knows(w) < 0.4]
    return [tools[n] for n in found]


def faintly(ask: str, tools: Tools, least: float = _FAINTEST) -> list[ToolSpec]:
    """The tools that have something in common with an ask, best first."""
    scores = _scored(ask, _words(ask), tools)
    order = sorted(range(len(tools)), key=lambda n: (-scores[n], n))
    return [tools[n] for n in order if scores[n] > least]


def rivals(ask: str, tool: ToolSpec, tools: Tools) -> list[ToolSpec]:
    """The other tools that suit an ask about as well as one that was refused."""
    own = _scored(ask, _words(ask), tools)[tools.index(tool)]
    return [t for t in faintly(ask, tools, max(0.6 * own, _FAINTEST)) if t != tool]


def _words(ask: str) -> list[str]:
    return [w for w in meant(without_names(ask)) if not w[:1].isdigit()]


def _scored(ask: str, words: list[str], tools: Tools) -> list[float]:
    """How well tools suit words of an ask, rare words first. A tool that takes no arguments must be
    asked for by its name, an ask's own verb in a name speaks for it, and what changes something is
    not done where something is to be found out."""
    cards = _cards(tool_index(tools))
    totals = [0.0] * len(tools)
    for word in words:
        gains = [c.knows(word) for c in cards]
        known = sum(g > 0 for g in gains)
        worth = math.log(1 + (len(cards) + 2.0) / known) if known else 0.0
        worth *= _MEASURE if word in _MEASURES else 1.0
        totals = [t + worth * g for t, g in zip(totals, gains, strict=True)]
    wanted, first = head_action(ask), (content(ask) or ("",))[0]
    for n, (tool, card) in enumerate(zip(tools, cards, strict=True)):
        if not params(tool.parameters) and all(nearest(w, card.name) < 0.8 for w in words):
            totals[n] = 0.0
        told = action_of((tool.description.split() or [""])[0])
        deed = "find" if told == "find" else tool_action(tool.name, tool.description)
        if deed in _DEEDS and wanted in (None, "find"):
            totals[n] *= 0.4
        if totals[n] > 0 and stem(name_words(tool.name)[0]) == first:
            totals[n] += 0.4
    return totals
