"""Tools: ordinary typed functions that a model may ask for.

Name, docstring and type hints say everything: `describe` makes them the JSON schema a model reads,
and `call_tool` checks a model's arguments against them before calling.

Source: function calling in the Chat Completions API; JSON Schema as pydantic 2 writes it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError, create_model
from pydantic_core import from_json, to_json

from course.errors import (
    ToolBroken,
    ToolDefinitionError,
    ToolError,
    UnexpectedRequest,
    VirtualTimeError,
    alone,
)
from course.runs import as_it_works

TOOL_SECONDS = 30.0
"""How long an asynchronous tool may take before its call counts as failed (seconds)."""


@dataclass(frozen=True)
class Tool:
    """A function a model may call. Built in chapter 01.

    Attributes:
        name: what the model calls it; unique within an agent.
        description: what it does, in words the model chooses by.
        parameters: JSON schema of the arguments, an object.
        timeout: seconds an asynchronous function may take; None waits for ever. A
            synchronous one cannot be interrupted.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    function: Callable[..., Any]
    timeout: float | None = TOOL_SECONDS

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The pydantic model that checks the arguments of a call."""
        return arguments_model(self.function)

    def spec(self) -> dict[str, Any]:
        """The tool as a request carries it, in its `tools` list."""
        about = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": about}


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *, name: str | None = None, timeout: float | None = TOOL_SECONDS
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    timeout: float | None = TOOL_SECONDS,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a typed function, as a decorator or by calling it on a bound method.

    Args:
        function: has a docstring and a type for every parameter; say what a parameter means with
            `Annotated[str, Field(description="...")]`.
        name: another name than the function's own.
        timeout: seconds an asynchronous function may take; None waits for ever.

    Raises ToolDefinitionError: no docstring, an untyped parameter, `*args` or `**kwargs`.
    """

    def make(function: Callable[..., Any]) -> Tool:
        said = describe(function)
        said["name"] = name or said["name"]
        return Tool(**said, function=function, timeout=timeout)

    return make if function is None else make(function)


def describe(function: Callable[..., Any]) -> dict[str, Any]:
    """Say in JSON schema what a typed function does and takes. Built in chapter 01, exercise 1.1.

    Args:
        function: has a docstring and a type for every parameter.

    Returns:
        `{"name": ..., "description": ..., "parameters": ...}`: the function's name, its docstring
        and the JSON schema of its arguments, without pydantic's titles.

    Raises:
        ToolDefinitionError: the function has no docstring, or a parameter has no type, or one
            that JSON schema cannot say.
    """
    description = inspect.getdoc(function)
    if not description:
        raise ToolDefinitionError(
            f"{function.__name__} has no docstring: write one, the model chooses tools by it"
        )
    schema = json_schema(arguments_model(function))
    return {"name": function.__name__, "description": description, "parameters": schema}


