"""How the supervisor that plans schedules, and what that costs, one measurement per process.

`python -m tests.benchmarks.workers NAME` prints JSON. Makespans are measured in virtual time, where
they are exact; CPU and waiting on a real loop. Everything that is drawn is drawn from a seed.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import time
from collections.abc import Mapping
from typing import Any

from course.runner import run

DAGS = 1000
TASKS = 100
RATE = 60
REQUESTS = 300


def task(id: str, *after: str, worker: str = "w", what: str = "") -> Any:
    from course.supervisor_worker import PlanTask

    words = what or f"Find the figure of {id}"
    return PlanTask(id=id, description=words, worker=worker, dependencies=after)


def plan_of(*tasks: Any) -> Any:
    from course.supervisor_worker import Plan

    return Plan(goal="Find figures.", tasks=tasks)


def drawn(luck: random.Random, count: int) -> tuple[Any, dict[str, float]]:
    """A random plan, sparse or dense, and whole seconds for each task."""
    share = luck.choice([0.005, 0.02, 0.05, 0.2])
    tasks = [
        task(f"t{n}", *(f"t{m}" for m in range(n) if luck.random() < share)) for n in range(count)
    ]
    return plan_of(*tasks), {t.id: float(luck.randint(1, 20)) for t in tasks}


def makespan(plan: Any, seconds: Mapping[str, float], limit: int | None = None) -> float:
    """Virtual seconds that the schedule takes."""
    from course import clock
    from course.supervisor_worker import schedule, urgency

    async def work(task: Any, given: Mapping[str, str]) -> str:
        await asyncio.sleep(seconds[task.id])
        return "done"

    async def main() -> float:
        await schedule(plan, work, limit=limit, priority=urgency(plan, seconds))
        return clock.now()

    return clock.simulate(main())


def diamond() -> dict[str, float]:
    """a 100 ms, then c 500 ms; b 500 ms; d 100 ms after both: on the wall, over 700 ms."""
    from course.supervisor_worker import schedule

    takes = {"a": 0.1, "b": 0.5, "c": 0.5, "d": 0.1}
    plan = plan_of(task("a"), task("b"), task("c", "a"), task("d", "b", "c"))

    async def main(scale: float) -> float:
        async def work(task: Any, given: Mapping[str, None]) -> None:
            await asyncio.sleep(takes[task.id] * scale)

        begin = time.perf_counter()
        await schedule(plan, work)
        return time.perf_counter() - begin

    asyncio.run(main(0.01))
    return {"over_critical_path": statistics.median(asyncio.run(main(1)) for _ in range(5)) / 0.7}


def unlimited() -> dict[str, float]:
    """Random plans of 100 tasks without a limit: the largest distance from the critical path."""
    from course.supervisor_worker import critical_path

    luck = random.Random(1)
    most = 0.0
    for _ in range(DAGS):
        plan, seconds = drawn(luck, TASKS)
        most = max(most, abs(makespan(plan, seconds) - critical_path(plan, seconds)[1]))
    return {"largest_distance": most}


def limited() -> dict[str, float]:
    """Random plans with k places: over max(critical path, work / k), and Graham's bound."""
    from course.supervisor_worker import critical_path

    luck = random.Random(2)
    ratios, beyond = [], 0
    for _ in range(DAGS):
        plan, seconds = drawn(luck, luck.randint(10, TASKS))
        limit = luck.randint(2, 8)
        took = makespan(plan, seconds, limit)
        critical, work = critical_path(plan, seconds)[1], sum(seconds.values())
        ratios.append(took / max(critical, work / limit))
        beyond += took > critical + (work - critical) / limit + 1e-6
    return {"mean": statistics.mean(ratios), "worst": max(ratios), "beyond_graham": beyond}


def chief(**more: Any) -> Any:
    from course.supervisor import Worker
    from course.supervisor_worker import PlanningSupervisor, Registry

    registry = Registry((Worker(name="w", description="finds figures", instructions="Find."),))
    return PlanningSupervisor(name="chief", workers=registry.workers, **more)


