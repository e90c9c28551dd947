"""Toolkit: which of a worker's tools serve one thing that a task asks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.kin import meant, nearest
from course.models.policy.match import tool_index, values_in
from course.models.policy.naming import without_names
from course.models.policy.params import params
from course.models.policy.verbs import action_of, head_action, tool_action
from course.models.policy.wordlists import word_list
from course.models.policy.words import content, name_stems, name_words, stem
from course.models.wire import ToolSpec

_NAME, _TOLD, _VALUES, _PARAMETER = 1.0, 0.7, 0.8, 0.35
_ENOUGH = 1.0  # what a tool must score to be taken for an ask
_MORE = 1.6  # what another tool must score by the words that the first does not know
_FAINT = 0.35  # for words that measure, which say little about what is measured
_MEASURES = frozenset(stem(w) for w in word_list("toolkit.measures"))
_PLAIN = frozenset(stem(w) for w in "get list find show give fetch use call given".split())


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
    stems = name_stems(tool.name)
    values = " ".join(" ".join(name_words(v)) for v in values_in(tool.parameters))
    return _Card(
        frozenset((*(s for s in stems if s not in _PLAIN), *stems[1:][-1:])),
        frozenset(s for s in content(tool.description) if s not in _PLAIN),
        frozenset(content(values)),
        frozenset(s for p in wanted for s in p.stems),
    )


def tools_for(
    ask: str, tools: tuple[ToolSpec, ...], before: frozenset[str] = frozenset()
) -> list[ToolSpec]:
    """The tools that serve an ask, best first; none when none has enough in common with it. What
    served the asks `before` comes first among those that suit about alike."""
    cards = _cards(tool_index(tools))
    words = [w for w in meant(without_names(ask)) if not w[:1].isdigit()]
    words += [stem(w) for w in _AS_TOLD.findall(ask)]  # says where it stands, so it counts twice
    found: list[int] = []
    enough = _ENOUGH
    while words and len(found) < 3:
        scores = _in_deed(ask, tools, _judged(words, tools, cards))
        best = max(range(len(tools)), key=lambda n: (_lead(scores[n], tools[n], before), -n))
        if scores[best] < enough or best in found:
            break
        found.append(best)
        words = [w for w in words if cards[best].knows(w) < 0.4]
        enough = _MORE
    return [tools[n] for n in found]


_AS_TOLD = re.compile(r"\bas (\w{3,}ed)\b")  # "the dose as prescribed"
_ALIKE = 1.3


def _lead(score: float, tool: ToolSpec, before: frozenset[str]) -> float:
    return score * (_ALIKE if tool.name in before else 1.0)


def faintly(ask: str, tools: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """The tools that have something in common with an ask, best first."""
    words = [w for w in meant(without_names(ask)) if not w[:1].isdigit()]
    scores = _in_deed(ask, tools, _judged(words, tools, _cards(tool_index(tools))))
    order = sorted(range(len(tools)), key=lambda n: (-scores[n], n))
    return [tools[n] for n in order if scores[n] > _FAINTEST]


_FAINTEST = 0.4


def rivals(ask: str, tool: ToolSpec, tools: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """The other tools that suit an ask about as well as one that was refused."""
    words = [w for w in meant(without_names(ask)) if not w[:1].isdigit()]
    scores = _in_deed(ask, tools, _judged(words, tools, _cards(tool_index(tools))))
    own = scores[tools.index(tool)]
    order = sorted(range(len(tools)), key=lambda n: (-scores[n], n))
    return [tools[n] for n in order if tools[n] != tool and scores[n] >= max(0.6 * own, _FAINTEST)]


def _judged(words: list[str], tools: tuple[ToolSpec, ...], cards: tuple[_Card, ...]) -> list[float]:
    """The scores; a tool that takes no arguments must be asked for by its name."""
    scores = _scores(words, cards)
    return [
        s if params(t.parameters) or any(nearest(w, c.name) >= 0.8 for w in words) else 0.0
        for s, t, c in zip(scores, tools, cards, strict=True)
    ]


_DEEDS = frozenset("create change cancel pay refund send transfer return".split())


def _in_deed(ask: str, tools: tuple[ToolSpec, ...], scores: list[float]) -> list[float]:
    """The scores with the deed that an ask wants: its own verb in a tool's name speaks for the
    tool, and what changes something is not done where something is to be found out."""
    wanted, first = head_action(ask), (content(ask) or ("",))[0]
    out = []
    for score, tool in zip(scores, tools, strict=True):
        told = action_of((tool.description.split() or [""])[0])
        deed = "find" if told == "find" else tool_action(tool.name, tool.description)
        if deed in _DEEDS and wanted in (None, "find"):
            score *= 0.4
        out.append(score + 0.4 * (score > 0 and stem(name_words(tool.name)[0]) == first))
    return out


def _scores(words: list[str], cards: tuple[_Card, ...]) -> list[float]:
    totals = [0.0] * len(cards)
    for word in words:
        gains = [c.knows(word) for c in cards]
        known = sum(g > 0 for g in gains)
        worth = math.log(1 + (len(cards) + 2.0) / known) if known else 0.0
        worth *= _FAINT if word in _MEASURES else 1.0
        totals = [t + worth * g for t, g in zip(totals, gains, strict=True)]
    return totals
