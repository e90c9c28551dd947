"""Ranking: the offered tools by how well they suit one part of a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.clauses import is_fact
from course.models.policy.lexicon import head_action, tool_action
from course.models.policy.match import ENOUGH, Index, tool_index
from course.models.policy.mentions import mentions
from course.models.policy.params import BIRTH, PLACES, Param, params, role_stems
from course.models.policy.patterns import regex
from course.models.policy.reader.pairs import FITTING
from course.models.policy.reader.slots import shaped_like
from course.models.policy.words import cue, name_words, stem
from course.models.wire import ToolSpec


def delegates(tool: ToolSpec) -> bool:
    """Whether a tool passes a task on to somebody chosen from a list."""
    if not {"enum", "prose"} <= {p.kind for p in params(tool.parameters)}:
        return False
    said = {*name_words(tool.name), *re.findall(r"[a-z]+", tool.description.lower())}
    return not _PASSING_ON.isdisjoint(said)


_PASSING_ON = frozenset(
    "delegate assign transfer handoff consult route worker agent specialist escalate".split()
)


def rank(tools: tuple[ToolSpec, ...], clause: str) -> list[tuple[float, ToolSpec]]:
    """The tools by how well they suit a clause, best first, with their scores."""
    return [(score, tools[n]) for score, n in _order(tool_index(tools), clause)]


@lru_cache(maxsize=4_000)
def scores_of(index: Index, text: str) -> tuple[float, ...]:
    """How well the words of a text suit each tool, in the tools' order."""
    scores = {n: score for score, n in _order(index, text)}
    return tuple(scores[n] for n in range(len(scores)))


@dataclass(frozen=True)
class _Offer:
    """What ranking asks of a tool again and again, worked out once for each list of tools."""

    tool: ToolSpec
    wanted: tuple[Param, ...]
    action: str | None
    notes_trouble: bool


@lru_cache(maxsize=512)
def _offers(index: Index) -> tuple[_Offer, ...]:
    return tuple(_offer(tool, params(tool.parameters)) for tool in index.tools)


def _offer(tool: ToolSpec, wanted: tuple[Param, ...]) -> _Offer:
    action = tool_action(tool.name, tool.description)
    return _Offer(tool, wanted, action, _notes_trouble(tool.name, wanted))


@lru_cache(maxsize=4_000)
def _order(index: Index, clause: str) -> tuple[tuple[float, int], ...]:
    offers = _offers(index)
    words = index.scores(clause)
    scores = [s + fit(o.wanted, o.action, clause) for s, o in zip(words, offers, strict=True)]
    scores = _deeds_first(offers, scores, clause)
    order = sorted(range(len(offers)), key=lambda n: (-scores[n], n))
    return tuple((scores[n], n) for n in order)


def _deeds_first(offers: tuple[_Offer, ...], scores: list[float], clause: str) -> list[float]:
    """When something is to be done and a tool for that fits, tools that only look things up step
    back: "the car with the plate X needs a battery" names the car but asks for the battery."""
    wanted = head_action(clause)
    if wanted is None and is_fact(clause) and not _MYSELF.match(clause):
        # Who tells what is wrong wants it noted rather than something looked up.
        told = [s + 1.2 * o.notes_trouble for s, o in zip(scores, offers, strict=True)]
        return _finds_by(0.35, offers, told)
    if wanted in (None, "find"):
        return scores
    pairs = zip(scores, offers, strict=True)
    deeds = [s for s, o in pairs if o.action == wanted and s >= ENOUGH]
    if not deeds or max(deeds) < 0.5 * max(scores):
        return scores
    return _finds_by(0.5, offers, scores)


def _finds_by(factor: float, offers: tuple[_Offer, ...], scores: list[float]) -> list[float]:
    """The scores with those of tools that only look things up multiplied by a factor."""
    pairs = zip(scores, offers, strict=True)
    return [s * factor if o.action == "find" else s for s, o in pairs]


