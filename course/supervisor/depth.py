"""How deep delegations go: a supervisor's worker may be a supervisor, but not without end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from course.limits import Stop
from course.supervisor.declared import Supervisor

_depth: ContextVar[tuple[int, float]] = ContextVar("switchboard_depth", default=(0, float("inf")))


@contextmanager
def one_deeper(boss: Supervisor) -> Iterator[None]:
    """Count one more delegation under way, within the `with` block and its tasks."""
    under_way, most = _depth.get()
    token = _depth.set((under_way + 1, min(most, under_way + boss.max_depth)))
    try:
        yield
    finally:
        _depth.reset(token)


def depth_reached(boss: Supervisor) -> Stop | None:
    """The limit of depth, its own or that of a supervisor above, if this one cannot delegate."""
    under_way, most = _depth.get()
    allowed = min(most, under_way + boss.max_depth)
    return Stop("max_depth", allowed, under_way) if under_way >= allowed else None
