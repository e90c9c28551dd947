"""One submission judged, in a process that may die without taking the class with it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from course.errors import CourseError
from graders.box import Box, Lent, Limits
from graders.box.choice import Name
from graders.chapters import released
from graders.classroom.hashes import hashes_of
from graders.classroom.results import Hashes, Result
from graders.classroom.submitted import Submission
from graders.judge.boxes import Boxes
from graders.judge.budget import USUAL
from graders.judge.chapters import Chapter
from graders.judge.judge import Judge, judge
from graders.judge.proof import doubt
from graders.records.report import Partial, Report

LONGEST_OUTPUT = 4_000  # characters of what one trial printed that are kept


@dataclass(frozen=True, slots=True)
class Setup:
    """How a class is judged.

    Attributes:
        secret: what the fresh texts in replies are made from; one for a class, so that a
            submission gets the same report to the byte whenever and by whomever it is judged.
        partial: what earns points by itself.
        patience: how many times as long as usual a submission may take.
    """

    secret: bytes
    box: Name = "auto"
    seed: int = 0
    partial: Partial = "trial"
    patience: float = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to judge; only these exercises of it, or all when there are none."""

    submission: Submission
    exercises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """The judge itself failed. `fatal` when it cannot even start.

    `chapter` is there where it may judge nothing of that chapter, and goes on with others.
    """

    message: str
    fatal: bool = False
    chapter: str = ""


def serve(pipe: Connection, setup: Setup, lent: Lent | None = None) -> None:
    """Judge what comes through the pipe until None comes; then, or when told to, end.

    Boxes come from the parent that was `lent`, or from one of its own.

    Sends None when ready, and then for each `Job` a `Result` or a `Trouble`, the latter as its
    last words.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks decides what Ctrl-C means
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # what it starts may heed it
    signal.signal(signal.SIGTERM, _leave)
    begun = False
    try:
        with ready(setup, lent) as made:
            begun = True
            pipe.send(None)
            while (job := pipe.recv()) is not None:
                pipe.send(judged(made, job))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # nobody asks any more
        return
    except Exception as trouble:
        told = str(trouble) if isinstance(trouble, CourseError) else repr(trouble)
        with contextlib.suppress(OSError):
            pipe.send(Trouble(told, fatal=not begun))


@dataclass(frozen=True, slots=True)
class Ready:
    """A judge whose boxes are warm, and what it judges by."""

    judge: Judge
    boxes: Metered
    setup: Setup
    doubts: dict[str, str] = field(default_factory=dict)

    def doubt(self, name: str) -> str:
        """Why nothing of a chapter may be graded; empty where the judge has proved itself in it."""
        if name not in self.doubts:
            chapter = next(each for each in released() if each.name == name)
            self.doubts[name] = doubt(self.judge, chapter, seed=self.setup.seed)
        return self.doubts[name]


@contextmanager
def ready(setup: Setup, lent: Lent | None = None) -> Iterator[Ready]:
    """A judge for this class. Raises CourseError when no box works."""
    with judge(
        chapters=released(),
        box=setup.box,
        own_work=setup.box == "none",
        budget=USUAL.times(setup.patience),
        lent=lent,
    ) as made:
        metered = Metered(made.boxes)
        yield Ready(replace(made, boxes=metered, secret=setup.secret), metered, setup)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)  # by the way that ends the boxes


class Metered:
    """Boxes whose processor time is added up."""

    def __init__(self, boxes: Boxes) -> None:
        self._boxes = boxes
        self.seconds = 0.0

    @contextmanager
    def box(self, limits: Limits | None = None) -> Iterator[Box]:
        """A fresh box."""
        with self._boxes.box(limits) as box:
            yield box
        self.seconds += box.end().cpu_seconds

    def used(self) -> float:
        """Processor seconds of this process and of its boxes."""
        return time.process_time() + self.seconds


def judged(by: Ready, job: Job) -> Result | Trouble:
    """What becomes of one submission, with the time that it took."""
    path = job.submission.path
    assert path is not None
    begun, used = time.monotonic(), by.boxes.used()
    asked = replace(by.judge, chapters=_asked(job)) if job.exercises else by.judge
    report = asked.submission(path, seed=by.setup.seed).counted_by(by.setup.partial)
    result = result_of(job.submission, _kept(report), hashes(path, report), by.setup)
    result = replace(
        result,
        seconds=round(time.monotonic() - begun, 3),
        cpu_seconds=round(by.boxes.used() - used, 3),
    )
    told = by.doubt(report.chapter) if not report.code else ""
    return Trouble(told, chapter=report.chapter) if told else result


def _asked(job: Job) -> list[Chapter]:
    return [
        replace(each, exercises=[e for e in each.exercises if e.number in job.exercises])
        if each.name == job.submission.chapter
        else each
        for each in released()
    ]


def hashes(path: Path, report: Report) -> Hashes:
    """What this verdict depends on; nothing where the file cannot be read."""
    named = {each.name: each for each in released()}
    try:
        return hashes_of(path, named.get(report.chapter))
    except OSError:
        return Hashes()


def result_of(submission: Submission, report: Report, hashed: Hashes, setup: Setup) -> Result:
    """What became of a submission that the judge reports on."""
    code, message = report.code, report.message
    chapter = submission.chapter or report.chapter
    if not code and report.chapter != chapter:
        code = "submission.other_chapter"
        message = f"this is {report.chapter}, and lies in the folder of {chapter}"
    return Result(
        submission.student,
        chapter,
        submission.attempt,
        file=os.fsencode(report.notebook).decode("utf-8", "replace"),
        status="ungraded" if code else "graded",
        code=code,
        message=message,
        hashes=hashed,
        seed=setup.seed,
        box=setup.box,
        report=report,
    )


def _kept(report: Report) -> Report:
    """The report without the better part of what was printed without end."""
    exercises = (
        replace(
            exercise,
            trials=tuple(replace(each, output=_cut(each.output)) for each in exercise.trials),
        )
        for exercise in report.exercises
    )
    return replace(report, exercises=tuple(exercises))


def _cut(output: str) -> str:
    if len(output) <= LONGEST_OUTPUT:
        return output
    return f"{output[:LONGEST_OUTPUT]}\n… and {len(output) - LONGEST_OUTPUT} characters more"