def done(request: Any) -> str:
    return "The answer." if request.key.agent.endswith("answering") else f"{request.key.run}: 7 EUR"


def overhead() -> dict[str, float]:
    """CPU per task of a 1000-task plan, less what the same 1000 agent runs take by themselves."""
    from course import Agent, Trace, connect, run
    from course.models import Scripted
    from course.supervisor_worker.task_run import briefing

    count = 1000
    tasks = [task(f"t{n}", *([f"t{n - 10}"] if n >= 10 else [])) for n in range(count)]
    boss = chief(most_tasks=count, context_tokens=100_000)
    agent = Agent(name="w", instructions=briefing("Find."))

    async def engine(tasks: Any) -> None:
        client = connect(Scripted(done))
        result = await run(boss, "Find.", client=client, plan=plan_of(*tasks))
        assert all(each.done for each in result.results.values())

    async def alone(tasks: Any) -> None:
        client = connect(Scripted(done))
        trace = Trace("alone")
        for each in tasks:
            result = await run(agent, f"Task: {each.description}", client=client, trace=trace)
            assert result.answer

    def cpu(work: Any) -> float:
        asyncio.run(work(tasks[:50]))
        begin = time.process_time()
        asyncio.run(work(tasks))
        return 1000 * (time.process_time() - begin) / count

    whole, bare = cpu(engine), cpu(alone)
    return {"ms_per_task": whole, "ms_of_the_agent": bare, "ms_of_the_engine": whole - bare}


def rates() -> dict[str, float]:
    """300 tasks at a service that takes 60 requests a minute: who is turned away, how fast."""
    from course import clock, connect
    from course.models import Scripted
    from course.models.profile import load

    profile = load("instant")
    models = {
        name: each.model_copy(update={"requests_per_minute": RATE})
        for name, each in profile.models.items()
    }
    profile = profile.model_copy(update={"models": models})
    boss = chief(
        most_tasks=REQUESTS,
        requests_per_minute=RATE,
        context_tokens=100_000,
    )

    async def main() -> tuple[Any, float]:
        client = connect(Scripted(done), profile=profile)
        plan = plan_of(*(task(f"t{n}") for n in range(REQUESTS)))
        result = await run(boss, "Find.", client=client, plan=plan)
        ends = [s.end for s in result.trace.spans if s.operation == "dispatch"]
        return result, max(ends)

    result, seconds = clock.simulate(main())
    turned = sum(s.operation == "wait" and s.name == "backoff" for s in result.trace.spans)
    answered = sum(each.done for each in result.results.values())
    # The bucket is full at first, so a minute's worth goes out at once; the rest at the limit.
    return {
        "answered": answered,
        "turned_away": turned,
        "share_of_limit": (REQUESTS - RATE) / seconds * 60 / RATE,
    }


def factory() -> dict[str, float]:
    """Workers made for a ten-task plan against a registry that is there: CPU of a whole run."""
    from course import connect
    from course import supervisor_worker as team
    from course.models import Scripted

    plan = plan_of(*(task(f"t{n}", worker=f"role {n % 5}") for n in range(10)))
    registry = team.staff(plan, ()).registry
    client = connect(Scripted(done))

    async def once(*, made: bool) -> None:
        own = team.staff(plan, ()).registry if made else registry
        boss = team.PlanningSupervisor(name="chief", workers=own.workers)
        result = await run(boss, "Find.", client=client, plan=plan)
        assert all(each.done for each in result.results.values())

    def cpu(made: bool) -> float:
        begin = time.process_time()
        for _ in range(40):
            asyncio.run(once(made=made))
        return 1000 * (time.process_time() - begin) / 40

    cpu(True)
    fixed, made = (statistics.median(cpu(each) for _ in range(3)) for each in (False, True))
    return {"ms_fixed": fixed, "ms_made": made, "over_fixed": made / fixed}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]()))
