"""What frameworks cost beside the raw client, in one process: `python -m tests.benchmarks.peers
FRAMEWORK` prints JSON.

Each has the same scripted model in process, is made as in the lab, and works on a bare client of
the course; raw is the SDK's own client, which posts the requests that the course's system of the
kind sends, and nothing around it. Both take turns, so that what else the machine does slows both,
and CPU is measured, not the wall; the figures are medians over the pairs.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import statistics
import sys
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import groupby
from typing import Any

from openai import AsyncOpenAI

from course import Agent, connect, run, tool
from course.foreign import Foreign
from course.lab.frameworks import OURS, enter, named
from course.lab.patterns import PATTERNS, Setup
from course.models import Scripted
from course.models.wire import Call, ChatRequest, JsonObject, Reply
from tests.benchmarks.measures import AGENTS, MODEL_SECONDS, TURNS, cpu, turns_so_far

PAIRS = 5
CROWDS = 2
"""Pairs of crowds, which take the longest."""
HANDOFFS = 4
"""Even, so that the conversation ends where it began."""
WORKERS = ("scheduling", "billing", "records")
ASKED = "Do all of it."


@tool
def look_up(name: str) -> dict[str, str]:
    """Look up an item by its name."""
    return {"name": name, "state": "in stock", "shelf": "B 12", "supplier": "Harper & Sons"}


CLERK = Agent(name="clerk", description="looks up", instructions="Look up.", tools=(look_up,))
STAFF = tuple(Agent(name=name, description=f"does {name}", instructions=f"You do {name}.")
              for name in WORKERS)  # fmt: skip


class Bare:
    """Seats that are none: a client for everybody, and nothing kept of what happens."""

    def __init__(self, client: AsyncOpenAI) -> None:
        self._client = client

    def seat(self, agent: str) -> AsyncOpenAI:
        return self._client

    async def use(self, tool: Any, arguments: str) -> str:
        return json.dumps(tool.function(**json.loads(arguments)))

    def handed(self, one: str, other: str, reason: str = "") -> None:
        pass

    def given(self, worker: str, task: str = "") -> Any:
        return nullcontext()


def asking(framework: str, pattern: str, agents: tuple[Agent, ...], model: Any) -> Any:
    """A function that lets the framework's system of these agents answer once."""
    system = PATTERNS[named(framework, pattern)](Setup(agents=agents))
    client = connect(model)
    if isinstance(system, Foreign):
        return lambda: system.ask(Bare(client), ASKED)  # type: ignore[arg-type]

    async def ours() -> str:
        return str((await run(system, ASKED, client=client)).answer)

    return ours


def raw(model: Any) -> AsyncOpenAI:
    """The SDK's own client on the same way to a model."""
    made = AsyncOpenAI(api_key="none", max_retries=0, http_client=connect(model)._client,
                       base_url="http://in-process.invalid/v1")  # fmt: skip
    made._platform = "Unknown"
    return made


def in_waves(sent: Sequence[ChatRequest]) -> list[list[JsonObject]]:
    """Requests as they were sent: workers' at once, who have no tools, and all others in turn."""
    waves: list[list[JsonObject]] = []
    for alone, several in groupby((each.raw for each in sent), key=lambda body: "tools" in body):
        wave = list(several)
        waves += [[each] for each in wave] if alone else [wave]
    return waves


async def post(client: AsyncOpenAI, waves: Sequence[Sequence[JsonObject]]) -> None:
    """Send requests as the SDK does, those of a wave at once."""
    from openai.types.chat import ChatCompletion

    for wave in waves:
        sent = [
            client.post("/chat/completions", body=each, cast_to=ChatCompletion) for each in wave
        ]
        said = [await sent[0]] if len(sent) == 1 else await asyncio.gather(*sent)
        assert all(each.choices[0].message for each in said)


def answering(request: ChatRequest) -> str:
    """The answer at once."""
    return "done"


def searching(request: ChatRequest) -> Reply:
    """A tool as often as there are turns, then the answer."""
    turn = turns_so_far(request)
    if turn < TURNS:
        return Reply(calls=(Call("look_up", json.dumps({"name": f"item {turn}"})),))
    return Reply(text="done")


