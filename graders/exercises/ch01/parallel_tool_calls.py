"""Exercise 1.3: all calls of one message are answered at once, in their order."""

from __future__ import annotations

from graders.checks import called
from graders.exercises import house_tools
from graders.exercises.kit import *

_AT_ONCE = """
async def stage(bench, student):
    calls = bench.params["calls"]
    return [list(await student.answer_calls(each, bench.tools)) for each in calls]
"""


def _together(
    many: int, *, too_high: bool = False, none: bool = False, twice: bool = False
) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        floors = house_tools.rides(draw, many, too_high=too_high)
        if twice:
            floors.insert(draw.randrange(1, many), floors[-1])
        calls = house_tools.lifts(floors, house_tools.idents(draw, len(floors)))
        return Scenario((LIFT,), params={"calls": [[], calls] if none else [calls]})

    return world


def _floors(world: Scenario) -> list[dict[str, Any]]:
    calls = [each for some in world.params["calls"] for each in some]
    return [json.loads(each["function"]["arguments"]) for each in calls]


def _labels(world: Scenario) -> list[str]:
    return [str(each["floor"]) for each in _floors(world)]


def _in_order(world: Scenario, look: str) -> Any:
    def answer(log: Log, floor: int) -> Any:
        ride, *again = [each for each in log.calls("lift") if each.request["floor"] == floor]
        if again:
            replies = [ride.reply, *(each.reply for each in again)]
            return such_that(f"what the lift said at floor {floor}", lambda said: said in replies)
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


def _each_found(world: Scenario) -> Any:
    """No call was refused because another one had used up the iterator."""
    found = such_that("a result, and no error", lambda text: not text.startswith('{"error"'))
    answers = [[{"content": found} for _ in some] for some in world.params["calls"]]
    return fits(answers, look="an iterator can be read only once: who reads the tools, and when?")


_RIDE = by_argument("floor", tool="lift")


ANSWER_CALLS = Exercise(
    "1.3", ("answer_calls",), (
        Trial("answers in the order of the calls", _AT_ONCE, _together(4, twice=True),
              lambda world: [called("lift", _floors(world)),
                             _in_order(world, "the order in which you collect the answers")], 0.5),
        Trial("runs them at the same time", _AT_ONCE, _together(MANY),
              lambda world: [parallel(_RIDE, _labels(world), what="a call")], 0.75),
        Trial("keeps the order, a failure included, and answers no calls with no messages",
              _AT_ONCE, _together(4, too_high=True, none=True),
              lambda world: [called("lift", _floors(world)),
                             _in_order(world, "what becomes of a call that failed")], 0.5),
        Trial("takes the tools from an iterator too",
              _AT_ONCE.replace("bench.tools", "iter(bench.tools)"), _together(3),
              lambda world: [_each_found(world), called("lift", _floors(world)),
                             _in_order(world, "the order in which you collect the answers")], 0.25),
    ),
    builds_on={"answer_call": "course.agent:answer_call"},
    places={
        "*": "the messages for the {} list of calls",
        "*.*": "the {1} message for the {0} list of calls",
    },
    finished={"answer_calls": "course.agent:answer_calls"},
)  # fmt: skip
