"""Routing errors: the wrong tool or worker, when the draw says so."""

from __future__ import annotations

from course.models.policy.arguments import fill
from course.models.policy.match import choose
from course.models.policy.needs import Wanted
from course.models.policy.params import params
from course.models.policy.ranking import delegates
from course.models.policy.schemas import repaired
from course.models.policy.steps import Step
from course.models.wire import ToolSpec


def misrouted(calls: list[Wanted], steps: list[Step]) -> list[Wanted]:
    """The calls with the first routable one sent to the second best tool or worker.

    Calls stay as they are when no second choice is plausible.
    """
    for place, call in enumerate(calls):
        step = next((s for s in steps if s.tool and s.tool.name == call.name and not s.made), None)
        wrong = _wrong(call, step) if step else None
        if wrong:
            return [*calls[:place], wrong, *calls[place + 1 :]]
    return calls


def _wrong(call: Wanted, step: Step) -> Wanted | None:
    tool = step.ranked[0]
    if delegates(tool):
        return _other_worker(call, tool, step)
    if len(step.ranked) < 2:
        return None
    other = step.ranked[1]
    filled = fill(other.parameters, step.texts, other.name)
    values = repaired(dict(filled.values), other.parameters, other.parameters)
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
