"""What one run of a supervisor knows as it goes, and what its model asks for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from course import clock
from course.agent import Agent
from course.answers import Usage
from course.budget import Budget
from course.context import Context
from course.events import LimitReached
from course.limits import Stop, Time, reached
from course.models.breaker import Breaker
from course.models.tokens import prompt_tokens
from course.models.wire import AsyncOpenAI, Message
from course.results import Failure
from course.runs import emit
from course.session import Ticket
from course.supervisor.supervisor import (
    Delegation,
    DelegationCompleted,
    DelegationStarted,
    Supervisor,
    told,
)
from course.trace import Recording

RESULT_TOKENS = 150
"""What a result is expected to add to the supervisor's prompt (tokens)."""


@dataclass(frozen=True)
class Order:
    """What a supervisor's model asks for: this worker, this task. Built in chapter 04."""

    worker: Agent
    task: str
    constraints: str = ""

    @property
    def words(self) -> str:
        """All that the worker gets to see beside its instructions."""
        return f"{self.task}\nConstraints: {self.constraints}" if self.constraints else self.task


class ReadingAlong(Protocol):
    """What begins delegations while the message that asks for them still streams."""

    begun: dict[str, asyncio.Task[Message]]

    def __call__(self, text: str) -> None:
        """Hear a piece of text."""

    def cancel(self) -> None:
        """End what was begun and nobody will ask for."""


@dataclass
class SupervisorRun:
    """What one run of one supervisor knows as it goes, from the request to the answer.
    Used in chapter 04.

    Attributes:
        budget: what everybody may use together, one call for the last answer kept back.
        given: the delegations by the ids of their calls, as they were given; None is under way.
        limit_reached: the first one; what a later message delegates is not carried out.
        refused_by: the same as it was when the message in hand came, which is answered alike.
        turns, usage, failures: the supervisor's own model calls, their tokens, and how many failed.
        context: the conversation as it stood before the call that is under way.
        time: the run's seconds.
        answer_cut_off: its answer ran out of room.
        early: what has been begun before the model's message was whole.
        monitor: the step of the trace that watches the delegations under way.
        asked: how often each worker was given each task.
        breakers: of the workers, by name.
    """

    boss: Supervisor
    client: AsyncOpenAI
    on_text: Callable[[str], None] | None = None
    budget: Budget = field(init=False)
    given: dict[str, Delegation | None] = field(default_factory=dict)
    limit_reached: Stop | None = None
    refused_by: Stop | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    failures: int = 0
    context: Context = field(default_factory=Context)
    time: Time = field(default_factory=lambda: Time(None))
    answer_cut_off: Stop | None = None
    escalated_to: str | None = None
    ticket: Ticket | None = None
    monitor: Recording | None = None
    early: ReadingAlong | None = None
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    breakers: dict[str, Breaker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        boss = self.boss
        self.budget = Budget(
            tokens=boss.max_tokens,
            calls=boss.max_iterations,
            answer_tokens=boss.longest_answer,
            kept_calls=1,
        )

    @property
    def delegations(self) -> dict[str, Delegation]:
        """The delegations that have ended, in the order of their calls."""
        return {id: each for id, each in self.given.items() if each}

    def limited(self) -> Stop | None:
        """The limit that was reached, the supervisor's own or everybody's, or None."""
        if self.limit_reached is None and (stop := self._own_limit() or self.budget.used_up()):
            self.reach(stop)
        return self.limit_reached

    def _own_limit(self) -> Stop | None:
        # one of its own calls is the last answer, so that one counts before it is made
        tokens, seconds = self.usage.total, clock.now() - self.time.begin
        stop = reached(self.boss.limits, turns=self.turns + 1, tokens=tokens, seconds=seconds)
        return replace(stop, value=self.turns) if stop and stop.reason == "max_turns" else stop

    def reach(self, stop: Stop) -> Stop:
        """Note the first limit that was reached, and tell of it."""
        if stop.reason == "max_calls":
            stop = replace(stop, reason="max_iterations")
        if self.limit_reached is None:
            self.limit_reached = stop
            emit(LimitReached(system=self.boss.name, stop=stop))
        return stop

    def keep_back(self, context: Context, *, coming: int = 0) -> None:
        """Keep what the last answer needs out of everybody's reach.

        That is its prompt as it stands, its longest answer, and `coming` results of the size that
        is expected, or else one more message; where results turn out longer, it gets shorter.
        """
        self.context = self.context if coming else context
        if self.budget.tokens is None:
            return
        prompt = prompt_tokens({"messages": context.messages, "tools": self.boss.specs})
        added = coming * RESULT_TOKENS or self.budget.answer_tokens
        self.budget.kept_tokens = prompt + self.budget.answer_tokens + added

    def repeated(self, order: Order) -> Failure | None:
        """A failure, and a limit reached, where a worker got the same task too often before."""
        name, most = order.worker.name, self.boss.max_repeats
        self.asked[name, order.words] += 1
        times = self.asked[name, order.words]
        if most is None or times < most:
            return None
        stop = self.reach(Stop("max_repeats", most, times))
        return Failure("limit", f"{name} was given this before; {told(stop)}")

    def breaker(self, worker: str) -> Breaker:
        """The worker's breaker, the same for all its delegations."""
        boss = self.boss
        made = Breaker(name=worker, failures=boss.breaker_failures, cooldown=boss.cooldown)
        return self.breakers.setdefault(worker, made)

    def started(self, id: str, order: Order) -> str:
        """Tell that a delegation begins; its key is its call's id, numbered if used before."""
        key = f"{id}/{len(self.given) + 1}" if id in self.given else id
        self.given[key] = None
        worker = order.worker.name
        if self.monitor:
            self.monitor.event("started", {"worker": worker, "call": key})
        emit(DelegationStarted(system=self.boss.name, call_id=key, worker=worker, task=order.task))
        return key

    def completed(self, delegation: Delegation) -> None:
        """Keep a delegation that has ended, and tell of it."""
        self.given[delegation.call_id] = delegation
        if self.monitor:
            about = {"worker": delegation.worker, "call": delegation.call_id}
            self.monitor.event("completed", {**about, "status": delegation.status})
        emit(DelegationCompleted(system=self.boss.name, delegation=delegation))
