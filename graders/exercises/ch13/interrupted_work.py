"""Exercise 13.6: work that goes on when the caller cuts in, and is done once."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
import asyncio


async def stage(bench, student):
    begun, asked, told = {}, [], []
    start = asyncio.get_running_loop().time()

    async def ask(at, key, until):
        await asyncio.sleep(max(0.0, start + at - asyncio.get_running_loop().time()))
        work = lambda: bench.tool("book").function(key=key)
        try:
            async with asyncio.timeout(until - at if until else None):
                return await student.once(key, work, begun)
        except TimeoutError:
            return "cut off"
        except (NotImplementedError, NameError, AttributeError, TypeError):
            raise
        except Exception as error:
            return {"raised": type(error).__name__}

    told = await asyncio.gather(*(ask(*each) for each in bench.params["asks"]))
    await asyncio.sleep(bench.params["rest"])
    return told
"""
_SCHEMA = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
_KEYS = ("visit of Ada", "visit of Bo", "bill of Cleo", "bill of Dan")
_TAKES = 3.0
Asking = tuple[float, int, float | None]
"""When somebody asks, for which key by its place, and when they stop waiting; None for never."""


def _world(*asks: Asking, fails: Sequence[int] = (), empty: bool = False) -> ScenarioMaker:
    """A tool that takes three seconds; some calls may fail, or give an empty text.

    The third key differs from the first one in its capitals alone.
    """

    def behaviour(ask: Ask) -> Answer:
        if ask.number in fails:
            return Answer(error=f"nobody there ({ask.token})", seconds=_TAKES)
        return Answer("" if empty else f"booked: {ask.token}", seconds=_TAKES)

    def world(draw: random.Random) -> Scenario:
        keys = draw.sample(_KEYS, 2)
        keys.append(keys[0].title())
        asked = [[at, keys[place], until] for at, place, until in asks]
        tool = ToolOffer("book", "Book something.", _SCHEMA, behaviour)
        return Scenario((tool,), params={"asks": asked, "rest": 2 * _TAKES})

    return world


def _booked(log: Log) -> list[Any]:
    """What came of each booking, in the order in which they were begun."""
    return [each.outcome for each in log.calls("book")]


def _ends(outcomes: list[str], told: list[Any], look: str) -> Checks:
    """What came of the bookings, and what each who asked was told: a booking's reply by place."""

    def wanted(log: Log) -> list[Any]:
        replies = [each.reply for each in log.calls("book")]
        return [replies[each] if isinstance(each, int) else each for each in told]

    def checks(world: Scenario) -> list[Any]:
        view = viewed(
            lambda log: {"booked": _booked(log)},
            equals({"booked": outcomes}, look=f"look at {look}"),
        )
        return [view, fits(wanted, look=f"look at {look}")]

    return checks


_FAILED = {"raised": "ToolError"}

ONCE = Exercise(
    "13.6", ("once",), (
        Trial("gives what the work gives", _STAGE, _world((0, 0, None)),
              _ends(["answered"], [0], "what you return"), 0.5),
        Trial("lets the work go on when nobody waits any more", _STAGE, _world((0, 0, 1.0)),
              _ends(["answered"], ["cut off"], "what is cancelled with the one who waits"), 1),
        Trial("waits for work that is under way", _STAGE,
              _world((0, 0, 1.0), (2, 0, None), (2.5, 0, 2.75)),
              _ends(["answered"], ["cut off", 0, "cut off"], "what is asked twice"), 1),
        Trial("gives at once what is done", _STAGE,
              _world((0, 0, 1.0), (5, 0, 5.5), (6, 0, 6.5), empty=True),
              _ends(["answered"], ["cut off", 0, 0], "what is known already"), 0.5),
        Trial("begins work anew that failed", _STAGE,
              _world((0, 0, None), (5, 0, None), (10, 0, None), (15, 1, None), fails=(0, 1, 3)),
              _ends(["failed", "failed", "answered", "failed"], [_FAILED, _FAILED, 2, _FAILED],
                    "what `begun` holds after a failure, and when the work begins anew"), 0.5),
        Trial("keeps works apart", _STAGE,
              _world((0, 0, None), (1, 1, None), (1.5, 2, None), (6, 0, None), (7, 1, None)),
              _ends(["answered"] * 3, [0, 1, 2, 0, 1], "the key"), 0.5),
    ),
    places={
        "": "what those who asked were told",
        "*": "what the {} one who asked was told",
        "booked": "the bookings",
        "booked.*": "the {} booking",
    },
)  # fmt: skip
