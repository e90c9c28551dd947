"""Exercise 0.3: the seconds that a trace's steps took, by their operation."""

from __future__ import annotations

from graders.exercises.kit import *

_STEPS = """
import asyncio
from course.trace import Trace, span


async def stage(bench, student):
    async def play(step):
        with span(step["operation"], step["name"]):
            await asyncio.sleep(step["seconds"])
            await asyncio.gather(*(play(each) for each in step["steps"]))

    trace = Trace("a day at the switchboard")
    with trace.record():
        await asyncio.gather(*(play(each) for each in bench.params["steps"]))
    asked = bench.params["operations"]
    return {name: student.time_spent(trace, name) for name in asked} | {
        "an empty trace": student.time_spent(Trace("empty"), asked[0])
    }
"""


def _step(draw: random.Random, operation: str, *steps: dict[str, object]) -> dict[str, object]:
    """A step whose name is no operation, and whose seconds are not round."""
    seconds = draw.randrange(500, 8000) / 1000
    return {"operation": operation, "name": "demo", "seconds": seconds, "steps": list(steps)}


def _side_by_side(draw: random.Random) -> Scenario:
    steps = [_step(draw, "execute_tool") for _ in range(draw.randrange(2, 4))]
    steps.append(dict(steps[0]))  # who takes as long as another one counts as well
    whole = {"operation": "invoke_agent", "name": "demo", "seconds": 0, "steps": steps}
    return Scenario(params={"steps": [whole], "operations": ["execute_tool", "handoff"]})


def _several_kinds(draw: random.Random) -> Scenario:
    inner = [_step(draw, "chat"), _step(draw, "execute_tool"), _step(draw, "chat")]
    steps = [_step(draw, "invoke_agent", *inner), _step(draw, "chat", _step(draw, "execute_tool"))]
    operations = ["chat", "execute_tool", "invoke_agent", "plan"]
    return Scenario(params={"steps": steps, "operations": operations})


def _spent(world: Scenario) -> dict[str, float]:
    total = dict.fromkeys(world.params["operations"], 0.0)

    def length(step: dict[str, object]) -> float:
        inner = step["steps"]
        seconds = step["seconds"]
        assert isinstance(inner, list) and isinstance(seconds, int | float)
        whole = seconds + max([length(each) for each in inner], default=0.0)
        if step["operation"] in total:
            total[str(step["operation"])] += whole
        return whole

    for step in world.params["steps"]:
        length(step)
    return {**total, "an empty trace": 0.0}


def _seconds(look: str) -> Checks:
    return lambda world: [equals(_spent(world), within=1e-6, look=f"look at {look}")]


TIME_SPENT = Exercise(
    "0.3", ("time_spent",), (
        Trial("adds up one operation, and says 0 when there is none", _STEPS, _side_by_side,
              _seconds("which seconds you add: steps side by side count both")),
        Trial("tells operations apart, and reads an empty trace", _STEPS, _several_kinds,
              _seconds("which steps you add up")),
    ),
    places={
        "*": "the seconds spent on {}",
        "an empty trace": "the seconds of an empty trace",
    },
)  # fmt: skip
