"""Rate limits, by their properties: never more than the limit allows, never less than it must."""

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.models import SMALL, ApiError
from course.models.conditions import RateLimiter
from course.models.profile import load
from course.models.rates import MINUTE, Bucket, RateLimit

GAPS = st.lists(st.tuples(st.floats(0, 30), st.integers(1, 40)), max_size=60)


def limiter(requests: int | None, tokens: int | None) -> RateLimiter:
    update = {"requests_per_minute": requests, "tokens_per_minute": tokens}
    return RateLimiter(SMALL, load("calm").models[SMALL].model_copy(update=update))


@given(limit=st.integers(1, 100), steps=GAPS)
def test_no_window_ever_passes_more_than_a_full_bucket_and_its_inflow(
    limit: int, steps: list[tuple[float, int]]
) -> None:
    bucket, now = Bucket(limit), 0.0
    passed: list[tuple[float, int]] = []
    for gap, amount in steps:
        now += gap
        if bucket.wait(amount, now) == 0:
            bucket.take(amount)
            passed.append((now, amount))
        assert -1e-5 <= bucket.level <= limit
    for start, _ in passed:
        within = sum(amount for moment, amount in passed if start <= moment)
        assert within <= limit + (now - start) * limit / MINUTE + 1e-5


@given(limit=st.integers(1, 100), drained=st.floats(0, 1), amount=st.integers(1, 120))
def test_the_wait_named_is_just_long_enough(limit: int, drained: float, amount: int) -> None:
    bucket = Bucket(limit)
    bucket.level = limit * drained
    wait = bucket.wait(amount, 0.0)
    if amount > limit:
        assert wait == math.inf
        return
    assert bucket.wait(amount, wait + 1e-6) == 0
    if wait > 0.001:
        early = Bucket(limit)
        early.level = limit * drained
        early.wait(0, 0.0)
        assert early.wait(amount, wait - 0.001) > 0


@given(
    limit=st.integers(1, 2000),
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=30),
    pause=st.floats(0, 30),
)
def test_who_sleeps_for_just_the_wait_need_not_sleep_again(
    limit: int, sizes: list[int], pause: float
) -> None:
    rate = RateLimit(tokens_per_minute=limit)

    async def main() -> None:
        rate.pause(pause)
        for size in sizes:
            await asyncio.sleep(rate.wait(size))
            assert rate.wait(size) == 0
            rate.take(size)

    clock.simulate(main())


def test_a_refused_request_pays_nothing() -> None:
    limits = limiter(requests=10, tokens=1000)
    limits.charge(prompt=500, max_tokens=400, now=0.0)
    before = {scope: bucket.level for scope, bucket in limits.buckets.items()}
    with pytest.raises(ApiError) as caught:
        limits.charge(prompt=500, max_tokens=400, now=0.0)
    assert {scope: bucket.level for scope, bucket in limits.buckets.items()} == before
    assert (caught.value.status, caught.value.type) == (429, "tokens")
    assert caught.value.headers == {"retry-after": "48", "retry-after-ms": "48000"}


def test_the_room_for_the_answer_is_charged_and_assumed_when_not_said() -> None:
    for said, charged in ((50, 150), (None, 311)):
        limits = limiter(requests=None, tokens=1000)
        limits.charge(prompt=100, max_tokens=said, now=0.0)
        assert limits.buckets["tokens"].level == 1000 - charged


def test_no_limit_says_nothing() -> None:
    assert limiter(None, None).charge(10**9, None, 0.0) == {}


def test_whichever_limit_is_reached_first_answers() -> None:
    limits = limiter(requests=2, tokens=10_000)
    for _ in range(2):
        limits.charge(10, 10, 0.0)
    with pytest.raises(ApiError, match="requests per min"):
        limits.charge(10, 10, 0.0)
    limits.charge(10, 10, 30.0)
