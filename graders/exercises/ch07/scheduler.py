"""Exercise 7.2: a plan is carried out, each task as soon as its own dependencies are over."""

from __future__ import annotations

from graders.checks import concurrency, dependencies, made, sequence
from graders.exercises.ch07.scheduler_worlds import (
    TASK,
    chain_last,
    needs,
    two_ways,
    wide,
    world_of,
)
from graders.exercises.kit import *
from graders.records.verdict import passed
from graders.records.wording import bars, count, fail, sealed, seconds, shown

_SETTING = """
import asyncio

from course.supervisor_worker import Plan


def parts(bench, given, told):
    params = bench.params
    settings = dict(params["settings"])
    if "done" in settings:
        settings["done"] = dict(settings["done"])

    def hears(id, result):
        told.append(asyncio.ensure_future(bench.tool("hear").function(id=id, result=result)))

    if params["told"]:
        settings["on_result"] = hears

    async def work(task, results):
        given[task.id] = dict(results)
        try:
            return await bench.tool("work").function(id=task.id, given=dict(results))
        except asyncio.CancelledError:
            await asyncio.sleep(params["tidying"])
            bench.mark("tidied", task.id)
            if task.id == params["untidy"]:
                raise RuntimeError(f"{task.id} could not tidy up")
            raise

    return Plan.model_validate(params["plan"]), work, settings

"""
_STAGE = (
    _SETTING
    + """
async def stage(bench, student):
    given, told = {}, []
    plan, work, settings = parts(bench, given, told)
    try:
        results = await student.schedule(plan, work, **settings)
    except (NotImplementedError, NameError, AttributeError, TypeError):
        raise
    except (Exception, asyncio.CancelledError) as error:
        return {"raised": type(error).__name__, "says": str(error)}
    await asyncio.gather(*told)
    return {"ids": list(results), "results": results, "given": given}
"""
)
_REFUSED = """
from course.errors import ConfigurationError
from course.supervisor_worker import Plan


async def stage(bench, student):
    async def work(task, given):
        return await bench.tool("work").function(id=task.id, given=dict(given))

    told = []
    for case in bench.params["cases"]:
        try:
            await student.schedule(Plan.model_validate(case["plan"]), work, **case["settings"])
        except (NotImplementedError, NameError, AttributeError, TypeError):
            raise
        except Exception as error:
            told.append(type(error).__name__)
        else:
            told.append("nothing")
    return told
"""
_STOPPED = (
    _SETTING
    + """
async def stage(bench, student):
    plan, work, settings = parts(bench, {}, [])
    running = asyncio.ensure_future(student.schedule(plan, work, **settings))
    await asyncio.sleep(bench.params["patience"])
    running.cancel()
    await asyncio.wait([running])
    if not running.cancelled() and running.exception() is not None:
        raise running.exception()
    return "stopped" if running.cancelled() else "went on"
"""
)


def _replies(log: Log) -> dict[str, Any]:
    return {each.request["id"]: each.reply for each in log.calls("work")}


def _in_time(world: Scenario) -> list[Check]:
    after = needs(world)

    def given(log: Log) -> dict[str, Any]:
        told = _replies(log)
        return {id: {need: told[need] for need in each} for id, each in after.items()}

    return [
        made(TASK, list(after), what="a task"),
        parallel(TASK, list(after), after=after, what="the work"),
        dependencies(TASK, after, carries=True),
        equals(
            given, at="given", look="look at what `work` is given: its own dependencies' results"
        ),
    ]


def _by_id(world: Scenario) -> list[Check]:
    ids = list(needs(world))
    return [
        equals(_replies, at="results", look="look at what is kept of each task"),
        equals(ids, at="ids", look="the results are in the plan's order, whatever was over first"),
        _heard,
    ]


@sealed
def _heard(log: Log) -> Verdict:
    """Each result was told once, in the moment in which it was there."""
    heard = {each.request["id"]: each for each in log.calls("hear")}
    for each in log.calls("work"):
        id, told = each.request["id"], heard.get(each.request["id"])
        wrong = ""
        if told is None:
            wrong = f"but nothing was told of {id}"
        elif told.request["result"] != each.reply:
            wrong = f"but of {id} {shown(told.request['result'])} was told"
        elif told.start > end_of(each):
            wrong = f"but {id} was over at {seconds(end_of(each))}, told at {seconds(told.start)}"
        if wrong:
            return fail(
                "told.missing" if told is None else "told.otherwise",
                expected="`on_result` to hear of each result as it comes",
                got=wrong,
                look="look at when you call it, and with what",
                evidence=bars([each, *([told] if told else [])], [each.number]),
            )
    many, results = len(log.calls("hear")), len(log.calls("work"))
    if many > results:
        return fail(
            "told.otherwise",
            expected=f"`on_result` to hear of {count(results, 'result')}, once of each",
            got=f"but it was called {many} times",
            look="look at where you call it",
            evidence=bars(log.calls("hear")),
        )
    return passed()


def _limit(draw: random.Random, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"limit": draw.randrange(2, 4)}


def _at_most(world: Scenario) -> list[Check]:
    limit, after = world.params["settings"]["limit"], needs(world)
    return [
        made(TASK, list(after), what="a task"),
        concurrency(limit, TASK, what="task"),
        parallel(TASK, list(after), after=after, limit=limit, what="the work"),
    ]


def _two_places(draw: random.Random, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"limit": 2}


def _ranked(draw: random.Random, data: Mapping[str, Any]) -> dict[str, Any]:
    """Ranks by tenths, the lowest for whoever others wait for: chains would rank them highest."""
    waited = {need for each in data["tasks"] for need in each["dependencies"]}
    ids = sorted(each["id"] for each in data["tasks"])
    draw.shuffle(ids)
    ids.sort(key=lambda id: id not in waited)
    return {"limit": 1, "priority": {id: rank / 10 for rank, id in enumerate(ids, start=1)}}


