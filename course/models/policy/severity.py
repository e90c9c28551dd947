"""Severity: how bad something is by its words, for a tool that wants it rated."""

from __future__ import annotations

from course.models.policy.clauses import split
from course.models.policy.conversation import Talk
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.wordlists import cue
from course.models.policy.words import name_words
from course.models.wire import ChatRequest, ToolSpec

_LEVELS = ("low", "medium", "high", "critical")
_RATES = frozenset("rate assess grade classify judge".split())
_CRITICAL = cue("severity.critical")
_HIGH = cue("severity.high")
_LOW = cue("severity.low")


def rates(tool: ToolSpec) -> bool:
    """Whether a tool takes down how severe something is."""
    return bool(_RATES & set(name_words(tool.name)[:1])) and _level(tool) is not None


def _level(tool: ToolSpec) -> Param | None:
    """The parameter that grades, if its values are grades."""
    return next(
        (p for p in params(tool.parameters) if len(set(_options(p)) & set(_LEVELS)) >= 3), None
    )


def _options(param: Param) -> list[str]:
    options = param.schema.get("enum")
    return [o for o in options if isinstance(o, str)] if isinstance(options, list) else []


def rating(request: ChatRequest, talk: Talk) -> Wanted | None:
    """The call that rates what the person says, when it is alarming and has not been rated yet."""
    offered = request.tools if request.tool_choice == "auto" else ()
    tool = next((t for t in offered if rates(t)), None)
    before = (*talk.made, *talk.past, *talk.tried)
    if tool is None or any(m.name == tool.name and m.error is None for m in before):
        return None
    told = [c.text for c in split(f"{talk.request} {' '.join(talk.answers)}".strip())]
    for level, pattern in (("critical", _CRITICAL), ("high", _HIGH), ("low", _LOW)):
        clause = next((t for t in told if pattern.search(t)), None)
        param = _level(tool)
        if clause and param and level in _options(param):
            reasons = [p.name for p in params(tool.parameters) if p.kind == "prose"]
            return Wanted(tool.name, {param.name: level, **dict.fromkeys(reasons[:1], clause)})
    return None
