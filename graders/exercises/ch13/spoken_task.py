"""Exercise 13.1: a typed task for the telephone, whose fields a recogniser can expect."""

from __future__ import annotations

from course.models import Call
from graders.exercises.kit import *

_STAGE = """
from course.delegation import Task
from course.runner import run


async def stage(bench, student):
    for taken in ((), range(8, 18), range(24)):
        student.callback(taken)
    task = student.callback(set(bench.params["taken"]))
    if not isinstance(task, Task):
        return {"task": type(task).__name__}

    async def person(said):
        return "I'd like to be called back."

    try:
        ended = await run(task, person=person, client=bench.client)
        result = ended.result
        result = getattr(result, "model_dump", lambda: result)()
    except (NotImplementedError, NameError, AttributeError, TypeError):
        raise
    except Exception as error:
        result = {"raised": type(error).__name__}
    return {"task": "Task", "result": result}
"""
FIRST, LAST = 8, 17
URGENCIES = ("routine", "soon", "urgent")
_REASONS = ("a cough", "my knee", "a bill", "a new prescription", "test results")


def _order(draw: random.Random) -> dict[str, Any]:
    """A callback that can be had, and the hours that are taken."""
    taken = draw.sample(range(FIRST + 1, LAST), 3)
    hour = draw.choice([each for each in range(FIRST, LAST + 1) if each not in taken])
    good = {"reason": draw.choice(_REASONS), "urgency": draw.choice(URGENCIES), "hour": hour}
    return {"taken": taken, "good": good}


def _world(*bad: Mapping[str, Any], full: bool = False, hour: int | None = None) -> ScenarioMaker:
    """A model that completes with each of these changes first, and then with what can be had.

    Args:
        bad: changes that cannot be had.
        full: the hours that are taken are tried first.
        hour: the one that can be had, if it is not drawn.
    """

    def world(draw: random.Random) -> Scenario:
        order = _order(draw)
        good, taken = order["good"], order["taken"]
        good["hour"] = hour or good["hour"]
        tries = [{**good, **each} for each in bad] + [{**good, "hour": n} for n in taken if full]

        def says(ask: Ask) -> Answer:
            sent = [*tries, good][min(ask.number, len(tries))]
            return Answer(Reply(calls=(Call("complete", json.dumps(sent)),)), seconds=0.5)

        return Scenario(model=says, params={**order, "tries": len(tries)})

    return world


def _schema(log: Log) -> dict[str, Any]:
    """What the model is told of the fields; an enumeration's definition stands in its place."""
    from course.models.policy.schemas import follow  # slow to load: the whole simulated model

    [tool] = [
        each["function"]
        for each in log.requests()[0].request["tools"]
        if each["function"]["name"] == "complete"
    ]
    whole = tool["parameters"]
    return {name: dict(follow(field, whole)) for name, field in whole["properties"].items()}


def _answers(log: Log) -> list[str]:
    """What the model read after each try but the last."""
    read = [each.request["messages"][-1] for each in log.requests()[1:]]
    return [str(each["content"]) for each in read]


_REFUSED = such_that("an error", lambda text: text.startswith('{"error"'))
_DESCRIBED = such_that("a description", lambda field: bool(field.get("description", "").strip()))


def _collected(world: Scenario) -> list[Any]:
    wanted = {"task": "Task", "result": world.params["good"]}
    return [fits(wanted, look="look at the fields of the result, and at their types")]


_IS_TASK = fits({"task": "Task"}, look="look at what you return")


def _given_back(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        refused = [_REFUSED] * world.params["tries"]
        return [
            _IS_TASK,
            viewed(_answers, fits(refused, look=f"look at {look}")),
            fits({"result": {"hour": world.params["good"]["hour"]}}, look=f"look at {look}"),
        ]

    return checks


def _values(world: Scenario) -> list[Any]:
    urgency = such_that(
        f"an enumeration of {', '.join(URGENCIES)}",
        lambda field: set(field.get("enum", ())) == set(URGENCIES),
    )
    look = "how does a schema say three words?"
    return [_IS_TASK, viewed(_schema, fits({"urgency": urgency}, look=look))]


def _described(world: Scenario) -> list[Any]:
    wanted = dict.fromkeys(world.params["good"], _DESCRIBED)
    look = "Field(description=...) says what a field is"
    return [_IS_TASK, viewed(_schema, fits(wanted, look=look))]


CALLBACK = Exercise(
    "13.1", ("callback",), (
        Trial("comes back with reason, urgency and hour", _STAGE,
              _world({"reason": None}, hour=FIRST), _collected, 1),
        Trial("lists the words for the urgency", _STAGE, _world(), _values, 0.5),
        Trial("says of each field what it is for", _STAGE, _world(), _described, 0.5),
        Trial("gives an hour outside of opening times back", _STAGE,
              _world(*({"hour": each} for each in (FIRST - 1, LAST + 1, LAST - 0.5)), hour=LAST),
              _given_back("the bounds of the hour"), 0.5),
        Trial("gives an hour that is taken back", _STAGE, _world(full=True),
              _given_back("Task(check=...)"), 0.5),
    ),
    places={
        "task": "what `callback` gives",
        "result": "the task's result",
        "result.reason": "the result's `reason`",
        "result.urgency": "the result's `urgency`",
        "result.hour": "the result's `hour`",
        "": "what the model is told",
        "*": "what the model is told of `{}`",
        "reason": "what the model is told of the reason",
        "urgency": "what the model is told of the urgency",
        "hour": "what the model is told of the hour",
    },
)  # fmt: skip
