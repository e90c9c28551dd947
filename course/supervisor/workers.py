"""Who can be given tasks: by a supervisor as it goes along, or by a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Literal, get_args

from course.agent import Agent
from course.errors import ConfigurationError, several
from course.results import TaskResult
from course.systems import carry_out

DelegationPolicy = Literal["allowed", "needs approval", "never"]

Check = Callable[[TaskResult], str | None]
"""Says what a result lacks, in words that help to rewrite the task, or None when it will do."""


@dataclass(frozen=True, kw_only=True)
class Worker(Agent):
    """An agent that gets tasks from a supervisor, or from a plan.
    Built in chapter 04; what it has for plans counts from chapter 06 on.

    A plain `Agent` with a description will do too: it has what stands here as the default.

    Attributes:
        policy: whether it may be given tasks: "allowed", "needs approval" (a person decides each
            time), or "never" (the model is not told of it).
        coordinates: whether it may have tools to coordinate other agents in its turn.
        stands_in_for: names of workers whose tasks of a plan it can do, with its own tools, if
            those do not answer. What one of them refuses as it is put, another would refuse too.
        check: looks at each result before it counts; None takes every answer. What it says is
            told to the worker, which is asked once more.
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
    """Where a worker's policy, check and the like stand: in itself, or in a `Worker`'s defaults.
    Built in chapter 04.
    """
    return worker if isinstance(worker, Worker) else USUAL


def is_system(given: Any) -> bool:
    """Whether it can be given work: an agent, or anything else that can be carried out."""
    return carry_out.dispatch(type(given)) is not carry_out.dispatch(object)


def worker_problems(workers: Sequence[Any]) -> Iterator[str]:
    """What is wrong with a list of workers, each in a line that names the way out."""
    names: set[str] = set()
    for worker in workers:
        name = getattr(worker, "name", None)
        if not is_system(worker) or not isinstance(name, str):
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
