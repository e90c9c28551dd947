"""What frameworks cost beside the raw client, in one process: `python -m tests.benchmarks.peers
FRAMEWORK` prints JSON.

Each has the same scripted model in process, is made as in the lab, and works on a bare client of
the course; raw is the SDK's own client and its `post`, with the least Python around it. Both take
turns, so that what else the machine does slows both; the figures are medians over the pairs.
"""

from __future__ import annotations

import asyncio
import json
import logging
import statistics
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext
from typing import Any

from openai import AsyncOpenAI

from course import SMALL, Agent, connect, run, tool
from course.foreign import Foreign
from course.lab.frameworks import OURS, enter, named
from course.lab.patterns import PATTERNS, Setup
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from tests.benchmarks.measures import AGENTS, MODEL_SECONDS, TURNS, cpu, turns_so_far

PAIRS = 5
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


async def post(client: AsyncOpenAI, messages: list[Any], **more: Any) -> Any:
    from openai.types.chat import ChatCompletion

    body = {"model": SMALL, "messages": messages, **more}
    came = await client.post("/chat/completions", body=body, cast_to=ChatCompletion)
    messages.append(came.choices[0].message.model_dump(exclude_none=True))
    return came.choices[0].message


def searching(request: ChatRequest) -> Reply:
    """A tool as often as there are turns, then the answer."""
    turn = turns_so_far(request)
    if turn < TURNS:
        return Reply(calls=(Call("look_up", json.dumps({"name": f"item {turn}"})),))
    return Reply(text="done")


async def search(client: AsyncOpenAI) -> None:
    messages: list[Any] = [{"role": "user", "content": ASKED}]
    while calls := (await post(client, messages, tools=[look_up.spec()])).tool_calls:
        for call in calls:
            said = json.dumps(look_up.function(**json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": said})


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


async def move(client: AsyncOpenAI, times: int) -> None:
    schema = {"name": "transfer_to_other", "parameters": {"type": "object", "properties": {}}}
    messages: list[Any] = [
        {"role": "system", "content": "You lead."}, {"role": "user", "content": ASKED},
    ]  # fmt: skip
    tools = [{"type": "function", "function": schema}]
    while calls := (await post(client, messages, tools=tools)).tool_calls:
        messages[0] = {"role": "system", "content": "You do your part."}
        messages += [{"role": "tool", "tool_call_id": c.id, "content": "Moved."} for c in calls]


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


async def lead(client: AsyncOpenAI) -> None:
    schema = {"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]}
    tools = [
        {"type": "function", "function": {"name": f"ask_{name}", "parameters": schema}}
        for name in WORKERS
    ]
    messages: list[Any] = [
        {"role": "system", "content": "You lead."}, {"role": "user", "content": ASKED},
    ]  # fmt: skip
    calls = (await post(client, messages, tools=tools)).tool_calls
    parts: list[list[Any]] = [[{"role": "user", "content": "Do your part."}] for _ in calls]
    await asyncio.gather(*(post(client, each) for each in parts))
    messages += [{"role": "tool", "tool_call_id": call.id, "content": each[-1]["content"]}
                 for call, each in zip(calls, parts, strict=True)]  # fmt: skip
    await post(client, messages, tools=tools)


Work = Callable[[], Awaitable[Any]]


def ms(work: Work, runs: int) -> float:
    """CPU milliseconds of one of so many runs, after one that warms up."""

    async def many() -> None:
        for _ in range(runs):
            await work()

    cpu(work)
    return 1000 * cpu(many) / runs


def wall(work: Work) -> float:
    """Seconds on the wall until so many at once have their answers."""

    async def crowd() -> float:
        await work()
        begin = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(AGENTS)))
        return time.perf_counter() - begin

    return asyncio.run(crowd())


def paired(one: Callable[[], float], other: Callable[[], float], pairs: int) -> Iterator[float]:
    """What one takes, what the other takes, and their ratio: medians over the pairs."""
    took = [(one(), other()) for _ in range(pairs)]
    yield statistics.median(each[0] for each in took)
    yield statistics.median(each[1] for each in took)
    yield statistics.median(each[0] / each[1] for each in took)


def measured(framework: str) -> dict[str, list[float]]:
    """Per measure: the framework, raw, and the ratio."""

    def theirs(pattern: str, agents: tuple[Agent, ...], script: Any, latency: float = 0.0) -> Work:
        work = asking(framework, pattern, agents, Scripted(script, latency=latency))

        async def once() -> None:
            answer = await work()
            assert "done" in answer, answer

        return once

    def bare(work: Callable[..., Awaitable[Any]], script: Any, *given: Any, **more: Any) -> Work:
        client = raw(Scripted(script, **more))
        return lambda: work(client, *given)

    loop = (theirs("single", (CLERK,), searching), bare(search, searching))
    boss = (theirs("supervisor", STAFF, leading), bare(lead, leading))
    many = (theirs("single", (CLERK,), lambda _: "done", MODEL_SECONDS),
            bare(lambda client: post(client, [{"role": "user", "content": ASKED}]),
                 lambda _: "done", latency=MODEL_SECONDS))  # fmt: skip
    found = {
        "loop": list(paired(*(lambda w=w: ms(w, 1) / (TURNS + 1) for w in loop), PAIRS)),
        "supervisor": list(paired(*(lambda w=w: ms(w, 10) for w in boss), PAIRS)),
        "crowd": list(paired(*(lambda w=w: wall(w) for w in many), 1)),
    }
    if named(framework, "handoff") in PATTERNS:
        stay, go = ([theirs("handoff", (CLERK,), moves(n)), bare(move, moves(n), n)]
                    for n in (0, HANDOFFS))  # fmt: skip
        found["handoff"] = list(paired(
            *(lambda a=a, b=b: (ms(b, 10) - ms(a, 10)) / HANDOFFS
              for a, b in zip(stay, go, strict=True)), PAIRS,
        ))  # fmt: skip
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable()
    if sys.argv[1] != OURS:
        enter(named(sys.argv[1], "single"))
    print(json.dumps(measured(sys.argv[1])))
