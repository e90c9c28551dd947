"""One measurement per process: `python -m tests.benchmarks.measures NAME` prints JSON.

Each runs warm (a short run of the same kind comes first), so that imports and caches are not
counted; what is cold is measured by itself.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

TURNS = 50
AGENTS = 1000
MODEL_SECONDS = 0.05
TOOL_SECONDS = 0.2
ROOT = Path(__file__).parents[2]


def turns_so_far(request: Any) -> int:
    return sum(message["role"] == "assistant" for message in request.messages)


def caller(turns: int) -> Callable[[Any], Any]:
    """A scripted model that asks for a tool `turns` times and then answers."""
    from course.models.wire import Call, Reply

    def answer(request: Any) -> Reply:
        turn = turns_so_far(request)
        if turn < turns:
            return Reply(calls=(Call("look_up", json.dumps({"name": f"item {turn}"})),))
        return Reply(text="done")

    return answer


def look_up_tool() -> Any:
    from course.tools import tool

    @tool
    def look_up(name: str) -> dict[str, str]:
        """Look up an item by its name."""
        return {"name": name, "state": "in stock", "shelf": "B 12", "supplier": "Harper & Sons"}

    return look_up


def cpu(work: Callable[[], Awaitable[Any]]) -> float:
    """CPU seconds of this process for `work`, on a loop of its own."""
    before = time.process_time()
    asyncio.run(work())  # type: ignore[arg-type]
    return time.process_time() - before


def agent_loop() -> dict[str, float]:
    from course import Agent, Limits, connect, run
    from course.models import Scripted

    agent = Agent(name="clerk", instructions="Look up.", tools=(look_up_tool(),),
                  limits=Limits(max_turns=TURNS + 1))  # fmt: skip

    async def work(turns: int = TURNS) -> None:
        result = await run(agent, "Look up everything.", client=connect(Scripted(caller(turns))))
        assert result.answer == "done", result.stop
        assert len(result.trace.spans) == 2 * turns + 2

    cpu(lambda: work(3))
    return {"ms_per_call": 1000 * cpu(work) / (TURNS + 1)}


def create_alone() -> dict[str, float]:
    """The least Python around the client: what any agent loop pays before it does anything."""
    from course import SMALL, connect
    from course.models import Scripted

    spec, row = look_up_tool().spec(), json.dumps({"name": "x", "state": "in stock"})

    async def work(turns: int = TURNS) -> None:
        create: Any = connect(Scripted(caller(turns))).chat.completions.create
        messages: list[Any] = [{"role": "user", "content": "Look up everything."}]
        while True:
            response = await create(model=SMALL, messages=messages, tools=[spec])
            message = response.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return
            for call in message.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": row})

    cpu(lambda: work(3))
    return {"ms_per_call": 1000 * cpu(work) / (TURNS + 1)}


def peak_mb() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def many_agents() -> dict[str, float]:
    from course import Agent, connect, run
    from course.models import Scripted

    agent = Agent(name="clerk", instructions="Answer.", tools=(look_up_tool(),))
    client = connect(Scripted(caller(0), latency=MODEL_SECONDS))

    async def work(count: int) -> float:
        begin = time.perf_counter()
        results = await asyncio.gather(
            *(run(agent, f"Request {number}", client=client) for number in range(count))
        )
        seconds = time.perf_counter() - begin
        assert [result.answer for result in results] == ["done"] * count
        return seconds

    async def both() -> tuple[float, float]:
        await work(1)
        idle = peak_mb()
        return await work(AGENTS), idle

    seconds, idle = asyncio.run(both())
    return {"seconds": seconds, "mb_above_idle": peak_mb() - idle}


def three_calls() -> dict[str, float]:
    from course import Agent, connect, run
    from course.models import Scripted
    from course.models.wire import Call, Reply
    from course.tools import tool

    @tool
    async def fetch(name: str, seconds: float) -> str:
        """Fetch a document by its name."""
        await asyncio.sleep(seconds)
        return name

    def script(seconds: float) -> Any:
        calls = tuple(
            Call("fetch", json.dumps({"name": name, "seconds": seconds})) for name in "abc"
        )
        return lambda request: Reply(text="done") if turns_so_far(request) else Reply(calls=calls)

    async def work(seconds: float) -> float:
        begin = time.perf_counter()
        await run(Agent(name="reader", tools=(fetch,)), "Fetch a, b and c.",
                  client=connect(Scripted(script(seconds))))  # fmt: skip
        return time.perf_counter() - begin

    async def both() -> float:
        await work(0.0)
        return await work(TOOL_SECONDS)

    return {"over_critical_path": asyncio.run(both()) / TOOL_SECONDS}


def virtual_time() -> dict[str, float]:
    from course import Agent, Limits, clock, connect, run
    from course.models import Scripted

    calls, latency = 20, 1.5
    agent = Agent(name="clerk", tools=(look_up_tool(),), limits=Limits(max_turns=calls))

    def work() -> float:
        client = connect(Scripted(caller(calls - 1), latency=latency))
        result = clock.simulate(run(agent, "Look up everything.", client=client))
        first, *_, last = result.trace.spans
        return max(first.end, last.end)

    work()
    begin = time.perf_counter()
    simulated = work()
    assert abs(simulated - calls * latency) < 1e-6, simulated
    return {"times_real": simulated / (time.perf_counter() - begin)}


def chapters() -> dict[str, float]:
    """Seconds for each chapter of solutions/, executed whole on a fresh kernel."""
    import nbformat
    from nbclient import NotebookClient

    seconds = {}
    for path in sorted((ROOT / "solutions").glob("*/*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        begin = time.perf_counter()
        NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}}).execute()
        seconds[path.stem] = time.perf_counter() - begin
    return seconds


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]()))
