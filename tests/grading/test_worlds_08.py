"""The worlds in which chapter 08's answers are judged expect what the package does."""

from __future__ import annotations

import asyncio
import itertools
import random
from typing import Any

import pytest

from course import clock, connect
from course import supervisor_worker as team
from course.models import Scripted
from course.models.breaker import Breaker, BreakerOpen
from course.models.wire import ChatRequest
from course.runner import run
from course.supervisor import Worker
from course.supervisor_worker import Plan
from graders.exercises.ch08 import cascading_failure, circuit_breaker
from graders.exercises.sample_plans import WORKERS


def carried_out(data: dict[str, Any], failing: list[str], policy: Any) -> team.PlanResult:
    """The first round of a plan, by the system itself; who is to fail says that it cannot."""

    def says(request: ChatRequest) -> str:
        here = asyncio.current_task()
        assert here is not None  # a schedule gives each task of the plan one of its name
        return "CANNOT: it is broken" if here.get_name() in failing else "done, all of it"

    boss = team.PlanningSupervisor(
        name="chief",
        workers=tuple(
            Worker(name=name, description=f"does {name}", instructions=name) for name in WORKERS
        ),
        failure_policy=team.FailurePolicy(retry="never", downstream=policy, replans=0),
        timeouts=team.Timeouts(answer=0),
    )
    plan = Plan.model_validate(data)
    return clock.simulate(run(boss, "Go.", client=connect(Scripted(says)), plan=plan))


def as_expected(result: team.PlanResult, policy: str) -> dict[str, Any]:
    """What came of a plan, in the judge's words; gaps are those of the system."""
    status = {id: each.status for id, each in result.results.items()}
    behind: dict[str, list[str]] = {id: [] for id in status}
    for gap in result.gaps:
        for id in gap.affects:
            behind[id].append(gap.task_id)
    lost = sorted(id for id, each in status.items() if each != "done")
    return {
        "failed": sorted(id for id in lost if status[id] == "failed"),
        "skipped": sorted(id for id in lost if status[id] == "skipped"),
        "answer": sorted(set(status) - set(lost)),
        "anew": lost if policy == "replan" else [],
        "without": {
            id: sorted(gaps) for id, gaps in behind.items() if gaps and status[id] == "done"
        },
    }


@pytest.mark.parametrize("policy", cascading_failure.POLICIES)
@pytest.mark.parametrize("seed", range(6))
def test_the_cascade_that_is_reckoned_is_the_one_that_happens(policy: str, seed: int) -> None:
    draw = random.Random(seed)
    for data, failing in (cascading_failure.five(draw), cascading_failure.any_plan(draw)):
        result = carried_out(data, failing, policy)
        assert as_expected(result, policy) == cascading_failure.simulated(data, failing, policy)


def test_the_chapters_own_cascade_by_hand() -> None:
    """T1 fails for good; T3 waits for it, and T5 for T3."""
    data, [first] = cascading_failure.five(random.Random(1))
    needs = {each["id"]: each["dependencies"] for each in data["tasks"]}
    [third] = [id for id, after in needs.items() if after == [first]]
    [fifth] = [id for id, after in needs.items() if len(after) == 2]
    others = sorted(set(needs) - {first, third, fifth})
    skip, mark, anew = (
        cascading_failure.simulated(data, [first], each) for each in cascading_failure.POLICIES
    )
    assert skip["answer"] == anew["answer"] == others
    assert skip["skipped"] == sorted([third, fifth])
    assert anew["anew"] == sorted([first, third, fifth])
    assert mark["skipped"] == skip["anew"] == mark["anew"] == []
    assert mark["without"] == {third: [first], fifth: [first]}


WORLDS = (
    circuit_breaker._opens,
    circuit_breaker._recovers,
    circuit_breaker._fails_again,
    circuit_breaker._several,
    circuit_breaker._late,
    circuit_breaker._late_success,
    circuit_breaker._cancelled,
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("world", WORLDS)
def test_the_packages_breaker_lets_the_same_calls_through(world: Any, seed: int) -> None:
    params = dict(world(random.Random(seed)).params)
    guard = Breaker(failures=params["failures"], cooldown=params["cooldown"])
    assert played(guard, params["visits"]) == circuit_breaker.outcomes(params)


def played(guard: Breaker, visits: list[dict[str, Any]]) -> list[str]:
    """What comes of each visit, by the package's own breaker."""

    async def one(visit: dict[str, Any]) -> str:
        await asyncio.sleep(visit["at"])
        try:
            probe = guard.admit()
        except BreakerOpen:
            return "refused"
        patience = visit.get("patience", 1000.0)
        await asyncio.sleep(min(patience, visit["seconds"]))
        if patience < visit["seconds"]:
            guard.settle(None, probe=probe)
            return "given up"
        guard.settle(visit["works"], probe=probe)
        return "worked" if visit["works"] else "failed"

    async def main() -> list[str]:
        return await asyncio.gather(*map(one, visits))

    return clock.simulate(main())


@pytest.mark.parametrize("world", WORLDS)
def test_each_visit_ends_in_one_of_the_four_ways(world: Any) -> None:
    told = [circuit_breaker.outcomes(dict(world(random.Random(seed)).params)) for seed in range(5)]
    assert set(itertools.chain(*told)) <= {"worked", "failed", "refused", "given up"}
    assert "" not in itertools.chain(*told)
