"""Toolkit: which of a worker's tools serve one thing that a task asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.kin import meant, nearest
from course.models.policy.match import tool_index, values_in
from course.models.policy.naming import without_names
from course.models.policy.params import params
from course.models.policy.words import content, name_stems, name_words, stem
from course.models.wire import ToolSpec

_NAME, _TOLD, _VALUES, _PARAMETER = 1.0, 0.7, 0.8, 0.35
_ENOUGH = 1.0  # what a tool must score to be taken for an ask
_MORE = 1.6  # what another tool must score by the words that the first does not know
_PLAIN = frozenset(
    stem(w) for w in "get list find show give fetch use call return result value name given".split()
)


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
    tools: tuple[ToolSpec, ...] = key.tools  # type: ignore[attr-defined]
    return tuple(_card(t) for t in tools)


def _card(tool: ToolSpec) -> _Card:
    wanted = params(tool.parameters)
    values = " ".join(" ".join(name_words(v)) for v in values_in(tool.parameters))
    return _Card(
        frozenset(s for s in name_stems(tool.name) if s not in _PLAIN),
        frozenset(s for s in content(tool.description) if s not in _PLAIN),
        frozenset(content(values)),
        frozenset(s for p in wanted for s in p.stems),
    )


def tools_for(ask: str, tools: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """The tools that serve an ask, best first; none when none has enough in common with it."""
    cards = _cards(tool_index(tools))
    words = [w for w in meant(without_names(ask)) if not w[:1].isdigit()]
    found: list[int] = []
    enough = _ENOUGH
    while words and len(found) < 3:
        scores = _scores(words, cards)
        best = max(range(len(tools)), key=lambda n: (scores[n], -n))
        if scores[best] < enough or best in found:
            break
        found.append(best)
        words = [w for w in words if cards[best].knows(w) < 0.4]
        enough = _MORE
    return [tools[n] for n in found]


def _scores(words: list[str], cards: tuple[_Card, ...]) -> list[float]:
    totals = [0.0] * len(cards)
    for word in words:
        gains = [c.knows(word) for c in cards]
        known = sum(g > 0 for g in gains)
        worth = math.log(1 + (len(cards) + 2.0) / known) if known else 0.0
        totals = [t + worth * g for t, g in zip(totals, gains, strict=True)]
    return totals
