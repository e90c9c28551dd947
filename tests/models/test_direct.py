"""The fast lane: answers, errors, moments and traces are those of the client with a wire."""

import asyncio
import json
from typing import Any

import pytest
from httpx2 import Timeout
from openai import APITimeoutError, AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk

from course import Agent, clock, connect, run, tool
from course.errors import ConfigurationError
from course.models import SMALL, ApiError, Call, Replay, Reply, Scripted
from course.models.profile import load
from course.models.transport import diverted
from course.supervisor import Supervisor, Worker
from course.supervisor_worker import PlanningSupervisor
from tests.models.talk import FIND, HELLO, body, post


@tool
def find_price(article: str) -> str:
    """Find the price of an article."""
    return f"{article}: 12 EUR"


@tool
def find_stock(article: str) -> str:
    """Find how many pieces of an article are in stock."""
    return f"{article}: 40 pieces"


SINGLE = Agent(name="single", tools=(find_price, find_stock))
WORKERS = (
    Worker(
        name="prices", description="knows prices", instructions="You price.", tools=(find_price,)
    ),
    Worker(
        name="stocks", description="knows stocks", instructions="You count.", tools=(find_stock,)
    ),
)
SYSTEMS = (
    SINGLE,
    Supervisor(name="lead", instructions="You lead.", workers=WORKERS),
    PlanningSupervisor(name="planner", workers=WORKERS),
)
REQUEST = "Find the price of the lamp and the stock of the lamp."


def ran(system: Any, client: AsyncOpenAI, *, aloud: bool = False) -> tuple[Any, ...]:
    """The whole trace, and what was answered and heard, or the error."""
    heard: list[str] = []
    more: dict[str, Any] = {"on_text": heard.append} if aloud else {}

    async def main() -> tuple[Any, ...]:
        try:
            result = await run(system, REQUEST, client=client, **more)
            return result.trace.to_json(), result.answer, heard, clock.now()
        except Exception as error:
            return type(error), str(error), heard, clock.now()

    return clock.simulate(main())


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: str(system.name))
@pytest.mark.parametrize("profile", ["calm", "faulty", "busy", "stormy", "instant"])
def test_a_run_is_the_same_to_the_byte(system: Any, profile: str) -> None:
    for seed in range(3):
        wired = connect("simulated", seed=seed, profile=profile)
        direct = connect("simulated", seed=seed, profile=profile, wire=False)
        assert ran(system, wired) == ran(system, direct)


@pytest.mark.parametrize("profile", ["calm", "faulty", "stormy"])
def test_a_streamed_run_is_the_same_to_the_byte(profile: str) -> None:
    for seed in range(5):
        wired = connect("simulated", seed=seed, profile=profile)
        direct = connect("simulated", seed=seed, profile=profile, wire=False)
        assert ran(SINGLE, wired, aloud=True) == ran(SINGLE, direct, aloud=True)


ERRORS = [
    ApiError(400, "no"),
    ApiError(401, "who"),
    ApiError(429, "slow down", headers={"retry-after": "3"}),
    ApiError(500, "oh", headers={"x-should-retry": "false"}),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: str(error.status))
@pytest.mark.parametrize("aloud", [False, True])
def test_errors_are_the_same(error: ApiError, aloud: bool) -> None:
    def script(request: Any) -> str:
        if request.key.attempt < 1:
            raise error
        return "ok"

    told = [
        ran(SINGLE, connect(Scripted(script), seed=4, wire=wire), aloud=aloud)
        for wire in (True, False)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("timeout", [5.0, None])
def test_who_waits_too_long_hears_so_at_the_same_moment(timeout: float | None) -> None:
    def asked(wire: bool) -> tuple[str, float]:
        client = connect(Scripted(lambda _: "late", latency=30.0), wire=wire)

        async def main() -> tuple[str, float]:
            own = client.with_options(timeout=timeout)
            try:
                answer = await own.post("/chat/completions", body=body(), cast_to=object)
                said = str(answer)
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            return said, clock.now()

        return clock.simulate(main())

    assert asked(True) == asked(False)


def test_who_is_cancelled_is_no_longer_in_flight() -> None:
    model = Scripted(lambda _: "late", latency=30.0)

    async def main() -> None:
        client = connect(model, wire=False)
        asked = client.post("/chat/completions", body=body(), cast_to=object)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asked, 1.0)

    clock.simulate(main())
    assert (model.gauge.now, model.gauge.peak) == (0, 1)


