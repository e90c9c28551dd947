"""Calls that take real time, refused where a loop runs on virtual time."""

from __future__ import annotations

import asyncio
import functools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from course.errors import VirtualTimeError

WAY_OUT = "run this part in real time instead: clock.simulate(..., speed=1), or a plain await"

NO_SLEEP = "time.sleep blocks every agent on the loop; use `await asyncio.sleep(seconds)`"
_NO_SOCKET = f"a socket does not belong in virtual time; {WAY_OUT}"
_NO_SUBPROCESS = f"a subprocess does not belong in virtual time; {WAY_OUT}"
_NO_THREAD = f"a thread does not belong in virtual time; {WAY_OUT}"
_REFUSED = {
    **dict.fromkeys(("socket.connect", "socket.bind", "socket.getaddrinfo"), _NO_SOCKET),
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.posix_spawn"), _NO_SUBPROCESS),
}


@functools.cache
def watch_blocking_calls() -> None:
    """Install, once per process, the audit hook that refuses blocking calls on a virtual loop.

    An audit hook cannot be removed again, so it first asks whether a virtual loop runs in the
    calling thread; elsewhere it does nothing.
    """

    def hook(event: str, _: tuple[Any, ...]) -> None:
        if event in _REFUSED and _refuses():
            raise VirtualTimeError(_REFUSED[event])

    sys.addaudithook(hook)
    # Python 3.11 raises no audit event for these two
    time.sleep = _refusing(time.sleep, NO_SLEEP)
    threading.Thread.start = _refusing(threading.Thread.start, _NO_THREAD)  # type: ignore[method-assign]


def _refusing(blocking: Callable[..., None], reason: str) -> Callable[..., None]:
    @functools.wraps(blocking)
    def guarded(*args: Any, **kwargs: Any) -> None:
        if _refuses():
            raise VirtualTimeError(reason)
        blocking(*args, **kwargs)

    return guarded


def _refuses() -> bool:
    """Whether the running loop cannot live beside anything that takes real time."""
    return bool(getattr(asyncio._get_running_loop(), "refuses_blocking", False))
