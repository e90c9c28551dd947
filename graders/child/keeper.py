"""Virtual time in the judged process: who waits for what, and when the world is asked to go on.

Every thread of the judged code is an *actor*. An actor that has nothing to do before some virtual
time parks here. When all are parked, the one that is due goes on, alone; when none is due, the
world is told "idle until t" and answers with the new time and with the replies that came. So
threads take turns in an order that is the same on every machine.
"""

from __future__ import annotations

import threading
import time
from _thread import get_ident
from asyncio import AbstractEventLoop, _get_running_loop
from collections.abc import Callable

from .actors import TICK, Actor, Pool
from .link import Ended, Link, Message
from .stuck import activity, patience

try:
    from threading import get_native_id
except ImportError:  # a browser's tab has one thread, and no number of the system's for it
    get_native_id = get_ident

POLL = 0.003  # real seconds between two looks at a thread that is not parked


class Keeper:
    """Keeps the time of one run and hands out turns.

    Attributes:
        now: virtual seconds since the run began.
        ended: why the world is over; None while it goes on.
        loops: every loop that was made for it.
        looks: how often it looked at who is at work while others wait, since one of those went on;
            no more are counted than it takes to be sure that nobody ever will.
    """

    def __init__(self, link: Link) -> None:
        self.now = 0.0
        self.ended: str | None = None
        self.loops: list[AbstractEventLoop] = []
        self.looks = 0
        self._link = link
        self._lock = threading.RLock()
        self._actors: dict[int, Actor] = {}
        self._coming: set[Actor] = set()
        self._pools: dict[int, Pool] = {}
        self._arrivals: dict[int, Callable[[Message], None]] = {}
        self._requests = 0
        self._order = 0
        self._extra = 0
        self._quiet = 0
        self._seen: object = None
        self._looked = 0.0

    # -- actors -------------------------------------------------------------------------------

    def current(self) -> Actor | None:
        """The calling thread's actor; None for a thread that is not judged."""
        return self._actors.get(get_ident())

    def others(self) -> list[Actor]:
        """The actors besides the calling one that have not finished."""
        mine = self.current()
        with self._lock:
            return [each for each in self._everybody() if each is not mine]

    def enrol(self, name: str) -> Actor:
        """Announce a thread that is about to begin; it is due at once, in the order of calls."""
        actor = Actor(name)
        with self._lock:
            actor.parked, actor.until, actor.since = True, self.now, self._next()
            self._coming.add(actor)
        return actor

    def enter(self, actor: Actor) -> None:
        """Begin in this thread, as soon as it is this actor's turn."""
        actor.native = get_native_id()
        with self._lock:
            self._coming.discard(actor)
            self._actors[get_ident()] = actor
            if actor.parked:
                self._turn()
        self._await_turn(actor)

    def adopt(self, name: str) -> Actor:
        """Make an actor of the calling thread, which is running."""
        actor = Actor(name)
        actor.native = get_native_id()
        with self._lock:
            self._actors[get_ident()] = actor
        return actor

    def leave(self, actor: Actor) -> None:
        """End: whoever joins this thread is called."""
        with self._lock:
            self._actors.pop(get_ident(), None)
            actor.finished = True
            for each in self._actors.values():
                each.called = True  # a joiner looks again; everybody else just parks again
            self._turn()

    def threads(self) -> list[int]:
        """The identifiers of the threads that are judged."""
        with self._lock:
            return list(self._actors)

    def awake(self) -> dict[int, int]:
        """The threads that are at work: identifier to the number that the system gives.

        It may be asked while a thread holds the keeper, as it does while it waits for the world.
        """
        return {key: each.native for key, each in self._actors.copy().items() if not each.parked}

    def end(self, why: str) -> None:
        """Let nothing of the judged code go on; threads that wait are woken to hear of it."""
        with self._lock:
            self.ended = self.ended or why
            for each in self._everybody():
                if each.parked:
                    self._wake(each)

    # -- waiting ------------------------------------------------------------------------------

    def park(self, until: float | None, what: str = "", *, in_loop: bool = False) -> None:
        """Wait until it is this thread's turn again: at `until`, or when it is called before.

        Args:
            until: virtual seconds; None waits to be called.
            what: what it waits for, in words, when this is not its loop waiting.
            in_loop: this is the thread's event loop with nothing to do.

        Raises:
            Ended: the world is over.
        """
        actor = self._actors[get_ident()]
        if self.ended:
            self._run_down(until, in_loop)
            return
        with self._lock:
            actor.until, actor.in_loop, actor.since = until, in_loop, self._next()
            actor.holds = "" if in_loop or _get_running_loop() is None else what
            actor.parked = True
            self._turn()
        self._await_turn(actor)

    def sleep(self, seconds: float, what: str) -> None:
        """Wait some virtual seconds in a thread."""
        until = self.now + seconds
        while self.now + TICK < until:
            self.park(until, what)

    def stir(self, actor: Actor | None) -> None:
        """Tell an actor's loop that there is something to look at."""
        with self._lock:
            if actor is not None:
                actor.stirred = True
            if self._quiescent():
                self._turn()

    def call(self, actor: Actor) -> None:
        """Tell an actor that what it waits for outside a loop has happened."""
        with self._lock:
            actor.called = True
            if self._quiescent():
                self._turn()

    def _await_turn(self, actor: Actor) -> None:
        while not actor.gate.acquire(True, POLL):
            with self._lock:
                self._watch()
        actor.called = False
        if actor.in_loop:
            actor.stirred = False
        if self.ended:
            raise Ended(self.ended)

    def _run_down(self, until: float | None, in_loop: bool) -> None:
        """After the end: let a loop cancel its tasks, for a while, on a time of its own."""
        self._extra += 1
        if not in_loop or until is None or self._extra > 1000:
            raise Ended(self.ended)
        self.now = max(self.now, until)

    # -- turns --------------------------------------------------------------------------------

    def _next(self) -> int:
        self._order += 1
        return self._order

    def _quiescent(self) -> bool:
        return all(actor.parked for actor in self._everybody()) and not self._unsettled()

    def _everybody(self) -> list[Actor]:
        return [*self._actors.values(), *self._coming]

    def _unsettled(self) -> bool:
        """Whether an item is on its way to a free worker of its pool."""
        return any(pool.waiting and pool.busy < pool.size for pool in self._pools.values())

    def _turn(self, *, blocked: bool = False) -> None:
        """Let the next one go on, if nobody is at work; ask the world when none is due.

        Args:
            blocked: those at work were found to wait for one another.
        """
        while self._actors and (blocked or self._quiescent()):
            waiting = [each for each in self._everybody() if each.parked]
            due = [each for each in waiting if each.is_due(self.now)]
            if due:
                self._wake(min(due, key=lambda actor: actor.since))
                return
            self._ask_world(waiting)
            if self.ended:
                for each in waiting:
                    self._wake(each)
                return

    def _wake(self, actor: Actor) -> None:
        actor.parked = False
        self._quiet = self.looks = 0
        actor.gate.release()

    def _ask_world(self, waiting: list[Actor]) -> None:
        until = min((each.until for each in waiting if each.until is not None), default=None)
        held = next((each.holds for each in waiting if each.holds), "")
        delivery = self._link.exchange({"do": "idle", "until": until, "held": held})
        self.now = delivery["now"]
        self.ended = delivery.get("end")
        for event in delivery["events"]:
            arrive = self._arrivals.get(event["id"])
            if arrive is not None:
                arrive(event)

    def _watch(self) -> None:
        """Called by a parked thread now and then: are those at work blocked for good?

        A thread in a system call, such as waiting for a lock that a parked one holds, never parks.
        """
        now = time.monotonic()
        if now - self._looked < POLL:
            return
        self._looked = now
        self.looks = min(self.looks + 1, 2 * patience())
        awake = [actor.native for actor in self._everybody() if not actor.parked]
        seen = activity(awake)
        self._quiet = self._quiet + 1 if seen is not None and seen == self._seen else 0
        self._seen = seen
        if self._quiet >= patience():
            self._quiet = 0
            self._turn(blocked=True)

    # -- pools --------------------------------------------------------------------------------

    def submitted(self, pool: object, size: int) -> int:
        """Note that an item was given to a pool of `size` workers; returns its place in line."""
        with self._lock:
            self._pools.setdefault(id(pool), Pool(size)).waiting += 1
            return self._next()

    def begin_item(self, pool: object, order: int) -> Actor:
        """A worker took an item: wait for its turn."""
        actor = Actor(threading.current_thread().name)
        actor.native = get_native_id()
        with self._lock:
            actor.parked, actor.until, actor.since = True, self.now, order
            self._pools[id(pool)].waiting -= 1
            self._pools[id(pool)].busy += 1
            self._actors[get_ident()] = actor
            self._turn()
        self._await_turn(actor)
        return actor

    def end_item(self, pool: object, actor: Actor) -> None:
        """A worker is done with an item."""
        with self._lock:
            self._pools[id(pool)].busy -= 1
            self.leave(actor)

    def drain(self, pool: object, dropped: int) -> None:
        """Wait until a pool that takes no more items has none left; `dropped` will never begin."""
        with self._lock:
            counts = self._pools.get(id(pool), Pool(0))
            counts.waiting = max(0, counts.waiting - dropped)
        while counts.waiting or counts.busy:
            self.park(None, "waiting for a thread")

    # -- requests -----------------------------------------------------------------------------

    def open(self, message: Message, arrive: Callable[[Message], None]) -> int:
        """Send a request; `arrive` is called with each part of its answer.

        Returns:
            The request's number.
        """
        with self._lock:
            if self.ended:
                raise Ended(self.ended)
            number = self._requests
            self._requests += 1
            self._arrivals[number] = arrive
            self._link.send({**message, "id": number})
        return number

    def tell(self, name: str, value: object) -> None:
        """Tell the world that something is so now; it knows the time itself."""
        with self._lock:
            if not self.ended:
                self._link.send({"do": "told", "name": name, "value": value})

    def close(self, number: int, *, given_up: bool) -> None:
        """Forget a request; when it was given up, the world is told."""
        with self._lock:
            if self._arrivals.pop(number, None) is not None and given_up and not self.ended:
                self._link.send({"do": "cancel", "id": number})
