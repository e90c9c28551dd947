"""Exercise 2.2: a stage's agent works until its answer fits, or until nobody believes it will."""

from __future__ import annotations

import math

from course.models import Call
from graders.checks import called
from graders.exercises.expected import usage_of
from graders.exercises.kit import *
from graders.records.scenario import ModelBehaviour

_STAGE = """
from pydantic import BaseModel, ConfigDict, Field
from course import Agent, Limits
from course.errors import ModelError
from course.pipeline import Stage, StageError


class Parcel(BaseModel):
    model_config = ConfigDict(frozen=True)

    request: str
    secret: str = ""
    weight: int = Field(1, ge=1, le=30)
    town: str = ""


async def stage(bench, student):
    played = []
    for each in bench.params["runs"]:
        limits = Limits(**each["limits"])
        clerk = Agent(name="clerk", instructions="Weigh it.", tools=bench.tools, limits=limits)
        step = Stage(
            name=each["stage"],
            work=clerk,
            reads=("request",),
            writes=("weight", "town"),
            attempts=each["attempts"],
        )
        state = Parcel(request=each["says"], secret="hidden")
        try:
            filled = await student.fill(step, state, client=bench.client)
        except ModelError:
            played.append({"raised": "ModelError"})
        except StageError as error:
            raised = [error.stage, error.field]
            played.append({"raised": raised, "says": str(error), "state": error.state})
        else:
            stop = filled.stop and [filled.stop.reason, filled.stop.limit, filled.stop.value]
            usage = [filled.usage.input, filled.usage.output]
            said = filled.context.messages
            played.append(
                {"state": filled.state, "stop": stop, "usage": usage, "messages": said}
            )
    return played
"""
_TOWNS = ("Bergen", "Cadiz", "Ghent", "Porto", "Turku", "Lviv")
_SCALES = {"type": "object", "properties": {"parcel": {"type": "string"}}, "required": ["parcel"]}
SECONDS = 0.5
"""How long the model takes for each answer."""
TOO_HEAVY = "less than or equal to 30"
"""What pydantic says of a parcel that is too heavy."""


def _fits(draw: random.Random) -> dict[str, Any]:
    return {"weight": draw.randrange(2, 30), "town": draw.choice(_TOWNS)}


def _misfits(draw: random.Random, many: int) -> list[str]:
    """Answers that do not fit, each because of the weight, and each another text."""
    heavy = draw.sample(range(31, 99), many)
    return [json.dumps({"weight": each, "town": draw.choice(_TOWNS)}) for each in heavy]


def _run(draw: random.Random, **more: Any) -> dict[str, Any]:
    number = draw.randrange(100, 1000)
    given = {"limits": {}, "attempts": 3, "stage": draw.choice(("scales", "desk", "window"))}
    return {"says": f"Send parcel {number}, please.", **given, **more}


def _says(*answers: str | Reply) -> ModelBehaviour:
    """One answer after the other, the last one for ever."""

    def says(ask: Ask) -> Answer:
        return Answer(answers[min(ask.number, len(answers) - 1)], seconds=SECONDS)

    return says


def _scenario(run: dict[str, Any], *answers: str | Reply, **more: Any) -> Scenario:
    def weigh(ask: Ask) -> Answer:
        return Answer(f"{more.get('weight', 1)} kg ({ask.token})", seconds=1.0)

    tools = (ToolOffer("scales", "Weigh a parcel.", _SCALES, weigh),)
    params = {"runs": [run], **more}
    return Scenario(tools, _says(*answers), params)


def _at_once(draw: random.Random) -> Scenario:
    return _scenario(_run(draw), json.dumps(_fits(draw)))


def _with_a_tool(draw: random.Random) -> Scenario:
    """Weighs, answers what does not fit, weighs again and gets it right: one misfit of two."""
    right, [wrong] = _fits(draw), _misfits(draw, 1)
    parcels = [f"parcel {number}" for number in draw.sample(range(100), 2)]
    first, second = (
        Reply(said, (Call("scales", json.dumps({"parcel": parcel})),))
        for said, parcel in zip((None, "Once more."), parcels, strict=True)
    )
    answers = (first, wrong, second, json.dumps(right))
    return _scenario(_run(draw, attempts=2), *answers, weight=right["weight"], parcels=parcels)