def expected_order(after: Mapping[str, list[str]], rank: Mapping[str, float]) -> list[str]:
    """The order in which one place is filled: of those that may begin, the highest rank first."""
    order: list[str] = []
    while len(order) < len(after):
        free = [id for id in after if id not in order and set(after[id]) <= set(order)]
        order.append(max(free, key=lambda id: rank[id]))
    return order


def _most_urgent(world: Scenario) -> list[Check]:
    return [sequence(TASK, expected_order(needs(world), world.params["settings"]["priority"]))]


def _longest_chain(world: Scenario) -> list[Check]:
    after = needs(world)
    return [
        made(TASK, list(after), what="a task"),
        concurrency(2, TASK, what="task"),
        within(ended_by=len(after) / 2),
    ]


def _some_done(draw: random.Random, data: Mapping[str, Any]) -> dict[str, Any]:
    """A task that others wait for, and one of these with an empty result, are done; one is not."""
    after = {each["id"]: each["dependencies"] for each in data["tasks"]}
    first = next(
        id for id, each in after.items() if not each and any(id in n for n in after.values())
    )
    second = next(id for id, each in after.items() if each == [first])
    return {"done": {first: f"{first} was done ({draw.randrange(100, 1000)})", second: ""}}


def _not_again(world: Scenario) -> list[Check]:
    done, after = world.params["settings"]["done"], needs(world)
    left = [id for id in after if id not in done]

    def given(log: Log) -> dict[str, Any]:
        told = {**done, **_replies(log)}
        return {id: {need: told[need] for need in after[id]} for id in left}

    return [
        made(TASK, left, what="a task"),
        equals(given, at="given", look="results that are there already are handed on as well"),
        equals(lambda log: {**done, **_replies(log)}, at="results", look="they are results, too"),
        _heard,
    ]


def _broken(world: Scenario) -> list[Check]:
    def wanted(log: Log) -> dict[str, Any]:
        broken = [each for each in log.calls("work") if each.outcome == "failed"]
        said = broken[0].reply["error"] if broken else "what the work says"
        return {"raised": "ToolError", "says": said}

    return [
        equals(wanted, look="which error leaves your function?"),
        within(ended_by=world.params["ends_by"]),
        nothing_left(),
        tidied(TASK, after=world.params["tidying"]),
    ]


def _stopped(world: Scenario) -> list[Check]:
    return [
        nothing_left(cancelled_at=world.params["patience"]),
        equals("stopped"),
        tidied(TASK, after=world.params["tidying"]),
    ]


def _impossible(draw: random.Random) -> Scenario:
    """A circle, a task that waits for none of the plan, the same id twice, and no place at all."""
    a, b, c = names(draw, 3)
    round = plan([task(draw, c), task(draw, a, b), task(draw, b, a)])
    unknown = plan([task(draw, a), task(draw, b, c)])
    double = plan([task(draw, a), task(draw, b), task(draw, a)])
    well = plan([task(draw, a), task(draw, b, a)])
    cases = [{"plan": each, "settings": {}} for each in (round, unknown, double)]
    params = {"cases": [*cases, {"plan": well, "settings": {"limit": 0}}]}
    return Scenario(world_of(wide)(draw).tools, params=params)


def _refused(world: Scenario) -> list[Check]:
    return [
        equals(
            ["ConfigurationError"] * len(world.params["cases"]),
            look="what refuse_impossible says of the plan and the limit",
        ),
        within(calls=0),
    ]


SCHEDULE = Exercise(
    "7.2", ("schedule",), (
        Trial("starts each task the moment its own dependencies are over", _STAGE,
              world_of(two_ways), _in_time, 1.5),
        Trial("gives the results by id, and tells of each as it comes", _STAGE,
              world_of(wide, told=True, empty=True), _by_id, 0.5),
        Trial("keeps to the limit, and leaves no place empty", _STAGE,
              world_of(wide, settings=_limit), _at_most, 0.5),
        Trial("gives a scarce place to the most urgent task", _STAGE,
              world_of(wide, settings=_ranked), _most_urgent, 0.25),
        Trial("takes the longest chain for the most urgent when nothing else is said", _STAGE,
              world_of(chain_last, settings=_two_places), _longest_chain, 0.25),
        Trial("does not repeat what is done already", _STAGE,
              world_of(two_ways, settings=_some_done, told=True), _not_again, 0.25),
        Trial("leaves nothing behind when a task raises", _STAGE,
              world_of(wide, fails=True, tidying=0.25), _broken, 0.25),
        Trial("leaves nothing behind when it is cancelled", _STOPPED,
              world_of(wide, tidying=0.25, patience=1.5), _stopped, 0.25),
        Trial("refuses a plan that would never end, before anything runs", _REFUSED, _impossible,
              _refused, 0.25),
    ),
    builds_on={
        "Board": "course.supervisor_worker.schedule:Board",
        "refuse_impossible": "course.supervisor_worker.schedule:refuse_impossible",
        "urgency": "course.supervisor_worker.plan:urgency",
    },
    places={
        "": "how it ended",
        "*": "how the {} plan ended",
        "raised": "the error that came out",
        "says": "the error's text",
        "ids": "the ids of the results",
        "ids.*": "the {} id of the results",
        "results": "the results",
        "results.*": "the result of {}",
        "given": "what the tasks were given",
        "given.*": "what task {} was given",
        "given.*.*": "what task {0} was given of task {1}",
        "told": "what `on_result` was told",
        "told.*": "what `on_result` was told of {}",
    },
    finished={"schedule": "course.supervisor_worker.schedule:schedule"},
)  # fmt: skip
