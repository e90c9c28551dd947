"""A look-up that finds nothing is followed by one that asks for others.

Whoever asks for Tuesday, which is full, wants to hear what else there is, and a model may forget to
ask. So the tool does: what narrows its search is given up, and what is found then is offered.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from pydantic_core import to_json

from course.errors import ConfigurationError
from course.tools import Tool
from course.trace import span

NOTHING_FOR = "nothing_for"
"""Under what a result has what nothing was found for."""


def with_alternates(tool: Tool, *narrowing: str) -> Tool:
    """A look-up that does the same, and looks the same to a model; where it finds nothing it looks
    once more without these arguments.

    What it gives then is `nothing_for` (those arguments) and `alternates`; the same as ever where
    something is found, or nothing at all. The second look is a step of the trace.

    Raises ConfigurationError: an argument is none of the tool's, or cannot be left out.
    """
    known = tool.parameters.get("properties", {})
    needed = tool.parameters.get("required", ())
    for name in narrowing or ("",):
        if name not in known or name in needed:
            able = ", ".join(each for each in known if each not in needed) or "none"
            raise ConfigurationError(
                f"'{name}' of '{tool.name}' cannot be left out to find others; these can: {able}"
            )

    @wraps(tool.function)
    async def looked(**given: Any) -> Any:
        async def look(**arguments: Any) -> Any:
            outcome = tool.function(**arguments)
            return await outcome if inspect.isawaitable(outcome) else outcome

        found = await look(**given)
        usual = {name: known[name].get("default") for name in narrowing}
        narrow = [name for name in narrowing if given.get(name, usual[name]) != usual[name]]
        if not (nothing(found) and narrow):
            return found
        wider = {name: value for name, value in given.items() if name not in narrow}
        attributes = {"gen_ai.tool.name": tool.name}
        attributes["gen_ai.tool.call.arguments"] = to_json(wider, fallback=str).decode()
        with span("execute_tool", tool.name, attributes) as step:
            others = await look(**wider)
            step.set("gen_ai.tool.call.result", to_json(others, fallback=str).decode())
        if nothing(others):
            return found
        return {NOTHING_FOR: {name: given[name] for name in narrow}, "alternates": others}

    return replace(tool, function=looked)


def nothing(found: Any) -> bool:
    """Whether a look-up found nothing: it gave none, an empty text or list, or only such."""
    if isinstance(found, Mapping):
        return all(map(nothing, found.values()))
    return found is None or (isinstance(found, str | list | tuple) and not found)
