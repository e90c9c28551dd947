"""What a plan costs through the client and by the fast lane: `python -m tests.benchmarks.lanes`.

A plan of 17 waits: five workers that each ask their model twice and a tool once, the planning and
the synthesis. CPU milliseconds a run, both ways in one process, on a virtual clock.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

TASKS = 5
RUNS = 60


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
    """CPU milliseconds of one run through the client and by the fast lane, and their ratio."""
    from course import clock, connect
    from course.models import Scripted
    from course.runner import run

    boss, spent = system(), {}
    for lane, wire in (("wired", True), ("direct", False)):
        client = connect(Scripted(script, latency=1.0), profile="calm", wire=wire)

        async def once(client: Any = client) -> int:
            result = await run(boss, "Find the figures.", client=client)
            assert all(each.done for each in result.results.values()), result.results
            return sum(span.operation in ("chat", "execute_tool") for span in result.trace.spans)

        assert [clock.run(once()) for _ in range(5)] == [3 * TASKS + 2] * 5
        begin = time.process_time()
        for _ in range(RUNS):
            clock.run(once())
        spent[lane] = 1000 * (time.process_time() - begin) / RUNS
    return {**spent, "share": spent["direct"] / spent["wired"]}


if __name__ == "__main__":
    print(json.dumps(lanes()))