def moves(times: int) -> Callable[[ChatRequest], Reply]:
    """The conversation moves so often in each run, by whatever tool there is for it."""
    asked = 0

    def answer(request: ChatRequest) -> Reply:
        nonlocal asked
        asked = (asked + 1) % (times + 1)
        if not asked:
            return Reply(text="done")
        door = next(each for each in request.tools if "_to_" in each.name)
        needs = dict.fromkeys(door.parameters.get("required", ()), "Go on.")
        return Reply(calls=(Call(door.name, json.dumps(needs)),))

    return answer


def leading(request: ChatRequest) -> Reply:
    """Every worker gets its part, at once where that is possible; then the answer."""
    doors = [each for each in request.tools if each.name != "look_up"]
    if not doors:
        return Reply(text="done")
    if doors[0].name == "delegate_to_agent":
        told = [{"worker_agent": name, "task": "Do your part."} for name in WORKERS]
        calls = tuple(Call("delegate_to_agent", json.dumps(each)) for each in told)
        return Reply(text="done") if turns_so_far(request) else Reply(calls=calls)
    gave = str(request.raw["messages"])
    left = [each for each in doors if f'"name": "{each.name}"' not in gave.replace("'", '"')]
    if doors[0].name.startswith("transfer_to_"):
        left = left[:1]  # one conversation, which comes back each time
    calls = tuple(
        Call(each.name, json.dumps(dict.fromkeys(each.parameters.get("required", ()), "Go on.")))
        for each in left
    )
    return Reply(calls=calls) if calls else Reply(text="done")


Work = Callable[[], Awaitable[Any]]


def ms(work: Work, runs: int, parts: int = 1) -> float:
    """CPU milliseconds of one of so many runs, or of each of its parts, after one that warms up."""

    async def many() -> None:
        for _ in range(runs):
            await work()

    cpu(work)
    return 1000 * cpu(many) / runs / parts


def per_move(stay: Work, go: Work) -> Callable[[], float]:
    """CPU milliseconds of each move, by what it takes to go beyond what it takes to stay."""
    return lambda: (ms(go, 10) - ms(stay, 10)) / HANDOFFS


def crowded(work: Work, *, swept: bool = True) -> float:
    """CPU seconds of so many at once, beginning on a clean heap; with Python's collector or not."""

    async def crowd() -> None:
        await asyncio.gather(*(work() for _ in range(AGENTS)))

    gc.collect()
    if not swept:
        gc.disable()
    try:
        return cpu(crowd)
    finally:
        gc.enable()


def paired(
    one: Callable[[], float], other: Callable[[], float], *, pairs: int = PAIRS
) -> Iterator[float]:
    """What one takes, what the other takes, and their ratio: medians over the pairs."""
    took = [(one(), other()) for _ in range(pairs)]
    yield statistics.median(each[0] for each in took)
    yield statistics.median(each[1] for each in took)
    yield statistics.median(each[0] / each[1] for each in took)


def measured(framework: str) -> dict[str, list[float]]:
    """Per measure: the framework, raw, and the ratio."""

    def both(
        pattern: str, agents: tuple[Agent, ...], script: Callable[[], Any], latency: float = 0.0
    ) -> tuple[Work, Work]:
        work = asking(framework, pattern, agents, Scripted(script(), latency=latency))

        async def once() -> None:
            answer = await work()
            assert "done" in answer, answer

        noted = Scripted(script())
        asyncio.run(asking(OURS, pattern, agents, noted)())
        waves, client = in_waves(noted.requests), raw(Scripted(script(), latency=latency))
        return once, lambda: post(client, waves)

    loop = both("single", (CLERK,), lambda: searching)
    boss = both("supervisor", STAFF, lambda: leading)
    many = both("single", (CLERK,), lambda: answering, MODEL_SECONDS)
    found = {
        "loop": list(paired(*(partial(ms, each, 1, TURNS + 1) for each in loop))),
        "supervisor": list(paired(*(partial(ms, each, 10) for each in boss))),
        "crowd": list(paired(*(partial(crowded, each) for each in many), pairs=CROWDS)),
    }
    if framework == OURS:
        alone = (partial(crowded, each, swept=False) for each in many)
        found["crowd unswept"] = list(paired(*alone, pairs=CROWDS))
    if named(framework, "handoff") in PATTERNS:
        stay, go = (both("handoff", (CLERK,), partial(moves, n)) for n in (0, HANDOFFS))
        found["handoff"] = list(paired(*map(per_move, stay, go)))
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable()
    if sys.argv[1] != OURS:
        enter(named(sys.argv[1], "single"))
    print(json.dumps(measured(sys.argv[1])))
