"""Exercise 7.4: a turn at a service that allows so many requests and tokens a minute."""

from __future__ import annotations

from graders.checks import made
from graders.exercises.kit import *

_STAGE = """
import asyncio

from course.models.rates import RateLimit


async def stage(bench, student):
    rate, waited = RateLimit(**bench.params["limits"]), {}

    async def caller(number, at, tokens, patience):
        await asyncio.sleep(at)
        try:
            async with asyncio.timeout(patience):
                waited[str(number)] = await student.in_turn(rate, tokens)
        except TimeoutError:
            return
        await bench.tool("call").function(number=number)

    async def pausing():
        then = 0.0
        for at, seconds in bench.params["pauses"]:
            await asyncio.sleep(at - then)
            rate.pause(seconds)
            bench.mark("pause", seconds)
            then = at

    callers = (caller(number, *each) for number, each in enumerate(bench.params["callers"]))
    await asyncio.gather(pausing(), *callers)
    return waited
"""
_SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
SLACK = 0.1
"""Seconds that a turn may be late: who looks again and again may do so ten times a second."""
Caller = tuple[float, int, float | None]
"""When it comes, how many tokens it asks for, and after how many seconds it gives up."""


def turns(
    limits: Mapping[str, int], callers: Sequence[Caller], pauses: Sequence[tuple[float, float]]
) -> dict[int, float]:
    """When each caller that does not give up gets its turn, one after the other in their order.

    Args:
        limits: units a minute by "requests_per_minute" and "tokens_per_minute".
        callers: in the order in which they come.
        pauses: when one begins, and its seconds.
    """
    levels = {name: float(limit) for name, limit in limits.items()}
    then, found = 0.0, dict[int, float]()
    for number, (at, tokens, patience) in enumerate(callers):
        begin = max(then, at)
        levels = {n: min(limits[n], v + (begin - then) * limits[n] / 60) for n, v in levels.items()}
        amounts = {n: 1 if n.startswith("requests") else min(tokens, limits[n]) for n in levels}
        lack = (max(0.0, amounts[n] - v) * 60 / limits[n] for n, v in levels.items())
        turn = begin + max([0.0, *lack])
        for start, seconds in pauses:
            if start <= turn:
                turn = max(turn, start + seconds)
        gone = patience is not None and turn > at + patience
        end = max(begin, at + patience) if gone and patience is not None else turn
        levels = {n: min(limits[n], v + (end - begin) * limits[n] / 60) for n, v in levels.items()}
        then = end
        if not gone:
            found[number] = turn
            levels = {n: v - amounts[n] for n, v in levels.items()}
    return found


def _call(ask: Ask) -> Answer:
    return Answer(ask.number, seconds=1.0)


Made = tuple[dict[str, int], list[Caller], list[tuple[float, float]]]
"""Limits, callers in the order in which they come, and pauses: when each begins, its seconds."""


def _world(making: Callable[[random.Random], Made]) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        limits, callers, pauses = making(draw)
        params = {"limits": limits, "callers": callers, "pauses": pauses}
        return Scenario((ToolOffer("call", "Ask.", _SCHEMA, _call),), params=params)

    return world


def _burst(draw: random.Random) -> Made:
    """A full bucket at once, some when it is nearly time; later more to one that filled a bit."""
    limit = draw.choice((7, 9, 11, 13))
    callers: list[Caller] = [(0.0, 0, None)] * limit
    callers += [(60 / limit - 0.6 + 0.1 * number, 0, None) for number in range(3)]
    later = float(draw.randrange(60, 75))
    callers += [(later + 0.5 * number, 0, None) for number in range(5)]
    return {"requests_per_minute": limit}, callers, []


