"""What all exercises of the project have in common: their names, their worlds, the choice."""

from __future__ import annotations

from graders.exercises.ch11.domains import BY_NAME
from graders.exercises.ch11.verdicts import Troubles, looked
from graders.exercises.ch11.worlds import ProjectWorld, world
from graders.exercises.kit import *
from graders.records.verdict import passed
from graders.records.wording import fail, listed, sealed, shown

CODES = {"project.domain": "DOMAIN is none of the six domains"}

DEFINITIONS = ("DOMAIN", "my_workers", "make_plan", "execute")
ALL = ("ex_11_workers", "ex_11_plan", "ex_11_execute")
"""The solution cells that all exercises share."""


HIDDEN = (2,)
"""One seed for the verdict that counts: each trial draws a world of its own from it."""
Looks = Callable[[ProjectWorld], Sequence[Troubles]]
"""What has to be looked at in a world."""


def trial(title: str, stage: str, points: float, looks: Looks, **what: Any) -> Trial:
    """A trial of the project; what its worlds are like stands in `worlds.world`."""

    def make(draw: random.Random, chosen: str) -> ProjectWorld:
        return world(draw, chosen, **what)

    def checks(scenario: Scenario) -> list[Check]:
        assert isinstance(scenario, ProjectWorld)
        own = [choice_is_known(scenario)] if scenario.params["workers"] is None else []
        return [*own, looked(scenario, *looks(scenario))]

    return Trial(title, stage, make, checks, points)


def choice_is_known(world: ProjectWorld) -> Check:
    """The submission has chosen one of the domains."""

    @sealed
    def check(log: Log) -> Verdict:
        if world.chosen in BY_NAME:
            return passed()
        got = f"got {shown(world.chosen)}" if world.chosen else "but it is no text, or not there"
        return fail(
            "project.domain",
            expected=f"DOMAIN to be one of {listed(BY_NAME, 6)}",
            got=got,
            look="look at what your cell calls DOMAIN",
        )

    return check
