"""The clock: exact virtual time, what does not belong in it, stalls, scaled time, notebooks."""

import asyncio
import contextlib
import contextvars
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.errors import VirtualTimeError

NOTE: contextvars.ContextVar[str] = contextvars.ContextVar("note", default="")


async def after(seconds: float, value: Any = None) -> Any:
    await asyncio.sleep(seconds)
    return value


def beside(make: Callable[[], Coroutine[Any, Any, Any]], *, speed: float | None = None) -> Any:
    """As in a notebook cell: a loop runs already when `clock.simulate` is called."""

    async def cell() -> Any:
        return clock.simulate(make(), speed=speed)

    with contextlib.closing(asyncio.new_event_loop()) as kernel:  # asyncio.run would catch SIGINT
        return kernel.run_until_complete(cell())


def alone(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    return clock.simulate(make())


# exact timings


def test_a_virtual_run_starts_at_zero_and_takes_exactly_what_it_sleeps() -> None:
    async def main() -> tuple[float, float]:
        begin = clock.now()
        await asyncio.sleep(12.5)
        return begin, clock.now()

    assert clock.simulate(main()) == (0, 12.5)


def test_gather_takes_as_long_as_its_slowest() -> None:
    async def main() -> tuple[list[str], float]:
        names = await asyncio.gather(after(3, "c"), after(1, "a"), after(2, "b"))
        return names, clock.now()

    assert clock.simulate(main()) == (["c", "a", "b"], 3)


def test_a_task_group_takes_as_long_as_its_longest_chain() -> None:
    async def chain() -> None:
        await asyncio.sleep(1)
        await asyncio.sleep(1.5)

    async def main() -> float:
        async with asyncio.TaskGroup() as group:
            group.create_task(after(2))
            group.create_task(chain())
        return clock.now()

    assert clock.simulate(main()) == 2.5


async def cut_by_wait_for() -> None:
    await asyncio.wait_for(after(100), 1.25)


async def cut_by_timeout() -> None:
    async with asyncio.timeout(1.25):
        await after(100)


@pytest.mark.parametrize("cut", [cut_by_wait_for, cut_by_timeout])
def test_a_timeout_fires_at_its_second(cut: Callable[[], Awaitable[None]]) -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            await cut()
        return clock.now()

    assert clock.simulate(main()) == 1.25


def test_what_ends_before_its_timeout_is_not_cut_off() -> None:
    async def main() -> tuple[str, float]:
        async with asyncio.timeout(2):
            inner = await asyncio.wait_for(after(1.999, "done"), 1.9995)
        return inner, clock.now()

    assert clock.simulate(main()) == ("done", 1.999)


def test_locks_queues_and_semaphores_work_as_in_real_time() -> None:
    async def main() -> list[float]:
        gate, ends = asyncio.Semaphore(2), []

        async def worker() -> None:
            async with gate:
                await asyncio.sleep(1)
                ends.append(clock.now())

        await asyncio.gather(*(worker() for _ in range(5)))
        return ends

    assert clock.simulate(main()) == [1, 1, 2, 2, 3]


def test_a_year_of_virtual_time_passes() -> None:
    async def main() -> float:
        for _ in range(4):
            await asyncio.sleep(100 * 86_400)
        return clock.now()

    assert clock.simulate(main()) == 400 * 86_400


@given(st.lists(st.integers(0, 5_000_000), min_size=1, max_size=12))
def test_sleepers_wake_in_order_at_their_own_microsecond(microseconds: list[int]) -> None:
    async def main() -> list[tuple[float, int]]:
        woken: list[tuple[float, int]] = []

        async def sleeper(us: int) -> None:
            await asyncio.sleep(us / 1e6)
            woken.append((clock.now(), us))

        await asyncio.gather(*(sleeper(us) for us in microseconds))
        return woken

    woken = clock.simulate(main())
    assert [us for _, us in woken] == sorted(microseconds)
    assert all(round(at * 1e6) == us for at, us in woken)


def test_calendar_time_is_the_same_on_every_machine() -> None:
    async def main() -> int:
        await asyncio.sleep(1.5)
        return clock.time_ns()

    assert clock.simulate(main()) == clock.EPOCH_NS + 1_500_000_000


def test_only_a_virtual_run_says_that_it_is_one() -> None:
    async def main() -> bool:
        return clock.is_virtual()

    assert clock.simulate(main())
    assert not clock.simulate(main(), speed=1)
    assert not asyncio.run(main())
    assert not clock.is_virtual()


# stalls


async def waits_for_nobody() -> None:
    await asyncio.Event().wait()


async def shrugs_cancelling_off() -> str:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    return "as if nothing had happened"


async def breaks_when_cancelled() -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise RuntimeError("in the middle of things") from None


async def child_waits() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(waits_for_nobody())


async def cleans_up_for_ever() -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.Event().wait()


@pytest.mark.parametrize("how", [alone, beside])
@pytest.mark.parametrize(
    ("stalling", "name"),
    [
        (waits_for_nobody, "waits_for_nobody"),
        (shrugs_cancelling_off, "shrugs_cancelling_off"),
        (breaks_when_cancelled, "breaks_when_cancelled"),
        (child_waits, "waits_for_nobody"),
        (cleans_up_for_ever, "cleans_up_for_ever"),
    ],
)
def test_a_stall_is_found_and_named(
    how: Callable[..., Any], stalling: Callable[[], Coroutine[Any, Any, Any]], name: str
) -> None:
    with pytest.raises(VirtualTimeError, match=f"nothing can happen any more at 0.000 s: {name}"):
        how(stalling)


def test_a_stall_tells_its_second() -> None:
    async def main() -> None:
        await asyncio.sleep(4)
        await asyncio.Queue[int]().get()

    with pytest.raises(VirtualTimeError, match=r"at 4\.000 s"):
        clock.simulate(main())


def test_a_task_left_behind_is_cancelled_and_one_that_resists_does_not_hang() -> None:
    cancelled: list[bool] = []

    async def left() -> None:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def main() -> str:
        task = asyncio.create_task(left())
        await asyncio.sleep(1)
        assert not task.done()
        return "done"

    assert clock.simulate(main()) == "done"
    assert cancelled == [True]

    async def stubborn() -> str:
        task = asyncio.create_task(cleans_up_for_ever())
        await asyncio.sleep(1)
        assert not task.done()
        return "done"

    with pytest.raises(VirtualTimeError, match="cleans_up_for_ever"):
        clock.simulate(stubborn())


# what does not belong


async def connects() -> None:
    socket.create_connection(("127.0.0.1", 9))


async def opens_a_connection() -> None:
    await asyncio.open_connection("127.0.0.1", 9)


async def serves() -> None:
    await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)


