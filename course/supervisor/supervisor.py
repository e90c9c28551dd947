"""Who there is: a supervisor, its workers, and what each of them may do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from course.agent import Agent
from course.approval import APPROVAL_SECONDS, Approver
from course.budget import ANSWER_TOKENS, LEAST_ANSWER
from course.errors import refuse, several
from course.supervisor.workers import Worker, settings_of, worker_problems
from course.team import HUMAN, HumanQueue

DELEGATE = "delegate_to_agent"
COORDINATION = ("delegate_to_", "transfer_to_", "consult_", "return_to_")
"""How the names of tools begin with which agents coordinate each other."""


@dataclass(frozen=True, kw_only=True)
class Supervisor(Worker):
    """An agent with workers: it gets the tool `delegate_to_agent`, and limits for the whole. Used
    in chapter 04.

    Its own `limits` count its own model calls; those below everybody's, None being no limit. Its
    `max_seconds` cut off whatever is under way, but for the last answer, which may take a twentieth
    of them more. With `coordinates=True` it may itself be a worker of another supervisor.

    Attributes:
        workers: who can be given tasks, each with a name of its own and a description: agents, or
            other systems, such as a pipeline, a team or a supervisor that plans.
        max_depth: how many delegations may be under way one inside the other.
        max_tokens: tokens read and written by everybody in one run, never exceeded.
        max_iterations: model calls made by everybody in one run.
        delegation_seconds: how long one delegation may take; it is cancelled then.
        max_repeats: the same task for the same worker is not done for the so-maniest time.
        max_failures: so many of its own model calls may fail before `escalate_to` takes over; where
            nobody can, the first is raised.
        answer_tokens: the longest answer of any call in a run with `max_tokens`; None means a tenth
            of `max_tokens`, 600 at most.
        start_early: a delegation begins as soon as its call is whole in the stream of the message.
        escalate_to: who takes over when a limit stands in the way of a delegation, or its model
            hangs or fails: an agent, a queue of tickets for people, or `HUMAN`. None: it answers
            with what it has.
        approve: asks a person about workers whose policy says so, who has `approval_seconds`; no
            decision is a refusal.
    """

    workers: tuple[Any, ...] = ()
    max_depth: int = 2
    max_tokens: int | None = None
    max_iterations: int | None = 50
    delegation_seconds: float | None = 60.0
    max_repeats: int | None = 3
    max_failures: int = 1
    answer_tokens: int | None = None
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
        """The longest answer of a call in a run with `max_tokens` (tokens)."""
        if self.answer_tokens is not None:
            return self.answer_tokens
        return max(LEAST_ANSWER, min(ANSWER_TOKENS, (self.max_tokens or 0) // 10))


def delegate_spec(workers: tuple[Agent, ...]) -> dict[str, Any]:
    """The tool `delegate_to_agent` as a request carries it, with the workers in its description.
    Built in chapter 04.
    """
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
    optional = (
        "max_tokens",
        "max_iterations",
        "delegation_seconds",
        "answer_tokens",
        "max_repeats",
    )
    for setting in ("max_depth", *optional, "approval_seconds", "max_failures"):
        value = getattr(boss, setting)
        if value is None and setting in optional:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            none = "; None is no limit" if setting in optional else ""
            yield f"supervisor '{name}': {setting} is a number, 0 or more, not {value!r}{none}"
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
