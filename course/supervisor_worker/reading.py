"""Reading a trace: what made a run take as long as it took, and what of it was for nothing.

Everything is taken from the `dispatch` steps, so it works on a trace from a file as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from course.trace import Span, Trace


@dataclass(frozen=True, kw_only=True)
class TaskRun:
    """One task as a trace tells of it. Times are seconds from the start of the trace.

    Attributes:
        tries: (worker, words, error, seconds) of each; the error is empty if it worked.

    Built in chapter 09.
    """

    task_id: str
    worker: str
    start: float
    end: float
    dependencies: tuple[str, ...] = ()
    done: bool = True
    tries: tuple[tuple[str, str, str, float], ...] = ()

    @property
    def seconds(self) -> float:
        """How long it took, with all its tries."""
        return self.end - self.start


def task_runs(trace: Trace) -> dict[str, TaskRun]:
    """The tasks of a run by id, in the order in which they began; those never begun are not there.

    Built in chapter 09.
    """
    return {run.task_id: run for run in map(_task_run, trace.spans) if run}


def _task_run(span: Span) -> TaskRun | None:
    if span.operation != "dispatch":
        return None
    told = span.attributes
    needs = str(told.get("switchboard.task.dependencies", ""))
    attempts = [e.attributes for e in span.events if e.name == "attempt"]
    return TaskRun(
        task_id=str(told["switchboard.task.id"]),
        worker=str(told["switchboard.task.worker"]),
        start=span.start,
        end=span.end,
        dependencies=tuple(needs.split(", ")) if needs else (),
        done=span.status == "ok",
        tries=tuple(
            (str(a["worker"]), str(a["words"]), str(a["error"]), float(a["seconds"]))
            for a in attempts
        ),
    )


def decisive(runs: Mapping[str, TaskRun]) -> tuple[str, ...]:
    """The chain of tasks that decided when the run ended: each waited for the one before it.

    Built in chapter 09, exercise 9.1.
    """
    chain: list[str] = []
    here = max(runs.values(), key=lambda run: run.end, default=None)
    while here is not None:
        chain.append(here.task_id)
        needed = [runs[id] for id in here.dependencies if id in runs]
        here = max(needed, key=lambda run: run.end, default=None)
    return tuple(reversed(chain))


def straggler(runs: Mapping[str, TaskRun]) -> str | None:
    """The task that held the run up most: of the decisive ones, the one that took longest beyond
    what tasks of this run usually take. None when none took longer than usual.

    Built in chapter 09, exercise 9.1.
    """
    usual = median(run.seconds for run in runs.values()) if runs else 0.0
    slow = [runs[id] for id in decisive(runs) if runs[id].seconds > usual]
    worst = max(slow, key=lambda run: run.seconds, default=None)
    return worst.task_id if worst else None


def wasted(runs: Mapping[str, TaskRun]) -> Iterator[tuple[str, int, float]]:
    """Tries that could not help: the same worker, the same words, and again the same error.

    Returns:
        The task's id, which try it was (from 1), and its seconds.

    Built in chapter 09, exercise 9.1.
    """
    for run in runs.values():
        for number, (worker, words, error, seconds) in enumerate(run.tries, start=1):
            before: Sequence[tuple[str, str, str, float]] = run.tries[: number - 1]
            if error and (worker, words, error) in [each[:3] for each in before]:
                yield run.task_id, number, seconds
