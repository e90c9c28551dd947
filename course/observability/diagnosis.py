"""What went wrong in a run, as its trace tells: what held it up, what was for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from course.contradictions import Contradiction, contradictions
from course.observability.plan_runs import TaskRun, answer_in, decisive, task_runs
from course.trace import Trace

SLOW = 1.5
"""A task is slow when it takes so many times as long as tasks of its run usually take.

Source: `spark.speculation.multiplier` of Apache Spark 3, from which a second copy of a task is
started.
"""

ASKING = ("decompose", "chat")
"""The steps in which a supervisor's model asks for delegations."""

FindingKind = Literal["straggler", "wasted", "contradiction"]


def straggler(runs: Mapping[str, TaskRun]) -> str | None:
    """The task that held the run up most: the slowest of the decisive ones, if it took `SLOW`
    times as long as tasks of this run usually take (their median). None when none did.
    Used in chapter 09, as a part of exercise 9.6.
    """
    usual = median(run.seconds for run in runs.values()) if runs else 0.0
    slow = [runs[id] for id in decisive(runs) if runs[id].seconds > SLOW * usual]
    worst = max(slow, key=lambda run: run.seconds, default=None)
    return worst.task_id if worst else None


def wasted(runs: Mapping[str, TaskRun]) -> Iterator[tuple[str, int, float]]:
    """Tries that could not help: the same worker, the same words, and again the same error.
    Used in chapter 09, as a part of exercise 9.6.

    Returns:
        The task's id, which try it was (from 1), and its seconds.
    """
    for run in runs.values():
        for number, (worker, words, error, seconds) in enumerate(run.tries, start=1):
            before: Sequence[tuple[str, str, str, float]] = run.tries[: number - 1]
            if error and (worker, words, error) in [each[:3] for each in before]:
                yield run.task_id, number, seconds


def unstated(runs: Mapping[str, TaskRun], answer: str) -> Iterator[Contradiction]:
    """Contradictions between results that the answer does not state.
    Used in chapter 09, as a part of exercise 9.6.
    """
    for each in contradictions(run for run in runs.values() if run.done):
        if not each.stated_in(answer):
            yield each


@dataclass(frozen=True)
class Finding:
    """Something that a trace shows of its run, and the tasks that it is about.
    Built in chapter 09.
    """

    kind: FindingKind
    tasks: tuple[str, ...]


def diagnose(trace: Trace) -> list[Finding]:
    """What to look at in a run: its straggler, wasted tries, unsaid contradictions.
    Used in chapter 09, exercise 9.6.
    """
    runs = task_runs(trace)
    slow = straggler(runs)
    found = [Finding("straggler", (slow,))] if slow else []
    found += [Finding("wasted", (id,)) for id, _, _ in wasted(runs)]
    hidden = unstated(runs, answer_in(trace))
    found += [Finding("contradiction", tuple(id for id, _ in each.said)) for each in hidden]
    return found


@dataclass(frozen=True)
class Wait:
    """A delegation that began later than it could have. Built in chapter 04.

    Attributes:
        worker: who was given the task late.
        behind: the worker whose delegation, asked for by the same message, ended just before.
        seconds: how long it waited.
    """

    worker: str
    behind: str
    seconds: float


def waits(trace: Trace) -> list[Wait]:
    """The delegations that waited for another one of the same message, in the order of the trace.
    Built in chapter 04, exercise 4.6.

    All delegations of a message could begin when the message is there: a worker sees nothing of
    another's work. So whoever begins only when a sibling has ended was held up for nothing.

    Args:
        trace: of a supervisor's run. A delegation is a span whose operation is "delegate"; its
            siblings have the same parent. A message ends where a sibling "decompose" or "chat"
            ends.
    """
    found = []
    for each in trace.spans:
        if each.operation != "delegate":
            continue
        siblings = [s for s in trace.spans if s.parent_id == each.parent_id and s is not each]
        asked = max(
            (s.end for s in siblings if s.operation in ASKING and s.end <= each.start), default=0.0
        )
        before = [
            s
            for s in siblings
            if s.operation == "delegate" and asked <= s.start < s.end <= each.start
        ]
        if before:
            last = max(before, key=lambda s: s.end)
            found.append(Wait(each.name, last.name, each.start - asked))
    return found


def circle(trace: Trace) -> tuple[str, ...]:
    """The agents among whom a conversation went round, as its trace tells it.
    Built in chapter 03, exercise 3.5.

    A consultation comes back by design, so only handoffs that are not meant to return count.

    Args:
        trace: of a team; its `handoff` spans say who handed over to whom, and of what kind it was.

    Returns:
        The shortest sequence of agents that the conversation went through twice in a row, from
        where it did so first; empty when there is none.
    """
    path: list[str] = []
    for span in trace.spans:
        kind = span.attributes.get("switchboard.handoff.kind")
        if span.operation == "handoff" and kind not in ("consult", "return"):
            path = path or [str(span.attributes["switchboard.handoff.from"])]
            path.append(str(span.attributes["switchboard.handoff.to"]))
    for length in range(1, len(path) // 2 + 1):
        for start in range(len(path) - 2 * length + 1):
            once = path[start : start + length]
            if once == path[start + length : start + 2 * length]:
                return tuple(once)
    return ()
