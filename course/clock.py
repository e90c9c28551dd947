"""Time as the course uses it: virtual, real or scaled, for the same unchanged asyncio code.

Orchestration is mostly waiting, so `simulate` uses an event loop whose clock jumps to the next
timer instead of sleeping (looptime): thirty seconds take milliseconds, exact and the same on every
machine. What really takes time (sockets, threads of one's own, subprocesses, `time.sleep`) is
refused by name; a function given to a thread is carried out at once (course/threads.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import functools
import math
import selectors
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from course import tab, threads
from course.errors import VirtualTimeError
from course.threads import takes as takes  # clock.takes(2.0), beside clock.now()

if TYPE_CHECKING:
    import looptime


WAY_OUT = "run this part in real time instead: clock.simulate(..., speed=1), or a plain await"

NO_SLEEP = "time.sleep blocks every agent on the loop; use `await asyncio.sleep(seconds)`"
_NO_SLEEP_ASIDE = "time.sleep in a thread takes real time; say `clock.takes(seconds)` instead"
_NO_SOCKET = (
    "a socket does not belong in virtual time; a framework's own client needs one: give it that of"
    f" course.connect(), or {WAY_OUT}"
)
_NO_SUBPROCESS = f"a subprocess does not belong in virtual time; {WAY_OUT}"
_NO_THREAD = f"a thread does not belong in virtual time; {WAY_OUT}"
_REFUSED = {
    **dict.fromkeys(("socket.connect", "socket.bind", "socket.getaddrinfo"), _NO_SOCKET),
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.posix_spawn"), _NO_SUBPROCESS),
}


@functools.cache
def watch_blocking_calls() -> None:
    """Refuse blocking calls on a virtual loop, and there alone: one audit hook for the process."""

    def hook(event: str, _: tuple[Any, ...]) -> None:
        if event in _REFUSED and _refuses():
            raise VirtualTimeError(_REFUSED[event])

    sys.addaudithook(hook)
    # Python 3.11 raises no audit event for these two
    time.sleep = _refusing(time.sleep, NO_SLEEP)
    threading.Thread.start = _refusing(threading.Thread.start, _NO_THREAD)  # type: ignore[method-assign]
    threads.through_anyio()


def _refusing(blocking: Callable[..., None], reason: str) -> Callable[..., None]:
    @functools.wraps(blocking)
    def guarded(*args: Any, **kwargs: Any) -> None:
        if _refuses():
            aside = reason == NO_SLEEP and threads.inside()
            raise VirtualTimeError(_NO_SLEEP_ASIDE if aside else reason)
        blocking(*args, **kwargs)

    return guarded


def _refuses() -> bool:
    """Whether the loop of this thread cannot live beside anything that takes real time."""
    return bool(getattr(_loop(), "refuses_blocking", False))


def _loop() -> asyncio.AbstractEventLoop | None:
    """The loop whose clock rules in this thread."""
    return asyncio._get_running_loop() or threads.loop_beside()


def _without_pytest(name: str) -> ModuleType:
    """Import looptime, which would import pytest where that is installed: 7 MB in every process."""
    absent = "pytest" not in sys.modules
    if absent:
        sys.modules["pytest"] = cast(ModuleType, None)  # importing it fails, as where there is none
    try:
        return import_module(name)
    finally:
        if absent:
            del sys.modules["pytest"]


if not TYPE_CHECKING:
    looptime = _without_pytest("looptime")

T = TypeVar("T")

EPOCH_NS = 1_767_225_600_000_000_000
"""Where virtual time starts on the calendar (2026-01-01 00:00 UTC, in nanoseconds)."""

TICK = 1e-6
"""Seconds that are no time: a loop's clock need not move for less, and who sleeps for less than
what a sum of floats is off would sleep again and again."""

LoopMaker = Callable[[float | None], asyncio.AbstractEventLoop | None]
_makers: list[LoopMaker] = []


def simulate(main: Coroutine[Any, Any, T], *, speed: float | None = None) -> T:
    """Run a coroutine to its end and return its result. Used in chapter 00.

    It works in a script and in a notebook cell, whose kernel has a loop of its own already: there
    it runs in a thread beside it, and the Stop button cancels it (in a browser's tab, which has no
    threads, the page's loop waits for it, and Stop restarts the kernel).

    Args:
        main: the coroutine, such as `run_agent(...)` called but not awaited.
        speed: loop seconds per real second. None jumps (virtual time), 1 is real time.

    Raises VirtualTimeError: under virtual time something needs real time, every task waits for what
    can no longer happen, or it is called inside another virtual run; ValueError: `speed` is not
    above 0; TypeError: `main` is no coroutine.
    """
    if not isinstance(main, Coroutine):
        raise TypeError(
            f"clock.simulate needs a coroutine, such as main() rather than main, not {main!r}"
        )
    try:
        loop = _make_loop(speed)
    except BaseException:
        main.close()
        raise
    if asyncio._get_running_loop() is None:
        return _run_here(main, loop)
    if tab.TAB:
        return tab.within(lambda: _run_here(main, loop))
    return _run_beside(main, loop)


@contextlib.contextmanager
def loops_from(maker: LoopMaker) -> Iterator[None]:
    """Let `simulate` take its loops from `maker` within the `with` block, in every thread: for a
    test bench that keeps the time itself. `maker` gets the speed and gives a loop, or None for
    the usual one; its `virtual` says that it is virtual time, its `begin_ns` where its calendar
    starts.
    """
    _makers.append(maker)
    try:
        yield
    finally:
        _makers.remove(maker)


def _make_loop(speed: float | None) -> asyncio.AbstractEventLoop:
    if speed is not None and not 0 < speed < math.inf:
        raise ValueError(f"speed must be above 0, not {speed}: use 1 for real time, None for jumps")
    if is_virtual():
        raise VirtualTimeError("clock.simulate inside a virtual run: `await` it there instead")
    made = (maker(speed) for maker in reversed(_makers))
    usual = VirtualLoop if speed is None else functools.partial(ScaledLoop, speed)
    return next((loop for loop in made if loop is not None), None) or usual()


def now() -> float:
    """Seconds on the running loop's clock; a virtual run starts at 0. Needs a running loop, or
    to be called in a function that was given to a thread under virtual time."""
    return (threads.loop_beside() or asyncio.get_running_loop()).time()


def is_virtual() -> bool:
    """True inside a run under virtual time."""
    return bool(getattr(_loop(), "virtual", False))


def time_ns() -> int:
    """The moment as nanoseconds since 1970, on the clock that rules here.

    Virtual time starts at `EPOCH_NS`, so that a trace is the same to the byte on every machine;
    scaled time starts with the machine's own clock, which it is elsewhere.
    """
    loop = _loop()
    begin_ns: int | None = getattr(loop, "begin_ns", None)
    if loop is None or begin_ns is None:
        return time.time_ns()
    return begin_ns + round(loop.time() * 1e9)


class VirtualLoop(looptime.LoopTimeEventLoop, tab.Loop):
    """An event loop whose clock jumps to the next timer and refuses what needs real time."""

    virtual = True
    refuses_blocking = True
    _clock_resolution: float  # BaseEventLoop's own, which its type stub leaves out

    def __init__(self) -> None:
        super().__init__(noop_cycles=0)
        # looptime's tick is 1 us. asyncio's own 1 ns is lost in rounding after 194 days of virtual
        # time: the next timer is then never due, and the loop spins for ever.
        self._clock_resolution = 0.5e-6
        self.begin_ns = EPOCH_NS
        self.main: asyncio.Task[Any] | None = None
        self.main_name = "the coroutine"
        self.stalled: str | None = None
        self._beside = threads.Beside(self)
        self._jump = self._selector.select
        self._selector.select = self._select  # type: ignore[method-assign]
        watch_blocking_calls()

    def _select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        # No timeout means: no timer is left and nothing is ready. In real time a socket or a
        # thread might still wake the loop; here nobody will, so waiting would last for ever.
        if timeout is None:
            if self.stalled or self.main is None or self.main.done():  # it withstood cancelling
                self.stalled = self.stalled or _describe_stall(self)
                raise VirtualTimeError(self.stalled)
            self.stalled = _describe_stall(self)
            self.call_soon(self.main.cancel)
            timeout = 0
        if timeout == 0:  # something is ready, so no time passes: only look, without the jumps
            if len(self._selector.get_map()) <= 1:  # nothing to look at but the loop's own pipe
                return []
            return type(self._selector).select(self._selector, 0)
        events: list[tuple[selectors.SelectorKey, int]] = self._jump(timeout)
        return events

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Have the function carried out now, by the thread beside this loop."""
        return self._beside.carry_out(executor, func, *args)

    def close(self) -> None:
        """Close the loop, and let the thread beside it end."""
        self._beside.close()
        super().close()


class ScaledLoop(tab.Loop):
    """A loop on which `speed` seconds pass in one second of real time."""

    _selector: selectors.BaseSelector  # BaseEventLoop's own, which its type stub leaves out

    def __init__(self, speed: float) -> None:
        super().__init__()
        self.begin_ns = time.time_ns()
        self._speed = speed
        self._begin = time.monotonic()
        self._sleep = self._selector.select
        self._selector.select = self._select  # type: ignore[method-assign]

    def time(self) -> float:
        """Loop seconds since the loop was made."""
        return (time.monotonic() - self._begin) * self._speed

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Give the function to a thread, in which `takes` knows the speed."""
        if not isinstance(executor, ProcessPoolExecutor):
            func = threads.at_speed(self._speed, func)
        return super().run_in_executor(executor, func, *args)

    def _select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return self._sleep(None if timeout is None else timeout / self._speed)


def _run_here(main: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Run in this thread, on a fresh loop that is closed at the end."""
    results: list[T] = []
    cause: Exception | None = None
    try:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(_as_main(main, results))
    except (asyncio.CancelledError, Exception) as error:
        if not getattr(loop, "stalled", None):
            raise
        cause = error if isinstance(error, Exception) else None
    if said := getattr(loop, "stalled", None):  # though the coroutine may have withstood it
        raise VirtualTimeError(said) from cause
    return results[0]


async def _as_main(main: Coroutine[Any, Any, T], results: list[T]) -> None:
    """Tell a virtual loop which task to cancel when everything stands still.

    The result goes into a list: as the task's own, `asyncio.Runner` would print it into an error.
    """
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualLoop):
        loop.main, loop.main_name = asyncio.current_task(), getattr(main, "__qualname__", "main")
    results.append(await main)


