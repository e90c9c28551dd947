"""Nothing goes on without end: three tries of a task, and no tries by another name."""

from __future__ import annotations

import math

from graders.exercises.ch11.observed_run import Done, Seen
from graders.exercises.ch11.plan_adherence import never_begun
from graders.exercises.ch11.told_results import id_of
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import count, shown

CODES = {
    "project.gave_up": "a task that failed is not tried three times",
    "project.after_success": "a task is sent again after it had succeeded",
    "project.too_many": "a task is tried more than three times",
    "project.too_long": "one try at a task goes on and on",
    "project.reworded_on": "a failed task is put in other words again and again",
    "project.work_unnamed": "a worker is asked, and no task's reference is in the request",
    "project.call_unasked": "a call is made again and again that no worker's model asked for",
}

MOST_TRIES = 3
_MOST_REQUESTS = 10  # in one try, those that got lost and were sent again among them
_MOST_WORDINGS = 2 * MOST_TRIES  # requests for other words, those that got lost left out


def gave_up(seen: Seen, done: Done) -> Verdict:
    """What is said of a task that was tried too seldom."""
    return wrong(
        "gave_up",
        expected=f"up to {MOST_TRIES} tries of task {shown(id_of(seen, done.errand.ref))}",
        got=f"but it was given up after {len(done.tries)} (“{done.error[:60]}”)",
        look="look at what is done with the error",
        seen=seen,
        meant=done.exchanges,
    )


def once(seen: Seen) -> Iterator[Verdict]:
    """No task is sent again when it has its result."""
    for ref, done in seen.tasks.items():
        if done.needless:
            yield wrong(
                "after_success",
                expected=f"task {shown(id_of(seen, ref))} to end once it has a result",
                got="but it was sent again",
                look="does the loop end when it has what it wants?",
                seen=seen,
                meant=[each for one in done.needless for each in one.exchanges],
            )


def breaks_off(world: ProjectWorld) -> Troubles:
    """A task that fails whatever is tried is tried three times, and no more."""

    def look(seen: Seen) -> Iterator[Verdict]:
        yield from unnamed(seen)
        for place in world.script.faults.broken:
            done = seen.tasks.get(world.at(place).ref)
            if done is None:
                yield never_begun(seen, world.at(place).ref)
                continue
            if len(done.tries) > MOST_TRIES:
                yield wrong(
                    "too_many",
                    expected=f"at most {MOST_TRIES} tries of task"
                    f" {shown(id_of(seen, done.errand.ref))}",
                    got=f"but there were {len(done.tries)}",
                    look="what ends the loop when all of them fail?",
                    seen=seen,
                    meant=[each for one in done.tries[MOST_TRIES:] for each in one.exchanges],
                )
            if len(done.tries) < MOST_TRIES:
                yield gave_up(seen, done)
            yield from _reworded_on(seen, done)

    return look


def _reworded_on(seen: Seen, done: Done) -> Iterator[Verdict]:
    asked = [heard.exchange for heard in done.beside if heard.exchange.outcome == "answered"]
    if len(asked) > _MOST_WORDINGS:
        yield wrong(
            "reworded_on",
            expected=f"task {shown(id_of(seen, done.errand.ref))} to be put in other words once or"
            " twice between two tries",
            got=f"but the model was asked {len(asked)} times",
            look="what ends the loop that asks for other words?",
            seen=seen,
            meant=asked,
        )


def never_more(seen: Seen) -> Iterator[Verdict]:
    """No task has more than three tries, whatever it fails of, and none after a success."""
    yield from once(seen)
    yield from _openly(seen)
    for ref, done in seen.tasks.items():
        if len(done.tries) > MOST_TRIES:
            yield wrong(
                "too_many",
                expected=f"at most {MOST_TRIES} tries of task {shown(id_of(seen, ref))}",
                got=f"but there were {len(done.tries)}",
                look="what ends the loop when all of them fail?",
                seen=seen,
                meant=done.exchanges,
            )


def unnamed(seen: Seen) -> Iterator[Verdict]:
    """Work after a failed try of which nobody can say for which task it is.

    What is done beside the plan before anything has failed is no try of a task that was rewritten.
    """
    failed = [one for done in seen.tasks.values() for one in done.tries if not one.result]
    first = min((max(map(end_of, one.exchanges)) for one in failed), default=math.inf)
    lost = [each for each in seen.idle if each.start >= first]
    if lost:
        yield wrong(
            "work_unnamed",
            expected="each request to a worker to hold its task's reference, such as (ref K7Q2)",
            got=f"but {count(len(lost), 'request')} with tools had none",
            look="is it lost when a task is put in other words?",
            seen=seen,
            meant=lost,
        )


def _openly(seen: Seen) -> Iterator[Verdict]:
    """Nothing goes on beside the tries, or within one, that would be tries without a name."""
    yield from unnamed(seen)
    for ref, done in seen.tasks.items():
        longest = max(done.tries, key=lambda one: len(one.requests))
        if len(longest.requests) > _MOST_REQUESTS:
            yield wrong(
                "too_long",
                expected=f"at most {_MOST_REQUESTS} requests in a try of {shown(id_of(seen, ref))}",
                got=f"but there were {len(longest.requests)}",
                look="what ends a conversation that comes to nothing?",
                seen=seen,
                meant=longest.exchanges,
            )
    yield from _called_again(seen)


def _called_again(seen: Seen) -> Iterator[Verdict]:
    unasked = [each for each in seen.strays if each.kind == "tool"]
    for each in unasked:
        same = [e for e in unasked if (e.name, e.request) == (each.name, each.request)]
        if len(same) > MOST_TRIES:
            yield wrong(
                "call_unasked",
                expected=f"{each.name} to be called when a worker's model asks for it",
                got=f"but {count(len(same), 'same call')} came beside that",
                look="look at what is done when a tool refuses",
                seen=seen,
                meant=same,
            )
            return
