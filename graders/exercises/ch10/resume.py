"""Exercise 10.5: a plan that goes on where a killed process left it, and repeats nothing."""

from __future__ import annotations

from graders.checks import dependencies, made
from graders.checks.keys import grouped
from graders.exercises.kit import *
from graders.records.verdict import passed
from graders.records.wording import bars, fail, sealed, seconds, shown

CODES = {"resumed.repeated": "a task was done again although its result had been there"}

_STAGE = """
import asyncio

from course.errors import ToolError
from course.results import Failure, TaskResult
from course.supervisor_worker import Plan, Store


class Disk(Store):
    # What is on disk outlives its process; what a process would write while it dies does not.
    def __init__(self):
        super().__init__(":memory:")
        self.begun = {}
        self.goal = None  # of the plan of this process, until that has begun

    def begin(self, run, request):
        if request != (self.goal or request):
            raise ValueError(f"the store was begun with {request!r}, and not with the plan's goal")
        super().begin(run, request)
        self.begun[run], self.goal = request, None

    def plan(self, run):
        return self.opened() and super().plan(run)

    def results(self, run):
        return self.opened() and super().results(run)

    def save_plan(self, run, plan):
        return self.opened() and super().save_plan(run, plan)

    def save_result(self, run, result):
        return self.opened() and super().save_result(run, result)

    def opened(self):
        if self.goal is not None:
            raise ValueError("the store's begin is to be called first")
        return True

    def left_behind(self):
        left = Disk()
        for run, request in self.begun.items():
            left.begin(run, request)
            if self.plan(run) is not None:
                left.save_plan(run, self.plan(run))
            for result in self.results(run).values():
                left.save_result(run, result)
        return left


def work_of(tool, run):
    async def work(task, given):
        shown = {id: each.result for id, each in given.items()}
        said = await tool.function(task=f"{run}/{task.id}", given=shown)
        told = {"task_id": task.id, "worker": task.worker}
        if said["done"]:
            return TaskResult(result=said["text"], **told)
        return TaskResult(status="failed", failure=Failure("worker", said["text"]), **told)

    return work


def broken(running):
    error = running.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def stage(bench, student):
    disk, told = Disk(), []
    for life in bench.params["lives"]:
        plan, run = Plan.model_validate(life["plan"]), life["run"]
        disk.goal = plan.goal
        work = work_of(bench.tool("work"), run)
        running = asyncio.create_task(student.carry_on(plan, work, store=disk, run=run))
        await asyncio.wait([running], timeout=life["seconds"])
        if running.done() and isinstance(error := broken(running), ToolError):
            told.append({"raised": str(error)})
        elif running.done():
            results = running.result()
            told.append({id: [each.status, each.result] for id, each in results.items()})
        else:
            dying, disk = disk, disk.left_behind()
            running.cancel()
            await asyncio.wait([running])
            dying.close()
            told.append("killed")
    disk.close()
    return told
"""
Life = dict[str, Any]
KEY = by_argument("task", tool="work")
_SCHEMA = {
    "type": "object",
    "properties": {"task": {"type": "string"}, "given": {"type": "object"}},
    "required": ["task", "given"],
}


def _tool(takes: dict[str, float], broken: Iterable[str], breaks: str = "") -> ToolOffer:
    """Does a task of a run in its seconds; some can not be done, and at one it breaks itself."""
    hopeless = set(broken)

    def behaviour(ask: Ask) -> Answer:
        id = str(ask.arguments["task"]).partition("/")[2]
        if id == breaks:
            return Answer(error=f"the tool broke ({ask.token})", seconds=takes[id])
        said = {"done": id not in hopeless, "text": f"{id}: {ask.token}"}
        return Answer(said, seconds=takes.get(id, 1.0))

    return ToolOffer("work", "does a task of a run", _SCHEMA, behaviour, None)


def life(data: dict[str, Any], seconds: float | None = None, *, run: str = "night") -> Life:
    """One process: the run that it goes on with, and when it is killed, in seconds."""
    return {"plan": data, "run": run, "seconds": seconds}


Written = Callable[[random.Random], tuple[list[Life], dict[str, float], list[str]]]


def _world(written: Written) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        lives, takes, broken = written(draw)
        params = {"lives": lives, "takes": takes, "broken": broken}
        return Scenario([_tool(takes, broken)], None, params)

    return world


def _five(draw: random.Random) -> tuple[dict[str, Any], dict[str, float], list[str]]:
    """Two short chains that end in one task, and how long each of the five takes."""
    a, b, c, d, e = ids = names(draw, 5)
    tasks = [task(draw, a), task(draw, b), task(draw, c, a), task(draw, d, b), task(draw, e, c, d)]
    return plan(tasks), {a: 1.0, b: 2.0, c: 3.0, d: 1.0, e: 2.0}, ids


def _killed_twice(draw: random.Random) -> tuple[list[Life], dict[str, float], list[str]]:
    data, takes, _ = _five(draw)
    return [life(data, 1.5), life(data, 2.5), life(data)], takes, []