def test_the_sdks_own_methods_and_a_test_bench_find_what_they_look_for() -> None:
    def script(request: Any) -> Reply:
        return Reply(calls=(Call("find_price", json.dumps({"article": "lamp"})),))

    direct = connect(Scripted(script), wire=False)
    answer = asyncio.run(post(direct, body()))
    assert answer.choices[0].message.tool_calls is not None
    simulated = connect("simulated", wire=False)
    elsewhere = connect(Scripted(lambda _: "here"))._client._transport
    with diverted(lambda: elsewhere):
        came: Any = asyncio.run(simulated.post("/chat/completions", body=body(), cast_to=object))
    assert came["choices"][0]["message"]["content"] == "here"


def test_what_needs_a_wire_says_so(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="need the wire"):
        connect("simulated", record=tmp_path / "run.jsonl", wire=False)
    client = connect("simulated", record=tmp_path / "run.jsonl")
    asyncio.run(post(client, body()))
    with pytest.raises(ConfigurationError, match="need the wire"):
        connect(Replay(tmp_path / "run.jsonl"), wire=False)


def streaming(client: AsyncOpenAI, **more: Any) -> Any:
    """A streamed answer, asked for in the SDK's own way."""
    return client.chat.completions.create(
        model=SMALL,
        messages=[HELLO],
        tools=[FIND],
        stream=True,
        stream_options={"include_usage": True},
        **more,
    )


def test_a_streamed_answer_is_the_sdks_stream_with_equal_chunks_and_headers() -> None:
    reply = Reply("Wait a little.", (Call("find", '{"name": "Ann"}'), Call("find", "{}")))

    async def told(wire: bool) -> tuple[Any, ...]:
        client = connect(Scripted(lambda _: reply), profile="calm", seed=4, wire=wire)
        stream = await streaming(client, extra_headers={"x-course-agent": "clerk"})
        assert isinstance(stream, AsyncStream)
        async with stream:
            chunks = [(chunk, chunk.model_fields_set, clock.now()) async for chunk in stream]
        return chunks, stream.response.status_code, dict(stream.response.headers)

    wired, direct = (clock.simulate(told(wire)) for wire in (True, False))
    assert wired == direct
    assert all(type(chunk) is ChatCompletionChunk for chunk, *_ in direct[0])
    assert direct[2]["x-request-id"]


@pytest.mark.parametrize("after", [0, 3])
def test_who_leaves_a_stream_early_is_no_longer_in_flight(after: int) -> None:
    model = Scripted(lambda _: "one two three four five")

    async def leave() -> None:
        async with await streaming(connect(model, wire=False)) as stream:
            assert model.gauge.now == 1
            for _ in range(after):
                await anext(stream)
        assert model.gauge.now == 0
        await stream.close()

    asyncio.run(leave())
    assert model.gauge.now == 0


def test_the_timeout_of_one_request_holds_between_its_pieces() -> None:
    slow = load("instant").models[SMALL].model_copy(update={"tokens_per_second": 0.1})
    profile = load("instant").model_copy(update={"models": {SMALL: slow}})

    async def told(wire: bool) -> tuple[str, float]:
        client = connect(lambda _: "too late", profile=profile, wire=wire)
        stream = await streaming(client, timeout=Timeout(5.0, read=2.0))
        with pytest.raises(APITimeoutError) as caught:
            [chunk async for chunk in stream]
        return str(caught.value), clock.now()

    assert clock.simulate(told(True)) == clock.simulate(told(False))
    assert clock.simulate(told(False))[1] == pytest.approx(2.0)


def test_the_sdks_stream_helper_and_raw_response_work() -> None:
    async def told(wire: bool) -> tuple[Any, ...]:
        client = connect(lambda _: "Well, hello.", wire=wire)
        async with client.chat.completions.stream(model=SMALL, messages=[HELLO]) as events:
            final = await events.get_final_completion()
        raw = await client.chat.completions.with_raw_response.create(
            model=SMALL, messages=[HELLO], stream=True
        )
        chunks = [chunk async for chunk in raw.parse()]
        more = await streaming(client, extra_body={"max_tokens": 1})
        return final, chunks, [chunk async for chunk in more]

    assert clock.simulate(told(True)) == clock.simulate(told(False))
