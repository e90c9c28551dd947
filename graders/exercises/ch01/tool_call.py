"""Exercise 1.2: a tool call becomes a message, whatever happens, and a span in the trace."""

from __future__ import annotations

from graders.checks import called, made, trace_agrees
from graders.exercises import house_tools
from graders.exercises.expected import json_of
from graders.exercises.house_tools import BASEMENT, PATIENCE, ROOM, STAIRS, TOP
from graders.exercises.kit import *

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
        ids = house_tools.idents(draw, len(requests))
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

    return [*_called(world), fits(wanted, look="look at the id, and at how a result becomes text")]


def _called(world: Scenario) -> list[Any]:
    rooms = [{"floor": 0, **each} for each in _arguments(world, "room")]
    return [called("room", rooms), called("lift", _arguments(world, "lift"))]


def _arguments(world: Scenario, tool: str) -> list[dict[str, Any]]:
    functions = [each["function"] for each in world.params["calls"]]
    return [json.loads(each["arguments"]) for each in functions if each["name"] == tool]


def _broken(draw: random.Random) -> Scenario:
    """Arguments that are no JSON, no object, of another type, and under another name."""
    first, second, third, fourth, fifth = house_tools.idents(draw, 5)
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


_RECORDED = """
from course.trace import Trace, span


async def stage(bench, student):
    trace = Trace("calls")
    with trace.record(), span("invoke_agent", "porter"):
        for call in bench.params["calls"]:
            await student.answer_call(call, bench.tools)
    bench.export(trace)
    steps = [each for each in trace.spans if each.operation == "execute_tool"]
    return [{"attributes": dict(each.attributes), "error": each.error} for each in steps]
"""


def _span(asked: dict[str, Any], made: Exchange | None) -> dict[str, Any]:
    """What the span of a call must say; `made` is what came of it, None when it was refused."""
    function = asked["function"]
    attributes = {
        "gen_ai.tool.name": function["name"],
        "gen_ai.tool.call.id": asked["id"],
        "gen_ai.tool.call.arguments": function["arguments"],
    }
    if made is None:
        return {"attributes": attributes, "error": text_with(function["name"])}
    if made.outcome == "failed":
        return {"attributes": attributes, "error": text_with(made.token)}
    result = made.reply if isinstance(made.reply, str) else json_of(made.reply)
    return {"attributes": {**attributes, "gen_ai.tool.call.result": result}, "error": None}


def _spans(world: Scenario) -> list[Any]:
    def wanted(log: Log) -> list[dict[str, Any]]:
        lift, room, too_high, unknown = world.params["calls"]
        [first, last], [found] = log.calls("lift"), log.calls("room")
        return [_span(lift, first), _span(room, found), _span(too_high, last), _span(unknown, None)]

    return [
        *_called(world),
        trace_agrees(parents={"execute_tool": ["invoke_agent"]}),
        fits(wanted, look="look at the span's attributes, and at step.set and step.fail"),
    ]


ANSWER_CALL = Exercise(
    "1.2", ("answer_call",), (
        Trial("gives results back as text or JSON, under the call's id", _ONE_BY_ONE,
              _asked(("room", {"number": None}), ("lift", {"floor": None}), ("lift", {"floor": 2})),
              _results),
        Trial("tells the model about a tool that does not exist", _ONE_BY_ONE,
              _asked(("escalator", {"floor": None}), ("rooms", {"number": None})),
              _told(error_with("room", "lift", "stairs", apart=True),
                    error_with("room", "lift", "stairs", apart=True),
                    look="the error: the model needs the names of the tools that do exist"), 0.5),
        Trial("tells the model what is wrong with its arguments", _ONE_BY_ONE, _broken,
              _without_a_fit, 0.5),
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
            points=0.5,
        ),
        Trial("records each call in the trace", _RECORDED,
              _asked(("lift", {"floor": None}), ("room", {"number": None}),
                     ("lift", {"floor": TOP + 3}), ("escalator", {"floor": None})), _spans, 0.5),
    ),
    places={
        "*": "the {} message",
        "*.attributes": "the attributes of the {} span",
        "*.attributes.*": "the attribute {1} of the {0} span",
        "*.error": "the error of the {} span",
    },
    finished={"answer_call": "course.agent:answer_call"},
)  # fmt: skip
