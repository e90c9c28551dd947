"""Who plays the runs: this process, a pool of processes, or a Dask cluster. The same bytes.

An executor gets a function and jobs that know nothing of each other, and gives each job's result
as it comes, in any order. A process that dies costs its job a repetition and nothing else.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Any

from course.addresses import parts, shown
from course.errors import ConfigurationError
from course.extras import need

DEATHS = 3
"""Pools or workers that may die under one job before it is that job's fault."""
CONNECT_SECONDS = 5

Job = Callable[[Any], Any]


@dataclass(frozen=True)
class Serial:
    """One job after the other, here. Every executor's `map` gives each result with its place."""

    def map(self, job: Job, given: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Play them in order."""
        for place, each in enumerate(given):
            yield place, job(each)


@dataclass(frozen=True)
class Pool:
    """So many processes of this machine."""

    jobs: int

    def map(self, job: Job, given: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Play them side by side; where a process is killed, the pool is made anew."""
        left, deaths = dict(enumerate(given)), 0
        while left:
            try:
                for place, result in self._played(job, left):
                    del left[place]
                    yield place, result
            except BrokenProcessPool:
                deaths += 1
                if deaths >= DEATHS:
                    raise ConfigurationError(
                        f"processes died {deaths} times: is the memory enough for --jobs"
                        f" {self.jobs}? what is finished is kept"
                    ) from None

    def _played(self, job: Job, left: dict[int, Any]) -> Iterator[tuple[int, Any]]:
        # A forked process knows the patterns that a notebook has entered; others import the package
        way = "fork" if sys.platform.startswith("linux") else "spawn"
        with ProcessPoolExecutor(self.jobs, multiprocessing.get_context(way)) as pool:
            waiting = iter(list(left.items()))
            under_way: dict[Future[Any], int] = {}
            while True:
                ahead = 2 * self.jobs - len(under_way)  # a few, so that memory stays flat
                under_way |= {pool.submit(job, e): place for place, e in islice(waiting, ahead)}
                if not under_way:
                    return
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(done), done.result()


@dataclass(frozen=True)
class Cluster:
    """A Dask cluster (extra `cluster`), by its scheduler's address: "tcp://127.0.0.1:8786", or
    "tls://10.0.0.5:8786" with certificates of your own. Whoever reaches one runs code as you.
    """

    scheduler: str

    def map(self, job: Job, given: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Play them there; Dask gives a dead worker's jobs to another one."""
        distributed = need("distributed", extra="cluster")
        try:
            client = distributed.Client(self.scheduler, timeout=CONNECT_SECONDS)
        except (OSError, TypeError, ValueError) as error:  # a TypeError: tls without certificates
            known = parts(self.scheduler)
            where = f"{known.scheme}://{known.place}" if known else shown(self.scheduler)
            raise ConfigurationError(
                f"no scheduler answers at {where} ({type(error).__name__}): start one"
                " with 'dask scheduler --host 127.0.0.1 --dashboard-address 127.0.0.1:8787', or"
                " leave out --scheduler"
            ) from None
        with client:
            futures = client.map(job, list(given), pure=False, retries=DEATHS)
            place = {future.key: number for number, future in enumerate(futures)}
            try:
                for future, result in distributed.as_completed(futures, with_results=True):
                    yield place[future.key], result
                    future.release()
            except distributed.KilledWorker as error:
                raise ConfigurationError(f"workers died under one chunk: {error}") from None
            finally:
                with contextlib.suppress(Exception):
                    client.cancel(futures)


Executor = Serial | Pool | Cluster


def executor(*, jobs: int = 1, scheduler: str | None = None) -> Executor:
    """The executor that a command line asks for.

    Raises ConfigurationError: both are asked for, or less than one process.
    """
    if scheduler is not None and jobs != 1:
        raise ConfigurationError("give --jobs or --scheduler: a cluster has workers of its own")
    if jobs < 1:
        raise ConfigurationError(f"--jobs is 1 or more processes, not {jobs}")
    if scheduler is not None:
        return Cluster(scheduler)
    return Serial() if jobs == 1 else Pool(jobs)