_TROUBLE = frozenset(stem(w) for w in "problem fault defect complaint damage issue".split())
_MYSELF = regex(r"^(?:i|we)\b|^(?:this|that) is|^my name", re.IGNORECASE)
_NOTING = frozenset("report record log".split())


def _notes_trouble(name: str, wanted: tuple[Param, ...]) -> bool:
    """Whether a tool takes down what is wrong, by its name or by what it asks for."""
    asks = any(p.required and p.kind == "prose" and p.stems & _TROUBLE for p in wanted)
    return asks or bool(_NOTING & set(name_words(name)[:1]))


_TELLING = {"date": 0.5, "time": 0.4, "email": 0.5, "phone": 0.5, "amount": 0.4, "url": 0.4}
_LOOSE = ("words", "query", "name", "prose", "id")
_JOURNEY = cue("ranking.journey", 0)


def _has_ends(wanted: list[Param]) -> bool:
    """Whether the parameters hold a place to start from and a place to go to."""
    stems = [role_stems(p) for p in wanted if p.kind in ("words", "query", "name")]
    return any(s & _STARTS for s in stems) and any(s & _ENDS for s in stems)


_STARTS = frozenset(stem(w) for w in "from origin source departure pickup start".split())
_ENDS = frozenset(stem(w) for w in "to destination arrival dropoff target end".split())


def fit(wanted: tuple[Param, ...], action: str | None, text: str) -> float:
    """A small bonus for a tool that has a place for what a text mentions: its dates, times,
    addresses, amounts, and ids of the right shape. `wanted` are the tool's parameters, `action`
    is what it does."""
    kinds = {m.kind for m in mentions(text)}
    score = 0.0
    # A date of birth is no place for any other date.
    room = [FITTING.get(p.kind, ()) for p in wanted
            if p.kind not in _LOOSE and not role_stems(p) & BIRTH]  # fmt: skip
    for kind, worth in _TELLING.items():
        score += worth if kind in kinds and any(kind in r for r in room) else 0.0
    needed = [p for p in wanted if p.required]
    score += 0.3 if "number" in kinds and any(p.kind == "number" for p in needed) else 0.0
    score += 0.4 if text.count(",") and any(p.kind == "array" for p in needed) else 0.0
    score += 1.2 if _JOURNEY.search(text) and _has_ends(needed) else 0.0
    score += 1.0 if _ANY_WEEK.search(text) and any(map(_by_weekday, wanted)) else 0.0
    return (
        score
        + (0.8 if any(_shaped(p, text) for p in needed) else 0.0)
        + (_room(text, wanted, kinds) if action == "find" else 0.0)
    )


def _shaped(param: Param, text: str) -> bool:
    """Whether an id that a parameter's pattern or description shows stands in a text."""
    return param.kind == "id" and "examples" not in param.schema and bool(shaped_like(param, text))


def _by_weekday(param: Param) -> bool:
    options = param.schema.get("enum")
    return param.kind == "weekday" or (isinstance(options, list) and "Monday" in options)


# "On Tuesdays" and "on a Tuesday" mean every week and no date.
_ANY_WEEK = cue("ranking.any_week")
_NAMING = ("name", "query", "words", "prose", "id", "intid", "enum")
_PLACED = regex(r"\b(?:in|near|around) (?=[A-Z])")


def _room(text: str, wanted: tuple[Param, ...], kinds: set[str]) -> float:
    """What speaks for or against a tool that looks things up: whether it has a place for a town
    or a person that a text names."""
    score = 0.5 if _PLACED.search(text) and any(role_stems(p) & PLACES for p in wanted) else 0.0
    if "name" in kinds and any(p.required and p.kind == "name" for p in wanted):
        score += 0.5
    if "name" in kinds and not any(p.kind in _NAMING for p in wanted):
        score -= 0.6
    return score
