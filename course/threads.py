"""Functions that a program gives to threads, carried out under virtual time.

Frameworks run a tool that is no coroutine in a thread (`asyncio.to_thread`, an executor, anyio).
A virtual loop has such a function carried out at once by the one thread that it keeps beside
itself, and stands still meanwhile: the outcome is the same on every machine. What really takes time
is refused there as on the loop; how long the function is to take on the clock, `takes` says.
"""

from __future__ import annotations

import _thread
import asyncio
import contextvars
import ctypes
import functools
import math
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from types import FrameType
from typing import Any

from course.errors import VirtualTimeError
from course.tab import TAB

LOOK_SECONDS = 0.25
"""How often, in real seconds, a loop looks whether its thread still gets on."""

STILL_SECONDS = 5.0
"""Real seconds at one place without work of the CPU, after which nothing will happen there."""

_CPU_OF_A_WAIT = 0.01
"""Seconds of CPU that a thread may use up by waiting for those real seconds."""

_here = threading.local()


def inside() -> bool:
    """Whether this is the thread beside a virtual loop."""
    return loop_beside() is not None


def loop_beside() -> asyncio.AbstractEventLoop | None:
    """The virtual loop beside which this thread works, if it is one."""
    return getattr(_here, "loop", None)


def takes(seconds: float) -> None:
    """Say, within a function that was given to a thread, that it takes so long.

    Under virtual time whoever awaits the function has its result `seconds` later on the clock, so
    that several overlap as in real threads; the function itself goes on at once. In real time the
    thread sleeps for that long, in scaled time for as much less as the loop is faster. Several in
    one function add up.

    Args:
        seconds: seconds on the loop's clock, 0 or more.

    Raises ValueError: a number below 0 or without an end; VirtualTimeError: it is called on a
    virtual loop itself, where `await asyncio.sleep(seconds)` does it.
    """
    if not 0 <= seconds < math.inf:
        raise ValueError(f"takes() needs seconds of 0 or more, not {seconds!r}")
    if inside():
        _here.seconds += seconds
    elif getattr(asyncio._get_running_loop(), "virtual", False):
        raise VirtualTimeError(
            "takes() is for functions in threads; on the loop use `await asyncio.sleep(seconds)`"
        )
    else:
        time.sleep(seconds / getattr(_here, "speed", 1.0))


