"""Exercise 12.3: how many seeds show an effect, if any number of them does."""

from __future__ import annotations

from itertools import count

from graders.exercises.kit import *

_STAGE = """
async def stage(bench, student):
    found = []
    for each in bench.params["cases"]:
        try:
            seeds = student.seeds_needed(
                each["between"], each["within"], tasks=each["tasks"], effect=each["effect"]
            )
        except ValueError as error:
            found.append({"raised": str(error)})
        else:
            found.append({"seeds": seeds})
    return found
"""
SURE = 2.8
Pilot = dict[str, Any]
Maker = Callable[[random.Random], Pilot]


def detectable(pilot: Pilot, seeds: float) -> float:
    """What tasks of this spread show with so many seeds each."""
    spread = pilot["between"] + pilot["within"] / seeds
    return float(SURE * (spread / pilot["tasks"]) ** 0.5)


def _needing(seeds: float, *, tasks: int = 0, between: bool = True) -> Maker:
    """A pilot whose effect is what a number of seeds shows; at 3.5 the fourth seed is needed."""

    def made(draw: random.Random) -> Pilot:
        pilot = {
            "between": draw.randrange(3, 40) / 16 if between else 0.0,
            "within": draw.randrange(40, 400) / 16,
            "tasks": tasks or draw.randrange(10, 60),
        }
        return {**pilot, "effect": detectable(pilot, seeds)}

    return made


def _just(seeds: int) -> Maker:
    """A pilot whose effect is exactly what so many seeds show, 1, 2 or 4 of them.

    7 is 2.5 times `SURE`, in floats as well, and all the variances are short in binary: whichever
    way an answer writes the formula, it comes to the same.
    """

    def made(draw: random.Random) -> Pilot:
        tasks, scale = draw.choice([16, 64]), draw.choice([0.5, 1, 2])
        seen = tasks * (2.5 * scale) ** 2
        between = seen * draw.randrange(8, 48) / 64
        within = (seen - between) * seeds
        return {"between": between, "within": within, "tasks": tasks, "effect": 7 * scale}

    return made


def _steady(draw: random.Random) -> Pilot:
    """A task goes the same way whatever the seed."""
    pilot = {**_needing(0.5)(draw), "within": 0.0}
    return {**pilot, "effect": 1.2 * detectable(pilot, 1)}


def _hopeless(share: float) -> Maker:
    """The effect is this share of what endlessly many seeds would show."""

    def made(draw: random.Random) -> Pilot:
        pilot = _needing(2.5)(draw)
        return {**pilot, "effect": share * detectable(pilot, 1e12)}

    return made


def _fewest(pilot: Pilot) -> dict[str, Any]:
    """By counting up."""
    if detectable(pilot, 1e12) > pilot["effect"]:
        return {"raised": text_with("task")}
    return {"seeds": next(n for n in count(1) if detectable(pilot, n) <= pilot["effect"])}


_checked = compared(_fewest, fits)


SEEDS_NEEDED = Exercise(
    "12.3", ("seeds_needed",), (
        Trial("takes the fewest seeds that are enough", _STAGE,
              cases(_needing(3.5), _needing(7.3), _needing(24.6), _needing(5.5, between=False),
                    _needing(2.2, tasks=12), _just(2), _just(4)),
              _checked("which variance the seeds make smaller, and which way you round")),
        Trial("takes one seed where one is enough", _STAGE,
              cases(_needing(0.5), _needing(0.2), _steady, _just(1)),
              _checked("the smallest number of seeds that there is"), 0.5),
        Trial("says when no number of seeds helps", _STAGE,
              cases(_hopeless(0.9), _hopeless(0.4), _needing(3.5)),
              _checked("what is left of the formula with endlessly many seeds"), 1.5),
    ),
    places={
        "*": "what came of the {} pilot",
        "*.seeds": "the seeds for the {} pilot",
        "*.raised": "the error's words about the {} pilot",
    },
)  # fmt: skip
