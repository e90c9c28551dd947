"""Threads, locks and `time.sleep` of the judged code, brought onto the keeper's time.

Only calls from the keeper's own threads are changed; every other thread of the process, such as a
notebook kernel's, finds everything as it was.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.thread as pools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from course.clock import NO_SLEEP
from course.errors import VirtualTimeError

from .actors import TICK, Actor
from .keeper import Keeper
from .loop import JudgedLoop


class _Line(threading.local):
    """What the calling thread is about: the pool it gives an item to, a thread it starts."""

    pool: Any = None
    starting = False


_line = _Line()


@contextmanager
def on_time_of(keeper: Keeper) -> Iterator[None]:
    """Bring waiting in threads onto virtual time, within the `with` block."""
    with ExitStack() as undo:
        for owner, name, make in _CHANGES:
            original = getattr(owner, name)
            setattr(owner, name, make(keeper, original))
            undo.callback(setattr, owner, name, original)
        undo.callback(_let_go)
        yield


def _let_go() -> None:
    """Keep Python's exit from waiting for pool threads that will never end."""
    waited_for: Any = pools._threads_queues
    for thread in list(waited_for):
        if isinstance(getattr(thread, "_judged", None), Keeper):
            waited_for.pop(thread, None)


def _sleeping(keeper: Keeper, sleep: Callable[[float], None]) -> Callable[[float], None]:
    def judged_sleep(seconds: float) -> None:
        if keeper.current() is None:
            sleep(seconds)
        elif asyncio._get_running_loop() is not None:
            raise VirtualTimeError(NO_SLEEP)
        elif seconds < 0:
            raise ValueError("sleep length must be non-negative")
        else:
            keeper.sleep(seconds, f"time.sleep({seconds:g})")

    return judged_sleep


class _Waiter:
    """Stands in a condition's line of locks; released, it calls its thread."""

    def __init__(self, keeper: Keeper, actor: Actor) -> None:
        self.done = False
        self._keeper = keeper
        self._actor = actor

    def release(self) -> None:
        self.done = True
        self._keeper.call(self._actor)


def _waiting(keeper: Keeper, wait: Callable[..., bool]) -> Callable[..., bool]:
    def judged_wait(self: Any, timeout: float | None = None) -> bool:
        actor = keeper.current()
        if actor is None or _line.starting or not self._is_owned():
            return wait(self, timeout)
        waiter = _Waiter(keeper, actor)
        self._waiters.append(waiter)
        until = None if timeout is None else keeper.now + timeout
        state = self._release_save()
        try:
            while not waiter.done and (until is None or keeper.now + TICK < until):
                keeper.park(until, "waiting for a thread")
            return waiter.done
        finally:
            self._acquire_restore(state)
            if not waiter.done and waiter in self._waiters:
                self._waiters.remove(waiter)

    return judged_wait


def _starting(keeper: Keeper, start: Callable[..., None]) -> Callable[..., None]:
    def judged_start(self: Any) -> None:
        if keeper.current() is None:
            start(self)
            return
        self.daemon = True  # one that hangs must not keep this process from ending
        if self._target is pools._worker:
            self._judged = keeper
            really_start(self)  # it counts only while it has an item
            return
        actor, run = keeper.enrol(self.name), self.run

        def body() -> None:
            keeper.enter(actor)
            try:
                run()
            finally:
                keeper.leave(actor)

        self.run, self._judged = body, actor
        really_start(self)

    def really_start(thread: Any) -> None:
        _line.starting = True  # `start` waits for the new thread to exist, in real time
        try:
            start(thread)
        finally:
            _line.starting = False

    return judged_start


def _joining(keeper: Keeper, join: Callable[..., None]) -> Callable[..., None]:
    def judged_join(self: Any, timeout: float | None = None) -> None:
        actor = getattr(self, "_judged", None)
        if keeper.current() is None or not isinstance(actor, Actor):
            join(self, timeout)
            return
        until = None if timeout is None else keeper.now + timeout
        while not actor.finished and (until is None or keeper.now + TICK < until):
            keeper.park(until, "waiting for a thread")
        if actor.finished:
            join(self)

    return judged_join


def _submitting(keeper: Keeper, submit: Callable[..., Any]) -> Callable[..., Any]:
    def judged_submit(self: Any, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if keeper.current() is None:
            return submit(self, function, *args, **kwargs)
        _line.pool = self
        try:
            return submit(self, function, *args, **kwargs)
        finally:
            _line.pool = None

    return judged_submit


def _shutting(keeper: Keeper, shut: Callable[..., None]) -> Callable[..., None]:
    def judged_shutdown(self: Any, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if keeper.current() is not None and wait:
            dropped = self._work_queue.qsize() if cancel_futures else 0
            shut(self, wait=False, cancel_futures=cancel_futures)
            keeper.drain(self, dropped)
        shut(self, wait=wait, cancel_futures=cancel_futures)

    return judged_shutdown


def _items(keeper: Keeper, item: Any) -> Any:
    class JudgedItem(item):  # type: ignore[misc]
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.pool = _line.pool
            if self.pool is not None:
                self.order = keeper.submitted(self.pool, self.pool._max_workers)

        def run(self, *args: Any) -> None:
            if self.pool is None:
                super().run(*args)
                return
            actor = keeper.begin_item(self.pool, self.order)
            try:
                super().run(*args)
            finally:
                keeper.end_item(self.pool, actor)

    return JudgedItem


def _loops(keeper: Keeper, make: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: make() if keeper.current() is None else JudgedLoop(keeper)


def _completing(keeper: Keeper, as_completed: Callable[..., Any]) -> Callable[..., Any]:
    """Start the tasks in the order given: before Python 3.13 it was the order of a set."""

    def judged_as_completed(fs: Iterable[Any], *, timeout: float | None = None) -> Any:
        if keeper.current() is None:
            return as_completed(fs, timeout=timeout)
        return as_completed([asyncio.ensure_future(each) for each in fs], timeout=timeout)

    return judged_as_completed


_CHANGES: tuple[tuple[Any, str, Callable[[Keeper, Any], Any]], ...] = (
    (time, "sleep", _sleeping),
    (threading.Condition, "wait", _waiting),
    (threading.Thread, "start", _starting),
    (threading.Thread, "join", _joining),
    (pools.ThreadPoolExecutor, "submit", _submitting),
    (pools.ThreadPoolExecutor, "shutdown", _shutting),
    (pools, "_WorkItem", _items),
    (asyncio, "as_completed", _completing),
    (asyncio, "new_event_loop", _loops),
    (asyncio.events, "new_event_loop", _loops),
)
