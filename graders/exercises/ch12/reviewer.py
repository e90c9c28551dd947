"""Exercise 12.4: a pattern of one's own, made of two that there are, and entered."""

from __future__ import annotations

from course.models.wire import Call
from graders.checks import made
from graders.exercises.kit import *

_STAGE = """
from course import run
from course.agent import Agent
from course.lab.patterns import PATTERNS, Setup


async def stage(bench, student):
    offered = {tool.name: tool for tool in bench.tools}
    agents = tuple(
        Agent(name=name, description=f"knows about {name}",
              instructions=f"You know about {name}.", tools=(offered[tool],))
        for name, tool in bench.params["agents"]
    )
    made = student.reviewed(Setup(agents=agents))
    parts = [getattr(each, "name", "") for each in getattr(made, "systems", ())]
    told = {
        "name": getattr(made, "name", ""),
        "parts": parts,
        "entered": PATTERNS.get("reviewed") is student.reviewed,
    }
    if bench.params["runs"]:
        result = await run(made, bench.params["request"], client=bench.client)
        told["answer"] = str(result.answer)
    return told
"""
_KNOWN = ("prices", "stock", "staff", "law", "weather", "traffic")
_REQUEST = "What do you know about this?"


def _said(ask: Ask) -> tuple[str, list[str]]:
    """A request's instructions, and the names of its tools."""
    assert ask.request is not None
    return str(ask.request.messages[0].get("content")), [tool.name for tool in ask.request.tools]


def _model(names: list[str]) -> Any:
    """The lead gives each specialist a task, then drafts; whoever has all tools looks once."""

    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        _, tools = _said(ask)
        came = any(message["role"] == "tool" for message in ask.request.messages)
        if "delegate_to_agent" in tools and not came:
            given = [{"worker_agent": name, "task": f"Say about {name}."} for name in names]
            calls = tuple(Call("delegate_to_agent", json.dumps(each)) for each in given)
            return Answer(Reply(calls=calls), seconds=1.0)
        return Answer(f"an answer, {ask.token}", seconds=1.0)

    return says


def _who(exchange: Exchange) -> str | None:
    """Who asks a model: the lead by its tool, others by the names in their instructions."""
    if exchange.kind != "model":
        return None
    request = exchange.request
    tools = {each["function"]["name"] for each in request.get("tools") or ()}
    if "delegate_to_agent" in tools:
        return "the supervisor"
    told = str((request.get("messages") or [{}])[0].get("content"))
    known = [name for name in _KNOWN if f"know about {name}." in told]
    owned = [name for name in _KNOWN if f"look_up_{name}" in tools]
    if len(owned) > 1 or len(known) > 1:
        return f"a reviewer told of {', '.join(known)}, with tools for {', '.join(owned)}"
    return f"the specialist for {', '.join(owned or known) or 'nothing'}"


def _world(*, runs: bool) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        names = sorted(draw.sample(_KNOWN, 3), key=_KNOWN.index)
        offers = tuple(
            ToolOffer(
                f"look_up_{name}", f"Look up {name}.", {"type": "object", "properties": {}},
                lambda ask: Answer("nothing new"),
            )
            for name in names
        )  # fmt: skip
        params = {
            "agents": [[name, f"look_up_{name}"] for name in names],
            "request": _REQUEST,
            "runs": runs,
        }
        return Scenario(offers, _model(names), params)

    return world


def _asked(world: Scenario) -> list[Any]:
    names = [name for name, _ in world.params["agents"]]
    labels = [
        "the supervisor",
        *(f"the specialist for {name}" for name in names),
        f"a reviewer told of {', '.join(names)}, with tools for {', '.join(names)}",
    ]

    def last(log: Any) -> str:
        told = [each for each in log.exchanges if each.kind == "model"]
        return str(told[-1].reply["text"]) if told and told[-1].reply else ""

    look = "look at the two systems: who they are, and in which order"
    return [
        made(_who, labels, repeats=True, what="a request"),
        equals(["lead", "reviewer"], at="parts", look=look),
        equals(last, at="answer", look="look at who has the last word"),
    ]


def _entered(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        return [
            equals("reviewed", at="name", look=f"look at {look}"),
            equals(True, at="entered", look=f"look at {look}"),
        ]

    return checks


REVIEWED = Exercise(
    "12.4", ("reviewed",), (
        Trial("lets the supervisor work, and the reviewer have the last word", _STAGE,
              _world(runs=True), _asked, 2.0),
        Trial("is entered under its name", _STAGE, _world(runs=False),
              _entered("the name of what you return, and the decorator `pattern`")),
    ),
    builds_on={"InTurn": "course.lab.patterns:InTurn"},
    places={
        "name": "the name of the pattern's system",
        "parts": "the names of the systems in turn",
        "parts.*": "the name of the {} system in turn",
        "entered": "whether your function is the pattern 'reviewed'",
        "answer": "the answer of the whole",
    },
)  # fmt: skip
