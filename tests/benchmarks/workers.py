"""What the supervisor that plans reaches: `python -m tests.benchmarks.workers` prints its table.

`python -m tests.benchmarks.workers NAME` prints one measurement as JSON. Makespans are measured in
virtual time, where they are exact; CPU and waiting on a real loop. Everything that is drawn is
drawn from a seed. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DAGS = 1000
TASKS = 100
RUNS = 1000
KILLS = 100
RATE = 60
REQUESTS = 300
FAILING = 0.2


def task(id: str, *after: str, worker: str = "w", what: str = "") -> Any:
    from course.supervisor_worker import Task

    words = what or f"Find the figure of {id}"
    return Task(id=id, description=words, worker=worker, dependencies=after)


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

    return clock.run(main())


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
    from course.supervisor_worker import PlanningSupervisor, Registry, Worker

    registry = Registry((Worker(name="w", description="finds figures", instructions="Find."),))
    return PlanningSupervisor(name="chief", registry=registry, **more)


def done(request: Any) -> str:
    return "The answer." if request.key.agent.endswith("answering") else f"{request.key.run}: 7 EUR"


def overhead() -> dict[str, float]:
    """CPU per task of a 1000-task plan, less what the same 1000 agent runs take by themselves."""
    from course import Agent, Trace, connect, run
    from course import supervisor_worker as team
    from course.models import Scripted
    from course.supervisor_worker.working import briefing

    count = 1000
    tasks = [task(f"t{n}", *([f"t{n - 10}"] if n >= 10 else [])) for n in range(count)]
    boss = chief(most_tasks=count, context_tokens=100_000)
    agent = Agent(name="w", instructions=briefing("Find."))

    async def engine(tasks: Any) -> None:
        client = connect(Scripted(done))
        result = await team.run(boss, "Find.", client=client, plan=plan_of(*tasks))
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
    from course import supervisor_worker as team
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
        result = await team.run(boss, "Find.", client=client, plan=plan)
        ends = [s.end for s in result.trace.spans if s.operation == "dispatch"]
        return result, max(ends)

    result, seconds = clock.run(main())
    turned = sum(s.operation == "wait" and s.name == "backoff" for s in result.trace.spans)
    answered = sum(each.done for each in result.results.values())
    # The bucket is full at first, so a minute's worth goes out at once; the rest at the limit.
    return {
        "answered": answered,
        "turned_away": turned,
        "share_of_limit": (REQUESTS - RATE) / seconds * 60 / RATE,
    }


# Faults: what a rewritten task gains over a repeated one


PLAN = [
    task("t1"), task("t2"), task("t3"), task("t4", "t1"), task("t5", "t2", "t3"), task("t6", "t5"),
]  # fmt: skip


def chance(*what: Any) -> float:
    """A number in [0, 1) that hangs on nothing but its arguments."""
    return random.Random(repr(what)).random()


def faulty_team(seed: int, *, steady: bool = False) -> Any:
    """A worker whose search fails on 20 % of the tasks until a year is named, and on 20 % of the
    calls for no reason; when `steady`, always on the same queries, whoever asks how often."""
    from course import ToolError, tool
    from course.supervisor_worker import Registry, Worker

    calls: dict[str, int] = {}

    @tool
    def search(query: str) -> str:
        """Search the documents."""
        about = re.findall(r"\bt\d\b", query)[0]
        calls[about] = calls.get(about, 0) + 1
        if chance(seed, about, "trap") < FAILING and "2025" not in query:
            raise ToolError("240 hits, too many; name the year, such as 2025")
        luck = query if steady else (about, calls[about])
        if chance(seed, luck, "luck") < FAILING:
            raise ConnectionError("connection reset")
        return f"The figure of {about} in 2025 is {10 + int(about[1:])} EUR."

    worker = Worker(name="w", description="finds figures", instructions="Search.", tools=(search,))
    return Registry((worker,))


def faulty_model(request: Any) -> Any:
    """A worker that searches for its task in its words; a rewriter that does as the error says."""
    from course.models.wire import Call, Reply

    said = str(request.messages[-1]["content"])
    agent = request.key.agent
    if agent.endswith("refining"):
        words = said.split("\n\n")[0].removeprefix("Task: ")
        hint = re.search(r"such as (\w+)", said)
        return f"{words}, for {hint[1]}" if hint else f"{words}, once more"
    if agent.endswith("answering"):
        return " ".join(re.findall(r"The figure of t\d in 2025 is \d+ EUR\.", said)) or "Nothing."
    if request.messages[-1]["role"] == "tool":
        return said if "The figure" in said else "CANNOT: the search failed."
    query = said.split("\n\n")[0].removeprefix("Task: ")
    return Reply(calls=(Call("search", json.dumps({"query": query})),))


def faulty_run(seed: int, retry: Any) -> tuple[Any, bool]:
    """One run under 20 % failures of the model and 20 % of the tools."""
    from course import clock, connect
    from course import supervisor_worker as team
    from course.models import Scripted
    from course.models.profile import load

    profile = load("calm")
    failures = profile.failures.model_copy(update={"rate": FAILING})
    profile = profile.model_copy(update={"failures": failures})
    boss = team.PlanningSupervisor(
        name="chief",
        registry=faulty_team(seed),
        policy=team.Policy(retry=retry),
        timeouts=team.Timeouts(call=10.0),
    )
    client = connect(Scripted(faulty_model), profile=profile, seed=seed)
    run = team.run(boss, "All figures?", client=client, plan=plan_of(*PLAN), run_id=f"run {seed}")
    result = clock.run(run)
    named = all(gap.task_id in result.answer and gap.why in result.answer for gap in result.gaps)
    return result, named


def answered(result: Any) -> float:
    """The share of tasks with a result."""
    return sum(each.done for each in result.results.values()) / len(result.results)


def faults() -> dict[str, float]:
    """Refined retry against plain repeat and none: the same seeds, and so the same luck."""
    shares: dict[str, list[float]] = {"refine": [], "repeat": [], "never": []}
    ended = stated = 0
    for seed in range(RUNS):
        for retry, kept in shares.items():
            result, named = faulty_run(seed, retry)
            ended += 1
            stated += named
            kept.append(answered(result))
    gain = [a - b for a, b in zip(shares["refine"], shares["repeat"], strict=True)]
    middle, half = statistics.mean(gain), 1.96 * statistics.stdev(gain) / len(gain) ** 0.5
    return {
        "runs": 3 * RUNS,
        "ended": ended / (3 * RUNS),
        "gaps_stated": stated / (3 * RUNS),
        **{f"answered_{retry}": statistics.mean(kept) for retry, kept in shares.items()},
        "gain": middle,
        "gain_low": middle - half,
        "gain_high": middle + half,
    }


# Kills


def kept_run(path: Path) -> tuple[Any, list[str]]:
    """A run that is kept in a file, and the tasks for which a model was asked."""
    from course import clock, connect
    from course import supervisor_worker as team
    from course.models import Scripted

    asked: list[str] = []

    def model(request: Any) -> Any:
        asked.append(request.key.run.split("/")[1] if "/" in request.key.run else "")
        return faulty_model(request)

    store = team.Store(path)
    boss = team.PlanningSupervisor(name="chief", registry=faulty_team(8, steady=True), limit=2)
    client = connect(Scripted(model), profile="calm")
    run = team.run(boss, "All figures?", client=client, plan=plan_of(*PLAN), store=store)
    result = clock.run(run)
    store.close()
    return result, asked


def finished_in(path: Path) -> set[str]:
    from course.supervisor_worker import Store

    store = Store(path)
    store.begin("run", "All figures?")
    ids = set(store.results("run"))
    store.close()
    return ids


def forked(path: Path) -> int:
    """A process that carries out the run and ends; its id."""
    child = os.fork()
    if child == 0:
        kept_run(path)
        os._exit(0)
    return child


def kills() -> dict[str, float]:
    """Killed by the system at 100 random moments: what is asked again, and whether it answers the
    same."""
    folder = Path(tempfile.mkdtemp())
    whole, _ = kept_run(folder / "whole.db")
    begin = time.perf_counter()
    os.waitpid(forked(folder / "timed.db"), 0)
    longest = time.perf_counter() - begin
    luck = random.Random(3)
    repeated = same = midway = 0
    for number in range(KILLS):
        path = folder / f"killed_{number}.db"
        child = forked(path)
        time.sleep(luck.random() * longest)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        finished = finished_in(path)
        midway += 0 < len(finished) < len(PLAN)
        result, asked = kept_run(path)
        repeated += len(finished & set(asked))
        same += result.answer == whole.answer
    return {"kills": KILLS, "midway": midway, "repeated": repeated, "same_answer": same / KILLS}


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
        boss = team.PlanningSupervisor(name="chief", registry=own)
        result = await team.run(boss, "Find.", client=client, plan=plan)
        assert all(each.done for each in result.results.values())

    def cpu(made: bool) -> float:
        begin = time.process_time()
        for _ in range(40):
            asyncio.run(once(made=made))
        return 1000 * (time.process_time() - begin) / 40

    cpu(True)
    fixed, made = (statistics.median(cpu(each) for _ in range(3)) for each in (False, True))
    return {"ms_fixed": fixed, "ms_made": made, "over_fixed": made / fixed}


NAMES = ("diamond", "unlimited", "limited", "overhead", "rates", "faults", "kills", "factory")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.workers", description=__doc__)
    parser.add_argument("name", nargs="?", choices=NAMES, help="one measurement, as JSON")
    name = parser.parse_args().name
    if name:
        print(json.dumps(globals()[name]()))
        return
    for each in NAMES:
        command = [sys.executable, "-m", "tests.benchmarks.workers", each]
        said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        print(f"{each}: {said.stdout.splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()
