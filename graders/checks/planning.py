"""Plans as data: found in replies and results, and tested before anybody carries them out."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.checks.intervals import cycle_in
from graders.checks.text import words
from graders.records.wording import clip, count, listed, one_line, shown


@dataclass(frozen=True)
class Fields:
    """What the parts of a plan may be called; the first name that is there counts."""

    tasks: tuple[str, ...] = ("tasks", "steps", "subtasks", "plan")
    id: tuple[str, ...] = ("id", "task_id", "name")
    worker: tuple[str, ...] = ("worker", "agent", "assigned_to", "assignee", "worker_agent")
    needs: tuple[str, ...] = ("depends_on", "dependencies", "needs", "after", "requires")
    text: tuple[str, ...] = ("task", "description", "instruction", "instructions", "goal")


NAMES = Fields()
MOST_PARTS = 20_000  # parts of a value that are looked at


@dataclass(frozen=True)
class Trouble:
    """What is wrong with a plan: a code's second half and the two parts of the message."""

    code: str
    expected: str
    got: str


@dataclass(frozen=True)
class Task:
    """One task of a plan, as far as it can be read."""

    id: str | None
    worker: str | None
    needs: tuple[str, ...]
    text: str
    position: int


def plan_trouble(
    tasks: Sequence[Task], workers: Sequence[str], *, at_least: int = 1, words_each: int = 0
) -> Trouble | None:
    """The first thing that makes a plan invalid; None when it can be carried out."""
    if len(tasks) < at_least:
        return Trouble(
            "empty", f"a plan of at least {count(at_least, 'task')}", f"got {len(tasks)}"
        )
    ids: list[str] = []
    for task in tasks:
        if task.id is None or task.worker is None:
            lack = "id" if task.id is None else "worker"
            got = f"but task {task.position + 1} has no {lack}"
            return Trouble("shape", "each task to have an id and a worker", got)
        if task.id in ids:
            got = f"but {shown(task.id)} is there twice"
            return Trouble("duplicate_id", "each task to have its own id", got)
        if task.worker not in workers:
            got = f"but {shown(task.id)} goes to {shown(task.worker)}"
            return Trouble("unknown_worker", f"one of the workers {listed(workers, 6)}", got)
        ids.append(task.id)
    return _graph_trouble(tasks, ids) or _vague(tasks, words_each)


def _graph_trouble(tasks: Sequence[Task], ids: Sequence[str]) -> Trouble | None:
    for task in tasks:
        unknown = [need for need in task.needs if need not in ids]
        if unknown:
            got = f"but {shown(task.id)} needs {shown(unknown[0])}"
            return Trouble("unknown_dependency", f"needs among {listed(ids, 6)}", got)
    circle = cycle_in({str(task.id): task.needs for task in tasks})
    if not circle:
        return None
    round_trip = " -> ".join(clip(one_line(each), 20) for each in [*circle[:6], circle[0]])
    return Trouble("cycle", "a plan without circles", f"but {round_trip} wait for each other")


def _vague(tasks: Sequence[Task], words_each: int) -> Trouble | None:
    for task in tasks:
        if len(words(task.text)) < words_each:
            got = f"but {shown(task.id)} says {shown(task.text)}"
            return Trouble("vague", f"at least {count(words_each, 'word')} for each task", got)
    return None


def find_plan(value: Any, fields: Fields = NAMES) -> list[Task] | None:
    """The first plan inside a plain value or in JSON text inside it; None when there is none."""
    for part in _parts(value):
        rows = _rows(part, fields)
        if rows is not None:
            return [_task(position, row, fields) for position, row in enumerate(rows)]
    return None


def _parts(value: Any) -> Iterator[Any]:
    """Every object and list in a value, outer ones first; JSON text counts as what it says."""
    pending, left = deque([value]), MOST_PARTS
    while pending and left:
        each, left = pending.popleft(), left - 1
        if hasattr(each, "__dataclass_fields__"):
            each = {name: getattr(each, name) for name in each.__dataclass_fields__}
        if isinstance(each, str):
            pending.extend(_decoded(each))
        elif isinstance(each, Mapping):
            yield each
            pending.extend(each.values())
        elif isinstance(each, list | tuple):
            yield each
            pending.extend(each)


def _decoded(text: str) -> list[Any]:
    """JSON in a text: all of it, a fenced block, or from the first brace to the last."""
    fenced = re.search(r"```(?:json)?\s*(.+?)```", text, re.DOTALL)
    outer = re.search(r"\{.*\}|\[.*\]", text, re.DOTALL)
    for candidate in (text, fenced and fenced.group(1), outer and outer.group()):
        if not candidate:
            continue
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return [found] if isinstance(found, dict | list) else []
    return []


def _rows(part: Any, fields: Fields) -> Sequence[Any] | None:
    """The list of tasks, when this is a plan."""
    if isinstance(part, Mapping):
        rows = _first(part, fields.tasks)
        fits = isinstance(rows, list | tuple) and (not rows or any(map(_is_object, rows)))
        return rows if fits else None
    marks = {*fields.worker, *fields.needs}
    if isinstance(part, list | tuple) and part and all(map(_is_object, part)):
        return part if any(marks & set(row) for row in part) else None
    return None


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _task(position: int, row: Any, fields: Fields) -> Task:
    if not isinstance(row, Mapping):
        return Task(None, None, (), "", position)
    needs = _first(row, fields.needs)
    if not isinstance(needs, list | tuple):
        needs = [] if needs is None else [needs]
    found, worker = _first(row, fields.id), _first(row, fields.worker)
    text = _first(row, fields.text)
    return Task(
        id=None if found is None else _plain(found),
        worker=worker if isinstance(worker, str) else None,
        needs=tuple(map(_plain, needs)),
        text=text if isinstance(text, str) else "",
        position=position,
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _first(row: Mapping[Any, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)
