"""Model calls: in their turn, in their time, again after a failed way, never after a refusal."""

import asyncio
import itertools
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import AsyncOpenAI, RateLimitError

from course import Agent, clock, connect
from course.chat import complete
from course.errors import ConfigurationError, ModelError
from course.limits import Limits
from course.models import ApiError, Scripted
from course.models.breaker import Breaker
from course.models.line import Backoff, Line, guarded, retry_after
from course.models.profile import Profile, load
from course.models.rates import RateLimit
from course.models.wire import ChatRequest, Key
from course.runner import run
from course.supervisor_worker import FailurePolicy, Timeouts
from course.trace import Trace
from graders.checks import backed_off, by_model, times_out
from tests.patterns.planwork import Asked, World, by_task, chief, plan_of, task

BODY = {"model": "switchboard-small", "messages": [{"role": "user", "content": "Hello"}]}
OVERLOADED = ApiError(503, "overloaded")


def failing(times: int, error: Any = OVERLOADED) -> World:
    def says(asked: Asked) -> Any:
        return (0.5, error if asked.task == "t1" and asked.before < times else None)

    return World(says)


def done(world: World, **more: Any) -> Any:
    return clock.simulate(run(chief(**more), "Go.", client=world.client, plan=plan_of(task("t1"))))


@pytest.mark.parametrize("times", [1, 2, 3, 99])
@pytest.mark.parametrize("error", [OVERLOADED, ApiError(500, "broken"), ApiError(408, "late")])
def test_the_judge_sees_waits_that_grow_and_at_most_three_tries(
    times: int, error: ApiError
) -> None:
    world = failing(times, error)
    result = done(world)
    verdict = backed_off(by_task, ["t1"], tries=3)(world.log())
    assert verdict.passed, verdict.message
    assert len(world.of("t1")) == min(times + 1, 3)
    assert result.results["t1"].done == (times < 3)


def test_a_failed_way_is_no_reason_to_rewrite_the_task() -> None:
    world = failing(99)
    result = done(world)
    assert not any(asked.refines for asked in world.asked)
    assert len({asked.words for asked in world.of("t1")}) == 1
    failure = result.results["t1"].failure
    assert failure is not None
    assert (failure.kind, failure.cause) == ("worker", "model")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_repeated(status: int) -> None:
    world = failing(99, ApiError(status, "no"))
    done(world)
    assert len(world.of("t1")) == 1


def test_retry_after_is_honoured() -> None:
    error = ApiError(429, "slow down", headers={"retry-after": "7"})
    world = failing(2, error)
    done(world)
    verdict = backed_off(by_task, ["t1"], tries=3)(world.log())
    assert verdict.passed, verdict.message
    starts = [e.start for e in world.exchanges if by_task(e)]
    assert [b - a for a, b in itertools.pairwise(starts)] == pytest.approx([7.5, 7.5])


def test_after_a_429_nobody_else_asks_before_the_service_wants_to_be_asked() -> None:
    error = ApiError(429, "slow down", headers={"retry-after": "20"})

    def says(asked: Asked) -> Any:
        return (1.0, error if asked.task == "t1" and asked.before == 0 else None)

    world = World(says)
    plan = plan_of(task("t1"), task("t2"), task("t3", "t2"))
    clock.simulate(run(chief(), "Go.", client=world.client, plan=plan))
    starts = {e.request["id"]: e.start for e in world.exchanges if by_task(e)}
    assert starts["t3"] >= 21.0


@given(st.floats(0.01, 5), st.floats(0, 0.49), st.integers(0, 999), st.text(max_size=5))
def test_waits_grow_whatever_the_jitter_draws(
    first: float, jitter: float, seed: int, agent: str
) -> None:
    backoff = Backoff(tries=6, first=first, most=1e9, jitter=jitter, seed=seed)
    waits = [backoff.wait(n, key=Key("run", agent)) for n in range(1, 6)]
    assert all(a < b for a, b in itertools.pairwise(waits))
    assert waits == [backoff.wait(n, key=Key("run", agent)) for n in range(1, 6)]


