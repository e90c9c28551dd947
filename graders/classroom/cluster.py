"""A class judged on a Dask cluster: each notebook goes to a worker, which has the kit and a box.

The executor is the lab's. A worker judges one notebook at a time, in a judge that it keeps, so
give each a process (`--nworkers 4 --nthreads 1`; docs/teaching.md has the commands, bound to this
machine or over `tls://`). It gets the class's secret with each job: a cluster is of people whom you
trust with the grades.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from course.errors import CourseError
from course.executors import executor
from graders.classroom.hashes import kit
from graders.classroom.judging import Job, Ready, Setup, Trouble, judged, ready
from graders.classroom.results import Result

_OPEN = ExitStack()  # judges that live as long as their worker
_ONE = threading.Lock()  # a worker of several threads judges one notebook after the other


@dataclass(frozen=True, slots=True)
class Sent:
    """A job with its notebook's bytes: a worker may be another machine."""

    job: Job
    setup: Setup
    notebook: bytes


def judged_there(
    jobs: Sequence[Job], setup: Setup, scheduler: str
) -> Iterator[tuple[Job, Result | Trouble]]:
    """Each job with its result, as they are done, and a `Trouble` where the worker failed.

    Raises:
        ConfigurationError: no scheduler answers there, or its workers die.
    """
    sent = [Sent(job, setup, _bytes(job)) for job in jobs]
    for place, said in executor(scheduler=scheduler).map(judge_sent, sent):
        if isinstance(said, Result) and said.hashes.kit != kit():
            told = f"a worker has another kit: {said.hashes.kit}, and here it is {kit()}"
            said = Trouble(told)
        yield jobs[place], said


def judge_sent(sent: Sent) -> Result | Trouble:
    """Judge on a worker what was sent to it."""
    path = sent.job.submission.path
    assert path is not None
    try:
        with _ONE, tempfile.TemporaryDirectory() as folder:
            here = Path(folder, path.name)
            here.write_bytes(sent.notebook)
            submission = replace(sent.job.submission, path=here)
            return judged(_judge(sent.setup), replace(sent.job, submission=submission))
    except (CourseError, OSError) as trouble:
        return Trouble(str(trouble))


@cache
def _judge(setup: Setup) -> Ready:
    return _OPEN.enter_context(ready(setup))


def _bytes(job: Job) -> bytes:
    """The notebook; nothing where it cannot be read, which the worker then says."""
    assert job.submission.path is not None
    try:
        return job.submission.path.read_bytes()
    except OSError:
        return b""
