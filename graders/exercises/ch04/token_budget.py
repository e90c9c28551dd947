"""Exercise 4.3: a model call against a budget, reserved before and settled after."""

from __future__ import annotations

from graders.exercises.kit import *

_SETTING = """
import asyncio

from course import ToolError, Usage
from course.budget import Budget, BudgetExceeded
from course.answers import Answer


class Refused(Exception):
    def __init__(self, status):
        self.status_code = status


def calling(bench, budget, number, seen):
    async def call():
        seen.append([budget.held, budget.made])
        done = await bench.tool("model").function(number=number)
        if isinstance(done, int):
            raise Refused(done)
        return Answer({"role": "assistant", "content": done["text"]}, Usage(*done["usage"]))

    return call


def state(budget):
    return [budget.spent, budget.held, budget.made]

"""
_ONE_BY_ONE = (
    _SETTING
    + """
async def probe(bench, student, budget, most, number, *, after=0.0):
    # What a budget holds is seen in what else it lets through, and that where calls arrive.
    await asyncio.sleep(after)
    try:
        async with asyncio.timeout(0.5):
            await student.charge(budget, most, calling(bench, budget, number, []))
    except Exception:
        pass


async def stage(bench, student):
    told = []
    for number, most in enumerate(bench.params["most"]):
        budget, seen = Budget(tokens=10_000), []
        probing = asyncio.create_task(
            probe(bench, student, budget, 10_001 - most, 100 + number, after=1.0)
        )
        try:
            answer = await student.charge(budget, most, calling(bench, budget, number, seen))
            ending = answer.message["content"]
        except (Refused, ToolError) as error:  # what the call raises; all else is a bug to be told
            ending = type(error).__name__
        told.append({"during": seen, "after": state(budget), "ending": ending})
        await probing
        left = await bench.tool("left").function(number=number)
        await probe(bench, student, budget, left + 1, 200 + number)
        await probe(bench, student, budget, left, 300 + number)
    return told
"""
)
_EIGHT = (
    _SETTING
    + """
async def stage(bench, student):
    budget, seen = Budget(tokens=bench.params["tokens"]), []
    endings = await asyncio.gather(
        *(
            student.charge(budget, bench.params["most"], calling(bench, budget, number, seen))
            for number in range(8)
        ),
        return_exceptions=True,
    )
    for each in endings:
        if isinstance(each, Exception) and not isinstance(each, BudgetExceeded):
            raise each
    refused = sum(isinstance(each, BudgetExceeded) for each in endings)
    other = [repr(e) for e in endings if not isinstance(e, (Answer, BudgetExceeded))]
    return {"refused": refused, "after": state(budget), "other": other}
"""
)
_KEPT = (
    _SETTING
    + """
async def stage(bench, student):
    told = []
    for last in (False, True):
        budget = Budget(tokens=bench.params["tokens"], kept_tokens=bench.params["kept"])
        try:
            await student.charge(
                budget, bench.params["most"], calling(bench, budget, 0, []), last=last
            )
            told.append("made")
        except BudgetExceeded as error:
            told.append(str(error))
    return told
"""
)
_STOPPED = (
    _SETTING
    + """
async def stage(bench, student):
    budget, seen = Budget(tokens=10_000), []
    charging = asyncio.ensure_future(
        student.charge(budget, bench.params["most"][0], calling(bench, budget, 0, seen))
    )
    await asyncio.sleep(1.0)
    charging.cancel()
    await asyncio.wait([charging])
    if not charging.cancelled() and charging.exception() is not None:
        raise charging.exception()
    return {"after": state(budget)}
"""
)


def _model(*uses: Any, seconds: float = 2.0) -> ToolOffer:
    """A stand-in for a model: what each numbered call uses, or how it ends."""

    def behaves(ask: Ask) -> Answer:
        use = uses[ask.arguments["number"] % len(uses)]
        if use == "broken":
            return Answer(error="the line went dead", seconds=seconds)
        if isinstance(use, int):
            return Answer(use, seconds=seconds)
        return Answer({"text": ask.token, "usage": use}, seconds=seconds)

    schema = {"type": "object", "properties": {"number": {"type": "integer"}}}
    return ToolOffer("model", "Answer.", {**schema, "required": ["number"]}, behaves)


def _calls(*uses: Any) -> ScenarioMaker:
    """Calls one after the other; `None` draws what is used, a status refuses."""

    def world(draw: random.Random) -> Scenario:
        drawn = [[draw.randrange(50, 200), draw.randrange(9, 50)] if u is None else u for u in uses]
        most = [draw.randrange(400, 900) for _ in uses]
        left = [10_000 - _spent(use, each) for use, each in zip(drawn, most, strict=True)]
        tools = (_model(*drawn), _left(left))
        return Scenario(tools, params={"most": most, "uses": drawn})

    return world


