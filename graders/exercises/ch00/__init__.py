"""Chapter 00's exercises: what is played, in which worlds, and what must be seen."""

from __future__ import annotations

import random

from graders.checks import called, equals, made, parallel
from graders.checks.keys import by_argument
from graders.exercises.contracts import IN_SHORT, given
from graders.exercises.expected import Checks, such_that
from graders.records.log import Log
from graders.records.scenario import (
    Answer,
    Ask,
    Exercise,
    Scenario,
    ScenarioMaker,
    Sentence,
    ToolOffer,
    Trial,
)

NAMES = ("Ada", "Grace", "Alan", "Konstantin", "Émile", "Zoe", "Max", "Ida", "Mary Ann", "Bo")
_CALLER = by_argument("caller")

_GREETINGS = """
async def stage(bench, student):
    return [student.greeting(name) for name in bench.params["names"]]
"""


def _callers(*also: str) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        return Scenario(params={"names": [*draw.sample(NAMES, 2), *also]})

    return world


def _greeted(world: Scenario) -> list[str]:
    names = world.params["names"]
    return [f"Switchboard, good morning{f', {name}' if name else ''}." for name in names]


def _greeting(look: str) -> Checks:
    return lambda world: [equals(_greeted(world), look=f"look at {look}")]


_BY_NAME, _WITHOUT = "greets a caller by name", "greets a caller without a name"
GREETING = Exercise(
    "0.1",
    ("greeting",),
    (
        Trial(
            _BY_NAME,
            _GREETINGS,
            _callers(),
            _greeting("what your function returns"),
            points=0.5,
        ),
        Trial(
            _WITHOUT,
            _GREETINGS,
            _callers(""),
            _greeting("what happens without a name: no comma before the full stop"),
            points=0.5,
        ),
    ),
    contract=(
        *given("the caller's name, which may be empty."),
        Sentence(
            '"Switchboard, good morning, Ada."',
            (_BY_NAME, _WITHOUT),
            "knows only the visible caller",
        ),
        Sentence(
            '"Switchboard, good morning." when there is no name.',
            (_WITHOUT,),
            "forgets the empty name",
            ("value",),
        ),
        Sentence("**Raises** nothing.", (_BY_NAME, _WITHOUT), "refuses an empty name", ("raised",)),
        *given("Answer the telephone.", why=IN_SHORT),
    ),
    places={
        "*": "the {} greeting",
    },
)

_PUT_THROUGH = """
async def stage(bench, student):
    connect = bench.tool("put_through").function

    async def put_through(caller):
        return await connect(caller)

    return [list(await student.put_all_through(each, put_through)) for each in bench.params["days"]]
"""
_SCHEMA = {
    "type": "object",
    "properties": {"caller": {"type": "string"}},
    "required": ["caller"],
}


def _day(size: int, *, quiet: bool = False, twice: bool = False) -> ScenarioMaker:
    """One day's callers, each of whom takes other seconds; on a quiet day nobody calls."""

    def world(draw: random.Random) -> Scenario:
        callers = draw.sample(NAMES, size)
        if twice:
            callers.insert(draw.randrange(1, size), callers[-1])
        lengths = draw.sample(range(2, 20), len(callers))
        longest = lengths.index(max(lengths))  # the first caller takes longest: nobody is done
        lengths[0], lengths[longest] = lengths[longest], lengths[0]  # in the order of calling

        def put_through(ask: Ask) -> Answer:
            seconds = lengths[ask.number % len(lengths)]
            return Answer(f"{ask.arguments['caller']} is through ({ask.token})", seconds)

        offer = ToolOffer("put_through", "Put a caller through.", _SCHEMA, put_through)
        return Scenario((offer,), params={"days": [[], callers] if quiet else [callers]})

    return world


def _answers(log: Log) -> list[list[str]]:
    """What was said to each caller, in the callers' order."""
    said: dict[str, list[str]] = {}
    for each in log.calls("put_through"):
        said.setdefault(str(each.request["caller"]), []).append(str(each.reply))
    days = log.params["days"]
    return [[said[name].pop(0) for name in day] for day in days]


def _one_of_each(log: Log) -> list[list[object]]:
    """The same where a name is there twice: each answer once, whoever of them came first."""
    said = {str(each.reply): str(each.request["caller"]) for each in log.calls("put_through")}
    left = set(said)

    def answer_to(name: str) -> object:
        def fresh(value: object) -> bool:
            if value not in left or said[str(value)] != name:
                return False
            left.discard(str(value))
            return True

        return such_that(f"an answer to {name}, each answer once", fresh)

    return [[answer_to(name) for name in day] for day in log.params["days"]]


def _everybody(world: Scenario) -> list[dict[str, str]]:
    return [{"caller": name} for day in world.params["days"] for name in day]


