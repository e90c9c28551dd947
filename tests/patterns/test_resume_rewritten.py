"""A run killed in the middle of a rewritten try goes on with that try, in the words it had."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from course import tool
from course.models import ApiError, Call, Reply
from course.supervisor_worker import FailurePolicy
from tests.patterns.killing import Killed, Mortal, answered
from tests.patterns.planwork import Asked, chief, plan_of, task, worker
from tests.patterns.test_plan_nested import INNER_PLAN, OUTER_PLAN, inner

POLICY = FailurePolicy(retry="never")
PLAN = plan_of(task("t1"))


def place(asked: Asked) -> list[str]:
    """Where a request belongs: the run, its task, the try, the task inside, the try inside."""
    return asked.place.split("/")


def mortal(numbers: Iterator[int], policy: FailurePolicy | None = None) -> Mortal:
    """A chief whose team fails its first try; no two rewritings are the same."""

    def says(asked: Asked) -> Any:
        if asked.refines:
            return (1.0, f"Dig for both figures, wording {next(numbers)}")
        if asked.agent == "team planning":
            return (1.0, INNER_PLAN.model_dump_json())
        if asked.agent == "digger" and place(asked)[2] == "1":
            return (1.0, "CANNOT: too wide")
        return (1.0 + ("i2" in asked.words), None)

    boss = chief(
        workers=(inner(failure_policy=POLICY), worker("w")),
        failure_policy=policy or FailurePolicy(),
    )
    return Mortal(boss, says, OUTER_PLAN)


def piece(asked: Asked) -> Hashable:
    """Each piece of the team's work, and each rewriting of its task."""
    return None if asked.answers else f"{asked.agent} {asked.place}"


@pytest.mark.parametrize("deaths", [(6,), (7,), (8,), (9,), (10,), (7, 2)])
def test_killed_at_any_request_a_teams_rewritten_try_is_kept(
    tmp_path: Path, deaths: tuple[int, ...]
) -> None:
    path, run = tmp_path / "runs.db", mortal(count())
    worlds = [run.live(path, die_at=die_at)[1] for die_at in deaths]
    result, world = run.live(path)
    assert result is not None
    assert [a.failure is None for a in result.results["t1"].attempts] == [False, True]
    assert max(answered(*worlds, world, by=piece).values()) == 1


def test_with_another_policy_the_interrupted_try_is_made_anew(tmp_path: Path) -> None:
    """Then the team is asked in other words, and what it did for the old ones is no answer."""
    path, numbers = tmp_path / "runs.db", count()
    mortal(numbers).live(path, die_at=9)
    result, world = mortal(numbers, FailurePolicy(retry="repeat")).live(path)
    assert result is not None
    assert [a.failure is None for a in result.results["t1"].attempts] == [False, True]
    assert len([a for a in world.asked if a.agent == "digger"]) == 2


def test_a_task_that_went_to_a_stand_in_stays_with_it(tmp_path: Path) -> None:
    """Its own worker was gone, the stand-in refused once, and there the run was killed."""

    def says(asked: Asked) -> Any:
        if asked.agent == "w":
            return ApiError(400, "this model is gone")
        if asked.refines and not killed:
            killed.append(True)
            raise Killed
        return "CANNOT: too wide" if asked.agent == "spare" and not killed else None

    killed: list[bool] = []
    boss = chief(workers=(worker("w"), worker("spare", stands_in_for=("w",))))
    run = Mortal(boss, says, PLAN)
    assert run.live(tmp_path / "runs.db")[0] is None
    tries = run.whole(tmp_path / "runs.db").results["t1"].attempts
    assert [each.worker for each in tries] == ["w", "spare", "spare"]


def test_a_try_goes_on_in_the_words_of_the_one_before_it_that_nobody_rewrote(
    tmp_path: Path,
) -> None:
    """The first try is rewritten, the second met a tool that broke, the third is interrupted."""
    words: list[str] = []

    @tool
    def look_up(name: str) -> str:
        """Look it up."""
        raise ConnectionError("no route to host")

    def says(asked: Asked) -> Any:
        if asked.refines or asked.plans or asked.answers:
            return (1.0, None)
        words.append(asked.request.messages[1]["content"].split("\n")[0])
        if len(words) == 1:
            return "CANNOT: too wide"
        if len(words) == 2:
            return Reply(calls=(Call("look_up", '{"name": "x"}'),))
        if len(words) == 4:
            raise Killed
        return None

    run = Mortal(chief(workers=(worker("w", tools=(look_up,)),)), says, PLAN)
    assert run.live(tmp_path / "runs.db")[0] is None
    assert run.whole(tmp_path / "runs.db").results["t1"].done
    assert len(set(words[1:])) == 1 and "heeding: too wide" in words[-1]
