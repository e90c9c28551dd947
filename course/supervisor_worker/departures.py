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
        trace: of one supervisor's run. Its plan is the first span "plan" that has a
            plan as JSON in `switchboard.plan`, and is there when that span ends. A task
            is a span "dispatch" with the task's id as its name. Without a plan every
            task is unplanned.

    Built in chapter 06, exercise 6.5.
    """
    made = [s for s in trace.spans if s.operation == "plan" and "switchboard.plan" in s.attributes]
    plan = Plan.from_json(str(made[0].attributes["switchboard.plan"])) if made else None
    tasks = [s for s in trace.spans if s.operation == "dispatch"]
    ends = {each.name: each.end for each in tasks}
    found = []
    for each in tasks:
        if made and each.start < made[0].end:
            found.append(Departure(each.name, "before_plan"))
        elif plan is None or each.name not in plan.by_id:
            found.append(Departure(each.name, "unplanned"))
        else:
            needs = plan.by_id[each.name].dependencies
            if any(ends.get(need, float("inf")) > each.start for need in needs):
                found.append(Departure(each.name, "early"))
    return found
