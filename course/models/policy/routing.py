"""Routing errors: the wrong tool or worker, when the draw says so."""

from __future__ import annotations

from course.models.policy.arguments import fill
from course.models.policy.match import choose
from course.models.policy.needs import Wanted
from course.models.policy.params import params
from course.models.policy.ranking import delegates, rank
from course.models.policy.schemas import repaired
from course.models.policy.steps import Step
from course.models.wire import ToolSpec


def misrouted(calls: list[Wanted], steps: list[Step], tools: tuple[ToolSpec, ...]) -> list[Wanted]:
    """The calls with the first one sent to the second best tool, or worker, for its part.

    Calls stay as they are when there is no other tool to mistake for the right one.
    """
    if not calls:
        return calls
    wrong = _wrong(calls[0], _owner(calls[0], steps), tools)
    return [wrong or calls[0], *calls[1:]]


def _owner(call: Wanted, steps: list[Step]) -> Step | None:
    """The part that a call is made for, as its own tool or as a lookup."""
    for step in steps:
        if (step.tool and step.tool.name == call.name) or call in step.need.calls:
            return step
    return None


def _wrong(call: Wanted, step: Step | None, tools: tuple[ToolSpec, ...]) -> Wanted | None:
    if step is None:
        return None
    own = next(t for t in tools if t.name == call.name)
    if delegates(own):
        return _other_worker(call, own, step)
    others = [t for _, t in rank(tools, step.clause.text, step.texts.guides) if t != own]
    filled = [(t, fill(t.parameters, step.texts, t.name)) for t in others]
    # What can be called in earnest is the likelier mistake.
    filled.sort(key=lambda pair: bool(pair[1].missing))
    if not filled:
        return None
    other, found = filled[0]
    values = repaired(dict(found.values), other.parameters, other.parameters)
    return Wanted(other.name, values if isinstance(values, dict) else {})


def _other_worker(call: Wanted, tool: ToolSpec, step: Step) -> Wanted | None:
    for param in params(tool.parameters):
        options = param.schema.get("enum")
        if (
            param.kind == "enum"
            and isinstance(options, list)
            and call.arguments.get(param.name) in options
        ):
            names = tuple(o for o in options if isinstance(o, str))
            ranked = choose(
                names, step.clause.text, (param.description, tool.description, *step.texts.guides)
            )
            other = next((n for _, n in ranked if n != call.arguments[param.name]), None)
            return Wanted(call.name, {**call.arguments, param.name: other}) if other else None
    return None