def _killed_early_and_late(draw: random.Random) -> tuple[list[Life], dict[str, float], list[str]]:
    """Killed before anything is done, and again before the last task is; asked once more later."""
    data, takes, _ = _five(draw)
    return [life(data, 0.5), life(data, 5.5), life(data), life(data)], takes, []


def _one_fails(draw: random.Random) -> tuple[list[Life], dict[str, float], list[str]]:
    """A task fails for good before the process dies: that was its result."""
    a, b, c = names(draw, 3)
    data = plan([task(draw, a), task(draw, b), task(draw, c, b)])
    return [life(data, 2.5), life(data)], {a: 1.0, b: 2.0, c: 2.0}, [a]


def _another_plan(draw: random.Random) -> tuple[list[Life], dict[str, float], list[str]]:
    """The second process brings another plan; the run has one already."""
    data, takes, _ = _five(draw)
    x, y = (f"x{draw.randrange(10, 99)}", f"y{draw.randrange(10, 99)}")
    return [life(data, 2.5), life(plan([task(draw, x), task(draw, y, x)]))], takes, []


def _raises(draw: random.Random) -> Scenario:
    """The work itself breaks at one task, in each of two processes."""
    a, b, c = names(draw, 3)
    data = plan([task(draw, a), task(draw, b), task(draw, c, b)])
    tool = _tool({a: 2.0, b: 1.0, c: 4.0}, (), breaks=a)
    return Scenario([tool], None, {"lives": [life(data), life(data)]})


def _two_runs(draw: random.Random) -> tuple[list[Life], dict[str, float], list[str]]:
    """Another run with tasks of the same names comes in between."""
    data, takes, _ = _five(draw)
    other = {**data, "tasks": data["tasks"][:4]}
    return [life(data, 2.5), life(other, run="day"), life(data)], takes, []


def plans_of(world: Scenario) -> dict[str, dict[str, Any]]:
    """The plan that each run has: the first one that it was begun with."""
    found: dict[str, dict[str, Any]] = {}
    for each in world.params["lives"]:
        found.setdefault(each["run"], each["plan"])
    return found


def _once(log: Log) -> Verdict:
    for label, calls in grouped(log, KEY).items():
        done = next((e for e in calls if e.outcome == "answered"), None)
        again = next((e for e in calls if done and e.number > done.number), None)
        if done and again:
            return fail(
                "resumed.repeated",
                expected=f"{shown(label)} once",
                got=f"but it was done by {seconds(end_of(done))} and again from"
                f" {seconds(again.start)} on",
                look="is a result on disk the moment it is there, and is it read again?",
                evidence=bars(calls, [again.number]),
            )
    return passed()


def _told(world: Scenario, log: Log) -> list[Any]:
    """What each process gives back: what came of each task of its run's plan, whoever did it."""
    came = {label: calls[-1].reply for label, calls in grouped(log, KEY).items()}
    found: list[Any] = []
    for each in world.params["lives"]:
        results = {}
        for one in plans_of(world)[each["run"]]["tasks"]:
            said = came.get(f"{each['run']}/{one['id']}") or {"done": True, "text": ""}
            results[one["id"]] = ["done", said["text"]] if said["done"] else ["failed", ""]
        found.append("killed" if each["seconds"] else results)
    return found


def _checks(look: str) -> Checks:
    def checks(world: Scenario) -> list[Check]:
        after = {
            f"{run}/{each['id']}": [f"{run}/{need}" for need in each["dependencies"]]
            for run, data in plans_of(world).items()
            for each in data["tasks"]
        }
        return [
            sealed(_once),
            made(KEY, list(after), repeats=True, what="a task"),
            dependencies(KEY, after, carries=True),
            equals(lambda log: _told(world, log), look=f"look at {look}"),
        ]

    return checks


def _let_out(world: Scenario) -> list[Check]:
    def told(log: Log) -> list[Any]:
        errors = [each.reply["error"] for each in log.calls("work") if each.outcome == "failed"]
        return [{"raised": error} for error in errors] or [{"raised": "what the work says"}]

    return [sealed(_once), equals(told, look="what becomes of an error of `work`?")]


CARRY_ON = Exercise(
    "10.5", ("carry_on",), (
        Trial("does nothing twice, wherever it is killed", _STAGE, _world(_killed_twice),
              _checks("what a later process gives back: the results of all tasks"), 0.75),
        Trial("goes on from nothing, and from everything", _STAGE, _world(_killed_early_and_late),
              _checks("a run that is over: its results are there"), 0.5),
        Trial("takes a failure for what came of a task", _STAGE, _world(_one_fails),
              _checks("which results are kept: all of them"), 0.5),
        Trial("keeps to the plan that the run has", _STAGE, _world(_another_plan),
              _checks("which plan is carried out: the one in the store, if there is one"), 0.5),
        Trial("keeps two runs apart", _STAGE, _world(_two_runs),
              _checks("the name under which a result is kept and looked for"), 0.5),
        Trial("lets out what the work raises", _STAGE, _raises, _let_out, 0.25),
    ),
    places={
        "*": "the results of the {} life",
        "*.*": "the result of {1} in the {0} life",
        "*.raised": "the error that came out in the {0} life",
        "*.*.0": "the status of {1} in the {0} life",
    },
)  # fmt: skip
