"""Errors a person may meet. Each message is one line that names the thing and the way out."""

from __future__ import annotations


class CourseError(Exception):
    """Something that the reader of the message can put right; everything below derives from it."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback: the message says all the reader needs."""
        return [f"{type(self).__name__}: {self}"]


class ConfigurationError(CourseError):
    """A setting is missing or wrong: a key, an address, a model name, a profile."""


class ToolDefinitionError(CourseError):
    """A function cannot become a tool: no docstring, an untyped parameter, a name used twice."""


class ToolError(CourseError):
    """A tool refuses a call for a reason the model should read and can react to."""


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
