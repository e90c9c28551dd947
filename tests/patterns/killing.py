"""Runs that are killed at a request and go on with what their store holds.

A test says who is asked what (a supervisor and what the model says), this does the dying; what a
killed run and one that was let be have in common is `told`, and `answered` counts what was done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from course import clock
from course.runner import run
from course.supervisor_worker import Plan, PlanningSupervisor, PlanResult, Store
from tests.patterns.planwork import Asked, Says, World


class Killed(BaseException):
    """The process ended here."""


def opened(path: Path) -> closing[Store]:
    return closing(Store(path))


@dataclass(frozen=True)
class Mortal:
    """A request that is carried out in as many lives as it takes.

    Args:
        boss: who serves it.
        says: what the model says, as in `World`; it may raise `Killed` itself.
        plan: the model's plan.
    """

    boss: PlanningSupervisor
    says: Says
    plan: Plan

    def live(self, path: Path, *, die_at: int = 0) -> tuple[PlanResult | None, World]:
        """One life with the store at `path`; it ends when the n-th request comes, or when all is
        done, with the result."""
        requests = count(1)

        def dying(asked: Asked) -> Any:
            if next(requests) == die_at:
                raise Killed
            return self.says(asked)

        world = World(dying, plan=self.plan)

        async def main() -> PlanResult:
            with opened(path) as store:
                return await run(self.boss, "Find it out.", client=world.client, store=store)

        try:
            return clock.simulate(main()), world
        except Killed:
            return None, world

    def whole(self, path: Path) -> PlanResult:
        """The result of a life that nothing ends."""
        result, _ = self.live(path)
        assert result is not None
        return result


def told(result: PlanResult) -> Any:
    """What must not depend on where a run was killed; seconds and tokens may."""
    return (
        result.answer,
        {id: (r.status, r.result, r.failure) for id, r in result.results.items()},
        {id: [(a.words, a.failure) for a in r.attempts] for id, r in result.results.items()},
        [str(gap) for gap in result.gaps],
    )


def answered(*worlds: World, by: Callable[[Asked], Hashable]) -> Counter[Hashable]:
    """How often each thing was answered over several lives; `by` names it, or gives None for what
    does not count."""
    return Counter(
        name
        for world in worlds
        for exchange, asked in zip(world.exchanges, world.asked, strict=True)
        if exchange.outcome == "answered" and (name := by(asked)) is not None
    )
