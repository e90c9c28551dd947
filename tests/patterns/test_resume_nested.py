"""A killed run with a team in it: what the team had done stays done as well."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from course import clock
from course.runner import run
from course.supervisor_worker import PlanResult
from tests.patterns.planwork import Asked, World, chief, worker
from tests.patterns.test_plan_nested import INNER_PLAN, OUTER_PLAN, inner
from tests.patterns.test_resume import Killed, opened


def carried_out(path: Path, *, die_at: int | None = None) -> tuple[PlanResult | None, World]:
    """One run of a chief with a team, killed when the n-th request comes."""
    requests = 0

    def says(asked: Asked) -> Any:
        nonlocal requests
        requests += 1
        if requests == die_at:
            raise Killed
        if asked.agent == "team planning":
            return (1.0, INNER_PLAN.model_dump_json())
        if asked.agent == "team answering":
            return (1.0, f"The team found: {asked.words}")
        if asked.agent == "digger":  # which task it is stands further back than for a worker
            return (1.0 + ("i2" in asked.words), f"dug: {asked.words.splitlines()[0]}")
        return (5.0, None) if asked.agent == "w" else (1.0, None)

    world = World(says, plan=OUTER_PLAN)
    boss = chief(workers=(inner(), worker("w")))

    async def main() -> PlanResult:
        with opened(path) as store:
            return await run(boss, "Find it out.", client=world.client, store=store)

    try:
        return clock.simulate(main()), world
    except Killed:
        return None, world


def answered(*worlds: World) -> Counter[tuple[str, str]]:
    """How often each worker of the team was asked for each of its tasks, and answered."""
    return Counter(
        (asked.agent, asked.words)
        for world in worlds
        for exchange, asked in zip(world.exchanges, world.asked, strict=True)
        if asked.agent in ("digger", "team planning") and exchange.outcome == "answered"
    )


@pytest.mark.parametrize("die_at", range(2, 9))
def test_nothing_that_a_team_had_done_is_done_again(tmp_path: Path, die_at: int) -> None:
    whole, _ = carried_out(tmp_path / "whole.db")
    _, before = carried_out(tmp_path / "killed.db", die_at=die_at)
    result, after = carried_out(tmp_path / "killed.db")
    assert whole is not None and result is not None
    assert result.answer == whole.answer
    assert max(answered(before, after).values()) == 1