@pytest.mark.parametrize("wrong", [{"tries": 0}, {"jitter": 0.5}, {"jitter": -0.1}])
def test_a_backoff_whose_waits_would_not_grow_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="1 or more tries and a jitter"):
        Backoff(**wrong)


def test_two_calls_that_failed_together_do_not_come_back_together() -> None:
    waits = {Backoff().wait(1, key=Key("run", agent)) for agent in "abcdefgh"}
    assert len(waits) == 8


def test_a_call_that_hangs_is_given_up_in_time_and_made_again() -> None:
    def says(asked: Asked) -> Any:
        return (500.0 if asked.before == 0 else 1.0, None)

    world = World(says)
    result = done(world, timeouts=Timeouts(call=4.0, answer=0))
    verdict = times_out(by_task, 4.0)(world.log())
    assert verdict.passed, verdict.message
    assert result.results["t1"].done
    waits = [s for s in result.trace.spans if s.operation == "wait"]
    assert [s.attributes["error.type"] for s in waits] == ["APITimeoutError"]


def test_what_is_waited_for_stands_in_the_trace_beside_its_tries() -> None:
    world = failing(2)
    result = done(world)
    spans = {span.span_id: span for span in result.trace.spans}
    waits = [s for s in result.trace.spans if s.operation == "wait"]
    assert len(waits) == 2
    assert all(spans[str(s.parent_id)].operation != "chat" for s in waits)


def test_the_attempt_is_told_so_that_a_simulated_failure_can_pass() -> None:
    seen: list[int] = []

    def script(request: ChatRequest) -> str:
        seen.append(request.key.attempt)
        if len(seen) < 3:
            raise ApiError(500, "broken")
        return "ok"

    line = guarded(connect(Scripted(script)))
    assert clock.simulate(complete(line, BODY)).message["content"] == "ok"
    assert seen == [0, 1, 2]


def test_a_line_is_a_client_in_all_other_ways_and_stands_in_one_line_only() -> None:
    client = connect(Scripted(lambda request: "ok"))
    line = guarded(client)
    assert isinstance(line, Line)
    assert line.base_url == client.base_url
    assert guarded(line) is line


# Not now: a 429 is no failed try


def asked(line: AsyncOpenAI) -> tuple[str, float]:
    """Ask through a line: what came, and after how many seconds."""

    async def main() -> tuple[str, float]:
        try:
            said = str((await complete(line, BODY)).message["content"])
        except ModelError as error:
            said = str(error)
        return said, clock.now()

    return clock.simulate(main())


def moody(*errors: ApiError) -> Scripted:
    """Fails with these errors, one after the other, and answers from then on."""
    left = list(errors)

    def script(request: ChatRequest) -> str:
        if left:
            raise left.pop(0)
        return "ok"

    return Scripted(script)


BUSY = ApiError(429, "slow down", headers={"retry-after": "2"})


def test_who_is_turned_away_has_tries_left() -> None:
    model = moody(*[BUSY] * 6, OVERLOADED, BUSY, OVERLOADED)
    said, seconds = asked(guarded(connect(model)))
    assert said == "ok"
    assert len(model.requests) == 10
    assert seconds >= 14


def test_who_is_turned_away_for_ever_gives_up() -> None:
    model = moody(*[BUSY] * 999)
    line = Line(connect(model), turned_away=5)
    assert "429" in asked(cast(AsyncOpenAI, line))[0]
    assert len(model.requests) == 5 + 3


def test_what_can_never_pass_is_not_asked_again() -> None:
    never = ApiError(429, "too large", headers={"x-should-retry": "false"})
    model = moody(never)
    assert "too large" in asked(guarded(connect(model)))[0]
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "7", "retry-after-ms": "2500"}, 2.5),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 31 Dec 2025 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_a_service_says_when_in_seconds_or_with_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    async def main() -> float | None:
        with pytest.raises(RateLimitError) as caught:
            await (
                connect(moody(ApiError(429, "later", headers=headers)))
                .with_options(max_retries=0)
                .post("/chat/completions", body=BODY, cast_to=object)
            )
        return retry_after(caught.value)

    assert clock.simulate(main()) == seconds


