"""The default model: the policy behind the client, with the profile's speed and routing errors."""

import asyncio
import json

import pytest
from openai.types.chat import ChatCompletion

from course import clock
from course.models import LARGE, SMALL, Draws, Reply, connect, policy
from course.models.profile import load
from course.models.simulated import Simulated
from tests.models.talk import FIND, body, post

ASK = {"role": "user", "content": "Please find the name Ann Smith."}


def test_the_default_needs_nothing_and_calls_the_tool_that_fits() -> None:
    answer = clock.simulate(post(connect(), body(ASK, tools=[FIND])))
    (call,) = answer.choices[0].message.tool_calls or ()
    assert call.type == "function"
    assert call.function.name == "find"
    assert "Smith" in json.loads(call.function.arguments)["name"]


def test_it_takes_time_and_the_same_seed_takes_the_same() -> None:
    async def timed(seed: int, model: str) -> float:
        await post(connect(seed=seed), body(ASK, model=model))
        return clock.now()

    small = [clock.simulate(timed(seed, SMALL)) for seed in range(9)]
    large = [clock.simulate(timed(seed, LARGE)) for seed in range(9)]
    assert small == [clock.simulate(timed(seed, SMALL)) for seed in range(9)]
    assert len(set(small)) == 9
    assert sorted(small)[4] < sorted(large)[4]


def test_the_policy_gets_the_requests_seed_and_the_profiles_error_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, str, float]] = []

    def respond(request: object, draws: Draws, *, error_rate: float) -> Reply:
        seen.append((draws.seed, draws.key.agent, round(error_rate, 3)))
        return Reply("fine")

    monkeypatch.setattr(policy, "respond", respond)
    client = connect(Simulated(load("misrouting"), seed=3))
    tools = [{"type": "function", "function": {"name": f"f{n}"}} for n in range(20)]
    headers = {"x-switchboard-agent": "desk"}
    asyncio.run(post(client, body(ASK, tools=tools), headers))
    asyncio.run(post(client, body(ASK, seed=7, n=2), headers))
    assert seen == [(3, "desk", 0.08), (7, "desk", 0), (7, "desk#1", 0)]


def test_a_whole_run_repeats_to_the_byte() -> None:
    async def run() -> list[str]:
        client = connect(seed=2, profile="faulty")
        asked = (post(client, body(ASK, tools=[FIND]), headers(n)) for n in range(30))
        said = await asyncio.gather(*asked, return_exceptions=True)
        return [s.model_dump_json() if isinstance(s, ChatCompletion) else repr(s) for s in said] + [
            str(clock.now())
        ]

    def headers(number: int) -> dict[str, str]:
        return {"x-switchboard-run": "r", "x-switchboard-agent": f"worker {number}"}

    assert clock.simulate(run()) == clock.simulate(run())
