"""How a plan was carried out, as the trace of its run tells, also one that was read from a file.

`task_runs` reads each task's times and tries, `decisive` the chain that decided when the run
ended; `departures` are tasks that were not done as planned, `delays` those that began late.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from course.supervisor_worker.plan import Plan
from course.trace import Span, Trace

DepartureKind = Literal["before_plan", "unplanned", "early"]


@dataclass(frozen=True, kw_only=True)
class TaskRun:
    """One task as a trace tells of it. Times are seconds from the start of the trace.
    Built in chapter 09.

    Attributes:
        result: what it found out; after a failure, the last thing that was said.
        tries: (worker, words, error, seconds) of each; the error is empty if it worked.
    """

    task_id: str
    worker: str
    start: float
    end: float
    dependencies: tuple[str, ...] = ()
    done: bool = True
    result: str = ""
    tries: tuple[tuple[str, str, str, float], ...] = ()

    @property
    def seconds(self) -> float:
        """How long it took, with all its tries."""
        return self.end - self.start


def task_runs(trace: Trace) -> dict[str, TaskRun]:
    """The tasks of a run by id, in the order in which they began; only those that did.
    Built in chapter 09.
    """
    steps = (each for each in trace.spans if each.operation == "dispatch")
    return {step.name: task_run(step) for step in steps}


def task_run(span: Span) -> TaskRun:
    """A task as its `dispatch` step tells of it. Built in chapter 09."""
    told = span.attributes
    needs = str(told.get("switchboard.task.dependencies", ""))
    attempts = [e.attributes for e in span.events if e.name == "attempt"]
    return TaskRun(
        task_id=span.name,
        worker=str(told.get("switchboard.task.worker", "")),
        start=span.start,
        end=span.end,
        dependencies=tuple(needs.split(", ")) if needs else (),
        done=span.status == "ok",
        result=str(told.get("switchboard.task.result", "")),
        tries=tuple(
            (str(a["worker"]), str(a["words"]), str(a["error"]), float(a["seconds"]))
            for a in attempts
        ),
    )


def answer_in(trace: Trace) -> str:
    """The answer a run ended with, as the step that made it tells; empty if none did.
    Built in chapter 09.
    """
    steps = [each for each in trace.spans if each.operation == "aggregate"]
    return str(steps[-1].attributes.get("switchboard.aggregation.answer", "")) if steps else ""


def decisive(runs: Mapping[str, TaskRun]) -> tuple[str, ...]:
    """The chain of tasks that decided when a run ended: each waited for the one before.
    Built in chapter 09.
    """
    chain: list[str] = []
    here = max(runs.values(), key=lambda run: run.end, default=None)
    while here is not None:
        chain.append(here.task_id)
        needed = [runs[id] for id in here.dependencies if id in runs]
        here = max(needed, key=lambda run: run.end, default=None)
    return tuple(reversed(chain))


@dataclass(frozen=True)
class Departure:
    """A task that was not done as planned. Built in chapter 06.

    Attributes:
        task: its id.
        kind: "before_plan" (it began before the plan was there, so the plan tells what
            was done instead of what to do), "unplanned" (no plan names it), or "early"
            (it began before one that it depends on had ended).
    """

    task: str
    kind: DepartureKind


def departures(trace: Trace) -> list[Departure]:
    """The tasks that were not done as planned, in the order of the trace, each once.
    Built in chapter 06, exercise 6.5.

    Where several kinds fit, the first of "before_plan", "unplanned" and "early" is
    told.

    Args:
        trace: of one supervisor's run. A plan is a span "plan" that has one as JSON in
            `switchboard.plan`, and is there when that span ends. A task is a span
            "dispatch" with the task's id as its name. It belongs to the first plan that
            names it or, where none does, to the first of all. Without a plan every task
            is unplanned.
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


@dataclass(frozen=True)
class Delay:
    """A task that was held up for nothing. Built in chapter 07.

    Attributes:
        task: its id.
        behind: the task that ended last while it could have begun: it waited for that
            one, which it does not need. Empty when none did.
        seconds: for how long it could have been under way and was not.
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
    Built in chapter 07, exercise 7.5.

    A task can begin when the plan is there and all that it depends on has ended, if one
    of the places is free then. A scheduler that makes it wait for anything else wastes
    time.

    Args:
        trace: of one supervisor's run. Its plan is the first span that has a plan as
            JSON in `switchboard.plan`, and is there when that span ends. A task is a
            span "dispatch" with the task's id as its name; what the plan does not name
            is left alone, and a dependency that is not in the trace was over before.
        limit: how many tasks could be under way at once; None is no limit.
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