async def looks_up_a_name() -> None:
    urllib.request.urlopen("http://nowhere.invalid")  # noqa: ASYNC210


async def starts_a_thread() -> None:
    threading.Thread(target=print).start()


async def runs_a_program() -> None:
    subprocess.run([sys.executable, "--version"])  # noqa: ASYNC221


async def runs_a_program_beside() -> None:
    await asyncio.create_subprocess_exec(sys.executable, "--version")


async def runs_a_shell() -> None:
    os.system("true")  # noqa: ASYNC221


async def sleeps() -> None:
    time.sleep(60)  # noqa: ASYNC251


REFUSED: list[tuple[Callable[[], Coroutine[Any, Any, Any]], str]] = [
    (connects, "a socket"),
    (opens_a_connection, "a socket"),
    (serves, "a socket"),
    (looks_up_a_name, "a socket"),
    (starts_a_thread, "a thread"),
    (runs_a_program, "a subprocess"),
    (runs_a_program_beside, "a subprocess"),
    (runs_a_shell, "a subprocess"),
    (sleeps, r"time\.sleep blocks every agent"),
]


@pytest.mark.parametrize("how", [alone, beside])
@pytest.mark.parametrize(("blocking", "name"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
def test_what_takes_real_time_is_refused_by_name(
    how: Callable[..., Any], blocking: Callable[[], Coroutine[Any, Any, Any]], name: str
) -> None:
    with pytest.raises((VirtualTimeError, urllib.error.URLError), match=name):
        how(blocking)


def test_none_of_it_is_refused_in_real_time() -> None:
    async def main() -> str:
        time.sleep(0)  # noqa: ASYNC251
        thread = threading.Thread(target=time.sleep, args=(0,))
        thread.start()
        thread.join()
        server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        server.close()
        return await asyncio.to_thread(str, "fine")

    assert clock.simulate(main(), speed=1) == "fine"
    assert asyncio.run(main()) == "fine"


def test_a_virtual_run_in_another_thread_forbids_nothing_here() -> None:
    reached, go_on = threading.Event(), threading.Event()

    async def main() -> None:
        reached.set()
        go_on.wait(10)  # holds the other thread inside its virtual run

    runner = threading.Thread(target=lambda: clock.simulate(main()))
    runner.start()
    try:
        assert reached.wait(10)
        time.sleep(0)
    finally:
        go_on.set()
        runner.join(10)


# scaled and real time: only orders are asserted, never durations


@pytest.mark.parametrize("speed", [50, 1000.0])
def test_scaled_time_keeps_the_order_and_never_wakes_early(speed: float) -> None:
    async def main() -> list[tuple[str, bool]]:
        woken: list[tuple[str, bool]] = []
        loop, begin, last = asyncio.get_running_loop(), clock.now(), asyncio.Event()

        def wake(name: str, seconds: float) -> None:
            woken.append((name, clock.now() - begin >= seconds - 1e-6))
            if len(woken) == 3:
                last.set()

        # Every alarm counts from one moment: what a busy machine puts between
        # two lines of this test would otherwise count as seconds of the clock.
        for name, seconds in (("c", 9), ("a", 1), ("b", 5)):
            loop.call_at(begin + seconds, wake, name, seconds)
        await last.wait()
        return woken

    assert clock.simulate(main(), speed=speed) == [("a", True), ("b", True), ("c", True)]


def test_in_scaled_time_the_calendar_runs_as_fast_as_the_loop() -> None:
    async def main() -> tuple[int, float]:
        begin, since = clock.time_ns(), clock.now()
        await asyncio.sleep(20)
        elapsed = clock.now() - since
        return clock.time_ns() - begin, elapsed

    nanoseconds, loop_seconds = clock.simulate(main(), speed=1000)
    assert nanoseconds >= loop_seconds * 1e9 - 1000
    assert loop_seconds >= 20


@pytest.mark.parametrize("speed", [0, -1, float("nan"), float("inf")])
def test_a_speed_that_is_none_is_refused(speed: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the coroutine is closed, not forgotten
        with pytest.raises(ValueError, match="speed must be above 0"):
            clock.simulate(after(1), speed=speed)
        gc.collect()


# in a notebook


@pytest.mark.parametrize("speed", [None, 1000.0])
def test_a_loop_that_runs_already_is_left_alone(speed: float | None) -> None:
    async def cell() -> tuple[str, bool]:
        kernel = asyncio.get_running_loop()
        value = clock.simulate(after(3, "from beside"), speed=speed)
        await asyncio.sleep(0)
        return value, asyncio.get_running_loop() is kernel

    assert asyncio.run(cell()) == ("from beside", True)


@pytest.mark.parametrize("how", [alone, beside])
def test_context_variables_are_visible_inside(how: Callable[..., Any]) -> None:
    token = NOTE.set("from outside")

    async def main() -> str:
        return await asyncio.create_task(read())

    async def read() -> str:
        return NOTE.get()

    try:
        assert how(main) == "from outside"
    finally:
        NOTE.reset(token)


@pytest.mark.parametrize("how", [alone, beside])
@pytest.mark.parametrize(
    "error", [KeyError("k"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError("why")]
)
def test_errors_come_out_as_they_are(how: Callable[..., Any], error: BaseException) -> None:
    async def main() -> None:
        await asyncio.sleep(1)
        raise error

    with pytest.raises(type(error)) as caught:
        how(main)
    assert caught.value.args == error.args


def test_a_group_of_errors_stays_a_group() -> None:
    async def fails(seconds: float, error: Exception) -> None:
        await asyncio.sleep(seconds)
        raise error

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails(1, ValueError("v")))
            group.create_task(fails(1, KeyError("k")))

    with pytest.raises(ExceptionGroup) as caught:
        clock.simulate(main())
    assert [type(error) for error in caught.value.exceptions] == [ValueError, KeyError]


def test_a_virtual_run_inside_another_is_told_to_await() -> None:
    async def main() -> None:
        clock.simulate(after(1))

    with pytest.raises(VirtualTimeError, match="`await` it there instead"):
        clock.simulate(main())


@pytest.mark.parametrize("what", [after, 3, None])
def test_what_is_no_coroutine_is_refused_with_the_way_out(what: Any) -> None:
    with pytest.raises(TypeError, match=r"such as main\(\) rather than main"):
        clock.simulate(what)


@pytest.mark.parametrize("how", [alone, beside])
def test_nothing_is_left_open(how: Callable[..., Any]) -> None:
    async def main() -> None:
        await asyncio.gather(after(1), after(2))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            how(main)
        gc.collect()
    assert [str(w.message) for w in caught] == []


# the Stop button


@pytest.mark.parametrize("how", [alone, beside])
def test_stop_cancels_the_run_and_lets_it_clean_up(how: Callable[..., Any]) -> None:
    steps: list[str] = []
    began = threading.Event()

    def presses_stop() -> None:
        """A person's hand: by then, whoever waits for the run is waiting."""
        began.wait(60)
        time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    async def main() -> None:
        began.set()
        try:
            while True:  # noqa: ASYNC110
                await asyncio.sleep(1)
        finally:
            steps.append("cleaned up")

    person = threading.Thread(target=presses_stop)
    person.start()
    with pytest.raises(KeyboardInterrupt):
        how(main)
    person.join()
    assert steps == ["cleaned up"]


NEVER_AWAITS = """
import asyncio, os, signal, time
from course import clock

async def deaf():
    until = time.monotonic() + 60
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        pause = time.monotonic() + 2  # a busy machine may hear two at once as one
        while time.monotonic() < pause:
            pass
    while time.monotonic() < until:
        pass

async def cell():
    clock.simulate(deaf())

try:
    asyncio.new_event_loop().run_until_complete(cell())
except KeyboardInterrupt:
    print("stopped")
"""


def test_stop_pressed_twice_ends_even_code_that_never_awaits() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEVER_AWAITS],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "stopped\n"
