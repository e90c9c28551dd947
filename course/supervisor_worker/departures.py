"""Where a run departs from its plan: what was begun too soon, or was never planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from course.supervisor_worker.plan import Plan
from course.trace import Trace

Kind = Literal["before_plan", "unplanned", "early"]


@dataclass(frozen=True)
class Departure:
    """A task that was not done as planned.

    Attributes:
        task: its id.
        kind: "before_plan" (it began before the plan was there, so the plan tells what
            was done instead of what to do), "unplanned" (no plan names it), or "early"
            (it began before one that it depends on had ended).

    Built in chapter 06.
    """

    task: str
    kind: Kind


def departures(trace: Trace) -> list[Departure]:
    """The tasks that were not done as planned, in the order of the trace, each once.

    Where several kinds fit, the first of "before_plan", "unplanned" and "early" is
    told.

    Args:
        trace: of one supervisor's run. A plan is a span "plan" that has one as JSON in
            `switchboard.plan`, and is there when that span ends. A task is a span
            "dispatch" with the task's id as its name. It belongs to the first plan that
            names it or, where none does, to the first of all. Without a plan every task
            is unplanned.

    Built in chapter 06, exercise 6.5.
    """
    plans = [
        (step.end, Plan.from_json(str(step.attributes["switchboard.plan"])).by_id)
        for step in trace.spans
        if step.operation == "plan" and "switchboard.plan" in step.attributes
    ]
    tasks = [step for step in trace.spans if step.operation == "dispatch"]
    ends = {each.name: each.end for each in tasks}
    found = []
    for each in tasks:
        naming = [plan for plan in plans if each.name in plan[1]] or plans or [(0.0, {})]
        there, named = naming[0]
        if each.start < there:
            found.append(Departure(each.name, "before_plan"))
        elif each.name not in named:
            found.append(Departure(each.name, "unplanned"))
        else:
            needs = named[each.name].dependencies
            if any(ends.get(need, float("inf")) > each.start for need in needs):
                found.append(Departure(each.name, "early"))
    return found
