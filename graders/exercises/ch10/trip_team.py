"""The world of exercise 10.1: a team that plans trips, its tools, and the model it uses."""

from __future__ import annotations

from course.models.wire import Call
from graders.exercises.kit import *

WORKERS = {"trains": "find_trains", "rooms": "find_rooms", "halls": "find_halls"}
SECONDS = {"find_trains": 1.0, "find_rooms": 40.0, "find_halls": 2.0}
"""How long each tool takes when it takes its time."""
TOWNS = ("Ghent", "Porto", "Turku", "Brno", "Graz", "Lviv")
TEAMS = ("travel desk", "tour office", "guest service")
Way = Callable[[Ask], Answer | None]
"""How one kind of request is answered instead of the usual way; None is the usual way."""


def usual(_: Ask) -> Answer | None:
    """Nothing special."""
    return None


def inner_plan(town: str) -> str:
    """The team's plan: a task for each of its workers, none waits for another."""
    tasks = [
        {"id": f"i{n}", "description": f"Look for {name} in {town}", "worker": name,
         "dependencies": [], "tools": []}
        for n, name in enumerate(WORKERS, 1)
    ]  # fmt: skip
    return json.dumps({"goal": f"A trip to {town}", "tasks": tasks, "final_instruction": "Say it."})


def model_of(
    town: str, plans: Way, answers: Way, works: Way, calls: bool = True
) -> Callable[[Ask], Answer]:
    """A model that plans, does a worker's task with a tool, and makes the answer of it all."""

    def says(ask: Ask) -> Answer:
        request = ask.request
        assert request is not None
        if (request.raw.get("response_format") or {}).get("type") == "json_schema":
            return plans(ask) or Answer(inner_plan(town))
        if not request.tools:
            return answers(ask) or Answer(f"All of it together: {ask.token}")
        if calls and request.messages[-1]["role"] != "tool":
            arguments = json.dumps({"town": town})
            return works(ask) or Answer(Reply(calls=(Call(request.tools[0].name, arguments),)))
        return works(ask) or Answer(f"Found {ask.token}")

    return says


def offer(name: str, seconds: float, broken: bool) -> ToolOffer:
    """A tool that finds something in a town, or is closed."""

    def behaviour(ask: Ask) -> Answer:
        if broken:
            return Answer(error=f"{name} is closed", seconds=seconds)
        return Answer({"found": ask.token}, seconds=seconds)

    town = {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}
    return ToolOffer(name, f"{name.replace('_', ' ')} in a town", town, behaviour, None)


Limits = Mapping[str, float | None]
NO_LIMIT: tuple[Limits, Limits] = ({}, {})


def world_of(
    *limits: tuple[Limits, Limits],
    plans: Way = usual,
    answers: Way = usual,
    works: Way = usual,
    calls: bool = True,
    broken: tuple[str, ...] = (),
    slow: bool = False,
) -> ScenarioMaker:
    """A world in which a team is asked once for each pair of (its own limits, what is left)."""

    def world(draw: random.Random) -> Scenario:
        town = draw.choice(TOWNS)
        tools = [offer(name, SECONDS[name] if slow else 0.5, name in broken) for name in SECONDS]
        cases = [
            {
                "own": dict(own),
                "left": dict(left),
                "task": {"id": f"t{draw.randrange(2, 90)}", "worker": "the team",
                         "description": f"Plan a trip of {draw.randrange(2, 99)} to {town}"},
            }
            for own, left in limits or (NO_LIMIT,)
        ]  # fmt: skip
        params = {"team": draw.choice(TEAMS), "workers": WORKERS, "cases": cases}
        return Scenario(tools, model_of(town, plans, answers, works, calls), params)

    return world
