"""Exercise 4.2: all calls of a supervisor's message at once, delegations and its own tools."""

from __future__ import annotations

from course.models import Call
from graders.checks import by_text, called, made
from graders.checks.keys import Key, by_tool
from graders.exercises.house_tools import idents
from graders.exercises.kit import *

_SETTING = """
import asyncio
from dataclasses import replace

from course import Agent, Trace, span
from course.supervisor import Supervisor
from course.supervisor.state import SupervisorRun


def run_of(bench, tools, theirs=()):
    workers = tuple(
        Agent(
            name=name, description=f"does {name}", instructions=f"You are in {name}.", tools=theirs
        )
        for name in bench.params["workers"]
    )
    boss = Supervisor(name="caretaker", workers=workers, tools=tools)
    return SupervisorRun(boss, bench.client)

"""
_STAGE = (
    _SETTING
    + """
async def stage(bench, student):
    run, trace = run_of(bench, bench.tools), Trace("calls")
    with trace.record(), span("invoke_agent", "caretaker"):
        answers = await student.answer_all(run, bench.params["calls"])
    steps = [
        {
            "name": each.name,
            "start": each.start,
            "end": each.end,
            "events": [event.name for event in each.events],
        }
        for each in trace.spans
        if each.operation == "monitor"
    ]
    kept = {id: [each.worker, each.result] for id, each in run.delegations.items()}
    return {"answers": list(answers), "kept": kept, "steps": steps}
"""
)
_STOPPED = (
    _SETTING
    + """
async def stage(bench, student):
    [lift] = bench.tools

    async def ride(floor: int):
        try:
            return await lift.function(floor)
        except asyncio.CancelledError:
            await asyncio.sleep(bench.params["tidying"])
            bench.mark("tidied", "lift")
            raise

    told = (replace(lift, function=ride),)
    run = run_of(bench, told, told)
    answering = asyncio.ensure_future(student.answer_all(run, bench.params["calls"]))
    await asyncio.sleep(bench.params["patience"])
    answering.cancel()
    await asyncio.wait([answering])
    if not answering.cancelled() and answering.exception() is not None:
        raise answering.exception()
    return "stopped" if answering.cancelled() else "returned all the same"
"""
)
TIDYING = 0.75
"""Seconds that the lift needs to tidy up when it is cancelled."""
_NAMES = (
    *("plumbing", "carpentry", "painting", "roofing", "tiling", "glazing", "plastering"),
    *("wiring", "welding", "paving", "fencing"),
)


def _says(times: dict[str, float], broken: str, *, rides: bool) -> Callable[[Ask], Answer]:
    """Each worker answers after its own time; one may have no model, or all may ride the lift."""

    def says(ask: Ask) -> Answer:
        assert ask.request is not None
        text = str(ask.request.messages[0]["content"])
        name = next(each for each in times if each in text)
        if name == broken:
            gone = ApiError(404, f"no model for {name}", code="model_not_found")
            return Answer(error=gone, seconds=times[name])
        if rides:
            return Answer(Reply(None, (Call("lift", '{"floor": 9}'),)))
        return Answer(f"{name} is done: {ask.token}", seconds=times[name])

    return says


def _message(many: int = 3, *, broken: bool = False, patience: float = 0.0) -> ScenarioMaker:
    """So many delegations, each to another worker, and a ride in the lift."""

    def world(draw: random.Random) -> Scenario:
        names = draw.sample(_NAMES, many)
        seconds = draw.sample(range(2, many + 6), many)
        seconds.sort(reverse=True)  # so that the first asked is the last to be done
        asked = [(name, f"{name}: job {number}") for number, name in enumerate(names)]
        calls = [
            call("delegate_to_agent", {"worker_agent": name, "task": task}, ident)
            for (name, task), ident in zip(asked, idents(draw, many), strict=True)
        ]
        calls.insert(1, call("lift", {"floor": draw.randrange(2, 6)}, "call_lift"))
        times = dict(zip(names, map(float, seconds), strict=True))
        params = {"workers": names, "calls": calls, "patience": patience, "tidying": TIDYING}
        says = _says(times, names[1] if broken else "", rides=patience > 0)
        return Scenario((LIFT,), says, params)

    return world


def _asked_of(log: Log, worker: str) -> Exchange:
    [asked] = [each for each in log.requests() if worker in str(each.request["messages"][0])]
    return asked


def _all_asked(world: Scenario) -> list[Check]:
    """Every worker got its task, and the lift its floor, once."""
    rides = [json.loads(each["function"]["arguments"]) for each in world.params["calls"][1:2]]
    return [made(_by_worker(world), list(world.params["workers"])), called("lift", rides)]


