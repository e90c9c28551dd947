"""What the patterns cost, one measurement per process, as in `measures`.

`python -m tests.benchmarks.patterns NAME` prints JSON. CPU is measured on a real loop with a
scripted model of no latency; waiting is measured on the wall, beside its critical path.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from course.runner import run
from tests.benchmarks.measures import cpu, turns_so_far

RUNS = 40
MODEL_SECONDS = 0.2
WORKERS = ("scheduling", "billing", "records")


def best_of(work: Callable[[], Awaitable[Any]], *, runs: int = RUNS) -> float:
    """CPU milliseconds of one run, over many on a warm process."""
    cpu(work)

    async def many() -> None:
        for _ in range(runs):
            await work()

    return 1000 * cpu(many) / runs


def boss_script(request: Any) -> Any:
    from course.models.wire import Call, Reply

    if request.key.agent != "front desk":
        return Reply(text=f"{request.key.agent}: done")
    if turns_so_far(request):
        return Reply(text="All done.")
    orders = [{"worker_agent": name, "task": f"Do your part, {name}."} for name in WORKERS]
    return Reply(calls=tuple(Call("delegate_to_agent", json.dumps(each)) for each in orders))


def boss() -> Any:
    from course import Agent
    from course.supervisor import Supervisor

    workers = tuple(
        Agent(name=name, description=f"does {name}", instructions=f"You do {name}.")
        for name in WORKERS
    )
    return Supervisor(name="front desk", instructions="You lead.", workers=workers)


def supervisor_cpu() -> dict[str, float]:
    """A supervisor and three workers: five model calls, three of them at once."""
    from course import connect
    from course.models import Scripted

    team, client = boss(), connect(Scripted(boss_script))

    async def work() -> None:
        result = await run(team, "Do all of it.", client=client)
        assert len(result.delegations) == 3, result
        assert sum(span.operation == "chat" for span in result.trace.spans) == 5

    return {"ms": best_of(work)}


def five_posts() -> dict[str, float]:
    """The same five requests through `client.post` alone: what any supervisor pays."""
    from openai.types.chat import ChatCompletion

    from course import SMALL, connect
    from course.models import Scripted

    team, client = boss(), connect(Scripted(boss_script))

    async def post(agent: str, messages: list[Any], **more: Any) -> Any:
        body = {"model": SMALL, "messages": messages, **more}
        headers = {"x-switchboard-agent": agent}
        return await client.post("/chat/completions", body=body, cast_to=ChatCompletion,
                                 options={"headers": headers})  # fmt: skip

    async def work() -> None:
        messages: list[Any] = [
            {"role": "system", "content": "You lead."},
            {"role": "user", "content": "Do all of it."},
        ]
        asked = (await post("front desk", messages, tools=team.specs)).choices[0].message
        messages.append(asked.model_dump(exclude_none=True))
        answers = await asyncio.gather(
            *(post(name, [{"role": "user", "content": "Do your part."}]) for name in WORKERS)
        )
        for call, answer in zip(asked.tool_calls, answers, strict=True):
            content = answer.choices[0].message.content
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        assert (await post("front desk", messages, tools=team.specs)).choices[0].message.content

    return {"ms": best_of(work)}


def supervisor_wall() -> dict[str, float]:
    """The same at 200 ms a call: three rounds of waiting, the workers' all in flight at once."""
    from course import connect
    from course.models import Scripted

    team = boss()

    async def work(latency: float) -> tuple[float, int]:
        model = Scripted(boss_script, latency=latency)
        client = connect(model)
        begin = time.perf_counter()
        await run(team, "Do all of it.", client=client)
        return time.perf_counter() - begin, model.in_flight_peak

    async def both() -> tuple[float, int]:
        await work(0.0)
        return await work(MODEL_SECONDS)

    seconds, peak = asyncio.run(both())
    return {"over_critical_path": seconds / (3 * MODEL_SECONDS), "in_flight": peak}


HANDOFFS = 2


