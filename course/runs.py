"""What everybody in one run shares: its name, who listens, and how often each agent was asked.

It travels in a context variable, as the trace does. The headers of a model call are made here and
nowhere else: they key the simulated model's draws by (run, agent, matter, n-th call of that agent
on that matter), so that patterns which ask the same agent the same thing meet the same luck.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from course.events import LOG, Event
from course.models.wire import (
    AGENT_HEADER,
    CALL_HEADER,
    MATTER_HEADER,
    OWNER_HEADER,
    RUN_HEADER,
)
from course.trace import span

if TYPE_CHECKING:
    from course.models.move_faults import MoveFaults
    from course.models.tool_faults import ToolFaults

COORDINATION = ("delegate_to_", "transfer_to_", "consult_", "return_to_")
"""How the names of tools begin with which agents coordinate each other: their moves."""


class Run:
    """One run of a system, from the request to the result.

    `id` names it: another name is another luck. `listener` gets every event. Under the name of
    `outer`, the run inside which this one is made, both count together. `latest` is what was told
    last, to the log as well.
    """

    def __init__(
        self,
        id: str = "run",
        listener: Callable[[Event], None] | None = None,
        *,
        outer: Run | None = None,
    ) -> None:
        self.id = id
        self.listeners: list[Callable[[Event], None]] = [listener] if listener else []
        if outer:
            self.listeners = [*outer.listeners, *self.listeners]
        self.tool_faults: ToolFaults | None = outer.tool_faults if outer else None
        self.move_faults: MoveFaults | None = outer.move_faults if outer else None
        same = outer if outer and outer.id == id else None
        self.latest: Event | None = None
        self.calls: Counter[tuple[str, str]] = same.calls if same else Counter()
        self.pieces: Counter[str] = same.pieces if same else Counter()

    def active(self) -> AbstractContextManager[None]:
        """Make this the run that `emit` and `key_headers` belong to, within the block."""
        return within(_run, self)


@dataclass(frozen=True)
class Work:
    """What is worked on: a matter, in which role ("lead", "worker", ...), for which owner, and in
    which attempt (from 1; 0 where there is but one)."""

    matter: str = ""
    role: str = ""
    owner: str = ""
    attempt: int = 0


_run: ContextVar[Run | None] = ContextVar("switchboard_run", default=None)
_work: ContextVar[Work] = ContextVar("switchboard_work", default=Work())  # noqa: B039


@contextmanager
def within(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    """Give a context variable this value in the block, and in the tasks that it begins."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def as_it_works(function: Callable[..., Any], tool: str, arguments: str) -> Callable[..., Any]:
    """A tool's function for these arguments (JSON text); the run's tools may have failures.

    A tool that is a move is none of the world's: it fails as every other way of giving work away.
    """
    run = _run.get()
    if verb := next((each for each in COORDINATION if tool.startswith(each)), None):
        said = undelivered(tool.removeprefix(verb))
        return partial(_refuse, said) if said else function
    faults = run.tool_faults if run else None
    return faults.around(function, tool, arguments) if faults else function


def _refuse(said: str, **_: Any) -> None:
    raise ConnectionError(said)


def undelivered(to: str) -> str:
    """Why work does not get to whom it is given, this time, a fault by design and a `fault` step;
    "" where it does. Whoever gives work away asks this first.
    """
    run = _run.get()
    if run is None or run.move_faults is None or not run.move_faults.strike(to):
        return ""
    with span("fault", "move", {"gen_ai.agent.name": to}):
        return f"{to} cannot be reached just now"


def current_run() -> Run | None:
    """The run that is going on here, if any."""
    return _run.get()


def listened() -> bool:
    """Whether anybody listens to the current run, so that there is somebody to tell."""
    run = _run.get()
    return run is not None and (bool(run.listeners) or LOG.isEnabledFor(logging.INFO))


def emit(event: Event) -> None:
    """Tell the current run's listeners, and Python's logging; outside a run nobody listens."""
    if run := _run.get():
        note(event)
        for listener in run.listeners:
            listener(event)


def note(event: Event) -> None:
    """Tell Python's logging alone, which has every word for whoever keeps an audit trail."""
    LOG.info("%s", event, extra={"event": event})
    if run := _run.get():
        run.latest = event


def next_matter(agent: str) -> str:
    """A name for the run's next piece of work of an agent: empty for its first, then "2", "3"."""
    if (run := _run.get()) is None:
        return ""
    run.pieces[agent] += 1
    return "" if run.pieces[agent] == 1 else str(run.pieces[agent])


def current_work() -> Work:
    """What is being worked on here."""
    return _work.get()


def leading(system: str) -> AbstractContextManager[None]:
    """Say that a system makes the model calls within the block itself, not those it gives away.

    Whatever names its steps have ("desk planning"), they are its calls, one after the other: so a
    supervisor and one that plans meet the same luck in theirs.
    """
    return within(_work, Work(_work.get().matter, "lead", system))


def working_on(
    matter: str, *, role: str = "worker", attempt: int = 0
) -> AbstractContextManager[None]:
    """Say what the model calls within the block are about: a piece of work as `next_matter` names
    it (empty for the run's own request), in a role and an attempt, for the trace.
    """
    return within(_work, Work(matter, role, attempt=attempt))


def key_headers(agent: str) -> dict[str, str]:
    """The headers of one model call, which name the run, the agent, the matter and the count: that
    of its owner, where a system makes its calls under several names.
    """
    if (run := _run.get()) is None:
        return {AGENT_HEADER: agent} if agent else {}
    work = _work.get()
    counted = (work.owner or agent, work.matter)
    headers = {RUN_HEADER: run.id, AGENT_HEADER: agent, CALL_HEADER: str(run.calls[counted])}
    run.calls[counted] += 1
    if work.owner not in ("", agent):
        headers[OWNER_HEADER] = work.owner
    return {**headers, MATTER_HEADER: work.matter} if work.matter else headers