def _run_beside(main: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    """Run in a thread of its own while this one waits, so that a kernel's loop is not disturbed."""
    outcome: Future[T] = Future()  # not thread.join(): interrupted, Python 3.11 takes it for dead
    go = threading.Event()  # the coroutine begins when whoever presses Stop is being listened to

    def body() -> None:
        go.wait()
        try:
            outcome.set_result(_run_here(main, loop))
        except BaseException as error:
            outcome.set_exception(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(body,), daemon=True)
    thread.start()
    stops = 0
    while not outcome.done():
        try:
            go.set()
            # In slices: a signal that comes just before the wait is heard only at its end.
            wait((outcome,), timeout=0.5)
        except KeyboardInterrupt:
            stops += 1
            _stop(thread, loop, politely=stops == 1)
    if stops and isinstance(outcome.exception(), asyncio.CancelledError):
        raise KeyboardInterrupt from None
    return outcome.result()


def _stop(thread: threading.Thread, loop: asyncio.AbstractEventLoop, *, politely: bool) -> None:
    """Cancel every task; when asked again, interrupt what never comes back to the loop."""

    def cancel() -> None:
        for task in asyncio.all_tasks(loop):
            task.cancel("stopped by the Stop button")

    if politely:
        with contextlib.suppress(RuntimeError):  # the loop was just closed
            loop.call_soon_threadsafe(cancel)
    else:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
        )


def _describe_stall(loop: VirtualLoop) -> str:
    others = asyncio.all_tasks(loop) - {loop.main}
    names = (getattr(task.get_coro(), "__qualname__", task.get_name()) for task in others)
    waiting = sorted(names) or [loop.main_name]
    return (
        f"nothing can happen any more at {loop.time():.3f} s: {', '.join(waiting[:5])} "
        "waits for an event, queue or future that no running task will ever set"
    )
