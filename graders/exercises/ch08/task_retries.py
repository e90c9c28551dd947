"""Exercise 8.4: a worker tries a task until it works, cannot be helped, or was tried enough."""

from __future__ import annotations

from course.models import Call
from course.models.line import Backoff
from course.models.wire import Key
from graders.exercises.kit import *

_STAGE = """
from course.results import Attempt, Failure
from course.supervisor_worker import PlanningSupervisor, FailurePolicy, Registry
from course.supervisor import Worker
from course.supervisor_worker import PlanTask
from course.runs import Run
from course.supervisor_worker.supervisor import PlanRun, TaskInProgress


def run_of(bench, given):
    archive = Worker(
        name="archive", description="reads papers", instructions="You read.", tools=bench.tools
    )
    ledger = Worker(name="ledger", description="knows costs", instructions="You count.")
    boss = PlanningSupervisor(
        name="chief", workers=(archive, ledger), failure_policy=FailurePolicy(**given["policy"])
    )
    client = bench.client.with_options(max_retries=0)
    run = PlanRun(boss=boss, request="Read.", client=client)
    for _ in range(given["failed_before"]):
        run.breaker("archive").settle(False)
    return run, archive


async def stage(bench, student):
    told = []
    for number, given in enumerate(bench.params["cases"]):
        run, archive = run_of(bench, given)
        task = PlanTask(id=f"t{number}", description=given["words"], worker="archive")
        doing = TaskInProgress(task=task, words=given["words"])
        doing.tries = [
            Attempt(worker, given["words"], Failure("worker", "before", cause))
            for worker, cause in given["tries"]
        ]
        before = len(doing.tries)
        bench.mark("case", number)
        listen = Run("run", lambda event: bench.mark(type(event).__name__))
        with listen.active():
            await student.with_one(run, doing, archive, last=given["last"])
        new = doing.tries[before:]
        told.append({
            "tries": [[each.worker, each.failure and each.failure.cause] for each in new],
            "words": [each.words for each in new],
            "answer": doing.answer,
            "failure": doing.failure and [doing.failure.cause, doing.failure.error],
            "state": run.breaker("archive").state,
            "in_a_row": run.breaker("archive").in_a_row,
        })
    return told
"""
SECONDS = 0.5
"""How long the model takes for each answer."""
TOOL_SECONDS = 5.0
_TASKS = ("Count the bridges", "Find the rent of the hall", "Say how high the Erl stood")
Case = dict[str, Any]
Wanted = Callable[[Case, Log], dict[str, Any]]


def _says(ask: Ask) -> Answer:
    """Does what its task says: works after so many rewritings, never, not at all, by phone."""
    assert ask.request is not None
    said = str(ask.request.messages[-1]["content"])
    if ask.request.key.agent.endswith("refining"):
        words = said.split("Task: ", 1)[1].split("\n\n", 1)[0]
        return Answer(f"{words} Heed {ask.token}.", seconds=SECONDS)
    task = str(ask.request.messages[1]["content"]).split("\n\n")[0]
    if "strike" in task:
        return Answer(error=ApiError(400, f"on strike ({ask.token})"), seconds=SECONDS)
    if "by phone" in task and ask.request.messages[-1]["role"] != "tool":
        return Answer(Reply(None, (Call("phone", "{}"),)), seconds=SECONDS)
    if "never" in task or "by phone" in task or task.count("Heed") < task.count("once more"):
        return Answer(f"CANNOT: no such paper ({ask.token})", seconds=SECONDS)
    return Answer(f"found {ask.token}", seconds=SECONDS)


_PHONE = ToolOffer(
    "phone",
    "Ask by phone.",
    {"type": "object", "properties": {}, "additionalProperties": False},
    lambda ask: Answer(never=True),
    timeout=TOOL_SECONDS,
)


def _case(draw: random.Random, how: str, **more: Any) -> Case:
    words = f"{draw.choice(_TASKS)}, file {draw.randrange(1000, 10_000)} {how}."
    usual = {"policy": {}, "failed_before": 0, "tries": [], "last": True}
    return {"words": words, **usual, **more}


def _world(*cases: Callable[[random.Random], Case]) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        return Scenario((_PHONE,), _says, {"cases": [case(draw) for case in cases]})

    return world


def _made(how: str, **more: Any) -> Callable[[random.Random], Case]:
    return lambda draw: _case(draw, how, **more)


