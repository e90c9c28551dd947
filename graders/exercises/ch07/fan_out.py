"""Exercise 7.1: several things at the same time, and nothing left running when one fails."""

from __future__ import annotations

from graders.exercises.kit import *

TIDYING = 1.25
"""Seconds that a work needs to tidy up when it is cancelled."""
_WORKS = """
import asyncio


def works(bench, tidied, own):
    async def work(id):
        try:
            return await bench.tool("work").function(id=id)
        except asyncio.CancelledError:
            await asyncio.sleep(bench.params["tidying"])
            bench.mark("tidied", id)
            if id in bench.params["untidy"]:
                raise RuntimeError(f"{id} could not tidy up")
            raise
        except Exception as error:
            own.append(error)
            raise
        finally:
            tidied.append(id)

    return (work(id) for id in bench.params["ids"])

"""
_STAGE = (
    _WORKS
    + """
async def stage(bench, student):
    tidied, own = [], []
    try:
        results = list(await student.concurrently(works(bench, tidied, own)))
    except (NotImplementedError, NameError, AttributeError, TypeError):
        raise
    except (Exception, asyncio.CancelledError) as error:
        raised = {"raised": type(error).__name__, "says": str(error)}
        return {**raised, "tidied": sorted(tidied), "as it is": error in own}
    return {"results": results, "of_nothing": list(await student.concurrently([]))}
"""
)
_STOPPED = (
    _WORKS
    + """
async def stage(bench, student):
    tidied = []
    running = asyncio.ensure_future(student.concurrently(works(bench, tidied, [])))
    await asyncio.sleep(bench.params["patience"])
    running.cancel()
    await asyncio.wait([running])
    if not running.cancelled() and running.exception() is not None:
        raise running.exception()
    return {"stopped": running.cancelled(), "tidied": sorted(tidied)}
"""
)
_SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
_WORK = by_argument("id", tool="work")


def _world(*, failing: bool = False, tidying: float = 0.0, patience: float = 0.0) -> ScenarioMaker:
    """Seven works, the first slower than the last, of which one gives an empty text.

    If they are `failing`, the second fails, the first would later, and both the first and the
    third, which are still under way then, fail to tidy up.
    """

    def world(draw: random.Random) -> Scenario:
        ids = names(draw, 7)
        quick, early, late, *slow = sorted(2.0 * each for each in draw.sample(range(9), 7))
        longer = TIDYING * len(ids)  # than the others: who waits for it has waited for too much
        takes = dict(zip(ids, (late, early, slow[-1] + longer, *slow[:-1], quick), strict=True))
        takes = {id: 3.0 + each for id, each in takes.items()}
        broken = ids[:2] if failing else []

        def behaves(ask: Ask) -> Answer:
            id = ask.arguments["id"]
            if id in broken:
                return Answer(error=f"{id} broke ({ask.token})", seconds=takes[id])
            return Answer("" if id == ids[3] else f"{id}: {ask.token}", seconds=takes[id])

        tool = ToolOffer("work", "Do something.", _SCHEMA, behaves)
        first = min((takes[id] for id in broken), default=0.0)
        params = {
            "ids": ids,
            "tidying": tidying,
            "untidy": [ids[0], ids[2]] if failing else [],
            "patience": patience,
            "breaks_at": first,
        }
        return Scenario((tool,), params=params)

    return world


def _at_once(world: Scenario) -> list[Check]:
    ids = world.params["ids"]

    def wanted(log: Log) -> dict[str, Any]:
        replies = {each.request["id"]: each.reply for each in log.calls("work")}
        return {"results": [replies[id] for id in ids], "of_nothing": []}

    return [
        parallel(_WORK, ids, what="the work"),
        equals(wanted, look="look at the order of what you give back"),
    ]


def _first_error(world: Scenario) -> list[Check]:
    def wanted(log: Log) -> dict[str, Any]:
        broken = [each for each in log.calls("work") if each.outcome == "failed"]
        said = broken[0].reply["error"] if broken else "what the work says"
        tidied = sorted(world.params["ids"])
        return {"raised": "ToolError", "says": said, "tidied": tidied, "as it is": True}

    return [
        equals(wanted, look="which error leaves your function, and is everything over then?"),
        within(ended_by=world.params["breaks_at"] + len(world.params["ids"]) * TIDYING),
        nothing_left(),
        tidied(_WORK, after=TIDYING),
    ]


def _stopped(world: Scenario) -> list[Check]:
    return [
        nothing_left(cancelled_at=world.params["patience"]),
        equals(
            {"stopped": True, "tidied": sorted(world.params["ids"])},
            look="what becomes of the works when your function is cancelled itself?",
        ),
        tidied(_WORK, after=TIDYING),
    ]


ABREAST = Exercise(
    "7.1", ("concurrently",), (
        Trial("does all of it at the same time, and keeps the order", _STAGE, _world(), _at_once),
        Trial("leaves no orphan when one fails, and lets its error out as it is", _STAGE,
              _world(failing=True, tidying=TIDYING), _first_error, 0.75),
        Trial("leaves no orphan when it is cancelled itself", _STOPPED,
              _world(tidying=TIDYING, patience=2.0), _stopped, 0.25),
    ),
    places={
        "results": "the results",
        "results.*": "the {} result",
        "of_nothing": "what comes of no work at all",
        "raised": "the error that came out",
        "says": "the error's text",
        "tidied": "the works that were cancelled and waited for",
        "as it is": "whether the error that came out is the work's own",
        "stopped": "whether it could be cancelled",
    },
    finished={"concurrently": "course.supervisor_worker.schedule:concurrently"},
)  # fmt: skip
