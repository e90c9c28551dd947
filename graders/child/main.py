"""The boxed child: reads its script from a socket, plays it, says how it ended, and is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import FrameType, ModuleType
from typing import Any, NoReturn

from .cells import Cells, Interrupted
from .failures import cut, failure, own_line_of
from .keeper import Keeper
from .link import Ended, LineLink
from .stage import finish, play, rest, surroundings, unwarned, waiting
from .warmup import warm_up
from .withheld import Withheld

LONGEST_LINE = 200  # characters of the student's own line that are told
LOOK = 0.25  # CPU seconds between two looks at whether anything was said
MOST_NOTES = 100
ONE_ASIDE = 2.0  # CPU seconds for one statement of what is not the answer's
LONGEST_ASIDE = 20.0  # real seconds for it; a busy machine gives it little of each
WAITS_ASIDE = 2.0  # real seconds after which it may not be idle
IDLE = 0.01  # share of the real time below which a process does nothing but wait


def prepare() -> None:
    """Called once, in the process that the boxes are forked from."""
    warm_up()


def main(fd: int) -> NoReturn:
    """Play what the socket `fd` says, and end this process."""
    link = LineLink(fd)
    try:
        _serve(link)
    except (BrokenPipeError, ConnectionResetError):  # the judge has heard enough
        pass
    except BaseException:  # a fault of the judge's own, for whoever reads the output
        traceback.print_exc()
    finally:
        _flush()
        os._exit(0)


def _serve(link: LineLink) -> None:
    script = link.receive()
    module = ModuleType("__main__")
    namespace = module.__dict__
    sys.modules["__main__"] = module
    watch = _Watch(link, namespace, script["cpu_seconds"], script["aside_seconds"])
    time.sleep = lambda seconds: None  # nobody waits for the pauses of a notebook's cells
    keeper = Keeper(link)
    with unwarned(), surroundings(keeper):
        ending = _played(keeper, link, watch, namespace, script)
        link.send(ending)
        if ending["do"] == "returned":
            rest(keeper)


def _played(
    keeper: Keeper,
    link: LineLink,
    watch: _Watch,
    namespace: dict[str, Any],
    script: Mapping[str, Any],
) -> dict[str, Any]:
    """Run the cells and play the stage; returns the message that says how it ended."""
    withheld = Withheld(script["finished"], script["judged"], namespace)
    try:
        notes = _prepare(watch, namespace, script, withheld)
    except BaseException as trouble:  # a cell may even say SystemExit
        return {"do": "raised", **failure(trouble, namespace)}
    link.send({"do": "began", "notes": notes[:MOST_NOTES]})
    keeper.adopt("the notebook")
    try:
        return withheld.told(play(keeper, namespace, script))
    except Ended:
        return {"do": "stuck", "waiting": waiting(keeper, namespace)}


def _prepare(
    watch: _Watch, namespace: dict[str, Any], script: Mapping[str, Any], withheld: Withheld
) -> list[dict[str, str]]:
    """Run the cells, with finished definitions before them and after them.

    What the exercise itself builds is gone before the first cell of the student's own.
    """
    away = partial(withheld.take, for_good=True)
    cells = Cells(namespace, watch.aside, script["judged"], away)
    finish(namespace, script["given"])
    cells.run(script["cells"])
    finish(namespace, script["given"])
    asyncio.set_event_loop(None)
    withheld.met = ""  # a cell may look at it
    return cells.notes


class _Watch:
    """Says so and ends when this process computes for `seconds` without saying anything.

    The judge would end it too, but cannot tell which line it was.
    """

    def __init__(
        self, link: LineLink, namespace: Mapping[str, Any], seconds: float, aside: float
    ) -> None:
        self._link = link
        self._namespace = namespace
        self._seconds = seconds
        self._said = link.said
        self._looks = 0
        self._left = aside  # CPU seconds for all that is not the answer's
        self._aside: tuple[float, float, float] | None = None
        signal.signal(signal.SIGPROF, self._look)
        signal.signal(signal.SIGALRM, self._look_aside)
        signal.setitimer(signal.ITIMER_PROF, LOOK, LOOK)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Time that is not counted, and not long: Interrupted is raised when it is over."""
        begin = time.process_time()
        self._aside = begin, time.monotonic(), min(ONE_ASIDE, max(self._left, LOOK))
        signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
        try:
            yield
        finally:
            self._aside, self._looks = None, 0
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._left -= time.process_time() - begin

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self._aside is not None:
            self._look_aside(number, frame)
            return
        self._looks = self._looks + 1 if self._said == self._link.said else 0
        self._said = self._link.said
        if self._looks * LOOK >= self._seconds:
            self._end(frame)

    def _look_aside(self, number: int, frame: FrameType | None) -> None:
        if self._aside is None:
            return
        begin, since, most = self._aside
        used, passed = time.process_time() - begin, time.monotonic() - since
        if used > 2 * ONE_ASIDE or passed > 2 * LONGEST_ASIDE:  # it does not let itself be stopped
            self._end(frame)
        if used > most:
            raise Interrupted(f"it took more than {most:g} s of the processor, and was stopped")
        if passed > LONGEST_ASIDE or (passed > WAITS_ASIDE and used < IDLE * passed):
            raise Interrupted(f"it waited for {passed:.0f} s, and was stopped")

    def _end(self, frame: FrameType | None) -> None:
        line = cut(own_line_of(frame, self._namespace), LONGEST_LINE)
        self._link.send({"do": "spinning", "line": line})
        _flush()
        os._exit(4)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # closed, or nobody reads it
            continue
