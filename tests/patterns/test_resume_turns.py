"""Cancelled in any turn of the loop: nothing runs on, what was told is kept, and it goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from course import clock
from course.clock import VirtualLoop
from course.events import Event
from course.runner import run
from course.supervisor_worker import FailurePolicy, PlanResult, Store, TaskCompleted
from tests.patterns.killing import told
from tests.patterns.planwork import Asked, World, chief, plan_of, task, worker
from tests.patterns.test_plan_nested import INNER_PLAN, inner

PLAN = plan_of(task("t1"), task("t2", worker="team"), task("t3", "t1"))


class Turns(VirtualLoop):
    """A loop that cancels a task in its n-th turn from then on."""

    def __init__(self, fatal: int) -> None:
        super().__init__()
        self.left, self.victim = fatal, None

    left: int
    victim: asyncio.Task[Any] | None

    def _run_once(self) -> None:
        if self.victim is not None:
            self.left -= 1
            if self.left == 0:
                self.victim.cancel()
        super()._run_once()  # type: ignore[misc]


def says(asked: Asked) -> Any:
    if asked.agent == "team planning":
        return (1.0, INNER_PLAN.model_dump_json())
    refused = asked.task == "t1" and asked.attempt == 1 and not asked.refines
    return (1.0, "CANNOT: too wide" if refused else None)


def lived(store: Store, turns: int) -> tuple[PlanResult | None, int]:
    """One life of a run, ended in a turn of its loop; and how many turns were left to it."""
    completed = set(store.results("run"))
    world = World(says, plan=PLAN)
    loop = Turns(turns)

    def heard(event: Event) -> None:
        if isinstance(event, TaskCompleted) and event.system == "chief":
            completed.add(event.result.task_id)

    async def main() -> PlanResult | None:
        boss = chief(workers=(inner(failure_policy=FailurePolicy(retry="never")), worker("w")))
        more: dict[str, Any] = {"client": world.client, "store": store, "on_event": heard}
        loop.victim = asyncio.create_task(run(boss, "Go.", **more))
        await asyncio.wait([loop.victim])
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return None if loop.victim.cancelled() else loop.victim.result()

    with clock.loops_from(lambda speed: loop):
        result = clock.simulate(main())
    assert all(each.outcome != "open" for each in world.exchanges)
    assert set(store.results("run")) == completed
    return result, loop.left


def test_cancelled_in_any_turn_nothing_runs_on_and_nothing_is_lost(tmp_path: Path) -> None:
    store = Store(tmp_path / "whole.db")
    store.begin("run", "Go.")
    whole, left = lived(store, 10_000)
    assert whole is not None
    for turn in range(1, 10_000 - left, 3):
        store.close()
        store = Store(tmp_path / f"{turn}.db")
        store.begin("run", "Go.")
        result, _ = lived(store, turn)
        result = result or lived(store, 10_000)[0]
        assert result is not None
        assert told(result) == told(whole)
    store.close()
