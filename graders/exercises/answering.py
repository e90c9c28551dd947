"""Exercises 1.2 and 1.3: a tool call becomes a message, whatever happens; many at once."""

from __future__ import annotations

import json
import random
from typing import Any

from graders.checks import called, fits, made, parallel
from graders.checks.keys import by_argument
from graders.exercises import building
from graders.exercises.building import BASEMENT, LIFT, PATIENCE, ROOM, STAIRS, TOP, call
from graders.exercises.wants import Checks, error_with, json_of
from graders.judge.log import Log
from graders.judge.scenario import Exercise, Scenario, ScenarioMaker, Trial

_ONE_BY_ONE = STAIRS + (
    """

async def stage(bench, student):
    tools = [*bench.tools, stairs]
    return [await student.answer_call(call, tools) for call in bench.params["calls"]]
"""
)


def _asked(*requests: tuple[str, Any]) -> ScenarioMaker:
    """These calls, each under an id of its own; a number `None` is drawn."""

    def world(draw: random.Random) -> Scenario:
        ids = building.idents(draw, len(requests))
        calls = []
        for (name, arguments), ident in zip(requests, ids, strict=True):
            drawn = {k: draw.randrange(1, TOP) if v is None else v for k, v in arguments.items()}
            calls.append(call(name, drawn, ident))
        return Scenario((ROOM, LIFT, BASEMENT), params={"calls": calls})

    return world


def _messages(world: Scenario, *contents: Any) -> list[dict[str, Any]]:
    """Tool messages with these contents under the calls' own ids."""
    return [
        {"role": "tool", "tool_call_id": each["id"], "content": content}
        for each, content in zip(world.params["calls"], contents, strict=True)
    ]


def _told(*contents: Any, look: str) -> Checks:
    """The messages of the calls, in order."""
    return lambda world: [fits(_messages(world, *contents), look=f"look at {look}")]


def _results(world: Scenario) -> list[Any]:
    def wanted(log: Log) -> list[dict[str, Any]]:
        replies = [each.reply for each in log.calls()]
        contents = [each if isinstance(each, str) else json_of(each) for each in replies]
        return _messages(world, *contents)

    rooms = [{"floor": 0, **each} for each in _arguments(world, "room")]
    return [
        called("room", rooms),
        called("lift", _arguments(world, "lift")),
        fits(wanted, look="look at the id, and at how a result becomes text"),
    ]


def _arguments(world: Scenario, tool: str) -> list[dict[str, Any]]:
    functions = [each["function"] for each in world.params["calls"]]
    return [json.loads(each["arguments"]) for each in functions if each["name"] == tool]


def _broken(draw: random.Random) -> Scenario:
    """Arguments that are no JSON, no object, of another type, and under another name."""
    first, second, third, fourth, fifth = building.idents(draw, 5)
    calls = [
        call("room", f'{{"number": {draw.randrange(9)}', first),
        call("room", {"number": draw.choice("xyz")}, second),
        call("lift", {"storey": draw.randrange(9)}, third),
        call("lift", [draw.randrange(9)], fourth),
        call("room", {"number": draw.randrange(9)}, fifth),
    ]
    return Scenario((ROOM, LIFT), params={"calls": calls})


def _without_a_fit(world: Scenario) -> list[Any]:
    def wanted(log: Log) -> list[dict[str, Any]]:
        [room] = log.calls("room")
        return _messages(
            world,
            error_with("JSON"),
            error_with("number"),
            error_with("floor"),
            error_with(),
            json_of(room.reply),
        )

    return [
        called("lift", []),
        called("room", [{"floor": 0, **_arguments_of_last(world)}]),
        fits(wanted, look="name the argument that does not fit, or say that it is not JSON"),
    ]


def _arguments_of_last(world: Scenario) -> dict[str, Any]:
    last: dict[str, Any] = json.loads(world.params["calls"][-1]["function"]["arguments"])
    return last