def _left(left: list[int]) -> ToolOffer:
    """What is left of the budget after each call."""
    schema = {"type": "object", "properties": {"number": {"type": "integer"}}}
    return ToolOffer("left", "Tell.", schema, lambda ask: Answer(left[ask.arguments["number"]]))


def _settled(look: str) -> Checks:
    """While each call runs, all of it is held; after it, what it used is spent."""

    def checks(world: Scenario) -> list[Check]:
        def wanted(log: Log) -> list[Any]:
            return [
                {"during": [[most, 1]], "after": [_spent(use, most), 0, 1], "ending": ending}
                for use, most, ending in zip(
                    world.params["uses"], world.params["most"], _endings(world, log), strict=True
                )
            ]

        through = [n + more for n in range(len(world.params["most"])) for more in (0, 300)]
        return [
            equals(wanted, look=f"look at {look}"),
            viewed(_numbers, equals(through, look="what the budget lets through besides")),
        ]

    return checks


def _numbers(log: Log) -> list[Any]:
    """Which calls arrived."""
    return [each.request["number"] for each in log.calls("model")]


def _spent(use: Any, most: int) -> int:
    if isinstance(use, int):
        return 0
    if use == "broken":
        return most
    return sum(use) or most


def _endings(world: Scenario, log: Log) -> list[str]:
    uses = world.params["uses"]
    tokens = [call.token for call in log.calls("model") if call.request["number"] < 100]
    tokens += ["what the call gives"] * (len(uses) - len(tokens))  # of calls that were never made
    return [
        "ToolError" if use == "broken" else "Refused" if isinstance(use, int) else token
        for use, token in zip(uses, tokens, strict=False)
    ]


def _eight(draw: random.Random) -> Scenario:
    most = draw.randrange(300, 400)
    uses = [[draw.randrange(100, 200), draw.randrange(20, 99)] for _ in range(8)]
    tokens = most * draw.randrange(3, 6) + draw.randrange(100)
    params = {"most": most, "tokens": tokens, "uses": uses}
    return Scenario((_model(*uses),), params=params)


def _never_over(world: Scenario) -> list[Check]:
    room = world.params["tokens"] // world.params["most"]
    spent = sum(sum(each) for each in world.params["uses"][:room])
    return [
        fits(
            {"refused": 8 - room, "after": [spent, 0, room], "other": []},
            look="is there an await between looking at the budget and taking from it?",
        ),
        within(calls=room),
        parallel(by_argument("number", tool="model"), what="a call"),
    ]


def _kept(draw: random.Random) -> Scenario:
    most, kept = draw.randrange(300, 400), draw.randrange(100, 200)
    tokens = most + draw.randrange(1, kept)
    params = {"most": most, "kept": kept, "tokens": tokens}
    return Scenario((_model([50, 5]),), params=params)


def _only_the_last(world: Scenario) -> list[Check]:
    told = such_that(
        f"the budget's own refusal, with {world.params['tokens']}",
        lambda text: str(world.params["tokens"]) in text,
    )
    return [equals([told, "made"], look="hand `last` on to the budget")]


CHARGE = Exercise(
    "4.3", ("charge",), (
        Trial("reserves before the call and settles after it", _ONE_BY_ONE,
              _calls(None, [700, 300], None),
              _settled("when reserve and settle are called, and with what")),
        Trial("never exceeds the budget, eight calls at once", _EIGHT, _eight, _never_over),
        Trial("settles whatever happens: broken off, refused, uncounted", _ONE_BY_ONE,
              _calls("broken", 429, [0, 0], 503, None),
              _settled("what a call has used that broke, was refused, or was not counted"), 0.5),
        Trial("gives back what it holds when it is stopped", _STOPPED, _calls(None),
              lambda world: [equals({"after": [world.params["most"][0], 0, 1]},
                                    look="who settles when `call` is cancelled?"),
                             nothing_left(cancelled_at=1.0)], 0.25),
        Trial("leaves what is kept back to the last call", _KEPT, _kept, _only_the_last, 0.25),
    ),
    builds_on={"was_refused": "course.budget:was_refused"},
    places={
        "*": "what came of the {} call",
        "*.during": "the budget while the {} call ran",
        "*.during.*.0": "the tokens used while the {0} call ran",
        "*.during.*.1": "the tokens reserved while the {0} call ran",
        "*.after": "the budget after the {} call",
        "*.after.0": "the tokens used after the {} call",
        "*.after.2": "the calls made after the {} call",
        "*.after.1": "the tokens reserved after the {} call",
        "*.ending": "what the {} call ended in",
        "refused": "the number of calls that were refused",
        "after": "the budget afterwards",
        "after.0": "the tokens used afterwards",
        "after.1": "the tokens reserved afterwards",
        "after.2": "the calls made afterwards",
        "other": "what the calls ended in otherwise",
    },
    finished={"charge": "course.budget:charge"},
)  # fmt: skip
