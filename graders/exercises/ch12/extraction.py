"""Exercise 12.6: one agent while it has few choices, then a lead with few workers."""

from __future__ import annotations

from course.models.wire import Call
from graders.exercises.kit import *

_STAGE = """
from course import run
from course.agent import Agent
from course.lab.patterns import PATTERNS, Setup
from course.supervisor import Supervisor


async def stage(bench, student):
    offered = {tool.name: tool for tool in bench.tools}
    told = {}
    for case in bench.params["cases"]:
        agents = tuple(
            Agent(name=name, description=f"knows about {name}", instructions=f"You are {name}.",
                  tools=tuple(offered[each] for each in tools))
            for name, tools in case["agents"].items()
        )
        made = student.extracted(Setup(agents=agents), most=case["most"])
        found = told[case["called"]] = {
            "leads": isinstance(made, Supervisor),
            "workers": sorted(each.name for each in getattr(made, "workers", ())),
            "tools": sorted(each.name for each in made.tools),
        }
        if bench.params["runs"]:
            result = await run(made, "Look all of it up.", client=bench.client)
            found["answer"] = str(result.answer)
    told["entered"] = PATTERNS.get("extracted") is student.extracted
    return told
"""
_KNOWN = ("prices", "stock", "staff", "law", "weather", "traffic")
_DELEGATE = "delegate_to_agent"
Case = dict[str, Any]


def _case(draw: random.Random, number: int, sizes: tuple[int, ...], most: int) -> Case:
    """Specialists with so many tools each, in this order, under drawn names."""
    names = draw.sample(_KNOWN, len(sizes))
    agents = {
        name: [f"{name}_{n}" for n in range(size)] for name, size in zip(names, sizes, strict=True)
    }
    called = f"{', '.join(map(str, sizes))} tools, of which {most} may be chosen among"
    return {"called": f"setup {number} ({called})", "agents": agents, "most": most}


def _world(*kinds: tuple[tuple[int, ...], int], runs: bool = False) -> ScenarioMaker:
    """For each kind the specialists' numbers of tools, and how many choices are few enough."""

    def world(draw: random.Random) -> Scenario:
        cases = [_case(draw, n, sizes, most) for n, (sizes, most) in enumerate(kinds, 1)]
        tools = dict.fromkeys(
            tool for case in cases for each in case["agents"].values() for tool in each
        )
        offers = tuple(
            ToolOffer(
                name, f"Looks up {name}.", {"type": "object", "properties": {}},
                lambda ask: Answer({"found": ask.token}, seconds=1.0),
            )
            for name in tools
        )  # fmt: skip
        model = _model(cases[0]["most"])
        return Scenario(offers, model, {"cases": cases, "runs": runs})

    return world


def _model(most: int) -> Any:
    """Whoever has few choices calls each tool and asks each worker; then says what came back."""

    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        own, workers = _choices(ask.request.raw)
        if len(own) + len(workers) > most:
            return Answer("I am lost among so many.", seconds=1.0)
        came = [str(each["content"]) for each in ask.request.messages if each["role"] == "tool"]
        if came:
            return Answer(" ".join(came), seconds=1.0)
        asked = [{"worker_agent": name, "task": "Look all of it up."} for name in workers]
        calls = [Call(name, "{}") for name in own]
        calls += [Call(_DELEGATE, json.dumps(each)) for each in asked]
        return Answer(Reply(calls=tuple(calls)), seconds=1.0)

    return says


def _choices(request: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The tools of its own and the workers among which a request lets its model choose."""
    offered = {each["function"]["name"]: each["function"] for each in request.get("tools") or ()}
    led = offered.pop(_DELEGATE, {}).get("parameters", {}).get("properties", {})
    return list(offered), list(led.get("worker_agent", {}).get("enum", ()))


def _extracted(case: Case) -> list[str]:
    """Who has to be a worker: by trying every number, the largest first."""
    sizes = {name: len(tools) for name, tools in case["agents"].items()}
    ranked = [name for size in range(max(sizes.values()), -1, -1) for name in sizes
              if sizes[name] == size]  # fmt: skip
    for count in range(len(ranked) + 1):
        if count + sum(sizes[name] for name in ranked[count:]) <= case["most"]:
            return ranked[:count]
    return ranked


def _wanted(case: Case) -> dict[str, Any]:
    out = _extracted(case)
    kept = [tool for name, tools in case["agents"].items() if name not in out for tool in tools]
    return {"leads": bool(out), "workers": sorted(out), "tools": sorted(kept)}


def _made(look: str, *, entered: bool = False) -> Checks:
    """Who leads, who is led, and whose tools are whose."""

    def checks(world: Scenario) -> list[Check]:
        wanted: dict[str, Any] = {each["called"]: _wanted(each) for each in world.params["cases"]}
        if entered:
            wanted["entered"] = True
        return [fits(wanted, look=f"look at {look}")]

    return checks


def _most_choices(log: Log) -> int:
    asked = (_choices(each.request) for each in log.requests())
    return max((len(own) + len(workers) for own, workers in asked), default=0)


def _right(world: Scenario) -> list[Check]:
    """Every tool's result is in the answer, and no request was about too many of them."""
    [case] = world.params["cases"]
    tools = sorted(tool for each in case["agents"].values() for tool in each)

    def seen(log: Log) -> dict[str, Any]:
        found = log.result[case["called"]]
        called = sorted({each.name for each in log.calls()})
        return {**found, "called": called, "few": _most_choices(log) <= case["most"]}

    def wanted(log: Log) -> dict[str, Any]:
        said = text_with(*(each.token for each in log.calls() if _worked(each)))
        return {**_wanted(case), "few": True, "called": tools, "answer": said}

    look = "look at what the lead may choose among: its own tools, and its workers"
    return [viewed(seen, equals(wanted, look=look))]


def _worked(exchange: Exchange) -> bool:
    return exchange.outcome == "answered"


EXTRACTED = Exercise(
    "12.6", ("extracted",), (
        Trial("answers where one agent is lost among its tools", _STAGE,
              _world(((2, 5, 4, 1), 7), runs=True), _right),
        Trial("extracts as few as it takes, and the right ones", _STAGE,
              _world(((5, 5, 5, 5), 11), ((1, 4, 2, 4), 8), ((3, 3, 1), 5), ((2, 6, 3, 6, 2), 9),
                     ((1, 2, 2), 4)),
              _made("who is extracted first, and what the lead chooses among afterwards")),
        Trial("knows where nobody need be extracted, and where nothing is enough", _STAGE,
              _world(((2, 3), 5), ((4,), 9), ((3, 2, 4), 2), ((1, 1, 1), 2)),
              _made("who leads at all, and what is left when all are workers", entered=True)),
    ),
    builds_on={"InTurn": "course.lab.patterns:InTurn"},
    places={
        "*": "what came of {}",
        "*.leads": "whether a supervisor leads in {}",
        "*.workers": "the workers in {}",
        "*.tools": "the tools that are the lead's own in {}",
        "*.called": "the tools that were called in {}",
        "*.few": "whether every request had few enough choices in {}",
        "*.answer": "the answer in {}",
        "entered": "whether your function is the pattern 'extracted'",
    },
)  # fmt: skip
