"""What comes of a task: a result of its type, which the model gives by calling the tool `complete`,
or an ending that has a name, `TaskCancelled` or `TaskFailed`.

Source: LiveKit Agents 1.8 (a typed result); the tool is derived here, there each task writes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import (
    BaseModel,
    Field,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from course.errors import CourseError, ToolDefinitionError, ToolError
from course.limits import Stop
from course.tools import Tool, without_titles

COMPLETE = "Finish the task with its result, once everything it asks for is known."
MISFIT = "the result does not fit: "
CANCEL: dict[str, Any] = {
    "name": "cancel_task",
    "description": "Give up the task because the person does not want it any more.",
    "parameters": {
        "type": "object",
        "properties": {"reason": {"type": "string", "description": "why, in the person's words"}},
        "required": ["reason"],
    },
}
Kind = Literal["invalid", "silent", "limit", "left", "timeout", "model"]


def describe_completion(result_type: Any) -> dict[str, Any]:
    """Say in JSON schema which call completes a task. Built in chapter 05, exercise 5.1.

    Args:
        result_type: what the task results in: a pydantic model, a dataclass or a plain type such
            as `bool` or `list[str]`.

    Returns:
        `{"name": "complete", "description": ..., "parameters": ...}`, like `course.tools.describe`.
        A type with fields gives its fields as parameters; any other type is one parameter called
        `result`, because the arguments of a call are always an object.

    Raises:
        ToolDefinitionError: JSON cannot hold such a type.
    """
    schema = without_titles(adapter(result_type).json_schema())
    if not has_fields(result_type):
        definitions = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
        schema = {
            "type": "object",
            "properties": {"result": schema},
            "required": ["result"],
            **definitions,
        }
    return {"name": "complete", "description": COMPLETE, "parameters": schema}


def read_result(result_type: Any, arguments: Mapping[str, Any]) -> Any:
    """Make a result of what the model wrote, or say what is wrong with it.
    Built in chapter 05, exercise 5.2.

    Args:
        result_type: what the task results in.
        arguments: of the call of `complete`, parsed from JSON but not checked.

    Returns:
        A value of that type, checked as a whole, its own validators included.

    Raises:
        ToolError: it does not fit. The message names each field with its problem, for the model
            to read: it can ask the person, and try again.
    """
    fields = has_fields(result_type)
    if not fields and set(arguments) != {"result"}:
        raise ToolError(f"{MISFIT}give it as one argument called result")
    try:
        return adapter(result_type).validate_python(arguments if fields else arguments["result"])
    except ValidationError as error:
        problems = [f"{field_of(each)}: {each['msg']}" for each in error.errors()]
        raise ToolError(MISFIT + "; ".join(problems)) from None


def field_of(problem: Mapping[str, Any]) -> str:
    """The field of a validation error, "guests.0.name". Built in chapter 05.

    "result" when it is about the whole.
    """
    return ".".join(map(str, problem["loc"])) or "result"


@cache
def adapter(result_type: Any) -> TypeAdapter[Any]:
    """What pydantic knows of a type that JSON can hold. Built in chapter 05."""
    try:
        made: TypeAdapter[Any] = TypeAdapter(result_type)
        made.json_schema()
    except PydanticUserError as error:
        name = getattr(result_type, "__name__", str(result_type))
        reason = str(error).splitlines()[0]
        raise ToolDefinitionError(f"{name} cannot be a task's result: {reason}") from error
    return made


@cache
def has_fields(result_type: Any) -> bool:
    """Whether a type's JSON is an object with fields. Built in chapter 05."""
    return "properties" in adapter(result_type).json_schema()


class Unchecked(BaseModel):
    """All arguments of a call as one field, unchecked: only the result type can check them."""

    arguments: dict[str, Any] = Field(alias="arguments")

    @model_validator(mode="before")
    @classmethod
    def gather(cls, arguments: Any) -> Any:
        """Put whatever came under one name."""
        return {"arguments": arguments}


class CompleteTool(Tool):
    """A tool whose function gets all arguments of a call, which `read_result` checks afterwards."""

    arguments = Unchecked


def complete_tool(result_type: Any, settle: Callable[[Mapping[str, Any]], str]) -> Tool:
    """The `complete` tool for a type; `settle` gets the arguments of a call."""
    return CompleteTool(**describe_completion(result_type), function=settle)


class PersonLeft(CourseError, EOFError):
    """The person at the other end is gone; any EOFError, such as `input` raises, says the same."""


class TaskCancelled(ToolError):
    """A task was given up, or nobody waits for it. Built in chapter 05."""


class TaskFailed(ToolError):
    """A task could not be completed. Built in chapter 05.

    Attributes:
        kind: "invalid" (its results did not fit, too often), "silent" (the model said
            nothing), "limit" (`stop` says which), "left" (the person went away),
            "timeout" (no reply in time) or "model" (the model cannot be used).
    """

    def __init__(self, task: str, kind: Kind, reason: str, *, stop: Stop | None = None) -> None:
        super().__init__(f"task '{task}' failed ({kind}): {reason}")
        self.task = task
        self.kind: Kind = kind
        self.stop = stop


class OutOfScope(TaskCancelled):
    """A step was left, to go back to earlier ones. Built in chapter 05."""

    def __init__(self, task_ids: list[str]) -> None:
        super().__init__(f"back to {', '.join(task_ids)}")
        self.task_ids = task_ids


@dataclass(frozen=True)
class TaskGroupResult:
    """What a group results in: each task's result (or its exception) by the id of its step."""

    task_results: dict[str, Any]


def plain_result(result: Any) -> Any:
    """A result as JSON can hold it, a group's by step. Built in chapter 05."""
    if not isinstance(result, TaskGroupResult):
        return result
    return {
        id: {"error": str(each)} if isinstance(each, Exception) else plain_result(each)
        for id, each in result.task_results.items()
    }
