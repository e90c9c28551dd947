"""What a run tells while it runs: one family of events, whichever system runs.

Every room adds events of its own to these. `course.stream` gives them one by one, `on_event` of
`course.run` gets them as they happen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from course import clock
from course.limits import Stop


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a run.

    Attributes:
        system: the name of the agent, team, supervisor or pipeline that it comes from.
        at: when, in seconds on the loop's clock.
    """

    system: str
    at: float = field(default_factory=clock.now)


@dataclass(frozen=True, kw_only=True)
class ToolCalled(Event):
    """An agent's model asked for a tool; `arguments` is JSON text."""

    tool: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class ToolAnswered(Event):
    """A tool's call is over; `outcome` is "ok", "refused" or "error", `content` what it said."""

    tool: str
    outcome: str
    content: str


@dataclass(frozen=True, kw_only=True)
class LimitReached(Event):
    """A limit was reached: nothing new is begun from here on."""

    stop: Stop


@dataclass(frozen=True, kw_only=True)
class Finished(Event):
    """The run is over; always the last event. `result` is what `course.run` returns."""

    result: Any
