"""Several judges at once, each in a process of its own; one that dies is replaced."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait

from course.errors import ConfigurationError
from graders.box import BoxError, Parent, choose, warm
from graders.classroom.judging import Job, Setup, Trouble, serve
from graders.classroom.results import Result
from graders.judge.budget import USUAL

PATIENCE = 10.0  # times the judge's own limit for a notebook: then its process is lost
TRIES = 2  # of a submission: a process may die of something else than what it judges
_START_SECONDS = 300.0
_CONTEXT = multiprocessing.get_context("forkserver")  # its processes share what it has loaded
_CONTEXT.set_forkserver_preload(["graders.classroom.loaded"])


@dataclass
class _Worker:
    """One process, and what it has in hand."""

    process: multiprocessing.process.BaseProcess
    pipe: Connection
    ready: bool = False
    job: Job | None = None
    since: float = field(default_factory=time.monotonic)
    last_words: str = ""


def judged(
    jobs: Iterable[Job], setup: Setup, *, workers: int
) -> Iterator[tuple[Job, Result | Trouble]]:
    """Each job with its result, as they are done; a `Trouble` where the judge failed on it twice.

    Args:
        jobs: what is to be judged.
        setup: how.
        workers: how many at a time.

    Raises:
        ConfigurationError: no judge can be started.
    """
    waiting = list(jobs)
    if not waiting:
        return
    _serving()  # it loads what judges share while the boxes' parent is being warmed
    try:
        with warm(choose(setup.box, own_work=setup.box == "none")) as parent:
            pool = _Pool(waiting, setup, workers, parent)
            try:
                yield from pool.run()
            finally:
                pool.close()
    except BoxError as trouble:
        raise ConfigurationError(str(trouble)) from None


class _Pool:
    def __init__(self, jobs: list[Job], setup: Setup, workers: int, parent: Parent) -> None:
        self._setup = setup
        self._parent = parent
        self._left = deque(jobs)
        self._most = min(workers, len(jobs))
        self._tries: dict[Job, int] = {}
        self._workers: list[_Worker] = []
        self._limit = PATIENCE * USUAL.notebook.real * setup.patience

    def run(self) -> Iterator[tuple[Job, Result | Trouble]]:
        while self._left or any(each.job for each in self._workers):
            while len(self._workers) < min(self._most, len(self._left) + self._busy()):
                self._workers.append(self._started())
            for worker in [each for each in self._workers if each.ready and not each.job]:
                self._hand(worker)
            pipes: list[Connection] = [each.pipe for each in self._workers]
            heard = wait(pipes, timeout=1.0)
            for worker in [each for each in self._workers if each.pipe in heard]:
                yield from self._hear(worker)
            for worker in [each for each in self._workers if self._is_stuck(each)]:
                worker.last_words = "it took far too long"
                yield from self._lost(worker)

    def close(self) -> None:
        """End every process, politely first: its boxes end with it."""
        for worker in self._workers:
            with suppress(OSError):
                worker.pipe.send(None)
            if worker.job is not None:
                worker.process.terminate()
        for worker in self._workers:
            _end(worker)
        self._workers.clear()

    def _busy(self) -> int:
        return sum(each.job is not None for each in self._workers)

    def _started(self) -> _Worker:
        ours, theirs = _CONTEXT.Pipe()
        given = (theirs, self._setup, self._parent.lend())
        process = _CONTEXT.Process(target=serve, args=given, daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _hear(self, worker: _Worker) -> Iterator[tuple[Job, Result | Trouble]]:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._lost(worker)
            return
        if isinstance(said, Trouble) and not said.chapter:
            if said.fatal:
                raise ConfigurationError(said.message)
            worker.last_words = said.message
            return
        if worker.job is not None:
            yield worker.job, said
        worker.ready, worker.job = True, None

    def _hand(self, worker: _Worker) -> None:
        if self._left:
            worker.job, worker.since = self._left.popleft(), time.monotonic()
            with suppress(OSError):  # it has died: the end of its pipe says so next
                worker.pipe.send(worker.job)

    def _is_stuck(self, worker: _Worker) -> bool:
        limit = self._limit if worker.ready else _START_SECONDS
        idle = worker.ready and worker.job is None
        return not idle and time.monotonic() - worker.since > limit

    def _lost(self, worker: _Worker) -> Iterator[tuple[Job, Result | Trouble]]:
        """Its process is gone, or is now: what it had in hand is given to another one, once."""
        self._workers.remove(worker)
        worker.process.kill() if worker.last_words else None
        _end(worker)
        if not worker.ready:
            raise ConfigurationError("a judge's process ended before it had begun")
        if worker.job is None:
            return
        tries = self._tries[worker.job] = self._tries.get(worker.job, 0) + 1
        if tries < TRIES:
            self._left.appendleft(worker.job)
            return
        why = worker.last_words or f"its process ended with {worker.process.exitcode}"
        yield worker.job, Trouble(why)


def _serving() -> None:
    """Have the process from which judges are forked; a Ctrl-C meanwhile is ours, and comes after.

    It inherits that Ctrl-C is held back. Were it ignored instead, one in this second would be lost.
    """
    resource_tracker.ensure_running()  # first: once it runs, it lets the Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(worker: _Worker) -> None:
    worker.process.join(10.0)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    worker.pipe.close()