def _sizes(draw: random.Random) -> Made:
    """Requests of several sizes, one of them larger than a minute's worth."""
    limit = draw.choice((700, 900, 1100))
    sizes = [draw.randrange(150, 400) for _ in range(6)]
    sizes.insert(4, limit + 300)
    callers: list[Caller] = [(0.5 * number, size, None) for number, size in enumerate(sizes)]
    return {"requests_per_minute": 40, "tokens_per_minute": limit}, callers, []


def _large_first(draw: random.Random) -> Made:
    """A large request has to wait, and small ones come while it does."""
    limit = draw.choice((700, 900, 1100))
    callers: list[Caller] = [(0.0, limit - 100, None), (1.0, limit - 50, None)]
    callers += [(2.0 + number, 20, None) for number in range(3)]
    return {"tokens_per_minute": limit}, callers, []


def _paused(draw: random.Random) -> Made:
    """A service asks for pauses while somebody waits; and then for one while nobody does."""
    limit = draw.choice((7, 9, 11))
    callers: list[Caller] = [(0.0, 0, None)] * (limit + 2)
    last = 60.0 + draw.randrange(30, 40)
    callers += [(last, 0, None), (last + 0.5, 0, None)]
    pauses = [(2.0, 21.5), (20.0, 12.0), (30.0, 9.0), (last - 4.0, 9.0)]
    return {"requests_per_minute": limit}, callers, pauses


def _given_up(draw: random.Random) -> Made:
    """Who waits for a large request gives up; those behind it need not wait for that."""
    limit = draw.choice((700, 900, 1100))
    callers: list[Caller] = [(0.0, limit, None), (1.0, limit, float(draw.randrange(4, 9)))]
    callers += [(2.0 + number, 90, None) for number in range(3)]
    return {"tokens_per_minute": limit}, callers, []


def _seen(log: Log) -> dict[str, Any]:
    """When each request came and each pause began, as the service saw it; and what was told."""
    sent = {str(each.request["number"]): each.start for each in log.calls("call")}
    pauses = [[mark.time, mark.value] for mark in log.marked("pause")]
    return {"sent": sent, "waited": log.result, "pauses": pauses}


def _in_turn(look: str) -> Checks:
    """Each request is sent at its time, as the service sees it, and each caller is told so."""

    def checks(world: Scenario) -> list[Any]:
        params = world.params
        found = turns(params["limits"], params["callers"], params["pauses"])
        when = {str(number): turn for number, turn in found.items()}
        waits = {str(number): turn - params["callers"][number][0] for number, turn in found.items()}
        return [
            made(by_argument("number"), list(when), what="a request"),
            viewed(
                _seen,
                equals(when, at="sent", within=SLACK, look=f"look at {look}"),
                equals(
                    waits, at="waited", within=SLACK, look="your function gives the seconds waited"
                ),
                equals(params["pauses"], at="pauses", look="the limit's own pauses"),
            ),
        ]

    return checks


IN_TURN = Exercise(
    "7.4", ("in_turn",), (
        Trial("lets requests through while the bucket lasts, and then as it fills", _STAGE,
              _world(_burst), _in_turn("when there is room, and what is taken of it")),
        Trial("counts tokens as well", _STAGE, _world(_sizes),
              _in_turn("the size of a request: when you ask for room, and when you take it"), 0.5),
        Trial("lets nobody pass who came later", _STAGE, _world(_large_first),
              _in_turn("what a small request does while a large one waits"), 0.5),
        Trial("waits out a pause that comes meanwhile", _STAGE, _world(_paused),
              _in_turn("what is tested when you have slept"), 0.5),
        Trial("lets the next one through when somebody gives up", _STAGE, _world(_given_up),
              _in_turn("what a caller leaves behind who is cancelled while it waits"), 0.5),
    ),
    places={
        "sent": "the moments of the calls",
        "sent.*": "the moment of the {} call",
        "waited": "the waits",
        "waited.*": "the seconds that the {} call was told it waited",
    },
    finished={"in_turn": "course.models.rates:in_turn"},
)  # fmt: skip