def _by_worker(world: Scenario) -> Key:
    return by_text({name: f"You are in {name}." for name in world.params["workers"]}, part="system")


def _orders(world: Scenario) -> list[tuple[str, str]]:
    """Who is asked under which id."""
    return [
        (json.loads(each["function"]["arguments"])["worker_agent"], each["id"])
        for each in world.params["calls"]
        if each["function"]["name"] == "delegate_to_agent"
    ]


def _told(worker: str, asked: Exchange) -> Callable[[Any], bool]:
    """What the supervisor reads of a delegation."""
    if asked.outcome == "failed":
        wanted = {"worker": worker, "status": "failed", "kind": "model"}
    else:
        wanted = {"worker": worker, "status": "done", "result": asked.reply["text"]}

    def told(text: Any) -> bool:
        return bool(wanted.items() <= json.loads(text).items())

    return such_that(f"the JSON text of {json.dumps(wanted)}", told)


def _in_order(world: Scenario) -> Check:
    def wanted(log: Log) -> dict[str, Any]:
        [ride] = log.calls("lift")
        contents: dict[str, Any] = {"call_lift": ride.reply}
        contents |= {id: _told(name, _asked_of(log, name)) for name, id in _orders(world)}
        ids = [each["id"] for each in world.params["calls"]]
        return {
            "answers": [{"role": "tool", "tool_call_id": id, "content": contents[id]} for id in ids]
        }

    return fits(wanted, look="look at the order in which you collect the answers")


def _kept(world: Scenario) -> Check:
    def wanted(log: Log) -> dict[str, Any]:
        asked = {id: (name, _asked_of(log, name)) for name, id in _orders(world)}
        done = {
            id: [name, each.reply["text"] if each.outcome == "answered" else ""]
            for id, (name, each) in asked.items()
        }
        return {"kept": done}

    return fits(wanted, look="look at what becomes of a call: answer_one does it all")


def _at_once(world: Scenario) -> list[Check]:
    named = _by_worker(world)

    def label(exchange: Exchange) -> str | None:
        return exchange.name if exchange.kind == "tool" else named(exchange)

    return [parallel(label, [*world.params["workers"], "lift"], what="a call")]


def _watched(world: Scenario) -> Check:
    """One step "monitor" of the supervisor's that covers all delegations and notes their ends."""

    def wanted(log: Log) -> dict[str, Any]:
        end = max(_asked_of(log, name).end or 0.0 for name, _ in _orders(world))

        def covers(steps: Any) -> bool:
            [watching] = steps
            noted = [watching["events"].count(each) for each in ("started", "completed")]
            long = watching["start"] == 0 and watching["end"] >= end
            return bool(long and watching["name"] == "caretaker" and noted == [3, 3])

        wanted = f'one step "monitor" of the caretaker\'s from 0 to {end:g} s, in run.monitor'
        return {"steps": such_that(wanted, covers)}

    return fits(wanted, look='look at what stands inside `with span("monitor", ...)`')


ANSWER_ALL = Exercise(
    "4.2", ("answer_all",), (
        Trial("answers in the order of the calls, each under its id", _STAGE, _message(),
              lambda world: [*_all_asked(world), _in_order(world), _kept(world)]),
        Trial("runs delegations and its own tools at the same time", _STAGE, _message(MANY - 1),
              _at_once, 0.75),
        Trial("keeps the siblings' results when one delegation fails", _STAGE,
              _message(broken=True),
              lambda world: [*_all_asked(world), _in_order(world), _kept(world)], 0.5),
        Trial("watches over them in one step", _STAGE, _message(),
              lambda world: [*_all_asked(world), _watched(world)], 0.25),
        Trial("leaves nothing running when it is stopped", _STOPPED, _message(patience=1.0),
              lambda world: [fits("stopped",
                                  look="what becomes of a cancellation: it has to go out"),
                             nothing_left(cancelled_at=1.0),
                             tidied(by_tool("lift"), after=TIDYING)], 0.5),
    ),
    builds_on={"answer_one": "course.supervisor.running:answer_one"},
    places={
        "": "how it ended",
        "answers": "the messages",
        "answers.*": "the {} message",
        "kept": "`run.delegations`",
        "kept.*": "the delegation {}",
        "steps": "the steps named monitor",
        "steps.*": "the {} step named monitor",
    },
    finished={"answer_all": "course.supervisor.running:answer_all"},
)  # fmt: skip