def arguments_model(function: Callable[..., Any]) -> type[BaseModel]:
    """A pydantic model of a function's parameters. Built in chapter 01.

    Raises ToolDefinitionError: a parameter has no type, or one that no JSON can become,
    or it cannot be given by name.
    """
    name = function.__name__
    fields: dict[str, Any] = {}
    try:
        hints = get_type_hints(function, include_extras=True)
        for each in inspect.signature(function).parameters.values():
            if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
                raise ToolDefinitionError(f"{name}: a tool gets arguments by name, not '{each}'")
            if each.name not in hints:
                raise ToolDefinitionError(
                    f"{name}: parameter '{each.name}' has no type; add one,"
                    f" such as {each.name}: str"
                )
            default = ... if each.default is each.empty else each.default
            # under an alias, because a model cannot have a field named `copy`, `json` or `_x`
            fields[f"parameter_{each.name}"] = (hints[each.name], Field(default, alias=each.name))
        return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    except (NameError, PydanticUserError) as error:
        reason = str(error).splitlines()[0]
        raise ToolDefinitionError(f"{name}: a type cannot be used: {reason}") from error


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's schema, or ToolDefinitionError without one. Built in chapter 01."""
    try:
        schema: dict[str, Any] = without_titles(model.model_json_schema())
    except PydanticUserError as error:
        reason = str(error).splitlines()[0]
        raise ToolDefinitionError(f"{model.__name__}: a type cannot be used: {reason}") from error
    return schema


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object that has all of these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def answer_in(name: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The `response_format` of a request that is answered in a schema; `more` is the API's."""
    return {"type": "json_schema", "json_schema": {"name": name, **more, "schema": schema}}


def without_titles(schema: Any) -> Any:
    """A schema without titles, which cost tokens. Built in chapter 01."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key != "title"}
    for key, value in kept.items():
        if key in ("properties", "$defs"):  # names, each with a schema: one may be called "title"
            kept[key] = {name: without_titles(inner) for name, inner in value.items()}
        elif key not in ("default", "const", "enum", "examples"):  # data
            kept[key] = without_titles(value)
    return kept


def parse_arguments(tool: Tool, arguments: str) -> dict[str, Any]:
    """The JSON a model wrote as checked, typed values by name. Built in chapter 01.

    Empty text counts as no arguments. Raises ToolError: not JSON (with the position),
    not an object, or against the schema (each problem with the argument's name).
    """
    try:
        raw = from_json(arguments or "{}", allow_inf_nan=False)
    except ValueError as error:
        raise ToolError(f"the arguments are not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise ToolError(f"the arguments must be a JSON object, not {type(raw).__name__}")
    try:
        checked = tool.arguments.model_validate(raw)
    except ValidationError as error:
        raise ToolError(f"the arguments do not fit: {misfits(error)}") from None
    fields = type(checked).model_fields
    return {str(field.alias): getattr(checked, key) for key, field in fields.items()}


def misfits(error: ValidationError) -> str:
    """ "guests.0.name: Field required; ...", place by place. Built in chapter 01."""
    found = ((".".join(map(str, e["loc"])), e["msg"]) for e in error.errors())
    return "; ".join(f"{place}: {said}" if place else said for place, said in found)


async def call_tool(tool: Tool, arguments: str) -> str:
    """Check the arguments (JSON), call, give the result as text. Built in chapter 01.

    Raises ToolError: the arguments do not fit, or the tool refused; ToolBroken: it took
    too long, failed, or its result cannot be JSON; VirtualTimeError, UnexpectedRequest:
    the experiment is set up wrongly, and no model can help.
    """
    try:
        function = as_it_works(tool.function, tool.name, arguments)
        outcome = function(**parse_arguments(tool, arguments))
        if inspect.isawaitable(outcome):
            outcome = await in_time(tool, outcome)
        return outcome if isinstance(outcome, str) else to_json(outcome).decode()
    except (ToolError, VirtualTimeError, UnexpectedRequest):
        raise
    except Exception as error:  # whatever a tool does, the model should hear of it and go on
        raise ToolBroken(f"{tool.name} failed: {type(error).__name__}: {error}") from error


async def in_time(tool: Tool, outcome: Awaitable[Any]) -> Any:
    """Wait for a tool, not longer than its `timeout`. Built in chapter 01.

    Raises ToolBroken: it took too long, or what it waited for was cancelled.
    """
    try:
        async with asyncio.timeout(tool.timeout) as deadline:
            return await outcome
    except TimeoutError:
        if not deadline.expired():  # the tool's own
            raise
        raise ToolBroken(f"{tool.name} gave no answer within {tool.timeout} s") from None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():  # not the tool's affair: the run is being cancelled
            raise
        raise ToolBroken(f"{tool.name} failed: what it waited for was cancelled") from None


def by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Tools by their names; ToolDefinitionError where two have the same, or one is no tool."""
    named: dict[str, Tool] = {}
    if said := alone(tools, "tools"):
        raise ToolDefinitionError(said)
    for each in tools:
        if not isinstance(each, Tool):
            raise ToolDefinitionError(f"{each!r} is not a tool: make it one with @tool")
        if each.name in named:
            raise ToolDefinitionError(f"two tools are called '{each.name}': rename one of them")
        named[each.name] = each
    return named


Outcome = Literal["ok", "refused", "error"]
"""How a tool call ended: with a result, refused (by the tool, or because it is no call of it), or
broken, in which case the same call may work the next time."""


class ToolMessage(dict[str, Any]):
    """A tool message that knows its call's `outcome`. Built in chapter 01."""

    outcome: Outcome = "ok"


def tool_message(call: Mapping[str, Any], content: str, outcome: Outcome = "ok") -> ToolMessage:
    """A call's result, or `{"error": ...}`, in wire form. Built in chapter 01."""
    text = content if outcome == "ok" else to_json({"error": content}).decode()
    message = ToolMessage(role="tool", tool_call_id=call["id"], content=text)
    message.outcome = outcome
    return message


def outcome_of(message: Mapping[str, Any]) -> Outcome:
    """How the call ended that a tool message answers; a message of unknown making is a result."""
    outcome: Outcome = getattr(message, "outcome", "ok")
    return outcome
