"""Handing over: what a tool that passes the conversation on wants besides the reason is filled from
what was said, or asked for once."""

from __future__ import annotations

from typing import Any

from course.models.policy.arguments import Texts, fill
from course.models.policy.front.situation import Situation
from course.models.policy.needs import Wanted
from course.models.policy.params import Param, params
from course.models.policy.replies import question_for
from course.models.policy.steps import is_control
from course.models.wire import ToolSpec

_UNTOLD = "not told"


def in_whole(call: Wanted, tool: ToolSpec, sit: Situation) -> Wanted | str:
    """A call with all that its tool requires, or the question for what nobody has told; what a
    question has not brought is said to be not told, and of a choice it is the middle."""
    lacking = [p for p in params(tool.parameters) if p.required and p.name not in call.arguments]
    if not lacking or not is_control(call.name):
        return call
    found = fill(tool.parameters, Texts(sit.thread, today=sit.today), tool.name).values
    values = {p.name: _story(p, sit) or found.get(p.name) for p in lacking}
    for param in (p for p in lacking if values[p.name] is None):
        question = question_for(param)
        if question not in sit.asked:
            return question
        values[param.name] = _untold(param)
    return Wanted(call.name, {**call.arguments, **values})


def _story(param: Param, sit: Situation) -> str | None:
    """All that was said, for a text about it."""
    return sit.thread if param.kind in ("prose", "query") else None


def _untold(param: Param) -> Any:
    choice = param.schema.get("enum")
    return choice[len(choice) // 2] if choice else _UNTOLD
