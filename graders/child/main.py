"""The boxed child: reads its script from a socket, plays it, says how it ended, and is gone."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
import traceback
from _thread import start_new_thread
from collections.abc import Mapping
from time import sleep
from types import ModuleType
from typing import Any, NoReturn

from .aside import Aside
from .cells import Cells
from .failures import failure
from .keeper import Keeper
from .link import Ended, LineLink
from .stage import finish, play, rest, surroundings, unwarned, waiting
from .warmup import warm_up
from .watch import LOOK, Watch
from .withheld import Withheld

MOST_NOTES = 100


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
    keeper = Keeper(link)
    aside = Aside(**script["aside"])

    def word() -> object:
        return object() if link.listening else (link.said, aside.turns, keeper.looks)

    _watch(keeper, link, Watch(word, namespace, **script["quiet"]))
    time.sleep = lambda seconds: None  # nobody waits for the pauses of a notebook's cells
    gc.freeze()  # who looks for the keeper there finds nothing; what counts the world sees itself
    with unwarned(), surroundings(keeper):
        ending = _played(keeper, link, aside, namespace, script)
        link.send(ending)
        if ending["do"] == "returned":
            rest(keeper)


def _played(
    keeper: Keeper,
    link: LineLink,
    aside: Aside,
    namespace: dict[str, Any],
    script: Mapping[str, Any],
) -> dict[str, Any]:
    """Run the cells and play the stage; returns the message that says how it ended."""
    withheld = Withheld(script["finished"], script["judged"], namespace)
    try:
        notes = _prepare(link, aside, namespace, script, withheld)
    except BaseException as trouble:  # a cell may even say SystemExit
        return {"do": "raised", **failure(trouble, namespace)}
    link.send({"do": "began", "notes": notes[:MOST_NOTES]})
    keeper.adopt("the notebook")
    try:
        return withheld.told(play(keeper, namespace, script))
    except Ended as ended:
        return {"do": "stuck", "waiting": waiting(keeper, namespace, ended)}


def _prepare(
    link: LineLink,
    aside: Aside,
    namespace: dict[str, Any],
    script: Mapping[str, Any],
    withheld: Withheld,
) -> list[dict[str, str]]:
    """Run the cells, with finished definitions before them and after them.

    What the exercise itself builds is gone before the first cell of the student's own. Whatever
    fails until then is the judge's trouble, and no answer's.
    """

    def away() -> None:
        withheld.take(for_good=True)
        link.send({"do": "ready"})

    cells = Cells(namespace, aside, script["judged"], away)
    finish(namespace, script["given"])
    cells.run(script["cells"])
    finish(namespace, script["given"])
    asyncio.set_event_loop(None)
    withheld.met = ""  # a cell may look at it
    return cells.notes


def _watch(keeper: Keeper, link: LineLink, watch: Watch) -> None:
    """Say so and end when this process says nothing for too long.

    The judge would end it too, but cannot tell which line it was. The thread that looks is none of
    `threading`'s, which judged code might count.
    """
    alone = {threading.get_ident(): threading.get_native_id()}  # while the cells run

    def look() -> None:
        while True:
            sleep(LOOK)
            said = watch.look(keeper.awake() if keeper.threads() else alone)
            if said is not None:
                link.send(said)
                _flush()
                os._exit(4)

    start_new_thread(look, ())


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # closed, or nobody reads it
            continue
