"""A stage played in this process, for the quick check in the notebook.

The same world, the same loop and the same log as in a box; only the walls are missing. The stage
runs in a thread of its own, so that a kernel's loop is not disturbed and a hang can be ended. A
browser's tab has no threads: there the page's loop steps aside, and nobody watches for a hang.
"""

from __future__ import annotations

import contextvars
import ctypes
import gc
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic_core import from_json

from course import tab
from graders.child.keeper import Keeper
from graders.child.link import Ended
from graders.child.plain import to_line
from graders.child.stage import clear, finish, play, rest, surroundings, unwarned, waiting
from graders.child.watch import LOOK, Watch
from graders.child.withheld import Withheld
from graders.judge import budget, protocol
from graders.judge.channel import MOST_BYTES, TOO_MANY
from graders.judge.mistakes import UNAWAITED
from graders.judge.outside import script_for
from graders.judge.printing import ENDLESS, Printed, counted
from graders.judge.protocol import Lied
from graders.judge.world import Tokens, World
from graders.records.log import Log
from graders.records.scenario import Exercise, Scenario

_TRIES = 20  # looks at a thread that was told to end, before it is left behind
_BETWEEN = 0.05  # seconds between two of them


class DirectLink:
    """The link to a world in the same process; what is said is read as strictly as from a box."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._bytes = 0
        self.said = 0

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell the world something."""
        self._tell(message)

    def exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Tell the world something and take its delivery."""
        delivery: dict[str, Any] = from_json(to_line(self._tell(message) or {}))
        return delivery

    def _tell(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        self.said += 1
        line = to_line(message)
        self._bytes += len(line)
        if self._bytes > MOST_BYTES and not self._world.over:
            self._world.stop("flooded", TOO_MANY)
            raise Ended("flooded")
        try:
            return self._world.hear(protocol.read(line))
        except Lied as lie:
            self._world.stop("lied", str(lie))
            raise Ended("lied") from None


def play_inside(
    stage: str,
    scenario: Scenario,
    tokens: Tokens,
    namespace: dict[str, Any],
    exercise: Exercise | None = None,
) -> Log:
    """Play a stage with the definitions of this process.

    Args:
        namespace: the names of the notebook.
        exercise: says what stands in for them while it plays, and what is no answer.

    Raises:
        KeyboardInterrupt: the Stop button, after the stage was ended.
    """
    world = World(scenario, tokens)
    sleep = time.sleep
    script = script_for(stage, scenario, (), exercise)
    withheld = Withheld(script["finished"], script["judged"], namespace)
    run = _Run(world, namespace, script, withheld)
    with (
        unwarned(),
        surroundings(run.keeper),
        _with_finished(namespace, script["given"], sleep),
        withheld.taken(),
    ):
        run.to_its_end()
        if set(world.log().mistake[:1]) & UNAWAITED:
            gc.collect()  # what was never awaited goes now, while nobody is warned of it
    return world.log()


class _Run:
    """One stage in a thread, watched from the calling one."""

    def __init__(
        self, world: World, namespace: dict[str, Any], script: dict[str, Any], withheld: Withheld
    ) -> None:
        self._world = world
        self._namespace = namespace
        self._script = script
        self._withheld = withheld
        self._link = DirectLink(world)
        self.keeper = Keeper(self._link)
        self._done = threading.Event()
        self._trouble: BaseException | None = None
        self._printed = Printed()

    def to_its_end(self) -> None:
        """Start the thread and wait for it; end it when it spins, or when Stop is pressed."""
        context = contextvars.copy_context()
        try:
            with counted() as self._printed:
                if tab.TAB:
                    tab.within(lambda: context.run(self._body))
                else:
                    threading.Thread(target=context.run, args=(self._body,), daemon=True).start()
                    self._wait()
        except KeyboardInterrupt:
            self._world.stop("silent", "stopped")
            self._break_off()
            raise
        if self._trouble is not None:
            raise self._trouble

    def _body(self) -> None:
        actor = self.keeper.adopt("the notebook")
        try:
            self._link.send({"do": "began", "notes": []})
            try:
                ending = self._withheld.told(play(self.keeper, self._namespace, self._script))
            except Ended as ended:
                left = waiting(self.keeper, self._namespace, ended)
                ending = {"do": "stuck", "waiting": left}
            self._tell(ending)
            if ending["do"] == "returned":
                rest(self.keeper)
            clear(self.keeper)
        except Ended:  # broken off
            pass
        except BaseException as trouble:  # a fault of the judge: told where somebody sees it
            self._trouble = trouble
        finally:
            self.keeper.leave(actor)
            self._done.set()

    def _tell(self, ending: dict[str, Any]) -> None:
        log = self._world.log()
        stalled = bool(log.moments) and log.moments[-1].kind == "stalled"
        if not self._world.over or (ending["do"] == "stuck" and stalled):
            self._link.send(ending)

    def _wait(self) -> None:
        quiet = budget.USUAL.quiet
        watch = Watch(self._word, self._namespace, cpu=quiet.cpu, real=quiet.real)
        while not self._done.wait(LOOK):
            said = watch.look(self.keeper.awake())
            if said is None:
                continue
            if self._printed.endless:
                self._world.stop("flooded", ENDLESS)
            else:
                self._world.stop("asleep" if said["do"] == "asleep" else "silent", said["line"])
            self._break_off()
            return

    def _word(self) -> object:
        return self._link.said, self.keeper.looks

    def _break_off(self) -> None:
        """Raise in the judged threads until they end; what ends by no means is left behind."""
        self.keeper.end("broken off")
        for _ in range(_TRIES):
            for thread in self.keeper.threads():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(Ended)
                )
            if self._done.wait(_BETWEEN):
                return


@contextmanager
def _with_finished(
    namespace: dict[str, Any], given: Mapping[str, str], sleep: Callable[[float], None]
) -> Iterator[None]:
    """The notebook's names with finished definitions, and with `sleep` on virtual time."""
    known = (sleep, getattr(sleep, "__wrapped__", sleep))
    sleeps = [name for name, value in namespace.items() if any(value is each for each in known)]
    missing = object()
    before = {name: namespace.get(name, missing) for name in (*given, *sleeps)}
    finish(namespace, given)
    namespace.update(dict.fromkeys(sleeps, time.sleep))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is missing:
                namespace.pop(name, None)
            else:
                namespace[name] = value
