"""Failures as the client meets them: retries, timeouts, limits, and waits that repeat exactly."""

import asyncio
from typing import Any

import openai
import pytest

from course import clock
from course.models import ApiError, ChatRequest, Scripted, connect
from course.models.line import guarded
from course.models.profile import Failures, Profile, load
from tests.models.talk import body, post


def failing(times: int, error: ApiError) -> Scripted:
    """Answers the first `times` attempts with an error, the next with a text."""

    def script(request: ChatRequest) -> str:
        if request.key.attempt < times:
            raise error
        return f"after {request.key.attempt} retries"

    return Scripted(script)


def certain(**shares: float) -> Profile:
    """The instant profile with every request failing in the given ways."""
    split = {"rate_limited": 0.0, "server_error": 0.0, "timeout": 0.0, **shares}
    failures = Failures(rate=1.0, retry_after=3.0, hang_seconds=40.0, **split)
    return load("instant").model_copy(update={"failures": failures})


async def timed(client: openai.AsyncOpenAI, **headers: Any) -> tuple[str, float]:
    start = clock.now()
    try:
        answer = await post(client, body(), headers)
        said = answer.choices[0].message.content or ""
    except openai.OpenAIError as error:
        said = type(error).__name__
    return said, clock.now() - start


def test_a_429_is_retried_after_the_time_it_names() -> None:
    error = ApiError(429, "Slow down.", headers={"retry-after": "7"})
    said, seconds = clock.simulate(timed(guarded(connect(failing(2, error)))))
    assert said == "after 2 retries"
    assert seconds == pytest.approx(14.0)


def test_a_500_is_retried_and_given_up_in_the_end() -> None:
    error = ApiError(500, "Oh.", type="server_error")
    said, _ = clock.simulate(timed(guarded(connect(failing(2, error)))))
    assert said == "after 2 retries"
    script = failing(3, error)
    said, _ = clock.simulate(timed(guarded(connect(script))))
    assert said == "InternalServerError"
    assert [request.key.attempt for request in script.requests] == [0, 1, 2]


def test_a_client_alone_sends_nothing_again() -> None:
    script = failing(1, ApiError(500, "Oh."))
    assert clock.simulate(timed(connect(script))) == ("InternalServerError", 0.0)
    assert len(script.requests) == 1


def test_a_400_is_not_retried() -> None:
    script = failing(1, ApiError(400, "No."))
    assert clock.simulate(timed(guarded(connect(script)))) == ("BadRequestError", 0.0)
    assert len(script.requests) == 1


def test_waits_repeat_and_differ_between_callers() -> None:
    def waited(agent: str) -> float:
        line = guarded(connect(failing(2, ApiError(500, "Oh."))))
        return clock.simulate(timed(line, **{"x-switchboard-agent": agent}))[1]

    assert waited("a") == waited("a") != waited("b")
    assert all(0.75 * 1.5 <= waited(agent) <= 1.5 for agent in "abcde")


def test_an_answer_slower_than_the_timeout_is_a_timeout_after_exactly_that_time() -> None:
    script = Scripted(lambda _: "late", latency=30.0)
    client = connect(script).with_options(timeout=5.0)
    assert clock.simulate(timed(client)) == ("APITimeoutError", 5.0)
    patient = connect(script).with_options(timeout=31.0)
    assert clock.simulate(timed(patient)) == ("late", 30.0)
    assert script.gauge.now == 0


def test_an_injected_429_names_its_wait() -> None:
    client = connect(lambda _: "never", profile=certain(rate_limited=1.0))
    with pytest.raises(openai.RateLimitError) as caught:
        clock.simulate(post(client, body()))
    assert caught.value.response.headers["retry-after"] == "3"
    assert clock.simulate(timed(client)) == ("RateLimitError", 0.0)


def test_an_injected_500_is_one() -> None:
    client = connect(lambda _: "never", profile=certain(server_error=1.0))
    assert clock.simulate(timed(client)) == ("InternalServerError", 0.0)


