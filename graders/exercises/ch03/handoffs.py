"""Exercises 3.1 and 3.2: a handoff becomes a tool, and a message that calls it is carried out."""

from __future__ import annotations

from graders.checks import called, dependencies
from graders.exercises import house_tools
from graders.exercises.house_tools import TOP
from graders.exercises.kit import *

_TRADES = (
    ("billing", "invoices and payments"),
    ("records", "phone numbers and addresses"),
    ("scheduling", "appointments and free slots"),
    ("tech", "whatever is broken"),
    ("the night watch", "what cannot wait until morning"),
)
_MAKES = """
import json
from course.errors import ToolError
from course.handoff import Handoff
from course.tools import call_tool


async def stage(bench, student):
    wanted = [(Handoff(each["to"], returns=each["returns"]), each["says"])
              for each in bench.params["handoffs"]]
    tools = [student.handoff_tool(handoff, says) for handoff, says in wanted]
    played = []
    for tool in tools:
        argument = next(iter(tool.parameters.get("properties") or {"none": {}}))
        try:
            result = await call_tool(tool, json.dumps({argument: "It is about money."}))
        except ToolError as error:
            result = {"failed": str(error)}
        try:
            await call_tool(tool, "{}")
            refused = False
        except ToolError:
            refused = True
        played.append({"name": tool.name, "description": tool.description, "result": result,
                       "parameters": tool.parameters, "refuses_nothing": refused})
    return played
"""


def _declared(*returns: bool) -> ScenarioMaker:
    """Handoffs to different agents, some of which come back."""

    def world(draw: random.Random) -> Scenario:
        trades = draw.sample(_TRADES, len(returns))
        return Scenario(
            params={
                "handoffs": [
                    {"to": to, "says": says, "returns": comes_back}
                    for (to, says), comes_back in zip(trades, returns, strict=True)
                ]
            }
        )

    return world


def _each(made: Any, look: str) -> Checks:
    """What is expected of each of the tools."""

    def checks(world: Scenario) -> list[Any]:
        return [fits([made(each) for each in world.params["handoffs"]], look=f"look at {look}")]

    return checks


def _named(each: dict[str, Any]) -> dict[str, Any]:
    verb = "consult" if each["returns"] else "transfer_to"
    return {"name": f"{verb}_{each['to'].replace(' ', '_')}", "description": _holds(each)}


def _holds(each: dict[str, Any]) -> Any:
    to, says = each["to"], each["says"]
    return such_that(
        f"a text that says '{to}' and '{says}'", lambda text: to in text and says in text
    )


def _asking(each: dict[str, Any]) -> dict[str, Any]:
    argument = "request" if each["returns"] else "reason"
    schema = {"type": "string"}
    parameters = {"type": "object", "properties": {argument: schema}, "required": [argument]}
    return {"parameters": parameters}


def _only(each: dict[str, Any]) -> dict[str, Any]:
    """The one argument, and no other beside it."""
    argument = "request" if each["returns"] else "reason"
    one = such_that(f"{argument} alone", lambda asked: list(asked["properties"]) == [argument])
    return {"parameters": one}


def _done(each: dict[str, Any]) -> dict[str, Any]:
    said = f"Asked {each['to']}." if each["returns"] else f"Transferred to {each['to']}."
    return {"result": said, "refuses_nothing": True}


def _both(*parts: Checks) -> Checks:
    return lambda world: [check for part in parts for check in part(world)]


HANDOFF_TOOL = Exercise(
    "3.1", ("handoff_tool",), (
        Trial("is named after the agent and says what it is for", _MAKES, _declared(False, False),
              _each(_named, "the name and the description: a model chooses by them"), 0.5),
        Trial("asks for a reason and for nothing else", _MAKES, _declared(False, False),
              _both(_each(_asking, "the parameters: one text, required"),
                    _each(_only,
                          "the parameters: the model gives a reason, the rest is declared"))),
        Trial("says to whom the conversation went, each tool its own agent", _MAKES,
              _declared(False, False, False),
              _each(_done, "the function: what it gives back, and for which agent"), 0.5),
        Trial("makes a consultation of a handoff that returns", _MAKES, _declared(True, False),
              _both(_each(_named, "handoff.returns, which handoff.tool_name knows about"),
                    _each(_asking, "what a consulted agent has to be told: the request"),
                    _each(_done, "the function of a consultation"))),
    ),
    builds_on={"text_argument": "course.handoff:text_argument"},
    places={
        "*": "the {} tool",
        "*.result": "what the {} tool gives back",
        "*.parameters": "the {} tool's parameters",
        "*.parameters.properties": "the {} tool's parameters",
        "*.parameters.properties.*": "the parameter {1} of the {0} tool",
        "*.refuses_nothing": "whether the {} tool refuses a call without arguments",
    },
    finished={"handoff_tool": "course.handoff:handoff_tool"},
)  # fmt: skip

_CARRIES = """
async def stage(bench, student):
    handoffs = [each for each in bench.tools if each.name.startswith("transfer_to_")]
    tools = [each for each in bench.tools if each not in handoffs]
    played = []
    for calls in bench.params["messages"]:
        answers, made = await student.answer_message(calls, tools, handoffs)
        played.append({"answers": list(answers), "made": made and made["id"]})
    return played
"""
_REASON = {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}


_NOBODYS = "escalator"


def _move(to: str) -> ToolOffer:
    def behaviour(ask: Any) -> Answer:
        return Answer(f"Transferred to {to}.")

    return ToolOffer(f"transfer_to_{to}", f"Hand over to {to}.", _REASON, behaviour)


MOVES = (_move("attic"), _move("cellar"), _move("garden"))


