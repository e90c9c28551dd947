"""Reading a trace: what made a run take as long as it took, and what of it was for nothing.

Everything is taken from the `dispatch` steps, so it works on a trace from a file as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from course.supervisor_worker.claims import Contradiction, contradictions
from course.trace import Span, Trace

SLOW = 1.5
"""A task is slow when it takes so many times as long as tasks of its run usually take.

Source: `spark.speculation.multiplier` of Apache Spark 3, from which a second copy of a task is
started.
"""

Kind = Literal["straggler", "wasted", "contradiction"]


@dataclass(frozen=True, kw_only=True)
class TaskRun:
    """One task as a trace tells of it. Times are seconds from the start of the trace.

    Attributes:
        result: what it found out; after a failure, the last thing that was said.
        tries: (worker, words, error, seconds) of each; the error is empty if it worked.

    Built in chapter 09.
    """

    task_id: str
    worker: str
    start: float
    end: float
    dependencies: tuple[str, ...] = ()
    done: bool = True
    result: str = ""
    tries: tuple[tuple[str, str, str, float], ...] = ()

    @property
    def seconds(self) -> float:
        """How long it took, with all its tries."""
        return self.end - self.start


def task_runs(trace: Trace) -> dict[str, TaskRun]:
    """The tasks of a run by id, in the order in which they began; only those that did.

    Built in chapter 09.
    """
    steps = (each for each in trace.spans if each.operation == "dispatch")
    return {step.name: task_run(step) for step in steps}


def task_run(span: Span) -> TaskRun:
    """A task as its `dispatch` step tells of it.

    Built in chapter 09.
    """
    told = span.attributes
    needs = str(told.get("switchboard.task.dependencies", ""))
    attempts = [e.attributes for e in span.events if e.name == "attempt"]
    return TaskRun(
        task_id=span.name,
        worker=str(told.get("switchboard.task.worker", "")),
        start=span.start,
        end=span.end,
        dependencies=tuple(needs.split(", ")) if needs else (),
        done=span.status == "ok",
        result=str(told.get("switchboard.task.result", "")),
        tries=tuple(
            (str(a["worker"]), str(a["words"]), str(a["error"]), float(a["seconds"]))
            for a in attempts
        ),
    )


def answer_in(trace: Trace) -> str:
    """The answer a run ended with, as the step that made it tells; empty if none did.

    Built in chapter 09.
    """
    steps = [each for each in trace.spans if each.operation == "aggregate"]
    return str(steps[-1].attributes.get("switchboard.aggregation.answer", "")) if steps else ""


def decisive(runs: Mapping[str, TaskRun]) -> tuple[str, ...]:
    """The chain of tasks that decided when a run ended: each waited for the one before.

    Built in chapter 09.
    """
    chain: list[str] = []
    here = max(runs.values(), key=lambda run: run.end, default=None)
    while here is not None:
        chain.append(here.task_id)
        needed = [runs[id] for id in here.dependencies if id in runs]
        here = max(needed, key=lambda run: run.end, default=None)
    return tuple(reversed(chain))


def straggler(runs: Mapping[str, TaskRun]) -> str | None:
    """The task that held the run up most: the slowest of the decisive ones, if it took `SLOW`
    times as long as tasks of this run usually take (their median). None when none did.

    Built in chapter 09, as a part of exercise 9.6.
    """
    usual = median(run.seconds for run in runs.values()) if runs else 0.0
    slow = [runs[id] for id in decisive(runs) if runs[id].seconds > SLOW * usual]
    worst = max(slow, key=lambda run: run.seconds, default=None)
    return worst.task_id if worst else None


def wasted(runs: Mapping[str, TaskRun]) -> Iterator[tuple[str, int, float]]:
    """Tries that could not help: the same worker, the same words, and again the same error.

    Returns:
        The task's id, which try it was (from 1), and its seconds.

    Built in chapter 09, as a part of exercise 9.6.
    """
    for run in runs.values():
        for number, (worker, words, error, seconds) in enumerate(run.tries, start=1):
            before: Sequence[tuple[str, str, str, float]] = run.tries[: number - 1]
            if error and (worker, words, error) in [each[:3] for each in before]:
                yield run.task_id, number, seconds


def unstated(runs: Mapping[str, TaskRun], answer: str) -> Iterator[Contradiction]:
    """Contradictions between results that the answer does not state.

    Built in chapter 09, as a part of exercise 9.6.
    """
    for each in contradictions(run for run in runs.values() if run.done):
        if not each.stated_in(answer):
            yield each


@dataclass(frozen=True)
class Finding:
    """Something that a trace shows of its run, and the tasks that it is about.

    Built in chapter 09.
    """

    kind: Kind
    tasks: tuple[str, ...]


def diagnose(trace: Trace) -> list[Finding]:
    """What to look at in a run: its straggler, wasted tries, unsaid contradictions.

    Built in chapter 09, exercise 9.6.
    """
    runs = task_runs(trace)
    slow = straggler(runs)
    found = [Finding("straggler", (slow,))] if slow else []
    found += [Finding("wasted", (id,)) for id, _, _ in wasted(runs)]
    hidden = unstated(runs, answer_in(trace))
    found += [Finding("contradiction", tuple(id for id, _ in each.said)) for each in hidden]
    return found
