"""Parallel work in a whole run, as the judge sees it where workers meet their model."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.runner import run
from course.supervisor_worker import Plan, PlanResult, Registry, Timeouts, critical_path
from graders.checks import concurrency, dependencies, parallel
from tests.patterns.planwork import World, by_task, chief, dags, plan_of, task, worker

DIAMOND = plan_of(task("a"), task("b"), task("c", "a"), task("d", "b", "c"))
TAKES = {"a": 0.1, "b": 0.5, "c": 0.5, "d": 0.1}
PATIENT = Timeouts(call=None, task=None, answer=0)


def carried_out(plan: Plan, seconds: Any, **more: Any) -> tuple[PlanResult, World, float]:
    world = World(lambda asked: (seconds.get(asked.task, 0.0), None))

    async def main() -> tuple[PlanResult, float]:
        boss = chief(timeouts=PATIENT, **more)
        return await run(boss, "Go.", client=world.client, plan=plan), clock.now()

    result, ended = clock.simulate(main())
    return result, world, ended


def after(plan: Plan) -> dict[str, list[str]]:
    return {each.id: list(each.dependencies) for each in plan.tasks}


def test_the_whole_run_takes_its_critical_path() -> None:
    _, _, ended = carried_out(DIAMOND, TAKES)
    assert ended == pytest.approx(0.7, abs=1e-5)


def test_one_place_makes_it_sequential_and_the_judge_sees_it() -> None:
    _, world, ended = carried_out(DIAMOND, TAKES, limit=1)
    assert ended == pytest.approx(sum(TAKES.values()), abs=1e-5)
    verdict = parallel(by_task, after=after(DIAMOND))(world.log())
    assert verdict.code == "parallel.one_at_a_time"


@given(dags(most=8), st.one_of(st.none(), st.integers(1, 4)))
def test_the_judge_finds_no_task_early_late_or_beyond_the_limit(
    made: tuple[Plan, dict[str, float]], limit: int | None
) -> None:
    plan = made[0]
    seconds = {id: value + 1.0 for id, value in made[1].items()}
    _, world, ended = carried_out(plan, seconds, limit=limit)
    log = world.log()
    checks = [
        parallel(by_task, list(plan.by_id), after=after(plan), limit=limit),
        dependencies(by_task, after(plan)),
    ]
    if limit is not None:
        checks.append(concurrency(limit, by_task, used=False))
    else:
        assert ended == pytest.approx(critical_path(plan, seconds)[1], abs=1e-4)
    for check in checks:
        verdict = check(log)
        assert verdict.passed, verdict.message


def test_a_straggler_holds_up_what_waits_for_it_and_nothing_else() -> None:
    plan = plan_of(task("slow"), task("a"), task("b", "a"), task("c", "b"), task("d", "slow"))
    takes = {"slow": 100.0, "a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}
    _, world, _ = carried_out(plan, takes)
    ends = {e.request["id"]: e.end for e in world.exchanges}
    assert ends["c"] == pytest.approx(3.0, abs=1e-4)
    assert ends["d"] == pytest.approx(101.0, abs=1e-4)


def test_workers_that_usually_take_longer_start_first() -> None:
    registry = Registry((worker("quick"), replace(worker("slow"), seconds=9.0)))
    plan = plan_of(task("q1", worker="quick"), task("q2", worker="quick"),
                   task("s", worker="slow"))  # fmt: skip
    _, world, ended = carried_out(
        plan, {"q1": 1.0, "q2": 1.0, "s": 9.0}, workers=registry.workers, limit=2
    )
    assert ended == pytest.approx(9.0, abs=1e-4)
    assert world.asked[0].task == "s"


def test_each_worker_sees_its_task_and_the_results_it_depends_on_and_nothing_else() -> None:
    _, world, _ = carried_out(DIAMOND, {})
    for asked in world.asked:
        if not asked.task:
            continue
        seen = {id for id in "abcd" if f"[{id}] {id} is done" in asked.words}
        assert seen == set(DIAMOND.by_id[asked.task].dependencies)
        assert "Go." not in str(asked.request.messages)
        assert len(asked.request.messages) == 2
