"""What was seen at the boundary while a student's code ran: the only ground for a verdict.

A log is written by whoever holds the world (the models, the tools and the clock), never by the
code that is judged. Times are virtual seconds from the start of the stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from course.models.wire import Key

Outcome = Literal["answered", "failed", "cancelled", "open"]
MomentKind = Literal[
    "blocked", "stalled", "silent", "asleep", "overdrawn", "flooded", "died", "lied"
]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request that crossed the boundary, and what came back.

    Attributes:
        number: order of arrival, from 0.
        kind: "model" (a chat completion) or "tool" (a tool's function).
        name: the model's or the tool's name.
        request: the body of a model request, or the arguments of a tool call.
        start: when the request arrived.
        end: when the answer was handed over or the request given up; None while it is open.
        outcome: "answered", "failed" (an error was the answer), "cancelled" by the caller, or
            "open" when the run ended first.
        reply: the answer or the error, as it was handed over; None when there was none.
        token: fresh text inside the reply; who has it has made the call.
        key: in whose name a model was asked, as the request's headers say: run, agent, call.
    """

    number: int
    kind: Literal["model", "tool"]
    name: str
    request: Mapping[str, Any]
    start: float
    end: float | None = None
    outcome: Outcome = "open"
    reply: Any = None
    token: str = ""
    key: Key = Key()


@dataclass(frozen=True, slots=True)
class Moment:
    """Something about the run itself, at `time`.

    "blocked": the code held up its own loop (`detail` says with what, `seconds` how long).
    "stalled": every task waits for what can never happen. "silent": it computed without end.
    "asleep": it slept in real time, in `detail` if that is known. "overdrawn": it used up what
    judging it may take. "flooded", "died", "lied": the process sent too much, ended, or broke the
    protocol.
    """

    kind: MomentKind
    time: float
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that a stage said was so far, such as "here a piece of text was passed on".

    Attributes:
        time: when it was heard, by the world's own clock.
        name: what it is about.
        value: what was said with it, as plain JSON values.
        after: how many exchanges had begun before it.
    """

    time: float
    name: str
    value: Any = None
    after: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that left the student's code: its type, message and the line it came from."""

    type: str
    message: str
    line: str = ""


@dataclass(frozen=True)
class Log:
    """Everything that is known about one run of a stage.

    Attributes:
        exchanges: in order of arrival.
        moments: in order of time.
        result: what the stage returned, as plain JSON values; None when it did not return.
        failure: the exception it ended in, if it did.
        ended: when it returned, raised or was stopped.
        still_running: names of the coroutines that were left running when it returned, as the
            process says itself: more than what was seen, never less.
        left: what was seen to go on after the return, such as a timer; empty for nothing.
        marks: what the stage said on its way, in order.
        trace: the exported trace as plain JSON values, when the stage asks for one.
        output: what the code printed, cut to size. Never judged.
        places: the exercise's words for places in the result; see `graders.checks.places`.
        mistake: which common mistake the run shows, as a key of `graders.judge.mistakes.WORDS` and
            its texts. It comes from the box: it chooses the words for what fails, and no more.
    """

    exchanges: tuple[Exchange, ...] = ()
    moments: tuple[Moment, ...] = ()
    result: Any = None
    failure: Failure | None = None
    ended: float = 0.0
    still_running: tuple[str, ...] = ()
    left: str = ""
    marks: tuple[Mark, ...] = ()
    trace: Mapping[str, Any] | None = None
    output: str = ""
    returned: bool = False
    mistake: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    def calls(self, name: str | None = None) -> list[Exchange]:
        """Tool exchanges, of one tool or of all, in order of arrival."""
        return [e for e in self.exchanges if e.kind == "tool" and name in (None, e.name)]

    def marked(self, name: str) -> list[Mark]:
        """What the stage said under this name, in order."""
        return [mark for mark in self.marks if mark.name == name]

    def requests(self, name: str | None = None) -> list[Exchange]:
        """Model exchanges, of one model or of all, in order of arrival."""
        return [e for e in self.exchanges if e.kind == "model" and name in (None, e.name)]
