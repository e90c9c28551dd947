"""Playing a stage on a loop of the keeper's, and saying how it ended."""

from __future__ import annotations

import asyncio
import importlib
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import CoroutineType
from typing import Any

from course import clock
from course.models.transport import diverted

from .bench import Bench, Student, Undefined
from .failures import cut, failure, leaf, own_line
from .keeper import Keeper
from .link import Ended
from .loop import JudgedLoop
from .noticing import Noticing
from .plain import NotPlain, plain
from .threads import on_time_of
from .wires import WorldTransport, only_way_out
from .withheld import Finished

KEY = "OPENAI_API_KEY"
MOST = 50  # names of what was left running


def play(keeper: Keeper, namespace: Mapping[str, Any], script: Mapping[str, Any]) -> dict[str, Any]:
    """Play a stage in this thread.

    Args:
        keeper: keeps the time; it has adopted this thread.
        namespace: the names of the student's notebook.
        script: `stage` (source text), `tools` and `params`.

    Returns:
        The message that says how it ended.

    Raises:
        Ended: the world was over first.
    """
    bench = Bench(keeper, script["tools"], script["params"])
    noticing = Noticing(script["stage"], namespace)
    names: dict[str, Any] = {"__name__": "stage", **noticing.helpers}
    loop = JudgedLoop(keeper)
    asyncio.set_event_loop(loop)
    try:
        exec(noticing.code, names)
        result = loop.run_until_complete(names["stage"](bench, Student(namespace)))
        returned = _returned(keeper, loop, bench, result)
        return {**returned, "mistake": noticing.mistake(None, {})}
    except (NotPlain, Undefined) as trouble:
        return _raised(noticing, trouble, failure(trouble, {}))
    except BaseExceptionGroup as several:  # a TaskGroup's, in which the run was ended
        if several.subgroup(Ended) is not None:
            raise Ended("inside a group") from None
        return _raised(noticing, several, failure(several, namespace))
    except (Exception, Finished, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as trouble:
        return _raised(noticing, trouble, failure(trouble, namespace))


def _raised(noticing: Noticing, trouble: BaseException, said: dict[str, str]) -> dict[str, Any]:
    return {"do": "raised", **said, "mistake": noticing.mistake(leaf(trouble), said)}


def rest(keeper: Keeper) -> None:
    """After a stage that returned: show the world what still goes on, if anything does.

    The loop goes on until it would wait. For what, the world sees.
    """
    loop = keeper.loops[0]
    with suppress(Ended):
        loop.run_until_complete(loop.create_future())


@contextmanager
def surroundings(keeper: Keeper) -> Iterator[None]:
    """Lead everything that waits or asks, in the keeper's threads, to the world."""
    transport = WorldTransport(keeper)

    def loop(speed: float | None) -> asyncio.AbstractEventLoop | None:
        return None if keeper.current() is None else JudgedLoop(keeper)

    def way() -> WorldTransport | None:
        return None if keeper.current() is None else transport

    keyless = KEY not in os.environ  # a client made without the course's `connect` wants one
    os.environ.setdefault(KEY, "no-key-needed")
    try:
        with on_time_of(keeper), only_way_out(keeper), clock.loops_from(loop), diverted(way):
            yield
    finally:
        if keyless:
            os.environ.pop(KEY, None)


@contextmanager
def unwarned() -> Iterator[None]:
    """Keep Python's word on what was never awaited back: it names a line of the kit's, if any."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
        yield


def finish(namespace: dict[str, Any], definitions: Mapping[str, str]) -> None:
    """Put the course's finished definitions in place of the notebook's.

    Args:
        definitions: name in the notebook to "module:attribute".
    """
    for name, place in definitions.items():
        module, _, attribute = place.partition(":")
        namespace[name] = getattr(importlib.import_module(module), attribute or name)


def waiting(keeper: Keeper, namespace: Mapping[str, Any], ended: Ended) -> list[str]:
    """What waits, when nothing goes on: coroutines, with the student's own line.

    Where there are none, it is the line that was left by the end of the world.
    """
    found = []
    for loop in keeper.loops:
        for task in asyncio.all_tasks(loop):
            told = _what_waits(task.get_coro(), namespace)
            if told:
                found.append(cut(told, 200))
    line = failure(ended, namespace)["line"]
    return sorted(found)[:MOST] or [line][: len(line)]


def clear(keeper: Keeper) -> None:
    """Cancel what the stage left running and close its loops, where the process lives on."""
    keeper.end("the stage is over")
    for loop in keeper.loops:
        if loop.is_running() or loop.is_closed():
            continue
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        with suppress(Ended, RuntimeError):
            loop.run_until_complete(asyncio.wait(tasks)) if tasks else None
        loop.close()


def _what_waits(coroutine: Any, namespace: Mapping[str, Any]) -> str:
    """The innermost coroutine of the student's in a task, with its line; else the task's own."""
    name = getattr(coroutine, "__name__", "")
    told = "" if name == "stage" else name
    while isinstance(coroutine, CoroutineType):
        frame = coroutine.cr_frame
        if frame is not None and frame.f_globals is namespace:
            line = own_line(frame.f_code.co_filename, frame.f_lineno)
            told = f"{coroutine.__name__} ({line})"
        coroutine = coroutine.cr_await
    return told


def _returned(
    keeper: Keeper, loop: asyncio.AbstractEventLoop, bench: Bench, result: Any
) -> dict[str, Any]:
    tasks = [task.get_coro() for task in asyncio.all_tasks(loop)]  # a stream's end is none
    running = [cut(c.__name__, 200) for c in tasks if isinstance(c, CoroutineType)]
    running += [cut(actor.name, 200) for actor in keeper.others()]
    return {
        "do": "returned",
        "result": plain(result),
        "trace": None if bench.exported is None else plain(bench.exported),
        "running": sorted(running)[:MOST],
    }
