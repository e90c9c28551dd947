"""Exercise 2.1: what a stage is shown of a state, and nothing else."""

from __future__ import annotations

from graders.checks.natures import of_json
from graders.exercises.kit import *

_STAGE = """
from datetime import date
from pydantic import BaseModel, ConfigDict
from course import Agent
from course.pipeline import Stage


class Stop(BaseModel):
    town: str
    nights: int = 1


class Trip(BaseModel):
    model_config = ConfigDict(frozen=True)

    request: str
    secret: str = ""
    budget: int = 0
    leaves: date | None = None
    stops: tuple[Stop, ...] = ()
    notes: str = ""


async def stage(bench, student):
    seen = []
    for each in bench.params["shows"]:
        reads = tuple(each["reads"])
        step = Stage(name="plan", work=Agent(name="planner"), reads=reads, writes=("notes",))
        said = student.shown(step, Trip.model_validate(each["state"]))
        seen.append(repr(said) if isinstance(said, bytes) else said)  # bytes are no text
    return seen
"""
_TOWNS = ("Bergen", "Cádiz", "Łódź", "Ghent", "Porto", "Turku")


def _state(draw: random.Random) -> dict[str, Any]:
    return {
        "request": f"A trip to {draw.choice(_TOWNS)}, please.",
        "secret": f"code {draw.randrange(10**6, 10**7)}",
        "budget": draw.randrange(100, 900),
    }


def _shows(*reads: str, nested: bool = False) -> ScenarioMaker:
    """States, each to be shown with these fields in two orders."""

    def world(draw: random.Random) -> Scenario:
        state = _state(draw)
        if nested:
            state["leaves"] = f"2026-0{draw.randrange(1, 10)}-1{draw.randrange(10)}"
            towns = draw.sample(_TOWNS, 2)
            state["stops"] = [{"town": town, "nights": draw.randrange(2, 9)} for town in towns]
        orders = [list(reads), list(reversed(reads)), list(reads)[:1]]
        return Scenario(params={"shows": [{"state": state, "reads": each} for each in orders]})

    return world


_EMPTY: Mapping[str, Any] = {"secret": "", "budget": 0, "leaves": None, "stops": [], "notes": ""}


def _json_with(expected: dict[str, Any]) -> Callable[[Any], bool]:
    """JSON of this object, its names in this order, however it is spaced."""

    def same(text: Any) -> bool:
        said = json.loads(text)
        return bool(said == expected and list(said) == list(expected))

    what = f"the JSON text of {json.dumps(expected, ensure_ascii=False)}"
    return such_that(what, same, lambda came: of_json(came, expected))


def _seen(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        wanted = []
        for each in world.params["shows"]:
            state = {**_EMPTY, **each["state"]}
            wanted.append(_json_with({name: state[name] for name in each["reads"]}))
        return [fits(wanted, look=f"look at {look}")]

    return checks


SHOWN = Exercise(
    "2.1", ("shown",), (
        Trial("shows what the stage reads, in that order, and nothing else", _STAGE,
              _shows("request", "budget"),
              _seen("which fields end up in the JSON, and in which order")),
        Trial("shows dates and nested values as JSON", _STAGE,
              _shows("leaves", "stops", "request", nested=True),
              _seen("how a field becomes JSON: a date is no text yet, and a stop is a model"), 0.5),
        Trial("shows a field that nobody has filled with its default", _STAGE,
              _shows("notes", "stops", "leaves"),
              _seen("what becomes of a field that was never set"), 0.5),
    ),
    places={
        "*": "the {} text",
    },
    finished={"shown": "course.pipeline.running:shown"},
)  # fmt: skip
