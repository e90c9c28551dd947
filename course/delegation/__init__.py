"""Task delegation: "collect this and come back". Typed tasks, and groups of them.

A task takes the floor: while it lasts it talks with the person itself, and whoever awaits it gets
a checked, typed result. Names and meaning follow LiveKit Agents 1.8, so that the same tasks can
be written for a voice session later; `docs/tasks.md` has both beside each other, and what
flows where.
"""

from course.delegation.dialogue import dialogue, listen, speak
from course.delegation.floor import Channel, Floor, Person, current_floor
from course.delegation.group import TaskCompletedEvent, TaskGroup, in_sequence
from course.delegation.history import condensed, exchanges, merge
from course.delegation.results import (
    OutOfScope,
    PersonLeft,
    TaskCancelled,
    TaskFailed,
    TaskGroupResult,
    complete_tool,
    describe_completion,
    read_result,
)
from course.delegation.task import DialogueResult, Task, start_tool

__all__ = [
    "Channel",
    "DialogueResult",
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
    "complete_tool",
    "condensed",
    "current_floor",
    "describe_completion",
    "dialogue",
    "exchanges",
    "in_sequence",
    "listen",
    "merge",
    "read_result",
    "speak",
    "start_tool",
]
