"""Escalation: when a tier has to hand on, decided in code rather than by the tier itself.

A model that has failed twice is not the best judge of whether to try a third time. So attempts
are counted, severity is rated by a tool, and both are compared with the tier's criteria.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from course.errors import ConfigurationError
from course.handoff import ContextFilter, without_instructions
from course.session import Attempt, Session, state
from course.tools import tool

Severity = Literal["low", "medium", "high", "critical"]
SEVERITIES: tuple[str, ...] = get_args(Severity)
OUTCOME_LETTERS = 200
"""How much of an outcome travels along; the session's attempts hold all of it."""


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """What makes a tier hand on.

    Attributes:
        max_attempts: failed tool calls since the tier took over.
        severity: this severity or worse.

    Built in chapter 03.
    """

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
    """From a tier to the next: to whom, when, and what of the conversation travels along.

    What was tried travels along whatever the filter leaves out.

    Built in chapter 03.
    """

    sender: str
    to: str
    criteria: Criteria = Criteria()
    context: ContextFilter = without_instructions


def due(criteria: Criteria, attempts: Sequence[Attempt], state: Mapping[str, Any]) -> str | None:
    """Why a tier has to hand on now, or None.

    Args:
        criteria: the tier's.
        attempts: the tool calls since it took over.
        state: what all agents know; `severity` is what was rated last.

    Returns:
        A reason for whoever takes over, such as "failed attempts: 2" or "severity is high".

    Built in chapter 03, exercise 3.6.
    """
    failed = sum(attempt.failed for attempt in attempts)
    if failed >= criteria.max_attempts:
        return f"failed attempts: {failed}"
    severity = state.get("severity")
    bad_enough = SEVERITIES[SEVERITIES.index(criteria.severity) :]
    return f"severity is {severity}" if severity in bad_enough else None


def tried(session: Session) -> list[dict[str, str]]:
    """What was tried so far, as the next tier reads it: each call and its outcome.

    Built in chapter 03.
    """
    return [
        {"call": each.call, "outcome": shorten(each.outcome, OUTCOME_LETTERS, placeholder=" ...")}
        for each in session.attempts
    ]


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
