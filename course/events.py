"""What a run tells while it runs: one family of events, to which every room adds its own.

`course.stream` gives them one by one, `on_event` of `course.run` as they happen; Python's `logging`
has them under "switchboard.audit", as the record's `event`, and `audit` in a file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from textwrap import shorten
from typing import Any
from weakref import WeakKeyDictionary

from pydantic_core import to_json

from course import clock
from course.limits import Stop

LOG = logging.getLogger("switchboard.audit")
PERSON = "person"
"""Under which name a log has what the person says."""
TOLD_LETTERS = 500
"""How much of a text an audit trail keeps."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a run: with which agent or other system, and when (`at`, in
    seconds on the loop's clock).
    """

    system: str
    at: float = field(default_factory=clock.now)

    def told(self) -> dict[str, Any]:
        """What happened, for a line of an audit trail: plain values, texts shortened."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    def __str__(self) -> str:
        told = self.told()
        at, system = told.pop("at"), told.pop("system")
        said = ", ".join(f"{name}={value}" for name, value in told.items())
        return f"{at:9.3f} s  {system}: {type(self).__name__} {said}".rstrip()


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    return shorten(str(value), TOLD_LETTERS, placeholder=" ...")


@dataclass(frozen=True, kw_only=True)
class Said(Event):
    """An agent or the `PERSON` said something (told to the log alone), after so many seconds."""

    words: str
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ToolCalled(Event):
    """An agent's model asked for a tool; `arguments` is JSON text."""

    tool: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class ToolAnswered(Event):
    """A tool's call is over; `outcome` is "ok", "refused" or "error", `content` what it said."""

    tool: str
    outcome: str
    content: str


@dataclass(frozen=True, kw_only=True)
class LimitReached(Event):
    """A limit was reached: nothing new is begun from here on."""

    stop: Stop


@dataclass(frozen=True, kw_only=True)
class Finished(Event):
    """The run is over; always the last event. `result` is what `course.run` returns."""

    result: Any

    def told(self) -> dict[str, Any]:
        """The answer and what ended the run, rather than all of the result."""
        of = {name: getattr(self.result, name, None) for name in ("answer", "stop")}
        return {"at": self.at, "system": self.system, **{k: _plain(v) for k, v in of.items()}}


@contextmanager
def audit(path: str | Path) -> Iterator[logging.Logger]:
    """Write the events of the block's runs to a file, a JSON line each. Used in chapter 03.

    A line has "at" (seconds), "system", "event" (its kind) and what the event tells; they come
    after what the file holds. All runs of the block have one clock: a later one goes on where the
    ones before it had got to. Raises OSError when it cannot be written.
    """
    handler, before = logging.FileHandler(path, encoding="utf-8"), LOG.level
    handler.setFormatter(_JsonLines())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        yield LOG
    finally:
        LOG.setLevel(before)
        LOG.removeHandler(handler)
        handler.close()


class _JsonLines(logging.Formatter):
    def __init__(self) -> None:
        super().__init__()
        self._latest = 0.0
        self._begins = WeakKeyDictionary[asyncio.AbstractEventLoop, float]()

    def format(self, record: logging.LogRecord) -> str:
        """An event as one line of JSON; any other record as its message."""
        event = getattr(record, "event", None)
        if not isinstance(event, Event):
            told = {"message": record.getMessage()}
        else:
            told = event.told() | {"at": self._on_one_clock(event.at)}
        return to_json({"event": type(event).__name__, **told}).decode()

    def _on_one_clock(self, at: float) -> float:
        """A virtual or scaled loop's clock begins at 0; all others have the machine's."""
        loop = asyncio._get_running_loop()
        if loop is None or not hasattr(loop, "begin_ns"):
            return at
        at += self._begins.setdefault(loop, self._latest)
        self._latest = max(self._latest, at)
        return at
