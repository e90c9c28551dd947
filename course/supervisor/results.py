"""What comes of delegations: each one's result or failure, the events, and the whole run's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_core import to_json

from course.events import Event
from course.limits import Stop
from course.results import Failure
from course.session import Ticket
from course.systems import Result


@dataclass(frozen=True, kw_only=True)
class Delegation:
    """One task that a worker was given, and what came of it. Built in chapter 04.

    Attributes:
        call_id: the tool call with which the supervisor's model gave it.
        result: the worker's answer; with a failure, what it said before, which may be nothing.
        failure: why there is no result, or None.
        tokens: used by the worker's model, failed calls included.
        seconds: from the start to the end, a pause for approval included.
        outcome: the worker's own run, with its conversation, if it came to its end.
    """

    call_id: str
    worker: str
    task: str
    constraints: str = ""
    result: str = ""
    failure: Failure | None = None
    tokens: int = 0
    seconds: float = 0.0
    outcome: Result | None = field(default=None, repr=False)

    @property
    def status(self) -> Literal["done", "failed"]:
        """Whether there is a result."""
        return "failed" if self.failure else "done"

    def content(self) -> str:
        """The delegation as the supervisor's model reads it: JSON text."""
        told: dict[str, str] = {"worker": self.worker, "status": self.status}
        if self.failure:
            told |= {"kind": self.failure.kind, "error": self.failure.error}
        if self.result:
            told["result"] = self.result
        return to_json(told).decode()


@dataclass(frozen=True, kw_only=True)
class DelegationStarted(Event):
    """A worker was given a task. Used in chapter 04."""

    call_id: str
    worker: str
    task: str


@dataclass(frozen=True, kw_only=True)
class DelegationCompleted(Event):
    """A delegation came to its end, with a result or a failure. Used in chapter 04."""

    delegation: Delegation

    def told(self) -> dict[str, Any]:
        """The delegation as its supervisor reads it, and how long it took."""
        each = self.delegation
        said = {"call_id": each.call_id, "worker": each.worker, "seconds": each.seconds}
        return {"at": self.at, "system": self.system, **said, "content": each.content()}


@dataclass(frozen=True, kw_only=True)
class SupervisorResult(Result):
    """How a supervisor's run ended; `usage` counts everybody's tokens. Built in chapter 04.

    Attributes:
        delegations: every delegation by the id of its call, in the order of the calls.
        escalated_to: who took over when a limit was reached, or None.
        ticket: what a person finds on the desk, if a person took over.
    """

    delegations: Mapping[str, Delegation] = field(default_factory=dict)
    escalated_to: str | None = None
    ticket: Ticket | None = None

    @property
    def failures(self) -> dict[str, Failure]:
        """Why delegations failed, by the id of the call."""
        return {id: each.failure for id, each in self.delegations.items() if each.failure}


def told(stop: Stop, *, needs: int | None = None) -> str:
    """A limit in words for the supervisor's model: which, its value, what was reached, what now.
    Built in chapter 04.

    `needs` are the tokens of a call that did not fit any more.
    """
    lacking = f", and the next call needs {needs}" if needs and stop.reason == "max_tokens" else ""
    return (
        f"{stop.reason} is {stop.limit:g}, reached {stop.value:g}{lacking}: no new delegation;"
        " answer with what you have"
    )


def what_there_is(delegations: Mapping[str, Delegation], stop: Stop | None) -> str:
    """An answer put together without a model, when not even the last call can be made.
    Built in chapter 04.
    """
    lines = [f"{each.worker}: {each.result}" for each in delegations.values() if each.result]
    lines += [f"{each.worker}: {each.failure}" for each in delegations.values() if each.failure]
    if stop:
        lines.append(f"No more could be done: {stop.reason} is {stop.limit:g}.")
    return "\n".join(lines)
