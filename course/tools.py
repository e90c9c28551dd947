"""Tools: ordinary typed functions that a model may ask for.

The function's name, docstring and type hints say everything: `describe` turns them into the JSON
schema a model reads, and `call_tool` checks a model's arguments against them before calling.

Source: function calling in the Chat Completions API; JSON Schema as pydantic 2 writes it.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import to_json

from course.errors import ToolDefinitionError, ToolError

TOOL_SECONDS = 30.0
"""How long an asynchronous tool may take before its call counts as failed (seconds)."""


@dataclass(frozen=True)
class Tool:
    """A function a model may call.

    Attributes:
        name: what the model calls it; unique within an agent.
        description: what it does, in words the model chooses by.
        parameters: JSON schema of the arguments, an object.
        function: the function itself, synchronous or asynchronous.
        timeout: seconds an asynchronous function may take; None waits for ever. A synchronous
            function cannot be interrupted, so keep those short.

    Built in chapter 01.
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
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        return {"type": "function", "function": function}


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

    Raises:
        ToolDefinitionError: no docstring, an untyped parameter, *args or **kwargs.
    """

    def make(function: Callable[..., Any]) -> Tool:
        said = describe(function)
        return Tool(
            name or said["name"], said["description"], said["parameters"], function, timeout
        )

    return make if function is None else make(function)


def describe(function: Callable[..., Any]) -> dict[str, Any]:
    """Say in JSON schema what a typed function does and takes.

    Args:
        function: has a docstring and a type for every parameter.

    Returns:
        `{"name": ..., "description": ..., "parameters": ...}`: the function's name, its docstring
        and the JSON schema of its arguments, without pydantic's titles.

    Raises:
        ToolDefinitionError: the function has no docstring, or a parameter has no type.

    Built in chapter 01, exercise 1.1.
    """
    description = inspect.getdoc(function)
    if not description:
        raise ToolDefinitionError(
            f"{function.__name__} has no docstring: write one, the model chooses tools by it"
        )
    schema = arguments_model(function).model_json_schema()
    return {
        "name": function.__name__,
        "description": description,
        "parameters": without_titles(schema),
    }


def arguments_model(function: Callable[..., Any]) -> type[BaseModel]:
    """A pydantic model with one field for each parameter of `function`; extra arguments fail.

    Raises:
        ToolDefinitionError: a parameter has no type, or is *args or **kwargs.

    Built in chapter 01.
    """
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ToolDefinitionError(
                f"{function.__name__}: a tool cannot take *{parameter.name}; name each parameter"
            )
        if parameter.name not in hints:
            raise ToolDefinitionError(
                f"{function.__name__}: parameter '{parameter.name}' has no type; add one,"
                f" such as {parameter.name}: str"
            )
        required = parameter.default is parameter.empty
        fields[parameter.name] = (hints[parameter.name], ... if required else parameter.default)
    return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)


def without_titles(schema: Any) -> Any:
    """Drop the `title` pydantic adds to every schema: tokens that tell a model nothing new."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: without_titles(value) for key, value in schema.items() if key != "title"}
    if isinstance(schema.get("properties"), dict):  # a parameter may itself be called "title"
        kept["properties"] = {k: without_titles(v) for k, v in schema["properties"].items()}
    return kept


def parse_arguments(tool: Tool, arguments: str) -> dict[str, Any]:
    """Turn the JSON text a model wrote into checked, typed values.

    Args:
        tool: the tool to be called.
        arguments: JSON text; empty text counts as no arguments.

    Returns:
        Parameter names and values, converted to the types the function asks for.

    Raises:
        ToolError: not JSON (with the position), not an object, or against the schema (each
            problem with the argument's name).

    Built in chapter 01.
    """
    try:
        raw = json.loads(arguments or "{}")
    except json.JSONDecodeError as error:
        problem = f"the arguments are not JSON: {error.msg} at character {error.pos}"
        raise ToolError(problem) from None
    if not isinstance(raw, dict):
        raise ToolError(f"the arguments must be a JSON object, not {type(raw).__name__}")
    try:
        checked = tool.arguments.model_validate(raw)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, each['loc']))}: {each['msg']}"
            for each in error.errors(include_url=False)
        ]
        raise ToolError("the arguments do not fit: " + "; ".join(problems)) from None
    return {name: getattr(checked, name) for name in type(checked).model_fields}


async def call_tool(tool: Tool, arguments: str) -> str:
    """Check the arguments, call the tool's function and give its result as text.

    Args:
        tool: the tool to call.
        arguments: JSON text as the model wrote it.

    Returns:
        The result: text as it is, anything else as JSON.

    Raises:
        ToolError: the arguments do not fit, the tool took too long, or it refused or failed.

    Built in chapter 01.
    """
    values = parse_arguments(tool, arguments)
    try:
        outcome = tool.function(**values)
        if inspect.isawaitable(outcome):
            outcome = await asyncio.wait_for(outcome, tool.timeout)
    except ToolError:
        raise
    except TimeoutError:
        raise ToolError(f"{tool.name} gave no answer within {tool.timeout} s") from None
    except Exception as error:  # whatever a tool does, the model should hear of it and go on
        raise ToolError(f"{tool.name} failed: {type(error).__name__}: {error}") from error
    return outcome if isinstance(outcome, str) else to_json(outcome).decode()


def by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Tools by their names.

    Raises:
        ToolDefinitionError: two of them have the same name.
    """
    named: dict[str, Tool] = {}
    for each in tools:
        if each.name in named:
            raise ToolDefinitionError(f"two tools are called '{each.name}': rename one of them")
        named[each.name] = each
    return named
