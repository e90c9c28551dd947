"""Exercise 5.5: steps in sequence, with the way back to earlier ones."""

from __future__ import annotations

from graders.checks import concurrency
from graders.exercises.kit import *

_STAGE = """
from course.delegation import OutOfScope


async def stage(bench, student):
    params = bench.params
    told = await played(bench, student, params["ids"], params["settings"])
    if params["never"]:
        await played(bench, student, params["never"], {"max_regressions": 0})
    return told


async def played(bench, student, ids, settings):
    step = bench.tool("step").function

    async def play(id):
        told = await step(id=id)
        if isinstance(told, dict):
            raise OutOfScope(list(told["back_to"]))
        return told

    try:
        results = await student.in_sequence(ids, play, **settings)
    except (NotImplementedError, NameError, AttributeError, TypeError):
        raise
    except Exception as error:
        about = {each: getattr(error, each, None) for each in ("kind", "task")}
        return {"raised": type(error).__name__, **about}
    return {
        "ids": list(results),
        "results": [
            {"error": str(each)} if isinstance(each, Exception) else each
            for each in results.values()
        ],
    }
"""
_SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
_IDS = ("name", "day", "time", "doctor", "invoice", "complaint")
STEP = by_argument("id")

Plan = Mapping[int, Any]
"""What comes of a call, by its number: "fails", or the earlier steps to go back to."""


def _step(plan: Plan, never: Sequence[str]) -> ToolOffer:
    """A tool that carries out a step by the plan; what the plan doesn't name is done.

    The last of the steps that `never` go back wants to.
    """

    def behaviour(ask: Ask) -> Answer:
        id = ask.arguments["id"]
        deed = never[:1] if id in never[1:] else plan.get(ask.number)
        if deed == "fails":
            return Answer(error=f"{id} failed ({ask.token})", seconds=1.0)
        if deed is not None:
            return Answer({"back_to": list(deed)}, seconds=1.0)
        return Answer(f"{id}: {ask.token}", seconds=1.0)

    return ToolOffer("step", "Carry out a step.", _SCHEMA, behaviour)


def _world(
    plan: Plan, *, many: int = 4, settings: Mapping[str, Any] | None = None, never: bool = False
) -> ScenarioMaker:
    """Steps under drawn names; the plan speaks of them by their places.

    Where `never`, two more are played afterwards, of which none may go back.
    """

    def world(draw: random.Random) -> Scenario:
        ids = draw.sample(_IDS, many + 2 * never)
        named = {number: _named(ids, deed) for number, deed in plan.items()}
        tool = _step(named, ids[many:])
        params = {"ids": ids[:many], "never": ids[many:], "settings": dict(settings or {})}
        return Scenario((tool,), params=params)

    return world


def _named(ids: Sequence[str], deed: Any) -> Any:
    return deed if isinstance(deed, str) else [ids[place] for place in deed]


def _ended(world: Scenario, places: Sequence[int], look: str, **ended: Any) -> list[Any]:
    """These steps, by their places, one at a time; and how it ended, with whose failure."""
    ids, never = world.params["ids"], world.params["never"]
    if "task" in ended:
        ended["task"] = ids[ended["task"]]
    order = [*(ids[place] for place in places), *never]
    return [
        concurrency(1, STEP),
        viewed(_order, equals(order, look=f"look at {look}")),
        fits(ended or (lambda log: _results(log, ids)), look=f"look at {look}"),
    ]


def _order(log: Log) -> list[Any]:
    return [each.request["id"] for each in log.calls("step")]


def _steps(*places: int, look: str, **ended: Any) -> Checks:
    return lambda world: _ended(world, places, look, **ended)


def _results(log: Log, ids: Sequence[str]) -> dict[str, Any]:
    """The last reply of each step, its error if it failed, in the order of the steps."""
    last = {str(each.request["id"]): each for each in log.calls("step")}
    replies = [last[id].reply for id in ids]
    return {"ids": list(ids), "results": replies}


def _one_by_one(look: str) -> Checks:
    return _steps(0, 1, 2, 3, look=look)


_FOREVER = {1: [0], **{number: [0] for number in range(4, 60, 2)}}
"""The second step goes back once, and the last one for ever."""
_SETTINGS = {"max_regressions": 2, "return_exceptions": True}

IN_SEQUENCE = Exercise(
    "5.5", ("in_sequence",), (
        Trial("carries out the steps one after the other", _STAGE, _world({}),
              _one_by_one("the order of the steps, and of their results"), 0.5),
        Trial("goes back to an earlier step, and then on from where it was", _STAGE,
              _world({2: [0]}),
              _steps(0, 1, 2, 0, 2, 3, look="what comes next when a step is left"), 1),
        Trial("goes back to several, in the order of the wishes", _STAGE,
              _world({3: [2, 0], 6: [1]}, settings={"max_regressions": 2}),
              _steps(0, 1, 2, 3, 2, 0, 3, 1, 3, look="the order in which steps are put in front"),
              0.5),
        Trial("lets a failure out", _STAGE, _world({1: "fails"}),
              _steps(0, 1, look="what happens to an exception", raised="ToolError"), 0.25),
        Trial("keeps a failure as the result when it is asked to", _STAGE,
              _world({1: "fails", 3: [1, 2], 5: "fails"}, settings={"return_exceptions": True}),
              _steps(0, 1, 2, 3, 1, 2, 3, look="return_exceptions, which is not about going back"),
              0.25),
        Trial("does not go back for ever", _STAGE,
              _world(_FOREVER, many=3, settings=_SETTINGS, never=True),
              _steps(*(0, 1, 0, 1, 2, 0, 2), look="what counts how often it went back",
                     raised="TaskFailed", kind="limit", task=2), 0.5),
    ),
    builds_on={
        "OutOfScope": "course.delegation.results:OutOfScope",
        "TaskFailed": "course.delegation.results:TaskFailed",
    },
    places={
        "": "the list of tasks as they were played",
        "*": "the {} task that was played",
        "order": "the tasks in the order in which they were played",
        "order.*": "the {} task that was played",
        "results": "the results",
        "results.*": "the {} result",
        "ids": "the ids of the results",
        "ids.*": "the {} id of the results",
        "raised": "the error",
        "kind": "the error's `kind`",
        "task": "the error's `task`",
    },
    finished={"in_sequence": "course.delegation.group:in_sequence"},
)  # fmt: skip