def _asked(*wanted: str | None) -> ScenarioMaker:
    """One message: None is a ride of the lift, "too high" one that fails, a name a handoff.

    "again" is the same ride as the one before it.

    A name with "!" behind it is a handoff without the reason that it needs; "nobody's" is the call
    of a tool that does not exist.
    """

    def world(draw: random.Random) -> Scenario:
        ids = house_tools.idents(draw, len(wanted))
        floors = iter(draw.sample(range(1, TOP), len(wanted)))
        calls: list[dict[str, Any]] = []
        for each, ident in zip(wanted, ids, strict=True):
            if each == "again":
                calls.append({**calls[-1], "id": ident})
            elif each is None or each == "too high":
                floor = next(floors) + (TOP if each else 0)
                calls.append(call("lift", {"floor": floor}, ident))
            elif each == "nobody's":
                calls.append(call(_NOBODYS, {}, ident))
            else:
                reason = {} if each.endswith("!") else {"reason": "It is about money."}
                calls.append(call(f"transfer_to_{each.rstrip('!')}", reason, ident))
        return Scenario((LIFT, *MOVES), params={"messages": [calls]})

    return world


def _step(exchange: Exchange) -> str | None:
    """A ride by its floor, a handoff by its name."""
    if exchange.kind != "tool":
        return None
    return str(exchange.request["floor"]) if exchange.name == "lift" else exchange.name


def _message(world: Scenario) -> list[dict[str, Any]]:
    [calls] = world.params["messages"]
    return list(calls)


def _floors(world: Scenario) -> list[str]:
    rides = [each["function"] for each in _message(world) if each["function"]["name"] == "lift"]
    return [str(json.loads(each["arguments"])["floor"]) for each in rides]


def _played(
    world: Scenario, made: int | None, look: str, told: dict[int, Any] | None = None
) -> Any:
    """The answers in the order of the calls, and which call is the handoff that is made."""
    calls = _message(world)

    def content(log: Log, number: int) -> Any:
        function = calls[number]["function"]
        if told and number in told:
            return told[number]
        if function["name"] == _NOBODYS:
            return error_with(_NOBODYS)
        if function["name"] != "lift":
            return f"Transferred to {function['name'].removeprefix('transfer_to_')}."
        floor = json.loads(function["arguments"])["floor"]
        ride, *again = [each for each in log.calls("lift") if each.request["floor"] == floor]
        if again:
            replies = [ride.reply, *(each.reply for each in again)]
            return such_that(f"what the lift said at floor {floor}", lambda said: said in replies)
        return ride.reply if ride.outcome == "answered" else error_with(ride.token)

    def wanted(log: Log) -> list[Any]:
        answers = [
            {"role": "tool", "tool_call_id": each["id"], "content": content(log, number)}
            for number, each in enumerate(calls)
        ]
        return [{"answers": answers, "made": None if made is None else calls[made]["id"]}]

    return fits(wanted, look=f"look at {look}")


def _rides(world: Scenario) -> Any:
    return called("lift", [{"floor": int(floor)} for floor in _floors(world)])


def _at_once(world: Scenario) -> list[Any]:
    ride = by_argument("floor", tool="lift")
    return [
        parallel(ride, _floors(world), what="a call"),
        _played(world, None, "the order of the answers, and what is given back without a handoff"),
    ]


def _tools_first(world: Scenario) -> list[Any]:
    [moved] = [each for each in MOVES if each.name in str(_message(world))]
    return [
        _rides(world),
        dependencies(_step, {moved.name: _floors(world)}),
        _played(world, 0, "the order of the answers: that of the calls"),
    ]


def _first_wins(world: Scenario) -> list[Any]:
    return [
        _rides(world),
        called("transfer_to_cellar", [{"reason": "It is about money."}]),
        called("transfer_to_attic", []),
        called("transfer_to_garden", []),
        _played(
            world,
            1,
            "the handoffs after the first: each is answered, with who has the conversation now",
            {place: error_with("cellar") for place in (2, 3, 4)},
        ),
    ]


def _must_fit(world: Scenario) -> list[Any]:
    return [
        called("transfer_to_attic", []),
        called("transfer_to_cellar", []),
        _played(
            world,
            1,
            "a handoff that failed: it is none, and the next one may be made",
            {0: error_with("reason"), 2: error_with("garden")},
        ),
    ]


def _not_held_up(world: Scenario) -> list[Any]:
    return [_rides(world), _played(world, 2, "what a tool that failed has to do with the handoff")]


ANSWER_MESSAGE = Exercise(
    "3.2", ("answer_message",), (
        Trial("runs ordinary calls at once, in order", _CARRIES, _asked(*[None] * MANY), _at_once,
              0.5),
        Trial("runs the tools first and then hands over", _CARRIES, _asked("garden", None, None),
              _tools_first),
        Trial("makes the first of several handoffs and tells the others why", _CARRIES,
              _asked(None, "cellar", "attic", "cellar", "garden"), _first_wins),
        Trial("makes no handoff that does not fit", _CARRIES, _asked("attic!", "garden", "cellar"),
              _must_fit),
        Trial("is not held up by a tool that fails", _CARRIES,
              _asked("too high", "nobody's", "cellar", None, "again"), _not_held_up, 0.5),
    ),
    builds_on={
        "answer_call": "course.agent:answer_call",
        "answer_calls": "course.agent:answer_calls",
        "lowered": "course.team.turn:lowered",
        "outcome_of": "course.tools:outcome_of",
        "tool_message": "course.tools:tool_message",
    },
    places={
        "*": "the {} message",
        "*.answers": "the answers to the {} message",
        "*.answers.*": "the {1} answer to the {0} message",
        "*.made": "the id of the handoff made in the {} message",
    },
    finished={"answer_message": "course.team.turn:answer_message"},
)  # fmt: skip
