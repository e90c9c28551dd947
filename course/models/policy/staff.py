"""Staff: the workers that a prompt lists, and how well each suits a task."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.cues import PERSONS
from course.models.policy.kin import meant, nearest
from course.models.policy.match import described_in
from course.models.policy.naming import without_names
from course.models.policy.wordlists import cue, word_list
from course.models.policy.words import content, human, name_stems, name_words, singular, stem


@dataclass(frozen=True)
class Hand:
    """A worker as a prompt describes it: its name, what it is for, and its tools by name."""

    name: str
    about: str
    tools: tuple[str, ...] = ()

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its description and name."""
        return frozenset((*content(self.about), *name_stems(self.name)))


_TOOLS = cue("staff.tools")
_COLUMNS = r"(?m)^\s*{name}\s*\|\s*([^\n]+)$"
_BRACKETS = r"(?:^|[:;]\s+){name} \(([^()\n]+)\)"


def _line_of(name: str, text: str) -> str:
    """What a text says of a worker, in whichever form it lists them."""
    for form in (_COLUMNS, _BRACKETS):
        match = re.search(form.format(name=re.escape(name)), text)
        if match:
            return match.group(1).strip()
    return described_in(name, text)


@lru_cache(maxsize=256)
def hands(names: tuple[str, ...], guides: tuple[str, ...]) -> tuple[Hand, ...]:
    """The workers of a list with what texts say of them."""
    found = []
    for name in names:
        line = next((d for g in guides if (d := _line_of(name, g))), "")
        listed = _TOOLS.search(line)
        tools = re.findall(r"\w+", listed["names"] or listed["last"]) if listed else []
        about = line[: listed.start()] if listed else line
        found.append(Hand(name, about.strip(" (;|."), tuple(tools)))
    return tuple(found)


def _gain(word: str, hand: Hand) -> float:
    own = nearest(word, hand.stems)
    tools = max((nearest(word, _stems_of(t)) for t in hand.tools), default=0.0)
    return max(own, tools)


@lru_cache(maxsize=2_000)
def _stems_of(tool: str) -> frozenset[str]:
    return frozenset(s for s in name_stems(tool) if s not in _VERBS)


_VERBS = frozenset(stem(w) for w in word_list("staff.verbs"))


@lru_cache(maxsize=4_000)
def _scores(text: str, among: tuple[Hand, ...]) -> tuple[float, ...]:
    words = [w for w in meant(without_names(text)) if not w[:1].isdigit()]
    gains = {w: [_gain(w, h) for h in among] for w in words}
    totals = [0.0] * len(among)
    for each in gains.values():
        known = sum(g > 0 for g in each)
        worth = math.log(1 + (len(among) + 1.0) / known) if known else 0.0
        totals = [t + worth * g for t, g in zip(totals, each, strict=True)]
    told = searcher(among) if _TOLD.match(text) or _FORBIDDEN.search(text) else None
    worth = 2 * _BY_TEXTS if _FORBIDDEN.search(text) else _BY_TEXTS
    extra = (_by_tool(words, h) + _by_duty(words, h) + worth * (h is told) for h in among)
    return tuple(t + e for t, e in zip(totals, extra, strict=True))


_TOLD = re.compile(r"^\W*(?:and )?(?:where|why)\b", re.IGNORECASE)  # is told rather than counted
_FORBIDDEN = re.compile(r"\b(?:must|may|shall) not\b", re.IGNORECASE)  # stands in a rule
_BY_TEXTS = 1.5


def _by_duty(words: list[str], hand: Hand) -> float:
    """What the best of its duties adds: words of the task that stand together in one of them."""
    duties = (frozenset(content(d)) for d in re.split(r"[,;]", hand.about))
    most = max((sum(nearest(w, d) >= 0.8 for w in words) for d in duties if d), default=0)
    return 0.5 * max(0, most - 1)


def _by_tool(words: list[str], hand: Hand) -> float:
    """What the best of its tools adds: how much of its name the task holds."""
    best = 0.0
    for tool in hand.tools:
        stems = _stems_of(tool)
        if stems:
            hit = [max((nearest(s, frozenset(words)), 0.0)) for s in stems]
            best = max(best, sum(hit) / len(hit) * min(1.2, 0.6 * len(stems)))
    return best


def ranked(text: str, among: tuple[Hand, ...]) -> list[tuple[float, Hand]]:
    """The workers by how well they suit a task, best first."""
    scores = _scores(text, among)
    order = sorted(range(len(among)), key=lambda n: (-scores[n], n))
    return [(scores[n], among[n]) for n in order]


_FINDS = cue("staff.finds")


def finder(among: tuple[Hand, ...]) -> tuple[Hand, str] | None:
    """The worker who finds somebody by name, with what it finds ("patient"), if there is one."""
    for hand in among:
        match = _FINDS.search(hand.about)
        if match:
            return hand, singular(match["what"].lower())
    for hand in among:
        for words in (name_words(tool) for tool in hand.tools):
            if len(words) == 2 and words[0] in _FINDING and stem(words[1]) in PERSONS:
                return hand, words[1]
    return None


_FINDING = frozenset("find identify locate lookup resolve".split())


_SEARCHES = cue("staff.searches")


def searcher(among: tuple[Hand, ...]) -> Hand | None:
    """The worker who searches texts: what nobody is described for is looked for there."""
    return next((h for h in among if _SEARCHES.search(h.about)), None)


def role(hand: Hand) -> str:
    """A worker's name and description as one text."""
    return f"{human(hand.name)} {hand.about}"
