"""What every system has in common: it carries out a request, and what comes of that is a `Result`.

Each room says with `@carry_out.register` how its kind of system is carried out (`run_agent`,
`run_team`, ...), and so may you. So any system can work for any other, and `course.run` runs all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from course.answers import Usage
from course.context import Context
from course.errors import ConfigurationError, CourseError
from course.limits import Stop, Time
from course.results import Failure, evidence_in, none_worked
from course.trace import Span, Trace, current

RUNNABLE = "an Agent, Pipeline, Router, Team, Supervisor, PlanningSupervisor, Task or TaskGroup"


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a run ended; every system's result is one, with what it adds. Used from chapter 01 on.

    Attributes:
        answer: what was said last; where a limit stopped the run, the answer says so.
        context: the whole conversation, whatever happened.
        usage: tokens over all model calls.
        stop: None when the system finished by itself, else the limit that ended the run.
        trace: the spans of the run; the one that is being recorded, if none is given.
        seconds: from the request to the result; set by `course.run`, as the two below.
        one_by_one: what its model and tool calls would have taken one after the other (seconds).
        cost: of the run's model calls (US dollars); None where a price is not known.
    """

    answer: str
    context: Context
    usage: Usage
    stop: Stop | None
    trace: Trace = field(default_factory=lambda: current() or Trace("run"), repr=False)
    seconds: float = field(default=0.0, repr=False, compare=False)
    one_by_one: float = field(default=0.0, repr=False, compare=False)
    cost: float | None = field(default=None, repr=False, compare=False)

    @property
    def failure(self) -> Failure | None:
        """Why it is no result for whoever gave the work, at whatever level; None if it is one.

        Of an agent: every tool call failed.
        """
        return none_worked(evidence_in(self.context))

    @property
    def gain(self) -> float:
        """How many times as fast as its calls one after the other: 1 where nothing overlapped.

        Waiting for a rate limit, a person or a pause counts as time and as no call, so that it may
        be below 1.
        """
        return self.one_by_one / self.seconds if self.seconds else 1.0

    @property
    def bill(self) -> str:
        """The cost in a line: of this run, and of a million like it in a month."""
        if self.cost is None:
            return "this run: its model's price is not known (connect(prices=...) takes it)"
        month = f"{self.cost * 1_000_000:,.0f} dollars"
        return f"this run: {self.cost * 100:.2g} cents; a million of them a month: {month}"


def measured(result: Any, spans: Iterable[Span], seconds: float) -> Any:
    """A result with what its run took, from the run's own spans; what is none stays as it is."""
    if not isinstance(result, Result):
        return result
    calls = [each for each in spans if each.operation in ("chat", "execute_tool")]
    outer = {each.parent_id for each in calls}  # a tool in which models work is counted by them
    leaves = [each for each in calls if each.span_id not in outer]
    chats = [each for each in calls if each.operation == "chat" and each.status == "ok"]
    costs = [each.attributes.get("switchboard.cost_usd") for each in chats]
    cost = None if None in costs else sum(float(each) for each in costs if each is not None)
    busy = sum(each.seconds for each in leaves)
    return replace(result, seconds=seconds, one_by_one=busy, cost=cost)


@singledispatch
async def carry_out(system: Any, request: Any, *, client: Any, **options: Any) -> Any:
    """Let a system do what is asked of it, as a step of the run and the trace that are going on.

    `request` and `options` are what this kind takes. ConfigurationError where it is no system.
    """
    if (carrier := carrier_of(type(system))) is not None:
        return await carrier(system, request, client=client, **options)
    if isinstance(system, type):
        raise ConfigurationError(f"{system.__name__} is a class: make one, {system.__name__}(...)")
    shown = f"'{system}'" if isinstance(system, str) else type(system).__name__
    raise ConfigurationError(f"{shown} cannot be run: give {RUNNABLE}")


def stopped(request: str, time: Time) -> Result:
    """The result of a run whose seconds were over before there was anything to tell."""
    stop = time.stop or time.over()
    return Result(answer=stop.told, context=Context.of(request), usage=Usage(), stop=stop)


async def answer_of(system: Any, request: Any, *, client: Any, **options: Any) -> Any:
    """As `carry_out`; what ended a run that has an answer all the same, is that answer.

    A supervisor over a planner that came to no plan hears the error; a person hears the answer.
    """
    try:
        return await carry_out(system, request, client=client, **options)
    except CourseError as error:
        if error.ended is not system:  # it may be of somebody who works for it
            raise
        return error.instead


def carrier_of(kind: type) -> Callable[..., Any] | None:
    """What carries out systems of this class, None where nothing does.

    A class that a reader has written after a chapter is carried out as the package's of that name;
    the package's own classes say it themselves.
    """
    found = carry_out.dispatch(kind)
    if found is not carry_out.dispatch(object):
        return found
    if kind.__module__.startswith("course."):
        return None
    known = {each.__name__: each for each in carry_out.registry}
    names = [each.__name__ for each in kind.__mro__[:-1]]
    return next((carry_out.dispatch(known[name]) for name in names if name in known), None)
