"""Switchboard: multi-agent orchestration to learn from, in text and in voice.

The names below are the package's front door. They load when first used, so that `import course`
costs next to nothing and a chapter pays only for what it uses.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from course import clock as clock
    from course.agent import Agent as Agent
    from course.agent import Result as Result
    from course.agent import run as run
    from course.chat import Usage as Usage
    from course.context import Context as Context
    from course.errors import CourseError as CourseError
    from course.errors import ToolError as ToolError
    from course.limits import Limits as Limits
    from course.limits import Stop as Stop
    from course.models import connect as connect
    from course.models.names import LARGE as LARGE
    from course.models.names import SMALL as SMALL
    from course.tools import Tool as Tool
    from course.tools import tool as tool
    from course.trace import Trace as Trace
    from course.trace import span as span

try:
    __version__ = version("switchboard-course")
except PackageNotFoundError:  # read from a checkout that was never installed
    __version__ = "0+unknown"

_HOMES = {
    "Agent": "course.agent",
    "Result": "course.agent",
    "run": "course.agent",
    "Usage": "course.chat",
    "Context": "course.context",
    "CourseError": "course.errors",
    "ToolError": "course.errors",
    "Limits": "course.limits",
    "Stop": "course.limits",
    "connect": "course.models",
    "LARGE": "course.models.names",
    "SMALL": "course.models.names",
    "Tool": "course.tools",
    "tool": "course.tools",
    "Trace": "course.trace",
    "span": "course.trace",
}

__all__ = ["__version__", "clock", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "clock":
        return import_module("course.clock")
    if name not in _HOMES:
        raise AttributeError(f"course has no '{name}'; it has: {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
