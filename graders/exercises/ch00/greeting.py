"""Exercise 0.1: a greeting, with the caller's name or without one."""

from __future__ import annotations

from graders.exercises.kit import *

PLAIN = ("Ada", "Grace", "Alan", "Konstantin", "Zoe", "Max", "Ida", "Bo", "Noor", "Lin")
UNUSUAL = ("Émile", "Mary Ann", "de la Cruz", "McAdam")
NAMES = (*PLAIN, *UNUSUAL)

_GREETINGS = """
async def stage(bench, student):
    return [student.greeting(name) for name in bench.params["names"]]
"""


def _callers(*also: str) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        return Scenario(params={"names": [draw.choice(PLAIN), *also]})

    return world


def _greeted(world: Scenario) -> list[str]:
    names = world.params["names"]
    return [f"Switchboard, good morning{f', {name}' if name else ''}." for name in names]


def _greeting(look: str) -> Checks:
    """The first greeting, and then all of them; `look` is about those after the first."""
    return lambda world: [
        equals(_greeted(world)[0], at="0", look="look at what your function returns"),
        equals(_greeted(world), look=f"look at {look}"),
    ]


GREETING = Exercise(
    "0.1", ("greeting",), (
        Trial("greets a caller by name", _GREETINGS, _callers(*UNUSUAL),
              _greeting("what becomes of the name: it is said as it is"), 0.5),
        Trial("greets a caller without a name", _GREETINGS, _callers(""),
              _greeting("what happens without a name: no comma before the full stop"), 0.5),
    ),
    places={
        "*": "the {} greeting",
    },
)  # fmt: skip
