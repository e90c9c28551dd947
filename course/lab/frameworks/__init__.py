"""Other frameworks in the lab: the same agents, tools and luck, each in its own documented way.

A pattern of another framework is named "openai-agents:handoff". Its module is imported when such a
name is used, so that the lab does without what is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from course.errors import ConfigurationError

OURS = "course"
"""The framework of patterns without a prefix."""

FRAMEWORKS: Mapping[str, str] = {
    "openai-agents": "openai_agents",
    "pydantic-ai": "pydantic_ai",
    "langgraph": "langgraph",
    "agent-framework": "agent_framework",
}
"""Modules of this package, by the name of the framework."""

WAY_IN = "pip install 'switchboard-course[frameworks]' (in a checkout: make frameworks)"


def named(framework: str, pattern: str) -> str:
    """The name of a pattern of a framework."""
    return pattern if framework == OURS else f"{framework}:{pattern}"


def framework_of(pattern: str) -> str:
    """The framework that a pattern's name begins with; the course where it begins with none."""
    first = pattern.partition(":")[0]
    return first if first in FRAMEWORKS else OURS


def installed(framework: str) -> bool:
    """Whether its patterns can be entered here."""
    try:
        enter(named(framework, ""))
    except ConfigurationError:
        return False
    return True


def enter(pattern: str) -> None:
    """Have the patterns of the framework that a pattern's name begins with entered, if it is one.

    Raises ConfigurationError: the framework is not installed, or of a version that has not what
    is used of it.
    """
    framework = framework_of(pattern)
    if framework == OURS:
        return
    try:
        import_module(f"{__name__}.{FRAMEWORKS[framework]}")
    except ImportError as error:
        raise ConfigurationError(f"{framework} cannot be used here ({error}): {WAY_IN}") from None