def at_speed(speed: float, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function for the thread of a loop on which `speed` seconds pass in one."""

    def faster(*args: Any) -> Any:
        _here.speed = speed
        try:
            return function(*args)
        finally:
            del _here.speed  # the thread may be another loop's next

    return faster


@dataclass
class _Job:
    work: Callable[[], Any]
    ended: _thread.LockType = field(default_factory=_thread.allocate_lock)
    result: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


class Beside:
    """The thread beside a virtual loop: one function after the other, while the loop waits."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: SimpleQueue[_Job | None] | None = None
        self._ident = 0

    def carry_out(
        self, executor: Executor | None, function: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Carry out the function now and return the future of its result.

        Raises VirtualTimeError: the executor has processes; the function waits for what nobody
        will do (the line is named).
        """
        if isinstance(executor, ProcessPoolExecutor):
            raise VirtualTimeError(
                "a process of its own does not belong in virtual time; give the function to a "
                "thread, or run this part in real time: clock.simulate(..., speed=1)"
            )
        context = contextvars.copy_context()
        job = _Job(functools.partial(context.run, function, *args))
        if TAB:
            _do(self._loop, job)
        else:
            self._wait_for(job)
        future: asyncio.Future[Any] = self._loop.create_future()
        if job.seconds:
            self._loop.call_later(job.seconds, _settle, future, job)
        else:
            _settle(future, job)
        return future

    def close(self) -> None:
        """Let the thread end."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None

    def _wait_for(self, job: _Job) -> None:
        job.ended.acquire()
        if self._jobs is None:
            self._jobs = SimpleQueue()
            self._ident = _thread.start_new_thread(_serve, (self._loop, self._jobs))
        self._jobs.put(job)
        still = _Still(self._ident)
        try:
            while not job.ended.acquire(timeout=LOOK_SECONDS):
                if where := still.where():
                    raise VirtualTimeError(
                        f"{where} waits in a thread for what nobody will do: the loop stands still "
                        "until the function is done; run this part in real time instead: "
                        "clock.simulate(..., speed=1)"
                    )
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Interrupt what the thread does, as far as Python can, and take another one next time."""
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._ident), ctypes.py_object(KeyboardInterrupt)
        )
        self.close()


def _serve(loop: asyncio.AbstractEventLoop, jobs: SimpleQueue[_Job | None]) -> None:
    with suppress(KeyboardInterrupt):  # abandoned
        while (job := jobs.get()) is not None:
            _do(loop, job)
            job.ended.release()


def _do(loop: asyncio.AbstractEventLoop, job: _Job) -> None:
    """Carry a function out in this thread, which is the loop's own only where there is no other."""
    _here.loop, _here.seconds = loop, 0.0
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        job.result = job.work()
    except BaseException as error:
        job.error = error
    finally:
        asyncio._set_running_loop(running)
        job.seconds, _here.loop = _here.seconds, None


def _settle(future: asyncio.Future[Any], job: _Job) -> None:
    if future.done():  # cancelled while the function was to take its time
        return
    if isinstance(job.error, StopIteration):  # no future takes one, since `await` would end by it
        future.set_exception(RuntimeError("the function in a thread raised StopIteration"))
    elif job.error is not None:
        future.set_exception(job.error)
    else:
        future.set_result(job.result)


class _Still:
    """Whether a thread stands still: one place, hardly any CPU, for `STILL_SECONDS`."""

    def __init__(self, ident: int) -> None:
        self._ident = ident
        self._since: tuple[float, float, object] | None = None

    def where(self) -> str | None:
        """The line at which it stands, or None while it gets on."""
        frame = sys._current_frames().get(self._ident)
        if frame is None:
            return None
        now, place = time.monotonic(), (id(frame), frame.f_lasti)
        used = time.clock_gettime(time.pthread_getcpuclockid(self._ident))
        if self._since is None or self._since[2] != place or used - self._since[1] > _CPU_OF_A_WAIT:
            self._since = (now, used, place)
            return None
        return _line(frame) if now - self._since[0] >= STILL_SECONDS else None


def _line(frame: FrameType) -> str:
    """The innermost line that is nobody's library: file:line (function)."""
    libraries = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    found: FrameType | None = frame
    while found and (found.f_code.co_filename.startswith(libraries) or _ours(found)):
        found = found.f_back
    code = (found or frame).f_code
    return f"{code.co_filename}:{(found or frame).f_lineno} ({code.co_qualname})"


def _ours(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__") == __name__


def through_anyio() -> None:
    """Let anyio's threads, which it starts itself, be a virtual loop's own. anyio has no door for
    it (4.12), so its backend's method is wrapped: where no virtual loop runs, it is as it was."""
    from anyio._backends import _asyncio as anyio_asyncio

    backend: Any = anyio_asyncio.AsyncIOBackend
    usual = backend.run_sync_in_worker_thread.__func__

    async def in_a_thread(
        cls: Any,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        abandon_on_cancel: bool = False,
        limiter: Any = None,
    ) -> Any:
        loop = asyncio.get_running_loop()
        if not getattr(loop, "refuses_blocking", False):
            return await usual(cls, func, args, abandon_on_cancel, limiter)
        await cls.checkpoint()
        async with limiter or cls.current_default_thread_limiter():
            return await loop.run_in_executor(None, func, *args)

    backend.run_sync_in_worker_thread = classmethod(functools.wraps(usual)(in_a_thread))
