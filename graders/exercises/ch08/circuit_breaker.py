"""Exercise 8.3: calls go through a breaker that many share."""

from __future__ import annotations

from graders.checks import breaker, by_tool
from graders.exercises.kit import *

_STAGE = """
import asyncio
from types import SimpleNamespace

from course.errors import ToolError
from course.models.breaker import BreakerOpen


async def stage(bench, student):
    shared = SimpleNamespace(
        failures=bench.params["failures"], cooldown=bench.params["cooldown"],
        in_a_row=0, opened=None, probing=False,
    )
    told = {}

    async def visit(visit):
        await asyncio.sleep(visit["at"])
        name = visit["called"]

        async def call():
            return await bench.tool("phone").function(
                visit=name, seconds=visit["seconds"], works=visit["works"]
            )

        try:
            async with asyncio.timeout(visit.get("patience", 1000.0)):
                came = await student.call_through(shared, call)
            told[name] = "worked" if came == "hello" else f"gave {came!r}"
        except BreakerOpen:
            told[name] = "refused"
        except ToolError as error:
            told[name] = "failed" if str(error) == "nobody there" else f"raised {error}"
        except TimeoutError:
            told[name] = "given up"

    await asyncio.gather(*map(visit, bench.params["visits"]))
    return told
"""
Visit = dict[str, Any]
_AFTER = 0.25
"""Seconds after a pause: nothing says what holds in the moment in which it ends."""


def _visit(at: float, works: bool, seconds: float = 1.0, **more: Any) -> Visit:
    """Somebody who calls at this time: whether it will work, and how long it will take."""
    return {"at": at, "works": works, "seconds": seconds, **more}


def _phone(ask: Ask) -> Answer:
    seconds = float(ask.arguments["seconds"])
    if ask.arguments["works"]:
        return Answer("hello", seconds=seconds)
    return Answer(error="nobody there", seconds=seconds)


_OFFER = ToolOffer(
    "phone",
    "Call somebody.",
    {
        "type": "object",
        "properties": {
            "visit": {"type": "string"},
            "seconds": {"type": "number"},
            "works": {"type": "boolean"},
        },
        "required": ["visit", "seconds", "works"],
        "additionalProperties": False,
    },
    _phone,
    timeout=None,
)


def outcomes(params: dict[str, Any]) -> list[str]:
    """What has to come of each visit, by going through all beginnings and ends in order."""
    visits = params["visits"]
    told, row = [""] * len(visits), 0
    opened: float | None = None
    probe: int | None = None
    agenda = [(each["at"], 1, number) for number, each in enumerate(visits)]
    while agenda:
        agenda.sort()
        now, what, number = agenda.pop(0)
        each = visits[number]
        if what == 1:  # somebody comes
            if opened is not None and (now < opened + params["cooldown"] or probe is not None):
                told[number] = "refused"
                continue
            probe = number if opened is not None else probe
            lasts = min(each["seconds"], each.get("patience", 1000.0))
            agenda.append((now + lasts, 0, number))  # who ends at a moment ends before who comes
            continue
        if each["seconds"] > each.get("patience", 1000.0):
            told[number] = "given up"
        elif each["works"]:
            told[number], row, opened = "worked", 0, None
        else:
            told[number], row = "failed", row + 1
            if probe == number or (opened is None and row >= params["failures"]):
                opened = now
        probe = None if probe == number else probe
    return told


def _world(visits: list[Visit], failures: int, cooldown: float) -> Scenario:
    named = [
        {**each, "called": f"call {n}, at {each['at']:g} s"} for n, each in enumerate(visits, 1)
    ]
    params = {"visits": named, "failures": failures, "cooldown": cooldown}
    return Scenario((_OFFER,), params=params)


def _opens(draw: random.Random) -> Scenario:
    """Failures in a row, with a success among the first of them; then refusals."""
    failures = draw.randrange(2, 5)
    kinds = [False] * (failures - 1) + [True] + [False] * failures + [True, False]
    return _world([_visit(2.0 * n, each) for n, each in enumerate(kinds)], failures, 50.0)


def _recovers(draw: random.Random) -> Scenario:
    """Open, refused, then one call that works; after it the count begins anew."""
    failures, cooldown = draw.randrange(2, 4), float(draw.randrange(10, 20))
    then = 2.0 * failures - 1 + cooldown + _AFTER
    visits = [_visit(2.0 * n, False) for n in range(failures)]
    visits += [_visit(then - 1, True), _visit(then, True), _visit(then + 1.5, False)]
    visits += [_visit(then + 4, True), *(_visit(then + 6 + 2 * n, False) for n in range(failures))]
    return _world([*visits, _visit(then + 8 + 2 * failures, True)], failures, cooldown)


def _fails_again(draw: random.Random) -> Scenario:
    """The one call fails: the pause begins anew, and after it there is one call again."""
    failures, cooldown = draw.randrange(2, 5), float(draw.randrange(10, 20))
    opened = 2.0 * failures - 1
    visits = [_visit(2.0 * n, False) for n in range(failures)]
    second = opened + cooldown + 2
    visits += [_visit(second - 1, False), _visit(second + cooldown - 2, True)]
    visits += [_visit(second + cooldown + _AFTER, True), _visit(second + cooldown + 2, True)]
    return _world(visits, failures, cooldown)


