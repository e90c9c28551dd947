"""A supervisor, its workers, what each of them may do, and what comes of their delegations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from textwrap import shorten
from typing import Any, Literal, get_args

from pydantic_core import to_json

from course.agent import Agent
from course.approval import APPROVAL_SECONDS, Approver
from course.budget import ANSWER_TOKENS, LEAST_ANSWER
from course.errors import ConfigurationError, no_number, refuse, several
from course.events import Event
from course.limits import Stop
from course.models.breaker import Breaker
from course.results import Failure, TaskResult, evidence_in, none_worked
from course.runs import COORDINATION
from course.session import Ticket
from course.systems import Result, carrier_of
from course.team import HUMAN, HumanQueue

DelegationPolicy = Literal["allowed", "needs approval", "never"]

Check = Callable[[TaskResult], str | None]
"""Says what a result lacks, in words that help to rewrite the task, or None when it will do."""


@dataclass(frozen=True, kw_only=True)
class Worker(Agent):
    """An agent that gets tasks from a supervisor, or from a plan.
    Built in chapter 04; what it has for plans counts from chapter 06 on.

    A plain `Agent` with a description will do too: it has what stands here as the default.

    Attributes:
        policy: whether it may be given tasks; "needs approval" asks a person each
            time, and of "never" the model is not told.
        coordinates: whether it may have tools to coordinate other agents in its turn.
        stands_in_for: workers whose tasks of a plan it can do if those do not answer.
        check: looks at each result before it counts; the worker is told what it says
            and asked once more.
        seconds: what a plan's task usually takes; only for priorities.
    """

    policy: DelegationPolicy = "allowed"
    coordinates: bool = False
    stands_in_for: tuple[str, ...] = ()
    check: Check | None = None
    seconds: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stands_in_for", several(self.stands_in_for, "stands_in_for"))
        if self.policy not in get_args(DelegationPolicy):
            known = ", ".join(f"'{each}'" for each in get_args(DelegationPolicy))
            raise ConfigurationError(
                f"worker '{self.name}' has the policy '{self.policy}'; it can be {known}"
            )
        if not isinstance(self.seconds, int | float):
            raise ConfigurationError(f"'{self.name}': seconds is a number, not {self.seconds!r}")
        if self.check is not None and not callable(self.check):
            raise ConfigurationError(f"'{self.name}': check is a function, not {self.check!r}")


USUAL = Worker(name="")


def settings_of(worker: Any) -> Worker:
    """A worker's own settings, or a `Worker`'s defaults. Built in chapter 04."""
    return worker if isinstance(worker, Worker) else USUAL


def worker_problems(workers: Sequence[Any]) -> Iterator[str]:
    """What is wrong with a list of workers, each in a line that names the way out."""
    names: set[str] = set()
    for worker in workers:
        name = getattr(worker, "name", None)
        if carrier_of(type(worker)) is None or not isinstance(name, str):
            shown = shorten(repr(worker), 60, placeholder=" ...")
            yield f"{shown} cannot be a worker: give an agent, Agent(name=..., description=...)"
            continue
        if not name.strip():
            yield "a worker has no name: give it one, in a word or two"
        elif name in names:
            yield f"two workers are called '{name}': rename one of them"
        names.add(name)
        if not str(getattr(worker, "description", "")).strip():
            yield f"worker '{name}' has no description: say in a line what it is for"
        if handoffs := getattr(worker, "handoffs", ()):
            others = ", ".join(each.to for each in handoffs)
            yield f"worker '{name}' hands over to {others}: make their team the worker, Team(...)"


DELEGATE = "delegate_to_agent"


@dataclass(frozen=True, kw_only=True)
class Supervisor(Worker):
    """An agent with workers: it gets the tool `delegate_to_agent`, and limits for the whole.
    Used in chapter 04.

    Its own `limits` count its own model calls; those below everybody's, None being no limit. The
    last answer may take a twentieth of its `max_seconds` more, and an agent to `escalate_to` has
    the last quarter of them. With `coordinates=True` it may be a worker of another supervisor.

    Attributes:
        workers: who can be given tasks: agents, or other systems, with a name and a description.
        max_depth: how many delegations may be under way one inside the other.
        max_tokens, max_iterations: tokens and model calls of everybody in one run.
        delegation_seconds: how long one delegation may take; it is cancelled then.
        max_repeats: the same task for the same worker is not done for the so-maniest time.
        max_failures: so many of its own model calls may fail before `escalate_to` takes over.
        breaker_failures, cooldown: after so many failures in a row a worker is left alone for so
            many seconds; then one delegation is tried.
        start_early: a delegation begins as soon as its call is whole in the stream of the message.
        escalate_to: who takes over when a limit stands in the way of a delegation, or its model
            hangs or fails: an agent, a queue of tickets, or `HUMAN`. None: it answers with what it
            has, or raises its model's error. Whoever asks for a person gets the queue's or
            `HUMAN`, and else hears that nobody is there.
        approve: asks a person, who has `approval_seconds`; no decision is a refusal.
    """

    workers: tuple[Any, ...] = ()
    max_depth: int = 2
    max_tokens: int | None = None
    max_iterations: int | None = 50
    delegation_seconds: float | None = 60.0
    max_repeats: int | None = 3
    max_failures: int = 1
    breaker_failures: int = 3
    cooldown: float = 30.0
    start_early: bool = False
    escalate_to: Agent | HumanQueue | str | None = None
    approve: Approver | None = field(default=None, repr=False)
    approval_seconds: float = APPROVAL_SECONDS

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "workers", several(self.workers, "workers"))
        refuse(faults(self))

    @cached_property
    def named(self) -> dict[str, Any]:
        """The workers by name."""
        return {worker.name: worker for worker in self.workers}

    @cached_property
    def open_to(self) -> tuple[Any, ...]:
        """The workers that the model is told of."""
        return tuple(worker for worker in self.workers if settings_of(worker).policy != "never")

    @cached_property
    def specs(self) -> list[dict[str, Any]]:
        """The tools as a request carries them: `delegate_to_agent`, then the supervisor's own."""
        return [delegate_spec(self.open_to), *(tool.spec() for tool in self.tools)]

    @property
    def longest_answer(self) -> int:
        """The longest answer (tokens) in a run with `max_tokens`: a tenth of them, 600 at most."""
        return max(LEAST_ANSWER, min(ANSWER_TOKENS, (self.max_tokens or 0) // 10))


def delegate_spec(workers: tuple[Agent, ...]) -> dict[str, Any]:
    """`delegate_to_agent` as requests carry it. Built in chapter 04."""
    listed = "\n".join(f"- {worker.name}: {worker.description}" for worker in workers)
    properties = {
        "worker_agent": {"type": "string", "enum": [worker.name for worker in workers]},
        "task": {
            "type": "string",
            "description": "what to do, with all the worker needs to know: it sees nothing else",
        },
        "constraints": {
            "type": "string",
            "description": "what to keep to, such as a deadline; may be left out",
            "default": "",
        },
    }
    function = {
        "name": DELEGATE,
        "description": f"Give one worker a task; its result comes back to you. Workers:\n{listed}",
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": ["worker_agent", "task"],
            "additionalProperties": False,
        },
    }
    return {"type": "function", "function": function}


def faults(boss: Supervisor) -> Iterator[str]:
    """What is wrong with a supervisor, each in a line that names the way out."""
    name = boss.name
    optional = ("max_tokens", "max_iterations", "delegation_seconds", "max_repeats")
    for setting in ("max_depth", *optional, "approval_seconds", "max_failures"):
        said = f"supervisor '{name}': {setting}"
        yield from no_number(getattr(boss, setting), said, optional=setting in optional)
    Breaker(failures=boss.breaker_failures, cooldown=boss.cooldown)  # refuses what it cannot be
    if boss.approve is not None and not callable(boss.approve):
        given = f"not {boss.approve!r}"
        yield f"supervisor '{name}': approve is a function of the question that decides, {given}"
    if not boss.workers:
        yield f"supervisor '{name}' has no workers: give it some with workers=(...)"
    elif all(settings_of(worker).policy == "never" for worker in boss.workers):
        yield f"supervisor '{name}' may give tasks to none of its workers: allow one"
    if any(tool.name == DELEGATE for tool in boss.tools):
        yield f"supervisor '{name}' gets its tool '{DELEGATE}' by itself: take yours away"
    if isinstance(boss.escalate_to, str) and boss.escalate_to != HUMAN:
        yield f"'{boss.escalate_to}' cannot take over: escalate to an agent, a queue, or HUMAN"
    yield from worker_problems(boss.workers)
    for worker in boss.workers:
        yield from _faults_below(boss, worker)


def _faults_below(boss: Supervisor, worker: Any) -> Iterator[str]:
    name, settings = worker.name, settings_of(worker)
    if name == boss.name:
        yield f"worker '{name}' is called like its supervisor: rename one of them"
    if settings.policy == "needs approval" and boss.approve is None:
        need = f"pass approve=... to supervisor '{boss.name}'"
        yield f"worker '{name}' needs approval and nobody can give it: {need}"
    if not settings.coordinates:
        for tool in getattr(worker, "tools", ()):
            if tool.name.startswith(COORDINATION):
                yield (
                    f"worker '{name}' has the coordination tool '{tool.name}': take it away, or"
                    " make it a Worker with coordinates=True"
                )
        if isinstance(worker, Supervisor):
            yield f"worker '{name}' is a supervisor: allow it with coordinates=True"
    yield from _circles(worker, (boss.name,))


def _circles(worker: Any, above: tuple[str, ...]) -> Iterator[str]:
    """The ways down from a worker through supervisors that come round to one of them."""
    path = (*above, worker.name)
    if len(above) > 1 and worker.name in above:
        yield f"supervisor '{worker.name}' would come round to itself: {' -> '.join(path)}"
    elif isinstance(worker, Supervisor) and worker.name not in above:
        for inner in worker.workers:
            yield from _circles(inner, path)


@dataclass(frozen=True, kw_only=True)
class Delegation:
    """One task that a worker was given, and what came of it. Built in chapter 04.

    Attributes:
        call_id: the tool call with which the supervisor's model gave it.
        result: the worker's answer; with a failure, what it said before, which may be nothing.
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
        if self.failure and self.failure.kind == "refused" and self.result:
            told["status"] = "done"  # its tools said no, and its own words say why
        elif self.failure:
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

    `delegations` are by call, in their order; `escalated_to` is who took over, if
    anybody did, `ticket` what a person then finds on the desk.
    """

    delegations: Mapping[str, Delegation] = field(default_factory=dict)
    escalated_to: str | None = None
    ticket: Ticket | None = None

    @property
    def failures(self) -> dict[str, Failure]:
        """Why delegations failed, by the id of the call."""
        return {id: each.failure for id, each in self.delegations.items() if each.failure}

    @property
    def failure(self) -> Failure | None:
        """Every delegation failed, and no tool of its own worked."""
        own = [each for each in evidence_in(self.context) if each.tool != DELEGATE]
        if not self.failures or len(self.failures) < len(self.delegations):
            return none_worked(own)
        if any(not each.failed for each in own):
            return None
        told = [(each.worker, each.failure) for each in self.delegations.values() if each.failure]
        said = "; ".join(f"{name}: {failure.error}" for name, failure in told)
        return replace(told[-1][1], error=shorten(said, 400, placeholder=" ..."))


def told(stop: Stop, *, needs: int | None = None) -> str:
    """A limit in words for the supervisor's model. Built in chapter 04.

    `needs` are the tokens of a call that did not fit any more.
    """
    lacking = f", and the next call needs {needs}" if needs and stop.reason == "max_tokens" else ""
    return (
        f"{stop.reason} is {stop.limit:g}, reached {stop.value:g}{lacking}: no new delegation;"
        " answer with what you have"
    )


def what_there_is(delegations: Mapping[str, Delegation], stop: Stop | None) -> str:
    """An answer made of results, without a model. Built in chapter 04."""
    lines = [f"{each.worker}: {each.result}" for each in delegations.values() if each.result]
    lines += [f"{each.worker}: {each.failure}" for each in delegations.values() if each.failure]
    if stop:
        lines.append(f"No more could be done: {stop.reason} is {stop.limit:g}.")
    return "\n".join(lines)
