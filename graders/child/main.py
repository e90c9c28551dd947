"""The boxed child: reads its script from a socket, plays it, says how it ended, and is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from types import FrameType, ModuleType
from typing import Any, NoReturn

from .cells import Cells
from .failures import cut, failure, own_line_of
from .keeper import Keeper
from .link import Ended, LineLink
from .stage import finish, play, rest, surroundings, waiting
from .warmup import warm_up

LONGEST_LINE = 200  # characters of the student's own line that are told
LOOK = 0.25  # CPU seconds between two looks at whether anything was said


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
    _watch(link, namespace, script["cpu_seconds"])
    time.sleep = lambda seconds: None  # nobody waits for the pauses of a notebook's cells
    keeper = Keeper(link)
    with surroundings(keeper):
        ending = _played(keeper, link, namespace, script)
        link.send(ending)
        if ending["do"] == "returned":
            rest(keeper)


def _played(
    keeper: Keeper, link: LineLink, namespace: dict[str, Any], script: Mapping[str, Any]
) -> dict[str, Any]:
    """Run the cells and play the stage; returns the message that says how it ended."""
    try:
        notes = _prepare(namespace, script)
    except BaseException as trouble:  # a cell may even say SystemExit
        return {"do": "raised", **failure(trouble, namespace)}
    link.send({"do": "began", "notes": notes})
    keeper.adopt("the notebook")
    try:
        return play(keeper, namespace, script)
    except Ended:
        return {"do": "stuck", "waiting": waiting(keeper, namespace)}


def _prepare(namespace: dict[str, Any], script: Mapping[str, Any]) -> list[dict[str, str]]:
    """Run the cells, with finished definitions before them and after them."""
    cells = Cells(namespace)
    finish(namespace, script["given"])
    cells.run(script["cells"])
    finish(namespace, script["given"])
    asyncio.set_event_loop(None)
    return cells.notes


def _watch(link: LineLink, namespace: Mapping[str, Any], seconds: float) -> None:
    """Say so and end when this process computes for `seconds` without saying anything.

    The judge would end it too, but cannot tell which line it was.
    """
    quiet = {"said": link.said, "looks": 0}

    def look(number: int, frame: FrameType | None) -> None:
        quiet["looks"] = quiet["looks"] + 1 if quiet["said"] == link.said else 0
        quiet["said"] = link.said
        if quiet["looks"] * LOOK >= seconds:
            line = cut(own_line_of(frame, namespace), LONGEST_LINE)
            link.send({"do": "spinning", "line": line})
            _flush()
            os._exit(4)

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, LOOK, LOOK)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # closed, or nobody reads it
            continue
