"""What one run of a supervisor knows as it goes: its budget, its delegations, the limit it hit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from course import clock
from course.budget import LEAST_ANSWER, Budget
from course.chat import Usage
from course.context import Context
from course.events import LimitReached
from course.limits import Stop, reached
from course.models.tokens import prompt_tokens
from course.runs import emit
from course.session import Ticket
from course.supervisor.declared import Supervisor
from course.supervisor.events import DelegationCompleted, DelegationStarted
from course.supervisor.results import Delegation
from course.trace.record import Recording

if TYPE_CHECKING:
    from openai import AsyncOpenAI

RESULT_TOKENS = 150
"""What a result is expected to add to the supervisor's prompt (tokens)."""


@dataclass(kw_only=True)
class Shift:
    """One run of one supervisor, from the request to the answer.

    Attributes:
        hit: the limit that was reached; what a later message delegates is not carried out.
        closed: the same as it was when the message in hand came.
        order: the ids of the delegations' calls, as they were given.
        ended: the delegations that have ended.
        given: tool calls so far, which number the workers' runs.
        turns, usage: the supervisor's own model calls, and their tokens.
        cut: its answer ran out of room.
        monitor: the step that watches the delegations under way.
    """

    boss: Supervisor
    client: AsyncOpenAI
    budget: Budget
    order: list[str] = field(default_factory=list)
    ended: dict[str, Delegation] = field(default_factory=dict)
    hit: Stop | None = None
    closed: Stop | None = None
    given: int = 0
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    begin: float = 0.0
    cut: Stop | None = None
    escalated_to: str | None = None
    ticket: Ticket | None = None
    monitor: Recording | None = None

    @property
    def delegations(self) -> dict[str, Delegation]:
        """The delegations that have ended, in the order of their calls."""
        return {id: self.ended[id] for id in self.order if id in self.ended}

    @property
    def stop(self) -> Stop | None:
        """Why the run ended before the supervisor was done: a limit, or an answer cut short."""
        return self.hit or self.cut

    @classmethod
    def of(cls, boss: Supervisor, *, client: AsyncOpenAI) -> Shift:
        """A run that begins now."""
        budget = Budget(
            tokens=boss.max_tokens,
            calls=boss.max_iterations,
            answer_tokens=boss.longest_answer,
            kept_calls=1,
        )
        return cls(boss=boss, client=client, budget=budget, begin=clock.now())

    @property
    def lacks(self) -> bool:
        """Whether a limit stood in the way of something, and not only ended the rounds."""
        limited = (each.failure and each.failure.kind == "limit" for each in self.ended.values())
        return not self.ended or any(limited)

    def may_go_on(self, context: Context) -> bool:
        """Whether there is room for another turn beside the last answer, which is kept back."""
        self.keep_back(context)
        return self.limit() is None

    def limit(self) -> Stop | None:
        """The limit that leaves no more than the last answer, or None."""
        return self.hit or self._own_limit() or self._shared_limit()

    def _own_limit(self) -> Stop | None:
        """Of the supervisor's own model calls: one of them is the answer, so it counts before."""
        seconds = clock.now() - self.begin
        used = {"turns": self.turns + 1, "tokens": self.usage.total, "seconds": seconds}
        stop = reached(self.boss.limits, **used)  # type: ignore[arg-type]
        if stop and stop.reason == "max_turns":
            stop = replace(stop, value=self.turns)
        return self.reach(stop) if stop else None

    def _shared_limit(self) -> Stop | None:
        """Of everybody's model calls and tokens together."""
        budget = self.budget
        if budget.calls is not None and budget.made + budget.kept_calls >= budget.calls:
            return self.reach(Stop("max_iterations", budget.calls, budget.made))
        if budget.tokens is not None and budget.left() < LEAST_ANSWER and not budget.held:
            return self.reach(Stop("max_tokens", budget.tokens, budget.spent))
        return None

    def reach(self, stop: Stop) -> Stop:
        """Note the first limit that was reached, and tell of it."""
        if stop.reason == "max_calls":
            stop = replace(stop, reason="max_iterations")
        if self.hit is None:
            self.hit = stop
            emit(LimitReached(system=self.boss.name, stop=stop))
        return stop

    def keep_back(self, context: Context, *, coming: int = 0) -> None:
        """Keep what the last answer needs out of everybody's reach.

        That is its prompt as it stands, its longest answer, and what is still to be added to the
        prompt: `coming` results of the size that is expected, or else one more message of the
        supervisor. Where results turn out longer, the answer gets shorter; where not even that
        is possible, the results themselves are the answer.
        """
        if self.budget.tokens is None:
            return
        prompt = prompt_tokens({"messages": context.messages, "tools": self.boss.specs})
        added = coming * RESULT_TOKENS or self.budget.answer_tokens
        self.budget.kept_tokens = prompt + self.budget.answer_tokens + added

    def started(self, call_id: str, worker: str, task: str) -> None:
        """Tell that a delegation begins."""
        self.order.append(call_id)
        if self.monitor:
            self.monitor.event("started", {"worker": worker, "call": call_id})
        emit(DelegationStarted(system=self.boss.name, call_id=call_id, worker=worker, task=task))

    def completed(self, delegation: Delegation) -> None:
        """Keep a delegation that has ended, and tell of it."""
        self.ended[delegation.call_id] = delegation
        if self.monitor:
            about = {"worker": delegation.worker, "call": delegation.call_id}
            self.monitor.event("completed", {**about, "status": delegation.status})
        emit(DelegationCompleted(system=self.boss.name, delegation=delegation))
