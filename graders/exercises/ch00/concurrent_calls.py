"""Exercise 0.2: all callers are put through at the same time, and answered in their order."""

from __future__ import annotations

from graders.checks import called, made
from graders.exercises.ch00.greeting import NAMES
from graders.exercises.kit import *

_CALLER = by_argument("caller")

_PUT_THROUGH = """
async def stage(bench, student):
    connect = bench.tool("put_through").function

    async def put_through(caller):
        return await connect(caller)

    return [list(await student.put_all_through(each, put_through)) for each in bench.params["days"]]
"""
_SCHEMA = {"type": "object", "properties": {"caller": {"type": "string"}}, "required": ["caller"]}


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


PUT_ALL_THROUGH = Exercise(
    "0.2", ("put_all_through",), (
        Trial("keeps the callers' order", _PUT_THROUGH, _day(4),
              lambda world: [made(_CALLER, world.params["days"][0], what="a call of put_through"),
                             equals(_answers,
                                    look="look at the order in which you collect the answers")],
              0.5),
        Trial("serves all of them at once", _PUT_THROUGH, _day(MANY),
              lambda world: [parallel(_CALLER, world.params["days"][0], what="a call")]),
        Trial("puts every caller through exactly once, and has nothing to do when nobody calls",
              _PUT_THROUGH, _day(4, quiet=True, twice=True),
              lambda world: [called("put_through", _everybody(world)),
                             equals(_one_of_each, look="look at what is kept for each caller")],
              0.5),
    ),
    places={
        "*": "what came back for the {} list of callers",
        "*.*": "the {1} answer to the {0} list of callers",
    },
)  # fmt: skip
