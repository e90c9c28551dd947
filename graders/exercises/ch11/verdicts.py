"""How the project's checks are made and how they speak."""

from __future__ import annotations

from graders.exercises.ch11.log_reader import seen_of
from graders.exercises.ch11.observed_run import Seen
from graders.exercises.ch11.worlds import ProjectWorld
from graders.exercises.kit import *
from graders.records.verdict import passed
from graders.records.wording import bars, fail, sealed

Troubles = Callable[[Seen], Iterator[Verdict]]
"""What is wrong with a run, the most telling first."""


def looked(world: ProjectWorld, *looks: Troubles) -> Check:
    """A check that says the first thing that one of these finds wrong."""

    @sealed
    def check(log: Log) -> Verdict:
        seen = seen_of(world, log)
        return next((each for look in looks for each in look(seen)), passed())

    return check


def wrong(
    code: str,
    *,
    expected: str,
    got: str,
    look: str,
    seen: Seen | None = None,
    meant: Iterable[Exchange] = (),
) -> Verdict:
    """A verdict with the run as its evidence, what is meant marked."""
    numbers = [each.number for each in meant]
    evidence = bars(seen.log.exchanges, numbers, seen.owners) if seen else ()
    return fail(f"project.{code}", expected=expected, got=got, look=look, evidence=evidence)
