"""What a plan costs through the client and by the fast lane: `python -m tests.benchmarks.lanes`.

A plan of 17 waits: five workers that each ask their model twice and a tool once, the planning and
the synthesis. CPU milliseconds a run, both ways in one process, on a virtual clock. With `sweep`:
2,000 of them by the fast lane, and the memory they take.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

TASKS = 5
RUNS = 5
TURNS = 15
WARM = 2


def script(request: Any) -> Any:
    """A model that plans five tasks, calls a worker's tool, and answers."""
    from course.models import Call, Reply

    agent = request.key.agent
    if agent.endswith("planning"):
        tasks = [
            {"id": f"t{n}", "description": f"Find the figure of {n}.", "worker": f"w{n}"}
            for n in range(TASKS)
        ]
        return json.dumps({"goal": "Find figures.", "tasks": tasks})
    if request.tools and request.messages[-1]["role"] != "tool":
        return Reply(calls=(Call(request.tools[0].name, "{}"),))
    return Reply(text=f"{agent}: the figure is 12.")


def system() -> Any:
    """The supervisor and its workers, each with a tool that takes a second."""
    from course import PlanningSupervisor, Worker, tool

    def looking_up(number: int) -> Any:
        @tool(name=f"find_figure_{number}")
        async def find_figure() -> str:
            """Find the figure."""
            await asyncio.sleep(1.0)
            return "the figure is 12"

        return find_figure

    workers = tuple(
        Worker(
            name=f"w{n}",
            description=f"finds the figure of {n}",
            instructions=f"You find figure {n}.",
            tools=(looking_up(n),),
        )
        for n in range(TASKS)
    )
    return PlanningSupervisor(name="chief", workers=workers)


def lanes() -> dict[str, float]:
    """CPU milliseconds of one run through the client and by the fast lane, and their ratio.

    The lanes take turns, a few runs each, so that a busy machine slows both; medians are told.
    """
    from course import clock, connect
    from course.models import Scripted
    from course.runner import run

    boss, spent = system(), dict[str, list[float]]()
    clients = {
        lane: connect(Scripted(script, latency=1.0), profile="calm", wire=lane == "wired")
        for lane in ("wired", "direct")
    }

    async def once(client: Any) -> int:
        result = await run(boss, "Find the figures.", client=client)
        assert all(each.done for each in result.results.values()), result.results
        return sum(span.operation in ("chat", "execute_tool") for span in result.trace.spans)

    for turn in range(WARM + TURNS):
        for lane, client in clients.items():
            begin = time.process_time()
            waits = {clock.simulate(once(client)) for _ in range(RUNS)}
            took = 1000 * (time.process_time() - begin) / RUNS
            assert waits == {3 * TASKS + 2}
            if turn >= WARM:
                spent.setdefault(lane, []).append(took)
    middle = {lane: statistics.median(took) for lane, took in spent.items()}
    least = {f"{lane}_least": min(took) for lane, took in spent.items()}
    ratios = [a / b for a, b in zip(spent["direct"], spent["wired"], strict=True)]
    return {**middle, **least, "share": statistics.median(ratios)}


def sweep(runs: int = 2000) -> dict[str, float]:
    """Many runs by the fast lane, a client each: seconds of CPU, and what memory they add (MB)."""
    from course import clock, connect
    from course.models import Scripted
    from course.runner import run

    boss = system()

    def one(seed: int) -> None:
        model = Scripted(script, latency=1.0)
        client = connect(model, profile="calm", seed=seed, wire=False)
        clock.simulate(run(boss, "Find the figures.", client=client))

    for seed in range(100):
        one(seed)
    begin, before = time.process_time(), resident_mb()
    half = 0.0
    for seed in range(runs):
        one(seed)
        if seed == runs // 2:
            half = resident_mb()
    spent = time.process_time() - begin
    return {
        "ms": 1000 * spent / runs,
        "mb_at_first": before,
        "mb_first_half": half - before,
        "mb_second_half": resident_mb() - half,
    }


def resident_mb() -> float:
    """Memory of this process, after a collection (MB; Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    print(json.dumps(sweep() if sys.argv[1:] == ["sweep"] else lanes()))
