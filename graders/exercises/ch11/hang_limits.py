"""What lasts for ever is given up: a model that stays busy, a call that never comes back."""

from __future__ import annotations

from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.prompt_reader import RESULT
from graders.exercises.ch11.told_results import id_of
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import seconds, shown

CODES = {
    "project.busy_on": "a model that stays busy is asked again and again",
    "project.waits_on": "a call that never comes back is waited for too long",
    "project.given_up_untold": "it is not told that a task was given up",
}

MOST_ASKED = 30
"""Requests for one task to a model that stays busy: three tries, each with its repeats."""
MOST_SECONDS = 3600.0
"""Virtual seconds of a whole run in which a call hangs: three tries with the longest limits."""


def stops_asking(world: ProjectWorld) -> Troubles:
    """Who is turned away by the model each time gives up in the end, and says so."""

    def look(seen: Seen) -> Iterator[Verdict]:
        for ref in sorted(world.script.refs(world.script.faults.busy)):
            done = seen.tasks.get(ref)
            asked = [heard for one in done.tries for heard in one.requests] if done else []
            if len(asked) > MOST_ASKED:
                yield wrong(
                    "busy_on",
                    expected=f"task {shown(id_of(seen, ref))} to be given up when the model stays"
                    f" busy, after {MOST_ASKED} requests at the most",
                    got=f"but there were {len(asked)} or more",
                    look="what ends the loop that asks again after a 503?",
                    seen=seen,
                    meant=[heard.exchange for heard in asked],
                )
            yield from _told_so(seen, ref)

    return look


def stops_waiting(world: ProjectWorld) -> Troubles:
    """A call that never comes back is given up in time, and this is told."""

    def look(seen: Seen) -> Iterator[Verdict]:
        if seen.log.ended > MOST_SECONDS:
            yield wrong(
                "waits_on",
                expected=f"the run to end within {seconds(MOST_SECONDS)} when a call hangs",
                got=f"but it took {seconds(seen.log.ended)}",
                look="look at the time limit of a try, and at how often it is waited for",
                seen=seen,
            )
        for ref in sorted(world.script.refs(world.script.faults.hung)):
            yield from _told_so(seen, ref)

    return look


def _told_so(seen: Seen, ref: str) -> Iterator[Verdict]:
    """The task has failed; how often it was tried, and of what, nobody can tell for sure."""
    said = seen.told(id_of(seen, ref))
    made_up = RESULT.search(str(said.get("result", "")))
    if said.get("status") != "failed" or made_up:
        yield wrong(
            "given_up_untold",
            expected=f'tasks[{shown(id_of(seen, ref))}] to be "failed", without a result',
            got=f"got {shown(said.get('status'))}" if said else "but it is not there",
            look="look at what becomes of a task that is given up (done, failed or skipped)",
            seen=seen,
        )
