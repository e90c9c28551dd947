"""Forced: a call that the request demands by tool_choice "required" or by naming a tool."""

from __future__ import annotations

from course.models.policy.arguments import Texts, fill
from course.models.policy.conversation import Talk
from course.models.policy.needs import Wanted, World, resolve
from course.models.policy.ranking import rank
from course.models.policy.schemas import as_schema, minimal, repaired
from course.models.policy.steps import Step
from course.models.wire import ChatRequest, ToolSpec


def forced_call(request: ChatRequest, talk: Talk, steps: list[Step]) -> Wanted:
    """One call with arguments that validate, whether or not the conversation holds them.

    What is missing gets the smallest value that its schema allows.
    """
    tool, texts = _tool(request, talk, steps)
    world = World(request.tools, talk.made, talk.past)
    need = resolve(tool, fill(tool.parameters, texts, tool.name), texts, world)
    values = dict(need.values)
    properties = as_schema(tool.parameters.get("properties"))
    for lack in need.lacks:
        known = lack.options[0].fields.get(lack.param.name) if lack.options else None
        values[lack.param.name] = (
            minimal(as_schema(properties.get(lack.param.name)), tool.parameters)
            if known is None
            else known
        )
    whole = repaired(values, tool.parameters, tool.parameters)
    return Wanted(tool.name, whole if isinstance(whole, dict) else {})


def _tool(request: ChatRequest, talk: Talk, steps: list[Step]) -> tuple[ToolSpec, Texts]:
    whole = Texts(talk.request, talk.answers, talk.earlier, (talk.instructions,), talk.today)
    for step in steps:
        if step.tool and (
            step.tool.name == request.named_tool or (request.named_tool is None and not step.made)
        ):
            return step.tool, step.texts
    named = [t for t in request.tools if t.name == request.named_tool]
    if named:
        return named[0], whole
    return rank(request.tools, talk.request, (talk.instructions,))[0][1], whole
