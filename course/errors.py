"""Errors a person may meet. Each message is one line that names the thing and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class CourseError(Exception):
    """Something that the reader of the message can put right; everything below derives from it.

    `instead` is the answer that a person hears all the same, where the system that could not go on
    (`ended`) has one for them.
    """

    instead: Any = None
    ended: Any = None

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback: the message says all the reader needs."""
        return [f"{type(self).__name__}: {self}"]


def in_a_line(error: BaseException) -> str:
    """Somebody else's error in a line: its kind, and the first line of what it says."""
    said = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {said}"


class ConfigurationError(CourseError):
    """A setting is missing or wrong: a key, an address, a model name, a profile."""


class ToolDefinitionError(CourseError):
    """A function cannot become a tool: no docstring, an untyped parameter, a name used twice."""


class ToolError(CourseError):
    """A tool refuses a call for a reason the model should read and can react to."""


class ToolBroken(ToolError):
    """A tool broke or took too long, which says nothing of the call: it may work the next time."""


class ScenarioError(CourseError):
    """A scenario's world is missing or damaged, such as a database that was deleted."""


class VirtualTimeError(CourseError):
    """Something that takes real time (a socket, a thread, a sleep) was met under virtual time."""


class FileFormatError(CourseError):
    """A recording, trace or profile file cannot be read; the message gives file and position."""


class UnexpectedRequest(CourseError):
    """A scripted or replayed model was asked something its script does not hold."""


class ModelError(CourseError):
    """A model refused a request, could not be reached, or answered with something else.

    When it ends an agent's run, `context` holds the conversation up to the failed call.
    """

    context: object | None = None


class ContextOverflow(ModelError):
    """A model refused a request that is longer than it reads."""


def alone(given: Any, name: str) -> str | None:
    """Why one thing is refused as `name`, where several belong (mostly a comma is missing); None
    for several things.
    """
    if isinstance(given, Iterable) and not isinstance(given, str):
        return None
    if given is None:
        return f"{name} is a tuple, not None: without any it is ()"
    shown = repr(given) if isinstance(given, str) else getattr(given, "name", repr(given))
    return f"{name} is a tuple, with a comma: {name}=({shown},)"


def several(given: Any, name: str) -> Any:
    """What was given where several things belong, as a tuple; ConfigurationError for one."""
    if said := alone(given, name):
        raise ConfigurationError(said)
    return tuple(given)


def no_number(given: Any, name: str, *, least: float = 0, optional: bool = False) -> Iterator[str]:
    """The line for a setting that is no number of so much at least; NaN, of which every comparison
    is false, would be a limit that never holds. `optional` where None is no limit.
    """
    if given is None and optional:
        return
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= least:
        none = "; None is no limit" if optional else ""
        yield f"{name} is a number, {least:g} or more, not {given!r}{none}"


def refuse_empty(request: Any) -> None:
    """Raise ValueError for a request that is no text, or says nothing."""
    if not isinstance(request, str):
        raise ValueError(f"the request is a text, not {type(request).__name__}")
    if not request.strip():
        raise ValueError("the request is empty: say what you want, in a sentence")


def refuse(faults: Iterable[str]) -> None:
    """Raise ConfigurationError for the first of these faults, if there is one."""
    for fault in faults:
        raise ConfigurationError(fault)
