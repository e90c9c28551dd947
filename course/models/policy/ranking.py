"""Ranking: the offered tools by how well they suit one part of a request."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from course.models.policy.choices import chosen
from course.models.policy.clauses import is_fact
from course.models.policy.match import ENOUGH, Index, choose, tool_index
from course.models.policy.params import params
from course.models.policy.shapes import fit
from course.models.policy.verbs import head_action, tool_action
from course.models.policy.words import name_words, stem
from course.models.wire import ToolSpec


def worker_for(tool: ToolSpec, clause: str, guides: tuple[str, ...]) -> Any:
    """Whom a delegation tool would be given for a clause."""
    param = next(p for p in params(tool.parameters) if p.kind == "enum")
    return chosen(param, clause, (tool.description, *guides))


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


@lru_cache(maxsize=4_000)
def _order(index: Index, clause: str, guides: tuple[str, ...]) -> tuple[tuple[float, int], ...]:
    tools = index.tools
    scores = [s + fit(t, clause) for s, t in zip(index.scores(clause), tools, strict=True)]
    for n, tool in enumerate(tools):
        if delegates(tool):
            scores[n] = max(scores[n], enum_guides(tool, clause, guides) * 0.95)
    scores = _deeds_first(tools, scores, clause)
    order = sorted(range(len(tools)), key=lambda n: (-scores[n], n))
    return tuple((scores[n], n) for n in order)


def _deeds_first(tools: tuple[ToolSpec, ...], scores: list[float], clause: str) -> list[float]:
    """When something is to be done and a tool for that fits, tools that only look things up step
    back: "the car with the plate X needs a battery" names the car but asks for the battery."""
    wanted = head_action(clause)
    if wanted is None and is_fact(clause) and not _MYSELF.match(clause):
        # Who tells what is wrong wants it noted rather than something looked up.
        told = [s + 1.2 * _notes_trouble(t) for s, t in zip(scores, tools, strict=True)]
        return [s * 0.35 if _action(t) == "find" else s for s, t in zip(told, tools, strict=True)]
    if wanted in (None, "find"):
        return scores
    deeds = [s for s, t in zip(scores, tools, strict=True) if _action(t) == wanted and s >= ENOUGH]
    if not deeds or max(deeds) < 0.5 * max(scores):
        return scores
    return [s * 0.5 if _action(t) == "find" else s for s, t in zip(scores, tools, strict=True)]


_TROUBLE = frozenset(stem(w) for w in "problem fault defect complaint damage issue".split())


_MYSELF = re.compile(r"^(?:i|we)\b|^(?:this|that) is|^my name", re.IGNORECASE)
_NOTING = frozenset("report record log".split())


def _notes_trouble(tool: ToolSpec) -> bool:
    """Whether a tool takes down what is wrong."""
    return name_words(tool.name)[0] in _NOTING or any(
        p.required and p.kind == "prose" and p.stems & _TROUBLE for p in params(tool.parameters)
    )


def _action(tool: ToolSpec) -> str | None:
    return tool_action(tool.name, tool.description)
