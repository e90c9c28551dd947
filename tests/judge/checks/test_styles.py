"""Whatever the style, right code passes and wrong code is named: played in virtual time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from course import ToolError
from graders.checks import (
    all_of,
    backed_off,
    breaker,
    built_from,
    by_argument,
    by_tool,
    concurrency,
    dependencies,
    gaps_named,
    nothing_left,
    parallel,
    partial,
    refined,
    times_out,
)
from tests.judge.checks.recorder import Boundary, played

CITIES = ["Rome", "Oslo", "Lima", "Cairo"]
SECONDS = {"Rome": 2.0, "Oslo": 3.0, "Lima": 1.0, "Cairo": 2.5}
CITY = by_argument("city")
Stage = Callable[[Boundary], Awaitable[Any]]


def weather(arguments: dict[str, Any], _: int) -> tuple[float, Any]:
    return SECONDS[arguments["city"]], "sunny"


# -- all at once -----------------------------------------------------------------------------


async def with_gather(world: Boundary) -> Any:
    return await asyncio.gather(*(world.call("weather", city=city) for city in CITIES))


async def with_task_group(world: Boundary) -> Any:
    async with asyncio.TaskGroup() as group:
        tasks = {city: group.create_task(world.call("weather", city=city)) for city in CITIES}
    return {city: task.result() for city, task in tasks.items()}


async def with_as_completed(world: Boundary) -> Any:
    jobs = [world.call("weather", city=city) for city in CITIES]
    return [await done for done in asyncio.as_completed(jobs)]


async def with_workers(world: Boundary) -> Any:
    queue: asyncio.Queue[str] = asyncio.Queue()
    found = {}
    for city in CITIES:
        queue.put_nowait(city)

    async def worker() -> None:
        while not queue.empty():
            city = queue.get_nowait()
            found[city] = await world.call("weather", city=city)

    await asyncio.gather(*(worker() for _ in CITIES))
    return found


async def with_wait(world: Boundary) -> Any:
    tasks = [asyncio.ensure_future(world.call("weather", city=city)) for city in CITIES]
    done, _ = await asyncio.wait(tasks)
    return [task.result() for task in done]


async def in_sequence(world: Boundary) -> Any:
    return [await world.call("weather", city=city) for city in CITIES]


async def in_pairs(world: Boundary) -> Any:
    found = []
    for two in (
        itertools.batched(CITIES, 2)
        if hasattr(itertools, "batched")
        else [
            CITIES[:2],
            CITIES[2:],
        ]
    ):
        found += await asyncio.gather(*(world.call("weather", city=city) for city in two))
    return found


async def awaits_its_tasks_at_once(world: Boundary) -> Any:
    return [await asyncio.create_task(world.call("weather", city=city)) for city in CITIES]


async def warms_up_in_parallel(world: Boundary) -> Any:
    """Start all, give all up, and do it one by one: looks parallel at its start."""
    tasks = [asyncio.create_task(world.call("weather", city=city)) for city in CITIES]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return await in_sequence(world)


async def staggered(world: Boundary) -> Any:
    async def later(wait: float, city: str) -> Any:
        await asyncio.sleep(wait)
        return await world.call("weather", city=city)

    return await asyncio.gather(*(later(n * 0.1, city) for n, city in enumerate(CITIES)))


ALL_AT_ONCE = all_of(
    parallel(CITY, CITIES), built_from(CITY, CITIES), nothing_left(), concurrency(4, CITY)
)


@pytest.mark.parametrize(
    "stage", [with_gather, with_task_group, with_as_completed, with_workers, with_wait]
)
def test_any_way_of_running_at_once_passes(stage: Stage) -> None:
    verdict = ALL_AT_ONCE(played(stage, weather))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        (in_sequence, "parallel.one_at_a_time"),
        (awaits_its_tasks_at_once, "parallel.one_at_a_time"),
        (warms_up_in_parallel, "parallel.one_at_a_time"),
        (in_pairs, "parallel.barrier"),
        (staggered, "parallel.late"),
    ],
)
def test_what_is_not_at_once_is_named(stage: Stage, code: str) -> None:
    assert ALL_AT_ONCE(played(stage, weather)).code == code


def test_a_refused_call_in_parallel_is_no_start() -> None:
    """Refused calls at once, then the real ones in sequence."""

    def says(arguments: dict[str, Any], before: int) -> tuple[float, Any]:
        return (0.0, ToolError("no")) if before < 4 else weather(arguments, before)

    async def stage(world: Boundary) -> Any:
        jobs = (world.call("weather", city=city) for city in CITIES)
        await asyncio.gather(*jobs, return_exceptions=True)
        return await in_sequence(world)

    assert ALL_AT_ONCE(played(stage, says)).code == "parallel.one_at_a_time"


# -- at most two -----------------------------------------------------------------------------


async def with_semaphore(world: Boundary) -> Any:
    free = asyncio.Semaphore(2)

    async def one(city: str) -> Any:
        async with free:
            return await world.call("weather", city=city)

    return await asyncio.gather(*map(one, CITIES))


async def with_two_workers(world: Boundary) -> Any:
    left = iter(CITIES)

    async def worker() -> list[Any]:
        return [await world.call("weather", city=city) for city in left]

    return await asyncio.gather(worker(), worker())


async def semaphore_around_the_wrong_thing(world: Boundary) -> Any:
    free, tasks = asyncio.Semaphore(2), []
    for city in CITIES:
        async with free:
            tasks.append(asyncio.create_task(world.call("weather", city=city)))
    return await asyncio.gather(*tasks)


AT_MOST_TWO = all_of(
    concurrency(2, CITY), parallel(CITY, CITIES, limit=2), built_from(CITY, CITIES)
)


@pytest.mark.parametrize("stage", [with_semaphore, with_two_workers])
def test_two_at_a_time_passes(stage: Stage) -> None:
    verdict = AT_MOST_TWO(played(stage, weather))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        (with_gather, "concurrency.too_many"),
        (semaphore_around_the_wrong_thing, "concurrency.too_many"),
        (in_sequence, "concurrency.unused"),
        (in_pairs, "parallel.barrier"),
    ],
)
def test_what_is_not_two_at_a_time_is_named(stage: Stage, code: str) -> None:
    assert AT_MOST_TWO(played(stage, weather)).code == code


# -- a diamond of tasks ----------------------------------------------------------------------

NEEDS = {"b": ["a"], "c": ["a"], "d": ["b", "c"]}
LENGTHS = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 1.0}
DIAMOND = all_of(dependencies(by_tool(), NEEDS, carries=True), parallel(by_tool(), after=NEEDS))


def task(arguments: dict[str, Any], _: int) -> tuple[float, Any]:
    return LENGTHS[arguments["id"]], "done"


async def with_futures(world: Boundary) -> Any:
    tasks: dict[str, asyncio.Task[Any]] = {}

    async def one(label: str) -> Any:
        known = [await tasks[need] for need in NEEDS.get(label, [])]
        return await world.call(label, id=label, known=known)

    tasks.update({label: asyncio.create_task(one(label)) for label in "abcd"})
    return await tasks["d"]


async def by_hand(world: Boundary) -> Any:
    a = await world.call("a", id="a")
    b, c = await asyncio.gather(
        world.call("b", id="b", text=f"after {a}"), world.call("c", id="c", text=[a])
    )
    return await world.call("d", id="d", text=f"{b} and {c}")


async def hands_on_nothing(world: Boundary) -> Any:
    await world.call("a", id="a")
    await asyncio.gather(world.call("b", id="b"), world.call("c", id="c"))
    return await world.call("d", id="d")


async def starts_all_of_it(world: Boundary) -> Any:
    return await asyncio.gather(*(world.call(label, id=label) for label in "abcd"))


async def one_by_one(world: Boundary) -> Any:
    known = ""
    for label in "abcd":
        known += await world.call(label, id=label, known=known)
    return known


@pytest.mark.parametrize("stage", [with_futures, by_hand])
def test_a_diamond_in_any_style_passes(stage: Stage) -> None:
    verdict = DIAMOND(played(stage, task))
    assert verdict.passed, verdict
    assert "critical path a, c and d: 5 s" in verdict.message


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        (hands_on_nothing, "dependencies.not_carried"),
        (starts_all_of_it, "dependencies.too_early"),
        (one_by_one, "parallel.one_at_a_time"),
    ],
)
def test_a_diamond_done_wrong_is_named(stage: Stage, code: str) -> None:
    assert DIAMOND(played(stage, task)).code == code


# -- back-off, refinement, breaker -----------------------------------------------------------


def busy_twice(_: dict[str, Any], before: int) -> tuple[float, Any]:
    return 0.5, ToolError("busy, line 7 is taken") if before < 2 else "free"


def always_busy(_: dict[str, Any], before: int) -> tuple[float, Any]:
    return 0.5, ToolError("busy, line 7 is taken")


def retrying(tries: int, wait: Callable[[int], float], change: bool = False) -> Stage:
    async def stage(world: Boundary) -> Any:
        text, error = "call the plumber", ""
        for attempt in range(tries):
            try:
                return await world.call("phone", who="ann", text=text + error)
            except ToolError as trouble:
                error = f" (last time: {trouble})" if change else ""
                if attempt + 1 < tries:
                    await asyncio.sleep(wait(attempt))
        return "nobody there"

    return stage


PHONE = by_argument("who")


@pytest.mark.parametrize("says", [busy_twice, always_busy])
@pytest.mark.parametrize(
    "wait",
    [lambda n: 2.0**n, lambda n: 0.1 * (n + 1), lambda n: 3**n / 7],
    ids=["doubling", "a little more", "threefold"],
)
def test_growing_waits_pass(wait: Callable[[int], float], says: Any) -> None:
    verdict = backed_off(PHONE, ["ann"])(played(retrying(3, wait), says))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("tries", "wait", "code"),
    [
        (3, lambda n: 0, "retry.no_wait"),
        (3, lambda n: 1, "retry.not_growing"),
        (3, lambda n: 4 / (n + 1), "retry.not_growing"),
        (1, lambda n: 1, "retry.gave_up"),
        (9, lambda n: 2**n, "retry.too_many"),
    ],
    ids=["none", "the same", "shrinking", "one try", "nine tries"],
)
def test_other_waits_are_named(tries: int, wait: Callable[[int], float], code: str) -> None:
    assert backed_off(PHONE)(played(retrying(tries, wait), always_busy)).code == code


def test_refinement_is_told_from_repetition() -> None:
    check = refined(PHONE, ["ann"], field="text", tries=3)
    assert check(played(retrying(3, lambda n: 1, change=True), busy_twice)).passed
    repeated = played(retrying(3, lambda n: 1), busy_twice)
    assert check(repeated).code == "refine.plain_repeat"


@pytest.mark.parametrize(
    ("tries", "code"), [(3, "ok"), (2, "breaker.too_early"), (4, "breaker.too_late")]
)
def test_a_breaker_opens_at_three(tries: int, code: str) -> None:
    assert breaker(PHONE, 3)(played(retrying(tries, lambda n: 0), always_busy)).code == code


# -- deadlines -------------------------------------------------------------------------------


def rome_never(arguments: dict[str, Any], _: int) -> tuple[float, Any]:
    return (9999.0 if arguments["city"] == "Rome" else 1.0), "sunny"


async def one_deadline(world: Boundary) -> Any:
    tasks = {c: asyncio.create_task(world.call("weather", city=c)) for c in CITIES}
    done, pending = await asyncio.wait(tasks.values(), timeout=5)
    for each in pending:
        each.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    found = {city: each.result() for city, each in tasks.items() if each in done}
    return {"found": found, "missing": [city for city in CITIES if city not in found]}


async def a_timeout_each(world: Boundary) -> Any:
    async def one(city: str) -> Any:
        try:
            async with asyncio.timeout(5):
                return await world.call("weather", city=city)
        except TimeoutError:
            return None

    found = dict(zip(CITIES, await asyncio.gather(*map(one, CITIES)), strict=True))
    return {"found": found, "missing": [city for city, each in found.items() if each is None]}


async def forgets_to_cancel(world: Boundary) -> Any:
    tasks = {c: asyncio.create_task(world.call("weather", city=c)) for c in CITIES}
    done, _ = await asyncio.wait(tasks.values(), timeout=5)
    found = {city: each.result() for city, each in tasks.items() if each in done}
    return {"found": found, "missing": [city for city in CITIES if city not in found]}


async def throws_all_away(world: Boundary) -> Any:
    try:
        async with asyncio.timeout(5):
            return {"found": await with_gather(world), "missing": []}
    except TimeoutError:
        return {"found": {}, "missing": CITIES}


DEADLINE = all_of(
    partial(CITY, CITIES, deadline=5, gaps="missing"),
    gaps_named(CITY, CITIES, at="missing"),
    times_out(CITY, 5),
    nothing_left(),
)


@pytest.mark.parametrize("stage", [one_deadline, a_timeout_each])
def test_a_partial_result_in_time_passes(stage: Stage) -> None:
    verdict = DEADLINE(played(stage, rome_never))
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        (forgets_to_cancel, "timeout.unused"),
        (throws_all_away, "partial.lost"),
        (in_sequence, "partial.missing"),
        (with_gather, "partial.too_late"),
    ],
)
def test_other_ends_are_named(stage: Stage, code: str) -> None:
    async def given_up(world: Boundary) -> Any:
        """The judge would not wait for ten thousand seconds either."""
        try:
            async with asyncio.timeout(60):
                return await stage(world)
        except TimeoutError:
            return None

    assert DEADLINE(played(given_up, rome_never)).code == code


def test_what_was_not_cancelled_is_named() -> None:
    assert nothing_left()(played(forgets_to_cancel, rome_never)).code == "left.calls"
