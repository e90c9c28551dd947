"""Severity: how bad something is by its words, for a tool that wants it rated."""

from __future__ import annotations

from course.models.policy.clauses import split
from course.models.policy.conversation import Talk
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.wordlists import cue
from course.models.policy.words import name_words
from course.models.wire import ChatRequest, ToolSpec

_RATES = frozenset("rate assess grade classify judge".split())
_CUES = {level: cue(f"severity.{level}") for level in ("critical", "high", "low")}
_LEVELS = {*_CUES, "medium"}


def rates(tool: ToolSpec) -> bool:
    """Whether a tool takes down how severe something is."""
    return bool(_RATES & set(name_words(tool.name)[:1])) and _level(tool) is not None


def _level(tool: ToolSpec) -> Param | None:
    """The parameter that grades, if its values are grades."""
    wanted = ((p, p.schema.get("enum")) for p in params(tool.parameters))
    told = ((p, sum(level in v for level in _LEVELS)) for p, v in wanted if isinstance(v, list))
    return next((p for p, grades in told if grades >= 3), None)


def rating(request: ChatRequest, talk: Talk) -> Wanted | None:
    """The call that rates what the person says, when it is alarming and has not been rated yet."""
    offered = request.tools if request.tool_choice == "auto" else ()
    tool = next((t for t in offered if rates(t)), None)
    param = _level(tool) if tool else None
    before = (*talk.made, *talk.past, *talk.tried)
    if not tool or not param or any(m.name == tool.name and m.error is None for m in before):
        return None
    told = [c.text for c in split(f"{talk.request} {' '.join(talk.answers)}".strip())]
    for level in (v for v in _CUES if v in param.schema["enum"]):
        if clause := next((t for t in told if _CUES[level].search(t)), None):
            reasons = [p.name for p in params(tool.parameters) if p.kind == "prose"][:1]
            return Wanted(tool.name, {param.name: level, **dict.fromkeys(reasons, clause)})
    return None