# What else a line does


def test_no_more_calls_are_under_way_than_the_line_lets_in() -> None:
    model = Scripted(lambda request: "ok", latency=1.0)
    line = guarded(connect(model), in_flight=4)
    for _ in range(2):  # a line outlives a run and its loop
        seconds, came = all_at_once(line, 10)
        assert not any(isinstance(each, Exception) for each in came)
        assert seconds == pytest.approx(3.0, abs=0.1)
    assert model.gauge.peak == 4


def test_a_line_of_no_places_is_refused() -> None:
    for refused in (lambda: Line(connect(), in_flight=0), lambda: connect(in_flight=0)):
        with pytest.raises(ConfigurationError, match="1 or more calls, not 0"):
            refused()


@pytest.mark.parametrize("wire", [True, False])
def test_all_runs_of_a_client_share_its_places(wire: bool) -> None:
    model = Scripted(lambda request: "ok", latency=1.0)
    client = connect(model, in_flight=2, wire=wire)

    async def six() -> float:
        agents = (Agent(name=f"a{n}") for n in range(6))
        await asyncio.gather(*(run(agent, "Go.", client=client) for agent in agents))
        return clock.now()

    assert clock.simulate(six()) == pytest.approx(3.0)
    assert model.gauge.peak == 2


def test_a_line_in_a_line_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="a Line already"):
        Line(guarded(connect()))


def test_a_breaker_spares_a_service_that_is_down() -> None:
    model = moody(*[OVERLOADED] * 3)
    line = guarded(connect(model), breaker=Breaker(name="the model", cooldown=60))

    async def main() -> list[str]:
        said = []
        for pause in (0, 1, 60):
            await asyncio.sleep(pause)
            try:
                said.append(str((await complete(line, BODY)).message["content"]))
            except ModelError as error:
                said.append(" ".join(str(error).split()[:3]))
        return said

    assert clock.simulate(main()) == ["the model refused", "the model failed", "ok"]
    assert len(model.requests) == 4


def test_the_standard_line_gives_way_to_settings_and_a_chosen_one_does_not() -> None:
    model = moody(*[OVERLOADED] * 9)
    line = guarded(guarded(connect(model)), backoff=Backoff(tries=5))
    asked(guarded(line, backoff=Backoff(tries=1)))
    assert len(model.requests) == 5


def test_a_hang_costs_a_minute_a_try() -> None:
    model = Scripted(lambda request: "ok", latency=500.0)
    said, seconds = asked(guarded(connect(model)))
    assert "did not answer in time" in said
    assert 180 < seconds < 183


# Rates


def busy(requests: int, tokens: int | None = None) -> Profile:
    profile = load("instant")
    small = profile.models["switchboard-small"].model_copy(
        update={"requests_per_minute": requests, "tokens_per_minute": tokens}
    )
    return profile.model_copy(update={"models": {**profile.models, "switchboard-small": small}})


def all_at_once(client: AsyncOpenAI, count: int) -> tuple[float, list[Any]]:
    """Ask so many times at once: seconds, and the answers or errors."""

    async def main() -> tuple[float, list[Any]]:
        asked = [complete(client, BODY, agent=f"a{n}") for n in range(count)]
        came = await asyncio.gather(*asked, return_exceptions=True)
        return clock.now(), came

    return clock.simulate(main())


def turned_away(trace: Trace) -> int:
    return sum(s.operation == "wait" and s.name == "turned away" for s in trace.spans)


def test_no_429_reaches_a_worker_and_the_limit_is_used() -> None:
    client = connect(Scripted(lambda request: "ok"), profile=busy(60))
    line = guarded(client, rate=RateLimit(requests_per_minute=60))
    trace = Trace("rates")
    with trace.record():
        seconds, came = all_at_once(line, 300)
    assert not any(isinstance(each, Exception) for each in came)
    assert turned_away(trace) == 0
    assert 300 / (seconds + 60) >= 0.95  # 60 at once, then one a second: 300 in the fifth minute


