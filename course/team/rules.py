"""Rules in code, where a model is no good judge of itself: when a turn ends, when a tier hands on.

`Guards` end a conversation that goes round in circles before the person gives up on it. `Criteria`
say when a tier of support has to hand on: attempts are counted, severity is rated by a tool.

Source: LangGraph, AutoGen, Agents SDK (issue trackers ask for guards; caps of 10 to 100 turns).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from course.errors import ConfigurationError
from course.handoff import ContextFilter, without_instructions
from course.session import ToolAttempt, state
from course.tools import tool

SORRY = "I am sorry, I could not settle this. Please say it in other words, or ask for a person."
"""What the person hears when a guard ends the turn and there is nobody to fall back on."""
TOO_LATE = "I am sorry, this took longer than it may, so I had to stop. Please ask again."
"""The same, when the time was over."""
Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: tuple[str, ...] = get_args(Severity)


@dataclass(frozen=True, kw_only=True)
class Guards:
    """What one turn may use up in all; None is no limit. Built in chapter 03.

    Attributes:
        max_turns: model calls, those for summaries included; two more for the fallback.
        max_repeats: how often the same agent may ask for the same in the same state.
        max_seconds: as in `Limits`; of them a quarter is kept back for a fallback that is an agent.
        max_failures: failed model calls until the fallback takes over; without one, one is raised.
    """

    max_turns: int | None = 10
    max_repeats: int | None = 3
    max_seconds: float | None = None
    max_failures: int = 1

    def __post_init__(self) -> None:
        for name, least in (("max_turns", 1), ("max_repeats", 2), ("max_seconds", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}; None is no limit")


def repeats(
    seen: Counter[str],
    agent: str,
    calls: Iterable[Mapping[str, Any]],
    state: Mapping[str, Any],
    handoffs: Collection[str] = (),
) -> int:
    """Count how often an agent has asked for the same in the same state, this time included.
    Built in chapter 03, exercise 3.4.

    Args:
        seen: the counts so far; the new one is written into it.
        agent: who asks.
        calls: the tool calls of its message, in wire form.
        state: what all agents know.
        handoffs: names of the tools that hand over: their arguments are a reason in free words,
            which differs each time and changes nothing, so it does not count.

    Returns:
        1 for the first time, 2 for the second, and so on.
    """
    asked = []
    for call in calls:
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        asked.append((name, "" if name in handoffs else arguments))
    key = json.dumps([agent, asked, state], sort_keys=True, default=repr)
    seen[key] += 1
    return seen[key]


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """What makes a tier hand on: calls that failed, or this severity. Built in chapter 03."""

    max_attempts: int = 2
    severity: Severity = "high"

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            known = ", ".join(SEVERITIES)
            raise ConfigurationError(f"there is no severity '{self.severity}'; there are: {known}")
        if self.max_attempts < 1:
            raise ConfigurationError(f"max_attempts must be at least 1, not {self.max_attempts}")


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """From a tier to the next, with all that was tried. Built in chapter 03."""

    sender: str
    to: str
    criteria: Criteria = Criteria()
    context: ContextFilter = without_instructions


def due(
    criteria: Criteria, attempts: Sequence[ToolAttempt], state: Mapping[str, Any]
) -> str | None:
    """Why a tier has to hand on now, or None. Built in chapter 03, exercise 3.6.

    Args:
        criteria: the tier's.
        attempts: the tool calls since it took over.
        state: what all agents know; `severity` is what was rated last.

    Returns:
        A reason for whoever takes over, such as "failed attempts: 2" or "severity is high".
    """
    failed = sum(attempt.failed for attempt in attempts)
    if failed >= criteria.max_attempts:
        return f"failed attempts: {failed}"
    severity = state.get("severity")
    bad_enough = SEVERITIES[SEVERITIES.index(criteria.severity) :]
    return f"severity is {severity}" if severity in bad_enough else None


@tool
def rate_severity(
    level: Annotated[
        Severity,
        Field(
            description="low: a question; medium: one thing does not work; high: nothing works,"
            " or work stands still; critical: danger, or many people are affected"
        ),
    ],
    reason: Annotated[str, Field(description="why, in one sentence")],
) -> str:
    """Rate how severe the person's problem is, once you know what it is."""
    state()["severity"] = level
    return f"Severity is {level}."
