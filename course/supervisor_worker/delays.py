"""Tasks that began later than they could have, although there was a place for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from course.supervisor_worker.plan import Plan
from course.trace import Span, Trace


@dataclass(frozen=True)
class Delay:
    """A task that was held up for nothing.

    Attributes:
        task: its id.
        behind: the task that ended last while it could have begun: it waited for that
            one, which it does not need. Empty when none did.
        seconds: for how long it could have been under way and was not.

    Built in chapter 07.
    """

    task: str
    behind: str
    seconds: float


def idle(tasks: Iterable[Span], begin: float, end: float, limit: int | None) -> float:
    """Seconds between two moments with fewer than `limit` of the tasks under way.

    Built in chapter 07.
    """
    if limit is None:
        return max(0.0, end - begin)
    steps = list(tasks)
    inside = {at for each in steps for at in (each.start, each.end) if begin < at < end}
    moments = sorted({begin, end, *inside}) if begin < end else []
    return sum(
        later - now
        for now, later in pairwise(moments)
        if sum(each.start <= now < each.end for each in steps) < limit
    )


def delays(trace: Trace, limit: int | None = None) -> list[Delay]:
    """The tasks that began later than they could have, in the order of the trace.

    A task can begin when the plan is there and all that it depends on has ended, if one
    of the places is free then. A scheduler that makes it wait for anything else wastes
    time.

    Args:
        trace: of one supervisor's run. Its plan is the first span that has a plan as
            JSON in `switchboard.plan`, and is there when that span ends. A task is a
            span "dispatch" with the task's id as its name; what the plan does not name
            is left alone, and a dependency that is not in the trace was over before.
        limit: how many tasks could be under way at once; None is no limit.

    Built in chapter 07, exercise 7.5.
    """
    made = next(s for s in trace.spans if "switchboard.plan" in s.attributes)
    needs = Plan.from_json(str(made.attributes["switchboard.plan"])).by_id
    tasks = {s.name: s for s in trace.spans if s.operation == "dispatch" and s.name in needs}
    found = []
    for id, each in tasks.items():
        before = [tasks[need].end for need in needs[id].dependencies if need in tasks]
        ready = max([made.end, *before])
        seconds = idle(tasks.values(), ready, each.start, limit)
        if seconds > 0:
            ended = {t.end: t.name for t in tasks.values() if ready < t.end <= each.start}
            found.append(Delay(id, ended[max(ended)] if ended else "", seconds))
    return found
