"""A bad plan goes back to the model with what is wrong, a few times at the most."""

from __future__ import annotations

from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.verdicts import Troubles, wrong
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.wording import count, shown

CODES = {
    "project.flaw_not_told": "the model does not hear what is wrong with its plan",
    "project.bad_plan_kept": "a plan that cannot be carried out is returned",
    "project.no_cap": "the model is asked for a plan again and again",
    "project.asked_once": "a bad plan does not go back to the model",
}

MOST_ASKED = 5
"""Requests for a plan, after which it has to be given up."""


def mended(world: ProjectWorld) -> Troubles:
    """A plan that cannot be carried out goes back to the model with what is wrong."""

    def look(seen: Seen) -> Iterator[Verdict]:
        raised = seen.result.get("raised")
        if raised is None:
            return
        times = count(len(seen.plans), "request")
        what = ", then ".join(_FLAWS[flaw] for flaw in world.script.faults.flawed)
        yield wrong(
            "flaw_not_told",
            expected=f"the model to hear what is wrong with its plan ({what}) and mend it",
            got=f"but after {times} it was given up: {raised}",
            look="look at what the request after a bad plan says",
            seen=seen,
        )

    return look


def sent_back(world: ProjectWorld) -> Troubles:
    """No flaw is gone of which the model was never told."""

    def look(seen: Seen) -> Iterator[Verdict]:
        flaws = world.script.faults.flawed
        if len(seen.plans) <= len(flaws):
            yield wrong(
                "asked_once",
                expected="each bad plan to go back to the model with what is wrong with it:"
                f" {_FLAWS[flaws[-1]]}",
                got=f"but after {count(len(seen.plans), 'request')} it was mended without it",
                look="look at what is done with a plan that is not valid",
                seen=seen,
            )

    return look


_FLAWS = {
    "text": "no JSON",
    "worker": "a worker that nobody knows",
    "need": "a dependency that is no task",
    "cycle": "tasks that wait for each other",
}


def given_up(seen: Seen) -> Iterator[Verdict]:
    """A model that never writes a valid plan is asked again, but not for ever, and nothing runs."""
    asked = len(seen.plans)
    if seen.result.get("raised") is None:
        yield wrong(
            "bad_plan_kept",
            expected="an error when no valid plan comes",
            got=f"but make_plan returned {shown(seen.plan, 60)}",
            look="look at what is tested before a plan is returned",
            seen=seen,
        )
    if asked > MOST_ASKED:
        yield wrong(
            "no_cap",
            expected=f"at most {MOST_ASKED} requests for a plan",
            got=f"but there were {asked}",
            look="what ends the loop when no plan is valid?",
            seen=seen,
        )
    if asked < 2:
        yield wrong(
            "asked_once",
            expected="a bad plan to go back to the model",
            got="but it was asked once",
            look="look at what is done with a plan that is not valid",
            seen=seen,
        )