def _second_try(draw: random.Random) -> Scenario:
    [wrong] = _misfits(draw, 1)
    return _scenario(_run(draw), wrong, json.dumps(_fits(draw)))


def _no_json(draw: random.Random) -> Scenario:
    """The first answer is no JSON, and the second does not fit for another reason."""
    wrong, [heavy] = f"Gladly, it is number {draw.randrange(1000)}.", _misfits(draw, 1)
    return _scenario(_run(draw, attempts=4), wrong, heavy, json.dumps(_fits(draw)))


def _never(draw: random.Random) -> Scenario:
    """Weighs after the first answer that does not fit: that answer counts all the same."""
    attempts, [first, *others] = draw.randrange(2, 5), _misfits(draw, 6)
    weighs = Reply(calls=(Call("scales", json.dumps({"parcel": "the parcel"})),))
    return _scenario(_run(draw, attempts=attempts), first, weighs, *others)


def _limited(draw: random.Random) -> Scenario:
    """Two runs, one with a limit of turns, the other, later, with one of seconds."""
    limits = ({"max_turns": draw.randrange(2, 5)}, {"max_seconds": draw.choice((1.2, 1.7))})
    runs = [_run(draw, attempts=9, limits=each) for each in limits]
    return _scenario(runs[0], *_misfits(draw, 12), runs=runs)


def _cut_off(draw: random.Random) -> Scenario:
    half = Reply(text='{"weight": 3, "to', finish_reason="length")
    return _scenario(_run(draw), half)


def _gone(draw: random.Random) -> Scenario:
    """After an answer that did not fit the model is out of order."""
    [wrong] = _misfits(draw, 1)

    def says(ask: Ask) -> Answer:
        gone = ApiError(404, "the model is gone", code="model_not_found")
        return Answer(error=gone) if ask.number else Answer(wrong, seconds=SECONDS)

    return replace(_scenario(_run(draw)), model=says)


