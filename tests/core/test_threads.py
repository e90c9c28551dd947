"""Functions that a program gives to threads, under virtual, scaled and real time."""

from __future__ import annotations

import asyncio
import contextvars
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import anyio.to_thread
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock, threads
from course.errors import VirtualTimeError
from course.trace import Span, Trace, span

InThread = Callable[..., Awaitable[Any]]


async def by_executor(function: Callable[..., Any], *args: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


async def by_own_executor(function: Callable[..., Any], *args: Any) -> Any:
    pool = ThreadPoolExecutor(1)  # which starts no thread before it is given something
    return await asyncio.get_running_loop().run_in_executor(pool, function, *args)


async def by_anyio(function: Callable[..., Any], *args: Any) -> Any:
    return await anyio.to_thread.run_sync(function, *args)


WAYS: list[InThread] = [asyncio.to_thread, by_executor, by_own_executor, by_anyio]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO")


@every_way
def test_a_function_is_carried_out_with_the_context_of_whoever_gave_it(way: InThread) -> None:
    async def main() -> list[str]:
        async def one(name: str) -> Any:
            WHO.set(name)
            return await way(lambda greeting: f"{greeting} {WHO.get()}", "hello")

        return list(await asyncio.gather(one("Ada"), one("Goran")))

    assert clock.simulate(main()) == ["hello Ada", "hello Goran"]


@every_way
def test_an_error_of_the_function_is_raised_where_it_is_awaited(way: InThread) -> None:
    async def main() -> str:
        with pytest.raises(LookupError, match="no such gate"):
            await way(_raises, LookupError("no such gate"))
        return "went on"

    assert clock.simulate(main()) == "went on"


def test_a_function_in_a_thread_has_the_loop_s_time_and_its_steps() -> None:
    def work() -> tuple[float, bool, int]:
        with span("execute_tool", "look"):
            return clock.now(), clock.is_virtual(), clock.time_ns()

    async def main() -> tuple[tuple[float, bool, int], list[Span]]:
        await asyncio.sleep(3)
        with Trace("threads").record() as trace, span("invoke_agent", "desk"):
            await asyncio.sleep(2)
            told = await asyncio.to_thread(work)
        return told, trace.spans

    (now, virtual, ns), (outer, inner) = clock.simulate(main())
    assert (now, virtual, ns) == (5, True, clock.EPOCH_NS + 5_000_000_000)
    assert (inner.start, inner.parent_id) == (2, outer.span_id)


def _raises(error: BaseException) -> None:
    raise error


def test_a_stop_iteration_is_an_error_and_no_end_of_whoever_awaits_it() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        clock.simulate(by_executor(_raises, StopIteration(3)))


def _connects() -> None:
    socket.create_connection(("127.0.0.1", 9))


def _runs_a_program() -> None:
    subprocess.run([sys.executable, "--version"], check=True)


@pytest.mark.parametrize(
    ("blocking", "name"),
    [
        (lambda: time.sleep(60), "say `clock.takes"),
        (_connects, "a socket does not belong"),
        (_runs_a_program, "a subprocess does not belong"),
        (lambda: threading.Thread(target=print).start(), "a thread does not belong"),
        (lambda: clock.simulate(asyncio.sleep(0)), "inside a virtual run"),
    ],
)
@every_way
def test_what_takes_real_time_is_refused_in_a_thread_as_on_the_loop(
    way: InThread, blocking: Callable[[], Any], name: str
) -> None:
    async def main() -> None:
        with pytest.raises(VirtualTimeError, match=name):
            await way(blocking)
        await asyncio.sleep(1)

    clock.simulate(main())


def test_a_lock_that_nobody_releases_is_named_with_its_line_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "STILL_SECONDS", 0.4)
    lock = threading.Lock()

    def waits() -> None:
        lock.acquire()

    async def main() -> str:
        lock.acquire()
        line = waits.__code__.co_firstlineno + 1
        with pytest.raises(VirtualTimeError, match=rf"test_threads.py:{line} .*waits in a thread"):
            await asyncio.to_thread(waits)
        lock.release()
        return str(await asyncio.to_thread(str, "the next one"))

    assert clock.simulate(main()) == "the next one"


def test_a_function_that_works_for_long_is_not_taken_for_one_that_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "STILL_SECONDS", 0.2)
    numbers = list(range(300_000))

    def works() -> int:
        until = time.process_time() + 0.5
        while time.process_time() < until:
            sorted(numbers, reverse=True)
        return 1

    assert clock.simulate(asyncio.to_thread(works)) == 1


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=6), st.sampled_from(WAYS))
def test_functions_that_say_what_they_take_overlap(seconds: list[float], way: InThread) -> None:
    async def main() -> tuple[list[float], float]:
        async def one(span: float) -> float:
            await way(clock.takes, span)
            return clock.now()

        return await asyncio.gather(*map(one, seconds)), clock.now()

    ended, last = clock.simulate(main())
    assert ended == pytest.approx(seconds)
    assert last == pytest.approx(max(seconds))


def test_what_a_function_takes_adds_up_and_is_its_own() -> None:
    def twice() -> None:
        clock.takes(1.5)
        clock.takes(0.5)

    async def main() -> list[float]:
        moments = []
        for function in (twice, lambda: None, twice):
            await asyncio.to_thread(function)
            moments.append(clock.now())
        return moments

    assert clock.simulate(main()) == [2, 2, 4]


def test_anyio_lets_no_more_in_than_its_limiter() -> None:
    async def main() -> float:
        limiter = anyio.CapacityLimiter(2)
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(lambda: anyio.to_thread.run_sync(clock.takes, 1, limiter=limiter))
        return clock.now()

    assert clock.simulate(main()) == 3


def test_whoever_is_cancelled_while_a_function_takes_its_time_is_cancelled_then() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.to_thread(clock.takes, 10)
        return clock.now()

    assert clock.simulate(main()) == 2


@pytest.mark.parametrize("pool", [ProcessPoolExecutor])
def test_processes_stay_an_error(pool: type[Executor]) -> None:
    async def main() -> None:
        await asyncio.get_running_loop().run_in_executor(pool(), print)

    with pytest.raises(VirtualTimeError, match="a process of its own does not belong"):
        clock.simulate(main())


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_seconds_that_are_none_are_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        clock.simulate(asyncio.to_thread(clock.takes, seconds))


def test_on_the_loop_itself_a_plain_sleep_does_it() -> None:
    async def main() -> None:
        clock.takes(1)

    with pytest.raises(VirtualTimeError, match=r"await asyncio\.sleep"):
        clock.simulate(main())


def test_elsewhere_the_thread_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    clock.takes(3)
    asyncio.run(asyncio.to_thread(clock.takes, 2))
    clock.simulate(asyncio.to_thread(clock.takes, 5), speed=10)
    assert slept == [3, 2, 0.5]


def test_the_thread_ends_with_its_loop() -> None:
    async def main() -> threading.Thread:
        return await asyncio.to_thread(threading.current_thread)

    thread: Coroutine[Any, Any, threading.Thread] = main()
    ident = clock.simulate(thread).ident
    until = time.monotonic() + 10
    while ident in sys._current_frames() and time.monotonic() < until:
        time.sleep(0.01)
    assert ident not in sys._current_frames()
