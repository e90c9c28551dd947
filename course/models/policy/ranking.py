"""Ranking: the offered tools by how well they suit one part of a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from course.models.policy.clauses import is_fact
from course.models.policy.match import ENOUGH, Index, choose, tool_index
from course.models.policy.params import Param, params
from course.models.policy.shapes import fit
from course.models.policy.verbs import head_action, tool_action
from course.models.policy.words import name_words, stem
from course.models.wire import ToolSpec


def enum_guides(tool: ToolSpec, clause: str, guides: tuple[str, ...]) -> float:
    """How well the best described choice of a tool's enumerations suits the clause: a worker that
    a delegation tool may name speaks for the tool."""
    best = 0.0
    for param in params(tool.parameters):
        options = param.schema.get("enum")
        if param.kind == "enum" and isinstance(options, list) and len(options) > 1:
            names = tuple(o for o in options if isinstance(o, str))
            ranked = (
                choose(names, clause, (param.description, tool.description, *guides))
                if names
                else [(0.0, "")]
            )
            best = max(best, ranked[0][0])
    return best


def delegates(tool: ToolSpec) -> bool:
    """Whether a tool passes a task on to somebody chosen from a list."""
    kinds = {p.kind for p in params(tool.parameters)}
    said = set(name_words(tool.name)) | set(re.findall(r"[a-z]+", tool.description.lower()))
    return {"enum", "prose"} <= kinds and bool(
        said
        & {
            "delegate",
            "assign",
            "transfer",
            "handoff",
            "consult",
            "route",
            "worker",
            "agent",
            "specialist",
            "escalate",
        }
    )


def rank(
    tools: tuple[ToolSpec, ...], clause: str, guides: tuple[str, ...]
) -> list[tuple[float, ToolSpec]]:
    """The tools by how well they suit a clause, best first, with their scores."""
    return [(score, tools[n]) for score, n in _order(tool_index(tools), clause, guides)]


@dataclass(frozen=True)
class _Offer:
    """What ranking asks of a tool again and again, worked out once for each list of tools."""

    tool: ToolSpec
    wanted: tuple[Param, ...]
    action: str | None
    delegates: bool
    notes_trouble: bool


@lru_cache(maxsize=512)
def _offers(index: Index) -> tuple[_Offer, ...]:
    return tuple(_offer(tool, params(tool.parameters)) for tool in index.tools)


def _offer(tool: ToolSpec, wanted: tuple[Param, ...]) -> _Offer:
    action = tool_action(tool.name, tool.description)
    return _Offer(tool, wanted, action, delegates(tool), _notes_trouble(tool.name, wanted))


@lru_cache(maxsize=4_000)
def _order(index: Index, clause: str, guides: tuple[str, ...]) -> tuple[tuple[float, int], ...]:
    offers = _offers(index)
    words = index.scores(clause)
    scores = [s + fit(o.wanted, o.action, clause) for s, o in zip(words, offers, strict=True)]
    for n, offer in enumerate(offers):
        if offer.delegates:
            scores[n] = max(scores[n], enum_guides(offer.tool, clause, guides) * 0.95)
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
_MYSELF = re.compile(r"^(?:i|we)\b|^(?:this|that) is|^my name", re.IGNORECASE)
_NOTING = frozenset("report record log".split())


def _notes_trouble(name: str, wanted: tuple[Param, ...]) -> bool:
    """Whether a tool takes down what is wrong, by its name or by what it asks for."""
    asks = any(p.required and p.kind == "prose" and p.stems & _TROUBLE for p in wanted)
    return asks or bool(_NOTING & set(name_words(name)[:1]))
