"""Arithmetic of plans: longest paths through tasks, slack, and days on which people work."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a plan: its duration in working days, and the tasks that it comes after."""

    name: str
    days: int
    after: tuple[str, ...]


def finish(tasks: Mapping[str, Task], name: str) -> int:
    """The working day of the plan at whose end a task is done, at the earliest."""
    task = tasks[name]
    return task.days + max((finish(tasks, each) for each in task.after), default=0)


def length(tasks: Mapping[str, Task]) -> int:
    """How many working days a plan takes: its longest path."""
    return max(finish(tasks, name) for name in tasks)


def tail(tasks: Mapping[str, Task], name: str) -> int:
    """How many working days come after a task, on the longest path from it to the plan's end."""
    after = [each for each in tasks.values() if name in each.after]
    return max((each.days + tail(tasks, each.name) for each in after), default=0)


def slack(tasks: Mapping[str, Task], name: str) -> int:
    """By how many working days a task may be late without moving the end of the plan."""
    return length(tasks) - finish(tasks, name) - tail(tasks, name)


def workday(start: date, days: int, holidays: Collection[date]) -> date:
    """The day after so many days of work that begin on `start`, itself a day of work.

    Args:
        start: the first day; moved on to the next working day if it is none.
        days: how many working days the work takes.
        holidays: days on which nobody works, besides Saturdays and Sundays.
    """
    day = start
    while True:
        if day.weekday() < 5 and day not in holidays:
            if days == 0:
                return day
            days -= 1
        day += timedelta(days=1)
