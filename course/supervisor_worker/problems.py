"""What is wrong with a plan: everything at once, each with the way out.

A person or a model that gets all of it can put it right in one go.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from course.supervisor_worker.plan import Plan, PlanTask, circles
from course.supervisor_worker.workers import Registry

Flaw = Literal[
    "empty", "too_many_tasks", "not_a_plan", "no_id", "duplicate_id", "unknown_worker",
    "unknown_dependency", "missing_dependency", "self_dependency", "cycle", "vague",
    "unknown_tool", "missing_tool",
]  # fmt: skip

MOST_TASKS = 100
"""Tasks of a plan; more are refused, since somebody has to read and to pay for them."""

_FILLERS = frozenset(
    """a about accordingly all an and any anything appropriate are as at be best both by can care
    could do does done everything for from get handle help her his how i if in into is it its
    job make matter my necessary need needed of on one or our please process relevant required
    respective should something stuff such take task that the their them then there these they
    thing things this those to up us use various want way we what whatever which will with
    work would you your
    """.split()
)
_WORD = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|[^\W_]+")  # some scripts set no blanks
_OPEN_END = re.compile(
    r"\betc\b\.?|\band so on\b|\btbd\b|\.\.\.|…|\bas (?:needed|appropriate)\b", re.I
)


@dataclass(frozen=True)
class Problem:
    """One thing that keeps a plan from being carried out. Built in chapter 06.

    Attributes:
        flaw: which rule is broken.
        message: one line that names the task and the way out.
        tasks: ids of the tasks it is about.
    """

    flaw: Flaw
    message: str
    tasks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


def problems(plan: Plan, registry: Registry, *, most: int = MOST_TASKS) -> tuple[Problem, ...]:
    """Everything that is wrong with a plan; empty when it can be carried out.
    Built in chapter 06, begun in exercise 6.1.

    Args:
        plan: as a model or a person wrote it.
        registry: the workers there are.
        most: tasks that a plan may have.
    """
    if not plan.tasks:
        return (Problem("empty", "the plan has no tasks: name at least one"),)
    if len(plan.tasks) > most:
        said = f"the plan has {len(plan.tasks)} tasks, at most {most} are allowed"
        return (Problem("too_many_tasks", f"{said}: put some together"),)
    known = plan.by_id  # once: it is made anew each time
    found = [*_of_ids(plan)]
    for task in plan.tasks:
        found += [*_of_worker(task, registry), *_of_needs(task, known)]
        if reason := vagueness(task):
            shown = " ".join(task.description.split())[:60]
            found.append(Problem("vague", f"{task.id} is vague (“{shown}”): {reason}", (task.id,)))
    for circle in circles(plan):
        if len(circle) > 1:
            way = " -> ".join([*circle, circle[0]])
            said = f"{way} wait for each other: take one of these dependencies away"
            found.append(Problem("cycle", said, tuple(circle)))
    return tuple(replace(each, message=" ".join(each.message.split())) for each in found)


def _of_ids(plan: Plan) -> Iterator[Problem]:
    for id, count in Counter(task.id for task in plan.tasks).items():
        if not id.strip():
            yield Problem("no_id", "a task has no id: give each one of its own")
        elif count > 1:
            yield Problem("duplicate_id", f"{count} tasks have the id '{id}': rename them", (id,))


def _of_worker(task: PlanTask, registry: Registry) -> Iterator[Problem]:
    known = ", ".join(registry.named)
    if task.worker not in registry.named:
        said = f"{task.id}: there is no worker '{task.worker}'; the workers are: {known}"
        yield Problem("unknown_worker", said, (task.id,))
    for tool in task.tools:
        owners = registry.owners.get(tool)
        if owners is None:
            said = f"{task.id}: nobody has a tool '{tool}'; there are: {', '.join(registry.owners)}"
            yield Problem("unknown_tool", said, (task.id,))
        elif task.worker not in owners and task.worker in registry.named:
            owner = " or ".join(owners)
            said = f"{task.id}: needs '{tool}', which {owner} has and {task.worker} has not"
            yield Problem("missing_tool", f"{said}: give it to {owner}, or split it", (task.id,))


def _of_needs(task: PlanTask, known: Mapping[str, PlanTask]) -> Iterator[Problem]:
    for need in dict.fromkeys(task.dependencies):
        if need == task.id:
            said = f"{task.id}: depends on itself; take that away"
            yield Problem("self_dependency", said, (task.id,))
        elif need not in known:
            said = f"{task.id}: depends on '{need}', which is no task; the tasks are: "
            yield Problem("unknown_dependency", said + ", ".join(list(known)[:20]), (task.id,))
    for other in mentioned(task, known):
        if other != task.id and other not in task.dependencies:
            said = f"{task.id}: speaks of {other} and does not depend on it; add '{other}' to its"
            yield Problem("missing_dependency", f"{said} dependencies", (task.id, other))


def mentioned(task: PlanTask, ids: Iterable[str]) -> list[str]:
    """The tasks that a text names, "compare t1 and t2". Built in chapter 06.

    Only ids that are no ordinary words count: those with a digit, a hyphen or an
    underscore.
    """
    words = set(re.findall(r"[\w-]+", task.description))
    return [id for id in ids if id in words and re.search(r"[\d_-]", id)]


def vagueness(task: PlanTask) -> str | None:
    """Why nobody could carry a description out, alone, or None. Built in chapter 06.

    Two of its words must say something, what is to be done and to what; one is enough
    where the task builds on results of others. Words that would fit any task (do,
    handle, everything, it, ...) say nothing. And it must not leave its end open (etc.,
    as needed).
    """
    words = {word.lower() for word in _WORD.findall(task.description)}
    telling = words - _FILLERS
    if not telling:
        return "no word of it says what is to be done; name the action and its object"
    if len(telling) == 1 and not task.dependencies:
        return f"only “{telling.pop()}” says something; say what is to be done and to what"
    if end := _OPEN_END.search(task.description):
        return f"“{end.group()}” leaves the end open; name everything that is meant"
    return None
