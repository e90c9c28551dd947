"""Threads of the judged code as the keeper sees them, and the pools some of them work for."""

from __future__ import annotations

from _thread import allocate_lock

TICK = 0.5e-6
"""Two moments closer than this are one (seconds); the world rounds to the microsecond."""


class Actor:
    """One thread of the judged code.

    Attributes:
        until: when it is due by itself; None waits to be called.
        stirred: its loop has something new to look at.
        called: what it waits for outside a loop has happened.
        holds: what it waits for while it holds up a running loop; empty when it holds up none.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.native = 0
        self.gate = allocate_lock()
        self.gate.acquire()
        self.parked = False
        self.until: float | None = None
        self.in_loop = False
        self.stirred = False
        self.called = False
        self.finished = False
        self.holds = ""
        self.since = 0

    def is_due(self, now: float) -> bool:
        """Whether it can go on at this time."""
        if self.called or (self.in_loop and self.stirred):
            return True
        return self.until is not None and self.until <= now + TICK


class Pool:
    """How many items of a thread pool are on their way to a worker, and how many have one."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting = 0
        self.busy = 0