def _log_of(case: Case, log: Log) -> tuple[list[str], list[str]]:
    """What the rewriter and the worker answered for this case, in order."""
    mark = case["words"].split("file ")[1][:4]
    asked = [e for e in log.requests() if mark in str(e.request["messages"])]
    rewritten = [e for e in asked if len(e.request.get("tools") or ()) == 0]
    return (
        [e.reply["text"] for e in rewritten],
        [str(e.reply.get("text") or "") for e in asked if e not in rewritten],
    )


def _worked(after: int) -> Wanted:
    """It works after so many rewritings."""

    def wanted(case: Case, log: Log) -> dict[str, Any]:
        new, said = _log_of(case, log)
        tries = [["archive", "task"]] * after + [["archive", None]]
        words = [case["words"], *new[:after]][len(case["tries"]) :] if after else [case["words"]]
        return {
            "tries": tries, "words": words, "answer": said[-1], "failure": None,
            "prepared": after, "state": "closed", "in_a_row": 0,
        }  # fmt: skip

    return wanted


def _failed(many: int, *, earlier: int = 0, in_a_row: int = 1) -> Wanted:
    """It is tried so many times, rewritten in between, and fails for good."""

    def wanted(case: Case, log: Log) -> dict[str, Any]:
        new, said = _log_of(case, log)
        words = [case["words"], *new][bool(earlier) :]
        return {
            "tries": [["archive", "task"]] * many, "words": words,
            "failure": ["task", said[-1].removeprefix("CANNOT: ")],
            "prepared": many - 1 + bool(earlier), "in_a_row": in_a_row,
        }  # fmt: skip

    return wanted


def _untried(cause: str) -> Wanted:
    """No try is left, or none that helps: all is as it was."""
    return lambda case, log: {
        "tries": [], "failure": [cause, "before"], "prepared": 0, "in_a_row": 0, "seconds": 0.0,
    }  # fmt: skip


def _refused(case: Case, log: Log) -> dict[str, Any]:
    return {
        "tries": [["archive", "model"]], "failure": ["model", text_with("on strike")],
        "prepared": 0, "in_a_row": 1,
    }  # fmt: skip


def _by_phone(many: int) -> Wanted:
    """The tool gives no answer so many times: waits that grow in between, and the same words."""

    def wanted(case: Case, log: Log) -> dict[str, Any]:
        lasts = 2 * SECONDS + TOOL_SECONDS
        waits = _waits("t0", range(1, many))
        return {
            "tries": [["archive", "unavailable"]] * many, "words": [case["words"]] * many,
            "failure": ["unavailable", text_with("no answer within")],
            "prepared": many - 1, "state": "open", "in_a_row": many,
            "again": [n * lasts + sum(waits[:n]) for n in range(1, many)],
        }  # fmt: skip

    return wanted


def _by_phone_again(case: Case, log: Log) -> dict[str, Any]:
    """It was tried once before, by this worker: the waits are the second try's and the third's."""
    lasts = 2 * SECONDS + TOOL_SECONDS
    first, second = _waits("t1", range(1, 3))
    return {
        "tries": [["archive", "unavailable"]] * 2, "words": [case["words"]] * 2, "prepared": 2,
        "again": [first, first + lasts + second],
    }  # fmt: skip


def _waits(task: str, numbers: Iterable[int]) -> list[float]:
    """How long it is to wait before each of these tries."""
    keys = ((n, Key("run", "archive", n, matter=task)) for n in numbers)
    return [Backoff().wait(n, key=key) for n, key in keys]


def _shut_out(case: Case, log: Log) -> dict[str, Any]:
    return {
        "tries": [], "failure": ["unavailable", text_with("in a row")], "prepared": 0,
        "state": "open", "seconds": 0.0,
    }  # fmt: skip


def _shut_out_midway(case: Case, log: Log) -> dict[str, Any]:
    """The first try opens the breaker, and the second one is not let through."""
    return {
        "tries": [["archive", "unavailable"]],
        "failure": ["unavailable", text_with("in a row")],
        "prepared": 1, "state": "open", "in_a_row": 3,
    }  # fmt: skip


def _waited_for(case: Case, log: Log) -> dict[str, Any]:
    """Let through after the pause, when nobody else can do the task."""
    pause = case["policy"]["cooldown"]
    return {**_worked(0)(case, log), "seconds": pause + SECONDS}


