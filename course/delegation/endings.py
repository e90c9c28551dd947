"""How a task ends when it does not complete: given up, or failed for a reason that has a name."""

from __future__ import annotations

from typing import Literal

from course.errors import CourseError, ToolError
from course.limits import Stop

Kind = Literal["invalid", "silent", "limit", "left", "timeout", "model"]


class PersonLeft(CourseError, EOFError):
    """The person at the other end is gone; raised by the function that stands for them.

    Any EOFError says the same, which is what `input` raises at the end of what was typed.
    """


class TaskCancelled(ToolError):
    """A task was given up, by its model, by code, or because nobody waits for it any more.

    A ToolError, so that the agent whose tool awaited the task reads it as that tool's result.

    Built in chapter 05.
    """


class TaskFailed(ToolError):
    """A task could not be completed.

    Attributes:
        task: its name.
        kind: "invalid" (its results did not fit, too often), "silent" (the model said nothing),
            "limit", "left" (the person went away), "timeout" (the person did not answer in time)
            or "model" (the model cannot be used).
        stop: the limit that was reached, when there is one.

    Built in chapter 05.
    """

    def __init__(self, task: str, kind: Kind, reason: str, *, stop: Stop | None = None) -> None:
        super().__init__(f"task '{task}' failed ({kind}): {reason}")
        self.task = task
        self.kind: Kind = kind
        self.stop = stop


class OutOfScope(TaskCancelled):
    """A step of a group was left, because the person wants to change earlier ones.

    Attributes:
        task_ids: the steps to go back to, in the order of the wishes.

    Built in chapter 05.
    """

    def __init__(self, task_ids: list[str]) -> None:
        super().__init__(f"back to {', '.join(task_ids)}")
        self.task_ids = task_ids