_ORDER, _AT_ONCE = "keeps the callers' order", "serves all of them at once"
_ONCE = "puts every caller through exactly once, and has nothing to do when nobody calls"
PUT_ALL_THROUGH = Exercise(
    "0.2",
    ("put_all_through",),
    (
        Trial(
            _ORDER,
            _PUT_THROUGH,
            _day(4),
            lambda world: [
                made(_CALLER, world.params["days"][0], what="a call of put_through"),
                equals(_answers, look="look at the order in which you collect the answers"),
            ],
            points=0.5,
        ),
        Trial(
            _AT_ONCE,
            _PUT_THROUGH,
            _day(5),
            lambda world: [parallel(_CALLER, world.params["days"][0], what="a call")],
        ),
        Trial(
            _ONCE,
            _PUT_THROUGH,
            _day(4, quiet=True, twice=True),
            lambda world: [
                called("put_through", _everybody(world)),
                equals(_one_of_each, look="look at what is kept for each caller"),
            ],
            points=0.5,
        ),
    ),
    contract=(
        *given(
            "the callers' names",
            "`put_through`, a coroutine function that takes a name, takes its time, and returns a"
            " text.",
            "names, in the order in which they called.",
            "connects one caller and says how it went.",
        ),
        Sentence(
            "the texts in the order of the callers.",
            (_ORDER, _ONCE),
            "in the order in which they finish",
            ("value",),
        ),
        Sentence("What `put_through` said", (_ORDER, _ONCE), "counts the callers", ("value",)),
        Sentence("nothing of its own.", (_ONCE,), "refuses a day without callers", ("raised",)),
        Sentence(
            "All callers are put through",
            (_ONCE,),
            "forgets that two callers may share a name",
            ("called", "value.length"),
        ),
        Sentence(
            "All callers are put through at the same time.", (_AT_ONCE,), "one after the other"
        ),
    ),
    places={
        "*": "what came back for the {} list of callers",
        "*.*": "the {1} answer to the {0} list of callers",
    },
)

_STEPS = """
import asyncio
from course.trace import Trace, span


async def stage(bench, student):
    async def play(step):
        with span(step["operation"], step["name"]):
            await asyncio.sleep(step["seconds"])
            await asyncio.gather(*(play(each) for each in step["steps"]))

    trace = Trace("a day at the switchboard")
    with trace.record():
        await asyncio.gather(*(play(each) for each in bench.params["steps"]))
    asked = bench.params["operations"]
    return {name: student.time_spent(trace, name) for name in asked} | {
        "an empty trace": student.time_spent(Trace("empty"), asked[0])
    }
"""


def _step(draw: random.Random, operation: str, *steps: dict[str, object]) -> dict[str, object]:
    seconds = draw.randrange(1, 16) / 2
    return {"operation": operation, "name": operation, "seconds": seconds, "steps": list(steps)}


def _side_by_side(draw: random.Random) -> Scenario:
    steps = [_step(draw, "execute_tool") for _ in range(draw.randrange(2, 4))]
    whole = {"operation": "invoke_agent", "name": "demo", "seconds": 0, "steps": steps}
    return Scenario(params={"steps": [whole], "operations": ["execute_tool", "handoff"]})


def _several_kinds(draw: random.Random) -> Scenario:
    inner = [_step(draw, "chat"), _step(draw, "execute_tool"), _step(draw, "chat")]
    steps = [_step(draw, "invoke_agent", *inner), _step(draw, "chat", _step(draw, "execute_tool"))]
    operations = ["chat", "execute_tool", "invoke_agent", "plan"]
    return Scenario(params={"steps": steps, "operations": operations})


def _spent(world: Scenario) -> dict[str, float]:
    total = dict.fromkeys(world.params["operations"], 0.0)

    def length(step: dict[str, object]) -> float:
        inner = step["steps"]
        seconds = step["seconds"]
        assert isinstance(inner, list) and isinstance(seconds, int | float)
        whole = seconds + max([length(each) for each in inner], default=0.0)
        if step["operation"] in total:
            total[str(step["operation"])] += whole
        return whole

    for step in world.params["steps"]:
        length(step)
    return {**total, "an empty trace": 0.0}


def _seconds(look: str) -> Checks:
    return lambda world: [equals(_spent(world), within=1e-6, look=f"look at {look}")]


_ADDS_UP = "adds up one operation, and says 0 when there is none"
_APART = "tells operations apart, and reads an empty trace"
TIME_SPENT = Exercise(
    "0.3",
    ("time_spent",),
    (
        Trial(
            _ADDS_UP,
            _STEPS,
            _side_by_side,
            _seconds("which seconds you add: steps side by side count both"),
        ),
        Trial(
            _APART,
            _STEPS,
            _several_kinds,
            _seconds("which steps you add up"),
        ),
    ),
    contract=(
        *given('a trace and an operation, such as `"chat"`.'),
        Sentence(
            "the seconds that all steps of this operation took, added up;",
            (_ADDS_UP, _APART),
            "from the first start to the last end",
            ("value",),
        ),
        Sentence("all steps of this operation", (_ADDS_UP, _APART), "the outermost steps"),
        Sentence(
            "the seconds that all steps of this operation took, added up; 0 if there are none.",
            (_ADDS_UP, _APART),
            "every operation",
            ("value",),
        ),
        Sentence(
            "0 if there are none.",
            (_ADDS_UP, _APART),
            "None when there are none",
            ("value", "code"),
        ),
        Sentence(
            "nothing, not even for an empty trace.",
            (_ADDS_UP, _APART),
            "cannot read an empty trace",
            ("raised",),
        ),
    ),
    places={
        "*": "the seconds spent on {}",
        "an empty trace": "the seconds of an empty trace",
    },
)

EXERCISES = (GREETING, PUT_ALL_THROUGH, TIME_SPENT)