def _timed(log: Log) -> list[dict[str, Any]]:
    """What came of each case, with when it was prepared for another try and how long it took."""
    found: list[dict[str, Any]] = []
    for mark in log.marks:
        if mark.name == "case":
            found.append({"begin": mark.time, "again": []})
        elif mark.name == "TaskRetried":
            found[-1]["again"].append(mark.time - found[-1]["begin"])
    ends = [*(each["begin"] for each in found[1:]), log.ended]
    for told, each, end in zip(log.result, found, ends, strict=True):
        each |= {**told, "prepared": len(each["again"]), "seconds": end - each["begin"]}
    return found


def _tells(requests: int, *wanted: Wanted, look: str) -> Checks:
    """So many requests, and what is told of each case."""

    def checks(world: Scenario) -> list[Check]:
        cases = world.params["cases"]

        def expected(log: Log) -> list[dict[str, Any]]:
            return [want(case, log) for want, case in zip(wanted, cases, strict=True)]

        return [
            within(requests=requests, reached=True),
            viewed(_timed, fits(expected, within=1e-6, look=f"look at {look}")),
        ]

    return checks


def _trial(
    title: str,
    requests: int,
    *cases: tuple[Callable[[random.Random], Case], Wanted],
    look: str,
    points: float = 0.5,
) -> Trial:
    made, wanted = zip(*cases, strict=True)
    return Trial(title, _STAGE, _world(*made), _tells(requests, *wanted, look=look), points=points)


WITH_ONE = Exercise(
    "8.4", ("with_one",), (
        _trial("tries until it works, in other words each time", 9, (_made("at once"), _worked(0)),
               (_made("once more"), _worked(1)), (_made("once more, once more"), _worked(2)),
               look="what ends the loop, and what comes before a second try", points=1.0),
        _trial("gives up after the tries that the policy allows", 9, (_made("never"), _failed(3)),
               (_made("never", policy={"tries": 2}), _failed(2)),
               (_made("never", policy={"retry": "never"}), _failed(1)),
               look="how many tries there are, and which of them is the last", points=1.0),
        _trial("does not try again where that cannot help", 1, (_made("on strike"), _refused),
               (_made("at once", tries=[["archive", "task"], ["archive", "model"]]),
                _untried("model")),
               look="what `helps` says of the last failure, also of one that was there before"),
        _trial("waits, and rewrites nothing, where a tool gives no answer", 10,
               (_made("by phone"), _by_phone(3)),
               (_made("by phone", tries=[["ledger", "task"], ["archive", "unavailable"]]),
                _by_phone_again),
               look="the number of tries made that `prepare` is told"),
        _trial("counts the worker's own tries, and nobody else's", 10,
               (_made("never", tries=[["archive", "task"]]), _failed(2, earlier=1)),
               (_made("never", tries=[["ledger", "unavailable"]] * 3), _failed(3)),
               (_made("at once", tries=[["ledger", "model"]]), _worked(0)),
               (_made("at once", tries=[["archive", "task"]] * 3), _untried("task")),
               look="whose tries there are already, and what `doing.failure` is then"),
        _trial("stops when the breaker does not let the worker try", 3,
               (_made("by phone", failed_before=2, last=False), _shut_out_midway),
               (_made("at once", failed_before=3, last=False), _shut_out),
               (_made("at once", failed_before=3, policy={"cooldown": 11.0}), _waited_for),
               look="what `through_breaker` gives, and whether it is told who is the last"),
    ),
    builds_on={
        name: f"course.supervisor_worker.task_run:{name}"
        for name in ("helps", "prepare", "through_breaker", "attempt", "counts")
    },
    places={
        "*": "the {} task",
        "*.tries": "the tries of the {} task",
        "*.tries.*": "the {1} try of the {0} task",
        "*.words": "the words of the {} task's tries",
        "*.words.*": "the words of the {1} try of the {0} task",
        "*.answer": "the answer of the {} task",
        "*.failure": "the failure of the {} task",
        "*.failure.0": "the cause of the {} task's failure",
        "*.state": "the state of the breaker after the {} task",
        "*.in_a_row": "`in_a_row` of the breaker after the {} task",
        "*.prepared": "what was prepared for the {} task",
        "*.again": "the tries of the {} task",
        "*.again.*": "the {1} try of the {0} task",
    },
    finished={"with_one": "course.supervisor_worker.task_run:with_one"},
)  # fmt: skip
