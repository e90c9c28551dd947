"""Plans whose tasks are calls of one tool: the worlds in which a schedule is watched."""

from __future__ import annotations

from graders.exercises.kit import *

_TEXT = {"type": "string"}
_SCHEMA = {
    "type": "object",
    "properties": {"id": _TEXT, "given": {"type": "object"}},
    "required": ["id", "given"],
}
TASK = by_argument("id", tool="work")
_HEARD = {
    "type": "object",
    "properties": {"id": _TEXT, "result": _TEXT},
    "required": ["id", "result"],
}
_ODD = 0.375
"""Of a second: who looks every second, or every tenth of one, begins late."""
Case = Callable[[random.Random], tuple[dict[str, Any], dict[str, float]]]
"""Draws a plan, and what each of its tasks takes in seconds."""


def two_ways(draw: random.Random) -> tuple[dict[str, Any], dict[str, float]]:
    """Slow beside quick in each wave: who waits for a wave loses twice."""
    a, b, c, d, e, f, g = names(draw, 7)
    tasks = [
        task(draw, a), task(draw, b), task(draw, c, a), task(draw, d, b), task(draw, e, c, d),
        task(draw, f, c), task(draw, g, e, a),
    ]  # fmt: skip
    slow = draw.randrange(5, 9) + _ODD
    takes = {a: 1.0, b: slow, c: slow + 1, d: 1.0, e: 2.0, f: slow + 2, g: 1.0}
    return plan(shuffled(draw, tasks)), takes


def wide(draw: random.Random) -> tuple[dict[str, Any], dict[str, float]]:
    """Eight tasks, of which five could begin at once; all take different times."""
    ids = names(draw, 8)
    tasks = [task(draw, id) for id in ids[:5]]
    tasks += [task(draw, ids[5], ids[0]), task(draw, ids[6], ids[0], ids[1])]
    tasks += [task(draw, ids[7], ids[6])]
    seconds = (each + _ODD for each in draw.sample(range(2, 20), 8))
    return plan(shuffled(draw, tasks)), dict(zip(ids, seconds, strict=True))


def chain_last(draw: random.Random) -> tuple[dict[str, Any], dict[str, float]]:
    """Four tasks by themselves, and then a chain of four: two places are enough for 4 seconds."""
    ids = names(draw, 8)
    tasks = [task(draw, id) for id in ids[:5]]
    tasks += [task(draw, id, before) for before, id in pairwise(ids[4:])]
    return plan(tasks), dict.fromkeys(ids, 1.0)


def world_of(
    case: Case,
    *,
    fails: bool = False,
    tidying: float = 0.0,
    patience: float = 0.0,
    told: bool = False,
    empty: bool = False,
    settings: Callable[[random.Random, dict[str, Any]], dict[str, Any]] | None = None,
) -> ScenarioMaker:
    """A plan whose tasks are calls of one tool.

    `fails`: the quickest task that waits for nothing does, and then the slowest to tidy up.
    `told`: there is a tool "hear" too, to which each result is told.
    `empty`: each task that others wait for gives an empty text.
    """

    def world(draw: random.Random) -> Scenario:
        data, takes = case(draw)
        starters = [each["id"] for each in data["tasks"] if not each["dependencies"]]
        ranked = sorted(starters, key=lambda id: takes.get(id, 0.0))
        waited = {need for each in data["tasks"] for need in each["dependencies"]}
        silent = waited if empty else ()
        broken, untidy = (ranked[0], ranked[-1]) if fails else ("", "")

        def behaves(ask: Ask) -> Answer:
            id = ask.arguments["id"]
            if id == broken:
                return Answer(error=f"{id} broke ({ask.token})", seconds=takes[id])
            said = "" if id in silent else f"{id}: {ask.token}"
            return Answer(said, seconds=takes.get(id, 1.0))

        params = {
            "plan": data,
            "tidying": tidying,
            "untidy": untidy,
            "patience": patience,
            "told": told,
            "settings": settings(draw, data) if settings else {},
            "ends_by": takes.get(broken, 0.0) + tidying * len(starters),  # or one by one
        }
        tools = [ToolOffer("work", "Do a task.", _SCHEMA, behaves)]
        if told:
            tools.append(ToolOffer("hear", "Hear a result.", _HEARD, lambda ask: Answer("heard")))
        return Scenario(tools, params=params)

    return world


def needs(world: Scenario) -> dict[str, list[str]]:
    """For each task of the world's plan what it depends on."""
    return {each["id"]: each["dependencies"] for each in world.params["plan"]["tasks"]}