def chain_script(request: Any) -> Any:
    """Each agent hands over to the next one; whoever cannot hand over answers."""
    from course.models.wire import Call, Reply

    if not request.tools:
        return Reply(text="All done.")
    return Reply(calls=(Call(request.tools[0].name, json.dumps({"reason": "go on"})),))


def handoff_cpu() -> dict[str, float]:
    """A conversation that moves twice (three model calls), over a run that needs one call.

    So a handoff's cost holds the model call that it adds, as it did when others were measured.
    """
    from course import Agent, connect, run, team
    from course.handoff import Handoff
    from course.models import Scripted

    agents = tuple(
        Agent(
            name=f"agent_{number}",
            description=f"does part {number}",
            instructions=f"You do part {number}.",
            handoffs=(Handoff(f"agent_{number + 1}"),) if number < HANDOFFS else (),
        )
        for number in range(HANDOFFS + 1)
    )
    wired = team.Team(name="chain", agents=agents)
    client = connect(Scripted(chain_script))

    async def moving() -> None:
        result = await run(wired, "Do all of it.", client=client)
        assert result.answer == "All done.", result
        assert result.agent == f"agent_{HANDOFFS}"

    async def staying() -> None:
        result = await run(agents[-1], "Do all of it.", client=client)
        assert result.answer == "All done.", result

    moved, stayed = best_of(moving), best_of(staying)
    return {"ms_per_handoff": (moved - stayed) / HANDOFFS, "ms_single": stayed}


def ping_pong() -> dict[str, float]:
    """Two agents that hand over to each other for ever: model calls until the guards end it."""
    from course import Agent, clock, connect, team
    from course.models import Scripted
    from course.models.wire import Call, Reply

    def script(request: Any) -> Any:
        move = next(each.name for each in request.tools if each.name.startswith("transfer_to_"))
        return Reply(calls=(Call(move, json.dumps({"reason": "not mine"})),))

    one, other = (
        Agent(name=name, description=f"does {name}", instructions=f"You are {name}.")
        for name in ("ping", "pong")
    )
    model = Scripted(script)
    wired = team.hub_and_spoke(one, [other], matters=False)
    result = clock.simulate(run(wired, "Do it.", client=connect(model)))
    asked = sum(1 for each in result.session.history if each.get("tool_calls"))
    return {"calls": len(model.requests), "kept": asked / len(model.requests)}


def one_fails() -> dict[str, float]:
    """Three workers, one of whose model is gone: what is left of the other two."""
    from course import clock, connect
    from course.models import Scripted
    from course.models.wire import ApiError

    def script(request: Any) -> Any:
        if request.key.agent == "billing":
            raise ApiError(404, "no such model", code="model_not_found")
        return boss_script(request)

    result = clock.simulate(run(boss(), "Do all of it.", client=connect(Scripted(script))))
    done = [each for each in result.delegations.values() if each.status == "done"]
    typed = [each for each in result.failures.values() if each.kind == "model"]
    assert result.answer == "All done."
    return {"siblings": len(done), "failures": len(typed)}


def budget() -> dict[str, float]:
    """Eight delegations at once under budgets of every size: the most that was ever over."""
    from course import Agent, clock, connect
    from course.models import Scripted
    from course.models.wire import Call, Reply
    from course.supervisor import Supervisor

    names = [f"worker_{number}" for number in range(8)]

    def script(request: Any) -> Any:
        if request.key.agent != "lead":
            return Reply(text="word " * (10 + 40 * names.index(request.key.agent)))
        if request.tool_choice == "none" or turns_so_far(request) > 1:
            return Reply(text="All done.")
        orders = [{"worker_agent": name, "task": "Do your part."} for name in names]
        return Reply(calls=tuple(Call("delegate_to_agent", json.dumps(each)) for each in orders))

    workers = tuple(Agent(name=name, description=f"is {name}") for name in names)
    over, tried = [], range(200, 12_000, 100)
    for limit in tried:
        lead = Supervisor(name="lead", workers=workers, max_tokens=limit)
        done = clock.simulate(run(lead, "Do it.", client=connect(Scripted(script))))
        over.append(done.usage.total - limit)
    return {"tokens_over": max(over), "runs": len(tried)}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]()))