ANSWER_CALL = Exercise(
    "1.2",
    ("answer_call",),
    (
        Trial(
            "gives results back as text or JSON, under the call's id",
            _ONE_BY_ONE,
            _asked(("room", {"number": None}), ("lift", {"floor": None}), ("lift", {"floor": 2})),
            _results,
        ),
        Trial(
            "tells the model about a tool that does not exist",
            _ONE_BY_ONE,
            _asked(("escalator", {"floor": None}), ("rooms", {"number": None})),
            _told(
                error_with("room", "lift", "stairs", apart=True),
                error_with("room", "lift", "stairs", apart=True),
                look="the error: the model needs the names of the tools that do exist",
            ),
            points=0.5,
        ),
        Trial(
            "tells the model what is wrong with its arguments",
            _ONE_BY_ONE,
            _broken,
            _without_a_fit,
            points=0.5,
        ),
        Trial(
            "turns whatever goes wrong into an error the model can read",
            _ONE_BY_ONE,
            _asked(("lift", {"floor": TOP + 3}), ("stairs", {}), ("basement", {})),
            lambda world: [
                made(by_argument("floor", tool="lift"), [str(TOP + 3)]),
                fits(
                    lambda log: _messages(
                        world,
                        error_with(*(each.token for each in log.calls("lift"))),
                        error_with("no stairs"),
                        error_with(f"{PATIENCE:g}"),
                    ),
                    look="look at how the tool's own reason comes into the content",
                ),
            ],
        ),
    ),
)

_AT_ONCE = """
async def stage(bench, student):
    calls = bench.params["calls"]
    return [list(await student.answer_calls(each, bench.tools)) for each in calls]
"""


def _together(many: int, *, too_high: bool = False, none: bool = False) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        floors = building.rides(draw, many, too_high=too_high)
        calls = building.lifts(floors, building.idents(draw, len(floors)))
        return Scenario((LIFT,), params={"calls": [[], calls] if none else [calls]})

    return world


def _floors(world: Scenario) -> list[dict[str, Any]]:
    calls = [each for some in world.params["calls"] for each in some]
    return [json.loads(each["function"]["arguments"]) for each in calls]


def _labels(world: Scenario) -> list[str]:
    return [str(each["floor"]) for each in _floors(world)]


def _in_order(world: Scenario, look: str) -> Any:
    def answer(log: Log, floor: int) -> Any:
        [ride] = [each for each in log.calls("lift") if each.request["floor"] == floor]
        return ride.reply if ride.outcome == "answered" else error_with(ride.token)

    def wanted(log: Log) -> list[list[dict[str, Any]]]:
        floors = iter(_floors(world))
        return [
            [
                {
                    "role": "tool",
                    "tool_call_id": each["id"],
                    "content": answer(log, next(floors)["floor"]),
                }
                for each in some
            ]
            for some in world.params["calls"]
        ]

    return fits(wanted, look=f"look at {look}")


_RIDE = by_argument("floor", tool="lift")

ANSWER_CALLS = Exercise(
    "1.3",
    ("answer_calls",),
    (
        Trial(
            "answers in the order of the calls",
            _AT_ONCE,
            _together(4),
            lambda world: [
                called("lift", _floors(world)),
                _in_order(world, "the order in which you collect the answers"),
            ],
            points=0.5,
        ),
        Trial(
            "runs them at the same time",
            _AT_ONCE,
            _together(5),
            lambda world: [parallel(_RIDE, _labels(world), what="a call")],
        ),
        Trial(
            "keeps the order, a failure included, and answers no calls with no messages",
            _AT_ONCE,
            _together(4, too_high=True, none=True),
            lambda world: [
                called("lift", _floors(world)),
                _in_order(world, "what becomes of a call that failed"),
            ],
            points=0.5,
        ),
    ),
    builds_on={"answer_call": "course.agent:answer_call"},
)