def _state(run: Mapping[str, Any], values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The state of a run, with what was filled in it."""
    before = {"request": run["says"], "secret": "hidden", "weight": 1, "town": ""}
    return {**before, **(values or {})}


def _right(world: Scenario, look: str) -> Check:
    def wanted(log: Log) -> list[Any]:
        answer = json.loads(log.requests()[-1].reply["text"])
        return [{"state": _state(world.params["runs"][0], answer), "stop": None}]

    return fits(wanted, look=f"look at {look}")


def _opening(world: Scenario) -> Check:
    shown = json.dumps({"request": world.params["runs"][0]["says"]}, separators=(",", ":"))
    return history(keeps=["Weigh it.", shown], drops=["hidden"], which=0)


def _usage(look: str) -> Check:
    def wanted(log: Log) -> list[Any]:
        used = [usage_of(each) for each in log.requests()]
        return [{"usage": [sum(column) for column in zip(*used, strict=True)]}]

    return fits(wanted, look=f"look at {look}")


def _fills(world: Scenario) -> list[Check]:
    return [
        within(requests=1, reached=True),
        _opening(world),
        _right(world, "the state that you return: it is the new one"),
        _usage("the usage"),
    ]


def _uses_tools(world: Scenario) -> list[Check]:
    def answered(log: Log) -> list[Any]:
        return [each.reply for each in log.calls("scales")]

    return [
        called("scales", [{"parcel": each} for each in world.params["parcels"]]),
        history_grows(),
        history(keeps=answered, which=-1),
        _right(world, "what follows after the tools have run: is it asked again?"),
        _usage("the usage: it is that of all calls together"),
        fits(_conversation, look="look at the conversation that you return: it is the whole one"),
    ]


def _conversation(log: Log) -> list[Any]:
    """What was sent last, and what was said to it."""
    last = log.requests()[-1]
    said = {"role": "assistant", "content": last.reply["text"]}
    return [{"messages": [*last.request["messages"], said]}]


def _lets_out(world: Scenario) -> list[Check]:
    return [
        within(requests=2, reached=True),
        fits([{"raised": "ModelError"}], look="what has to reach the caller?"),
    ]


def _corrects(*reasons: str) -> Callable[[Scenario], list[Check]]:
    """Answers that do not fit, each for its own reason, and then one that does."""

    def checks(world: Scenario) -> list[Check]:
        return [
            within(requests=len(reasons) + 1, reached=True),
            history_grows(),
            history(keeps=reasons, which=-1),
            _right(world, "what happens after an answer that did not fit"),
            _usage("the usage: an answer that did not fit has cost something too"),
        ]

    return checks


def _gives_up(world: Scenario) -> list[Check]:
    [run] = world.params["runs"]
    told = text_with(f"{run['attempts']} answers")
    failed = [{"raised": [run["stage"], "weight"], "says": told, "state": _state(run)}]
    return [
        within(requests=run["attempts"] + 1, reached=True),
        fits(failed, look="what is raised after the last attempt? failed(...) makes the error"),
    ]


def _stops(world: Scenario, *stops: tuple[str, Any, Any]) -> Check:
    """Each run leaves the state as it was, and says what stopped it."""
    runs = world.params["runs"]
    wanted = [
        {"state": _state(run), "stop": list(stop)} for run, stop in zip(runs, stops, strict=True)
    ]
    look = "look at what reached says before each call, and at cut_off"
    return fits(wanted, within=1e-6, look=look)


def _keeps_to_limits(world: Scenario) -> list[Check]:
    turns, seconds = (run["limits"] for run in world.params["runs"])
    cap, limit = turns["max_turns"], seconds["max_seconds"]
    calls = math.ceil(limit / SECONDS)
    # the loop cuts off the call that is under way; one of the student's own may let it end
    said = f"from {limit:g} to {calls * SECONDS:g}"
    reached = such_that(said, lambda value: limit - 1e-6 <= value <= calls * SECONDS + 1e-6)
    return [
        within(requests=cap + calls, reached=True),
        _stops(world, ("max_turns", cap, cap), ("max_seconds", limit, reached)),
    ]


def _says_cut_off(world: Scenario) -> list[Check]:
    number = such_that("a number", lambda value: isinstance(value, int | float))
    return [within(requests=1), _stops(world, ("length", number, number))]


FILL = Exercise(
    "2.2", ("fill",), (
        Trial("fills the fields from an answer that fits", _STAGE, _at_once, _fills, 0.5),
        Trial("runs tools whenever they are asked for, and counts only answers", _STAGE,
              _with_a_tool, _uses_tools, 0.5),
        Trial("gives an answer that does not fit back with the reason", _STAGE, _second_try,
              _corrects(TOO_HEAVY), 0.5),
        Trial("does so with an answer that is no JSON", _STAGE, _no_json,
              _corrects("JSON", TOO_HEAVY), 0.5),
        Trial("gives up after so many attempts, naming stage and field", _STAGE, _never, _gives_up,
              0.5),
        Trial("keeps to its agent's limits", _STAGE, _limited, _keeps_to_limits, 0.5),
        Trial("says when an answer was cut off", _STAGE, _cut_off, _says_cut_off, 0.5),
        Trial("lets out that the model cannot be used", _STAGE, _gone, _lets_out, 0.5),
    ),
    builds_on={"shown": "course.pipeline:shown"},
    places={
        "*": "the {} stage",
        "*.raised": "the StageError of the {} stage",
        "*.says": "the text of the {} StageError",
        "*.raised.0": "the stage that the {} StageError names",
        "*.raised.1": "the field that the {} StageError names",
        "*.state": "the state after the {} stage",
        "*.state.*": "{1} in the state after the {0} stage",
        "*.stop": "the stop of the {} stage",
        "*.usage": "the usage of the {} stage",
        "*.usage.0": "the tokens read in the {} stage",
        "*.usage.1": "the tokens written in the {} stage",
        "*.messages": "the messages of the {} stage",
    },
    finished={
        "fill": "course.pipeline.running:fill",
        "go_on": "course.pipeline.running:InForm.go_on",
    },
)  # fmt: skip
