"""Which tool calls go wrong, and how: drawn from what a tool is asked, never from the order.

A tool belongs to the world and not to an agent. So its luck hangs on the run, the tool, its
arguments and how often it was asked just that: whoever asks, in whatever pattern, meets the same.

A kind of fault of your own is a function of a result, and enters with a decorator:

    @fault("stale")
    def stale(result, draws):
        return draws.choice("which day", [yesterday(result), result])
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic_core import to_json

from course.errors import ConfigurationError
from course.models.draws import Draws
from course.models.profile import ToolFailures
from course.models.wire import Key
from course.trace import span

Spoil = Callable[[str, Draws], str]
"""What is told in the place of a tool's result. What it raises is the tool's error."""

S = TypeVar("S", bound=Spoil)


def _as_it_is(result: str, draws: Draws) -> str:
    return result


def _wrong_digit(result: str, draws: Draws) -> str:
    """The text with one of its digits changed; without any it tells nothing."""
    places = [found.start() for found in re.finditer(r"\d", result)]
    if not places:
        return "null"
    at = draws.choice("wrong digit", places)
    other = draws.choice("its value", [d for d in "0123456789" if d != result[at]])
    return result[:at] + other + result[at + 1 :]


def _half(result: str, draws: Draws) -> str:
    return result[: len(result) // 2]


TOOL_KINDS: dict[str, Spoil] = {
    "slow": _as_it_is, "error": _as_it_is, "bad_value": _wrong_digit, "wrong_shape": _half,
    "mixed": _as_it_is,
}  # fmt: skip
"""Of a tool: it takes long, breaks, tells a wrong digit, or half a result; "mixed" is all four.
Those of your own stand beside them."""


def fault(name: str) -> Callable[[S], S]:
    """Enter a function of a tool's result and the draws as the kind of fault of this name.

    It strikes the share of calls that an experiment's `fault.tool` says, with the same luck in
    every pattern; its own draws are to be made of what it is given.

    Raises ConfigurationError: the name is one of the course's own kinds.
    """
    if name in _OWN_KINDS:
        raise ConfigurationError(f"'{name}' is a kind of the course's own: choose another name")

    def enter(spoil: S) -> S:
        TOOL_KINDS[name] = spoil
        return spoil

    return enter


_OWN_KINDS = tuple(TOOL_KINDS)


class ToolFaults:
    """The failures of the tools of one run, under a profile and a seed."""

    def __init__(self, failures: ToolFailures, *, seed: int = 0, run: str = "run") -> None:
        self._failures = failures
        self._seed = seed
        self._run = run
        self._asked: Counter[tuple[str, str]] = Counter()

    def strike(self, tool: str, arguments: str) -> tuple[str | None, Draws]:
        """What befalls the next call of a tool with these arguments (None is nothing)."""
        call = self._asked[tool, arguments]
        self._asked[tool, arguments] += 1
        draws = Draws(self._seed, Key(self._run, tool, call, matter=arguments))
        if not draws.chance("tool failure", self._failures.rate):
            return None, draws
        if self._failures.own:
            return self._failures.own, draws
        which, reached = draws.uniform("kind of tool failure"), 0.0
        for kind in ("slow", "error", "bad_value"):
            reached += getattr(self._failures, kind)
            if which < reached:
                return kind, draws
        return "wrong_shape", draws

    def around(self, function: Callable[..., Any], tool: str, arguments: str) -> Callable[..., Any]:
        """The function as it works this time."""
        kind, draws = self.strike(tool, arguments)
        if kind is None:
            return function

        async def troubled(**given: Any) -> Any:
            with span("fault", kind, {"gen_ai.tool.name": tool}):
                if kind == "slow":
                    await asyncio.sleep(self._failures.slow_seconds)
                if kind == "error":
                    raise ConnectionError("what it asks is not available just now")
            outcome = function(**given)
            if inspect.isawaitable(outcome):
                outcome = await outcome
            if kind == "slow":
                return outcome
            text = outcome if isinstance(outcome, str) else to_json(outcome).decode()
            return TOOL_KINDS[kind](text, draws)

        return troubled
