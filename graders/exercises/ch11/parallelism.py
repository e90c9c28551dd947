"""Requirement 3: independent tasks overlap, and what that gains is measured and reported."""

from __future__ import annotations

from graders.checks.intervals import gaps
from graders.exercises.ch11 import stages
from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.plan_adherence import kept_to
from graders.exercises.ch11.plan_shapes import Faults
from graders.exercises.ch11.retry_caps import once
from graders.exercises.ch11.shared import ALL, DEFINITIONS, HIDDEN, trial
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import seconds, shown

CODES = {
    "project.held_up": "a task that has begun waits between its requests and calls",
    "project.cut_short": "a task is broken off that was still at work",
    "project.begun_again": "a task is begun several times, although nothing failed",
    "project.seconds_missing": "the time that the run took is not reported",
    "project.seconds_false": "another time is reported than the run took",
    "project.sequential_seconds_missing": "the time one after another is not reported",
    "project.sequential_seconds_false": "another time is reported than the tasks take in sequence",
}

SLACK = 0.25
"""Virtual seconds that a task may be left waiting."""
CLOSE = 0.05
"""Share by which a reported time may differ from what was seen."""


def collapsed(seen: Seen) -> Log:
    """The log with one exchange for each task: from its first request to its last reply."""
    found = []
    for ref, done in seen.tasks.items():
        id = str(seen.planned.get(ref, {}).get("id", ref))
        said = {"task": id}
        found.append(Exchange(0, "tool", "task", said, done.start, done.end, "answered"))
    ordered = sorted(found, key=lambda each: each.start)
    numbered = tuple(replace(each, number=n) for n, each in enumerate(ordered))
    return replace(seen.log, exchanges=numbered)


def needs_of(seen: Seen) -> dict[str, list[str]]:
    """What each task of the plan waits for, by ids."""
    tasks = seen.planned.values()
    return {str(t["id"]): [str(each) for each in t.get("dependencies", ())] for t in tasks}


def overlaps(seen: Seen) -> Iterator[Verdict]:
    """Each task starts the moment its own dependencies are done."""

    def task(exchange: Exchange) -> str:
        return str(exchange.request["task"])

    check = parallel(task, after=needs_of(seen), slack=SLACK, what="a task")
    verdict = check(collapsed(seen))
    if not verdict.passed:
        yield verdict


def at_work(seen: Seen) -> Iterator[Verdict]:
    """A task that has begun goes on until it ends: nobody waits between its requests and calls."""
    for ref, done in seen.tasks.items():
        id = shown(str(seen.planned.get(ref, {}).get("id", ref)))
        cut = next((one for one in done.tries if one.cut is not None), None)
        if cut is not None:
            yield wrong(
                "cut_short",
                expected=f"task {id} to be waited for, as nothing fails here",
                got=f"but {cut.error}",
                look="is a time limit shorter than the slowest call, which takes 20 s?",
                seen=seen,
                meant=done.exchanges,
            )
        if len(done.tries) > 1:
            yield wrong(
                "begun_again",
                expected=f"task {id} to be done once, as nothing fails here",
                got=f"but it was begun {len(done.tries)} times",
                look="look at what begins a task anew",
                seen=seen,
                meant=done.exchanges,
            )
        open_ = [(each.start, end_of(each)) for each in done.exchanges]
        idle = sum(end - begin for begin, end in gaps((done.start, done.end), open_))
        if idle > SLACK:
            yield wrong(
                "held_up",
                expected=f"task {id} to go on once it has begun",
                got=f"but for {seconds(idle)} none of its requests and calls was under way",
                look="look at what is awaited between a request and a call (a lock, another task)",
                seen=seen,
                meant=done.exchanges,
            )


def reports(world: ProjectWorld) -> Troubles:
    """The seconds that are reported are those that were seen."""

    def look(seen: Seen) -> Iterator[Verdict]:
        done = list(seen.tasks.values())
        begin, end = min(each.start for each in done), max(each.end for each in done)
        took, whole = end - begin, seen.log.ended
        alone = sum(each.end - each.start for each in done)
        yield from _reported(seen, "seconds", took, whole, "as it ran")
        yield from _reported(
            seen, "sequential_seconds", alone, alone, "what the tasks take one after another"
        )

    return look


def _reported(seen: Seen, name: str, least: float, most: float, what: str) -> Iterator[Verdict]:
    said = seen.outcome.get(name)
    if isinstance(said, bool) or not isinstance(said, int | float):
        yield wrong(
            f"{name}_missing",
            expected=f"{name}: {what}, in seconds",
            got=f"got {shown(said)}",
            look="look at what execute returns",
            seen=seen,
        )
        return
    if least * (1 - CLOSE) - 0.01 <= said <= most * (1 + CLOSE) + 0.01:
        return
    look = "look at what is measured: from where to where, on the loop's clock"
    if said < least / 10:
        look = "measure on the loop's clock (loop.time()): time.perf_counter does not see its waits"
    yield wrong(
        f"{name}_false",
        expected=f"{name} of {seconds(least)}, as it was seen ({what})",
        got=f"got {seconds(float(said))}",
        look=look,
        seen=seen,
    )


def _plays(world: ProjectWorld) -> list[Troubles]:
    return [kept_to(world), overlaps, at_work]


PARALLEL = Exercise(
    "11.3",
    DEFINITIONS,
    (
        trial("runs independent tasks at the same time, in your domain", stages.WHOLE, 1.5, _plays,
              own=True),
        trial("starts each task when its own dependencies are done", stages.EXECUTE, 1.5, _plays,
              given=True),
        trial("holds nobody up for a slow task that they do not need", stages.EXECUTE, 0.5, _plays,
              given=True, faults=Faults(slow=("e",))),
        trial("reports what it took, and what it would have taken one after another",
              stages.EXECUTE, 1.5, lambda world: [kept_to(world), once, reports(world)],
              given=True),
    ),
    cells=ALL,
    choice="DOMAIN",
    hidden_seeds=HIDDEN,
)  # fmt: skip
"""What `parallel` says of a plan speaks of the tasks by their ids."""
