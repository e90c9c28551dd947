"""A plan: seen as JSON before the first task is sent, and a graph that can be carried out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graders.checks.keys import Key, keyed
from graders.checks.order import began_before
from graders.checks.planning import NAMES, Fields, Task, Trouble, find_plan, plan_trouble
from graders.checks.text import MISSING, leaves, reach
from graders.records.log import Exchange, Log
from graders.records.verdict import Check, Verdict, passed
from graders.records.wording import bars, fail, listed, sealed, seconds, shown

CODES = {
    "plan.none": "no plan was seen",
    "plan.not_json": "what should be the plan is no JSON",
    "plan.late": "the first task was sent before the plan was there",
    "plan.not_dispatched": "no task of the plan was sent",
    "plan.empty": "the plan has too few tasks",
    "plan.shape": "a task of the plan lacks its id or its worker, or is no object",
    "plan.duplicate_id": "two tasks have the same id",
    "plan.unknown_worker": "a task goes to a worker that does not exist",
    "plan.unknown_dependency": "a task needs one that is not in the plan",
    "plan.cycle": "tasks wait for each other in a circle",
    "plan.vague": "a task is described in too few words",
    "plan.not_followed": "what was sent is not what was planned",
}

Source = Literal["reply", "request", "result"]


def planned(
    workers: Sequence[str],
    *,
    dispatch: Key | None = None,
    source: Source = "reply",
    of: Key | None = None,
    at: str = "",
    at_least: int = 1,
    words_each: int = 0,
    followed: bool = False,
    fields: Fields = NAMES,
) -> Check:
    """There is a plan as JSON before the first task is sent, and it is a valid graph of tasks.

    Args:
        workers: the workers that there are.
        dispatch: which exchanges send a task; the label is the task's id. Needed to judge the
            order; the last plan before the first of them is the plan.
        source: where it is seen: in a "reply" that the code got, in a "request" that it sent, or
            in the "result" (which says nothing about when).
        of: look only at these exchanges.
        at: with "result", dotted path to the plan.
        at_least: tasks that it must have.
        words_each: words that each task's description must have.
        followed: each task must be sent, and nothing else.
        fields: what its parts are called.
    """

    @sealed
    def check(log: Log) -> Verdict:
        sent = keyed(log, dispatch) if dispatch else []
        if dispatch and not sent:
            return _told(log, Trouble("not_dispatched", "the planned tasks to be sent", "got none"))
        found = _in_time(log, sent, _Search(source, of, at, fields))
        if isinstance(found, Trouble):
            return _told(log, found, sent[:1])
        trouble = plan_trouble(found, workers, at_least=at_least, words_each=words_each)
        if trouble is None and followed and dispatch:
            trouble = _followed(found, {dispatch(e) for e in sent})
        return _told(log, trouble) if trouble else passed()

    return check


def _followed(tasks: Sequence[Task], sent: set[str | None]) -> Trouble | None:
    ids = {task.id for task in tasks}
    unsent, unplanned = sorted(map(str, ids - sent)), sorted(map(str, sent - ids))
    if not unsent and not unplanned:
        return None
    got = (
        f"but {listed(unsent)} was not sent" if unsent else f"but {listed(unplanned)} was sent too"
    )
    return Trouble(
        "not_followed", f"the tasks of the plan: {listed(sorted(map(str, ids)), 6)}", got
    )


@dataclass(frozen=True)
class _Search:
    source: Source
    of: Key | None
    at: str
    fields: Fields


def _in_time(log: Log, sent: Sequence[Exchange], search: _Search) -> list[Task] | Trouble:
    """The last plan that was seen before the first task was sent, or why there is none."""
    if search.source == "result":
        value = reach(log.result, search.at)
        tasks = find_plan(None if value is MISSING else value, search.fields)
        return tasks if tasks is not None else _no_plan([value])
    dispatched = {e.number for e in sent}
    looked = [
        e
        for e in log.exchanges
        if (e.number not in dispatched if search.of is None else search.of(e) is not None)
    ]
    parts = [e.reply if search.source == "reply" else e.request for e in looked]
    plans = [(e, find_plan(part, search.fields)) for e, part in zip(looked, parts, strict=True)]
    seen = [(e, tasks) for e, tasks in plans if tasks is not None]
    if not seen:
        return _no_plan(parts)
    first = min(sent, key=lambda e: (e.start, e.number), default=None)
    early = [tasks for e, tasks in seen if first is None or not _is_late(e, first, search)]
    if early:
        return early[-1]
    when = seconds(first.start if first else 0.0)
    return Trouble("late", "the plan before the first task", f"but a task was sent at {when}")


def _is_late(exchange: Exchange, first: Exchange, search: _Search) -> bool:
    if search.source == "request":
        return exchange.number >= first.number
    return exchange.outcome != "answered" or began_before(first, exchange)


def _no_plan(parts: Sequence[Any]) -> Trouble:
    tried = [leaf for part in parts for leaf in leaves(part) if "{" in leaf]
    if tried:
        return Trouble("not_json", "a plan as JSON", f"got {shown(tried[-1], 60)}")
    return Trouble("none", "a plan as JSON", "but none was seen")


_LOOK = {
    "none": "ask for the plan and read it before you send a task",
    "not_json": "look at what is asked for, and how the answer is read",
    "late": "look at what is awaited before the first task",
    "not_dispatched": "look at what becomes of the plan",
    "unknown_worker": "compare each worker with those that exist",
    "unknown_dependency": "compare each dependency with the ids",
    "cycle": "take away what needs nothing until nothing is left",
    "not_followed": "look at how tasks become calls",
}


def _told(log: Log, trouble: Trouble, meant: Sequence[Exchange] = ()) -> Verdict:
    return fail(
        f"plan.{trouble.code}",
        expected=trouble.expected,
        got=trouble.got,
        look=_LOOK.get(trouble.code, "look at what is tested before the plan is used"),
        evidence=bars(log.exchanges, [e.number for e in meant]),
    )