def test_who_was_turned_away_does_not_come_back_as_a_crowd() -> None:
    """The service takes one a second; the limiter, sixty at once. One refusal tells it."""
    free = [0.0]
    refused: list[float] = []

    def says(asked: Asked) -> Any:
        if clock.now() < free[0]:
            refused.append(clock.now())
            return ApiError(429, "slow down", headers={"retry-after": "5"})
        free[0] = clock.now() + 0.9
        return None

    boss = chief(requests_per_minute=60, limits=Limits())
    plan = plan_of(*(task(f"t{n}") for n in range(30)))
    result = clock.simulate(run(boss, "Go.", client=World(says).client, plan=plan))
    assert all(each.done for each in result.results.values())
    assert max(refused) == 0.0


def test_without_a_limiter_the_same_requests_are_turned_away() -> None:
    client = connect(Scripted(lambda request: "ok"), profile=busy(60)).with_options(max_retries=0)
    _, came = all_at_once(client, 300)
    assert sum(isinstance(each, ModelError) for each in came) == 240


def test_tokens_per_minute_are_kept_as_well() -> None:
    client = connect(Scripted(lambda request: "ok"), profile=busy(10_000, 6000))
    line = guarded(client, rate=RateLimit(tokens_per_minute=6000))
    trace = Trace("rates")
    with trace.record():
        seconds, came = all_at_once(line, 100)
    assert not any(isinstance(each, Exception) for each in came)
    assert turned_away(trace) == 0
    assert seconds > 60


def test_where_others_use_the_service_too_retry_after_brings_everybody_through() -> None:
    client = connect(Scripted(lambda request: "ok"), profile=busy(30))
    line = guarded(client, rate=RateLimit(requests_per_minute=60), backoff=Backoff(tries=8))
    trace = Trace("rates")
    with trace.record():
        _, came = all_at_once(line, 90)
    assert not any(isinstance(each, Exception) for each in came)
    assert turned_away(trace) > 0


@given(st.lists(st.tuples(st.floats(0, 30), st.integers(1, 400)), max_size=25))
def test_in_no_minute_more_is_let_through_than_two_buckets_hold(
    arrivals: list[tuple[float, int]],
) -> None:
    limit, passed = 500, list[tuple[float, int]]()

    async def one(rate: RateLimit, when: float, tokens: int) -> None:
        await asyncio.sleep(when)
        await rate.acquire(tokens)
        passed.append((clock.now(), tokens))

    async def main() -> None:
        rate = RateLimit(tokens_per_minute=limit)
        await asyncio.gather(*(one(rate, when, tokens) for when, tokens in arrivals))

    clock.simulate(main())
    for begin, _ in passed:
        for span in (1.0, 10.0, 60.0):
            inside = sum(tokens for at, tokens in passed if begin <= at <= begin + span)
            assert inside <= limit + limit * span / 60 + 1e-6


def test_a_supervisor_keeps_its_rate_over_all_its_workers() -> None:
    world = World()
    plan = plan_of(*(task(f"t{n}") for n in range(20)))
    boss = chief(requests_per_minute=10, limits=Limits())
    result = clock.simulate(run(boss, "Go.", client=world.client, plan=plan))
    assert all(each.done for each in result.results.values())
    starts = [e.start for e in world.exchanges]
    for begin in starts:
        assert sum(begin <= s < begin + 59.9 for s in starts) <= 20
    assert max(starts) >= 60


@pytest.mark.parametrize("wrong", [{"requests_per_minute": 0}, {"tokens_per_minute": -1}])
def test_a_rate_below_one_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="per minute is a number, 1 or more"):
        RateLimit(**wrong)


def test_the_policy_says_how_often_a_call_is_made() -> None:
    world = failing(99)
    done(world, failure_policy=FailurePolicy(backoff=Backoff(tries=5)))
    assert len(world.of("t1")) == 5
    assert by_model()(world.exchanges[0]) == "switchboard-small"