def test_a_stuck_request_lasts_as_long_as_the_caller_or_the_server_waits() -> None:
    client = connect(lambda _: "never", profile=certain(timeout=1.0))
    assert clock.simulate(timed(client.with_options(timeout=10.0))) == ("APITimeoutError", 10.0)
    assert clock.simulate(timed(client)) == ("InternalServerError", 40.0)


def test_a_cancelled_request_is_no_longer_in_flight() -> None:
    script = Scripted(lambda _: "late", latency=30.0)

    async def cancel() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await post(connect(script), body())

    clock.simulate(cancel())
    assert script.gauge.now == 0


def fan_out(profile: str, width: int, *, line: bool = False) -> tuple[int, float]:
    """How many of a fan-out's requests succeed, and how long it takes."""

    async def go() -> tuple[int, float]:
        client = connect(lambda _: "fine", profile=profile)
        client = guarded(client) if line else client
        start = clock.now()
        sent = (timed(client, **{"x-switchboard-agent": f"worker {n}"}) for n in range(width))
        said = await asyncio.gather(*sent)
        return sum(text == "fine" for text, _ in said), clock.now() - start

    return clock.simulate(go())


def test_rate_limits_emerge_from_load() -> None:
    assert fan_out("busy", 60)[0] == 60
    assert fan_out("busy", 90)[0] == 60
    assert fan_out("calm", 90)[0] == 90


def test_waiting_as_told_gets_more_through() -> None:
    # One request a second flows in, and six are left over.
    assert fan_out("busy", 66, line=True) == (66, pytest.approx(6, abs=3))


def test_a_new_loop_begins_with_full_buckets() -> None:
    client = connect(lambda _: "fine", profile="busy")

    async def sixty() -> list[tuple[str, float]]:
        return await asyncio.gather(*(timed(client) for _ in range(60)))

    for _ in range(2):
        assert {text for text, _ in clock.simulate(sixty())} == {"fine"}


def test_limits_are_told_in_headers() -> None:
    async def ask() -> Any:
        client = connect(lambda _: "fine", profile="busy")
        return await client.chat.completions.with_raw_response.create(**body())

    headers = clock.simulate(ask()).headers
    assert headers["x-ratelimit-limit-requests"] == "60"
    assert headers["x-ratelimit-remaining-requests"] == "59"
    assert int(headers["x-ratelimit-remaining-tokens"]) < 30_000


def test_a_request_that_can_never_pass_says_so_and_is_not_retried() -> None:
    client = connect(lambda _: "fine", profile="busy")
    large = body({"role": "user", "content": "word " * 40_000})

    async def ask() -> float:
        start = clock.now()
        with pytest.raises(openai.RateLimitError, match="Request too large"):
            await post(client, large)
        return clock.now() - start

    assert clock.simulate(ask()) == 0.0


def test_the_sdks_own_pauses_follow_from_the_seed() -> None:
    def seconds(seed: int) -> float:
        error = ApiError(503, "later", type="server_error")
        client = connect(failing(2, error), seed=seed).copy(max_retries=2)
        said, took = clock.simulate(timed(client))
        assert said == "after 2 retries"
        return took

    assert seconds(1) == seconds(1)
    assert seconds(1) != seconds(2)
    assert 0.75 * 1.5 <= seconds(1) <= 1.5  # half a second and one, up to a quarter less


def test_a_script_that_takes_longer_than_the_read_timeout_meets_it() -> None:
    async def script(request: ChatRequest) -> str:
        await asyncio.sleep(86_400)
        return "at last"

    client = connect(Scripted(script)).copy(timeout=20.0)
    assert clock.simulate(timed(client)) == ("APITimeoutError", 20.0)


def test_a_timeout_of_the_script_itself_is_no_timeout_of_the_service() -> None:
    async def script(request: ChatRequest) -> str:
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        clock.simulate(post(connect(Scripted(script)), body()))
