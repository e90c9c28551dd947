"""A killed run with a team in it: what the team had done stays done as well."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from tests.patterns.killing import Mortal, answered
from tests.patterns.planwork import Asked, chief, worker
from tests.patterns.test_plan_nested import INNER_PLAN, OUTER_PLAN, inner


def says(asked: Asked) -> Any:
    if asked.agent == "team planning":
        return (1.0, INNER_PLAN.model_dump_json())
    if asked.agent == "team answering":
        return (1.0, f"The team found: {asked.words}")
    if asked.agent == "digger":  # which task it is stands further back than for a worker
        return (1.0 + ("i2" in asked.words), f"dug: {asked.words.splitlines()[0]}")
    return (5.0, None) if asked.agent == "w" else (1.0, None)


RUN = Mortal(chief(workers=(inner(), worker("w"))), says, OUTER_PLAN)


def team_work(asked: Asked) -> Hashable:
    """What the team plans, and each of its tasks."""
    return (asked.agent, asked.words) if asked.agent in ("digger", "team planning") else None


@pytest.mark.parametrize("die_at", range(2, 9))
def test_nothing_that_a_team_had_done_is_done_again(tmp_path: Path, die_at: int) -> None:
    whole = RUN.whole(tmp_path / "whole.db")
    _, before = RUN.live(tmp_path / "killed.db", die_at=die_at)
    result, after = RUN.live(tmp_path / "killed.db")
    assert result is not None
    assert result.answer == whole.answer
    assert max(answered(before, after, by=team_work).values()) == 1