def _several(draw: random.Random) -> Scenario:
    """Half open, many come at once: one may call, and the others are refused meanwhile."""
    cooldown = float(draw.randrange(10, 20))
    then = 3.0 + cooldown + _AFTER
    visits = [_visit(0.0, False, 3.0) for _ in range(3)]
    visits += [_visit(then + 0.5 * n, True, 4.0) for n in range(4)]
    return _world([*visits, _visit(then + 5, True), _visit(then + 5, True)], 3, cooldown)


def _late(draw: random.Random) -> Scenario:
    """What fails late, while it is open or half open, neither opens it anew nor ends the probe."""
    cooldown = float(draw.randrange(12, 20))
    opened, probe = 3.0, 3.0 + cooldown + _AFTER
    visits = [_visit(0.0, False, 9.0), _visit(0.5, False, probe + 1 - 0.5)]
    visits += [_visit(1.0, False, 1.0), _visit(1.5, False, 1.5)]
    visits += [_visit(opened + 3, True), _visit(probe, True, 5.0), _visit(probe + 2, True)]
    return _world([*visits, _visit(probe + 6, True)], 2, cooldown)


def _late_success(draw: random.Random) -> Scenario:
    """A call from before works while it is open: so it works again, whoever found out."""
    visits = [_visit(0.0, True, 6.0), _visit(0.5, False), _visit(1.0, False), _visit(4.0, True)]
    visits += [_visit(7.0, False), _visit(9.0, True), _visit(11.0, True)]
    return _world(visits, 2, float(draw.randrange(20, 40)))


def _cancelled(draw: random.Random) -> Scenario:
    """Given up: neither failure nor success while closed; half open, the next may try, alone."""
    cooldown = float(draw.randrange(10, 20))
    visits = [_visit(0.0, False), _visit(0.5, False, 30.0, patience=1.0), _visit(2.0, True)]
    visits += [_visit(4.0, False), _visit(6.0, False)]
    then = 7.0 + cooldown + _AFTER
    visits += [_visit(then, True, 30.0, patience=2.0), _visit(then + 1, True)]
    visits += [_visit(then + 3, True), _visit(then + 3.5, True), _visit(then + 5, True)]
    visits += [_visit(then + 7, False), _visit(then + 8.5, True, 30.0, patience=1.0)]
    return _world([*visits, _visit(then + 10, False), _visit(then + 12, True)], 2, cooldown)


def _seen(log: Log) -> dict[str, str]:
    """What came of each visit; and where that cannot be, since it was called or not, so it says."""
    called = {each.request["visit"] for each in log.calls("phone")}
    return {
        name: told if (told == "refused") != (name in called) else f"{told}, as nobody saw"
        for name, told in log.result.items()
    }


def _tells(look: str, *, probed: bool, general: bool) -> Checks:
    """The outcomes, and where the general check knows all that happens, that one as well."""

    def checks(world: Scenario) -> list[Check]:
        params = dict(world.params)
        failures, cooldown = params["failures"], params["cooldown"]
        names = [each["called"] for each in params["visits"]]
        told = dict(zip(names, outcomes(params), strict=True))
        through = sum(each != "refused" for each in told.values())
        guard = breaker(by_tool(), failures, cooldown=cooldown, probed=probed)
        seen = viewed(_seen, equals(told, look=f"look at {look}"))
        return [guard, within(calls=through), seen] if general else [within(calls=through), seen]

    return checks


def _trial(
    title: str,
    world: ScenarioMaker,
    look: str,
    *,
    points: float = 0.5,
    probed: bool = False,
    general: bool = True,
) -> Trial:
    return Trial(title, _STAGE, world, _tells(look, probed=probed, general=general), points=points)


CALL_THROUGH = Exercise(
    "8.3", ("call_through",), (
        _trial("opens at the given number in a row, and refuses then", _opens,
               "what counts, and what sets the count back"),
        _trial("closes again when the call after the pause works", _recovers,
               "the call after the pause, and what it sets back", probed=True),
        _trial("opens again when that call fails", _fails_again, "when the second pause begins",
               probed=True),
        _trial("lets one call through after the pause, and not several", _several,
               "those who come while the one call is under way", probed=True),
        _trial("forgives failures that come late", _late,
               "a failure that began before the breaker opened", points=0.25),
        _trial("believes a success that comes late", _late_success,
               "a call that works while the breaker is open: it closes it", points=0.25),
        _trial(
            "takes a cancelled call for nothing",
            _cancelled,
            "what becomes of `probing` when the one call is cancelled",
            general=False,  # it does not know that who gives up a probe ends it
        ),
    ),
    builds_on={"BreakerOpen": "course.models.breaker:BreakerOpen"},
    places={
        "*": "what came of {}",
    },
    finished={
        name: f"course.models.breaker:Breaker.{name}" for name in ("admit", "enter", "settle")
    },
)  # fmt: skip
