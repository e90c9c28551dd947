"""Task delegation: "collect this and come back". Typed tasks, and groups of them.

A task talks with the person itself, and whoever awaits it gets a checked, typed result. Names and
meaning follow LiveKit Agents 1.8: `docs/tasks.md` has both beside each other.
"""

from course.delegation.dialogue import Floor, Person, current_floor
from course.delegation.group import TaskCompletedEvent, TaskGroup, in_sequence
from course.delegation.results import (
    OutOfScope,
    PersonLeft,
    TaskCancelled,
    TaskFailed,
    TaskGroupResult,
)
from course.delegation.task import Task, start_tool

__all__ = [
    "Floor",
    "OutOfScope",
    "Person",
    "PersonLeft",
    "Task",
    "TaskCancelled",
    "TaskCompletedEvent",
    "TaskFailed",
    "TaskGroup",
    "TaskGroupResult",
    "current_floor",
    "in_sequence",
    "start_tool",
]
