"""Exercise 9.1: what an answer lacks, told once at its root with all that it touches."""

from __future__ import annotations

from graders.exercises.kit import *

STAGE = """
from course.results import Failure, TaskResult
from course.supervisor_worker import Plan


def result_of(id, told):
    failure = told.get("failure")
    return TaskResult(
        task_id=id, worker="w", status=told["status"], result=told.get("result", ""),
        failure=Failure(*failure) if failure else None, without=tuple(told.get("without", ())),
    )


async def stage(bench, student):
    found = []
    for case in bench.params["cases"]:
        results = {id: result_of(id, told) for id, told in case["results"].items()}
        told = student.gaps(Plan.model_validate(case["plan"]), results)
        found.append(
            [{"task": g.task_id, "what": g.what, "why": g.why, "affects": sorted(g.affects)}
             for g in told]
        )
    return found
"""
_KINDS = (
    ("worker", "the offer is not in the archive", "task"),
    ("timeout", "no result within 120 s", "unavailable"),
    ("worker", "the model refused the request (400)", "model"),
    ("decomposition", "nobody can weigh a boat", "task"),
    ("worker", "no calls are left", "limit"),
)
_LATE = "not begun when the plan's 30 s were over"
Case = dict[str, Any]
Maker = Callable[[random.Random], Case]


def done(text: str = "All well.", *, without: Iterable[str] = ()) -> dict[str, Any]:
    """A task that has a result, perhaps made without another's."""
    return {"status": "done", "result": text, "without": list(without)}


def _failed(draw: random.Random) -> dict[str, Any]:
    return {"status": "failed", "failure": list(draw.choice(_KINDS)), "result": "I tried."}


def _skipped(*missing: str) -> dict[str, Any]:
    why = f"not begun, for want of {', '.join(missing)}"
    return {"status": "skipped", "failure": ["worker", why, "dependency"]}


def _unbegun() -> dict[str, Any]:
    """Not begun, and not for another task's sake."""
    return {"status": "skipped", "failure": ["timeout", _LATE, "limit"]}


def _case(tasks: list[dict[str, Any]], results: dict[str, Any]) -> Case:
    return {"plan": plan(tasks), "results": results}


def _chain(draw: random.Random) -> Case:
    """The first of a chain fails, and all behind it are not begun; a fifth is well."""
    a, b, c, d, e = names(draw, 5)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, b), task(draw, d, c), task(draw, e)]
    skipped = {b: _skipped(a), c: _skipped(b), d: _skipped(c)}
    return _case(tasks, {a: _failed(draw), **skipped, e: done()})


def _nothing(draw: random.Random) -> Case:
    """All is well."""
    a, b = names(draw, 2)
    return _case([task(draw, a), task(draw, b, a)], {a: done(), b: done()})


def _marked(draw: random.Random) -> Case:
    """Who waits for a failed task ran all the same, and who waits for that one too."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b), task(draw, c, a, b), task(draw, d, c)]
    results = {a: _failed(draw), b: done(), c: done(without=[a]), d: done()}
    return _case(tasks, results)


def _diamond(draw: random.Random) -> Case:
    """Two ways lead from the failed task to the last one, which is touched once."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, a), task(draw, d, b, c)]
    return _case(tasks, {a: _failed(draw), b: _skipped(a), c: _skipped(a), d: _skipped(b, c)})


def _two_roots(draw: random.Random) -> Case:
    """Two tasks fail, one behind the other that was run all the same; a third waits for both.

    For a fourth one nothing was left.
    """
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, a, b), task(draw, d)]
    return _case(tasks, {a: _failed(draw), b: _failed(draw), c: _skipped(a, b), d: _unbegun()})


def _backwards(draw: random.Random) -> Case:
    """The plan lists the dependant first; the results came in another order still."""
    a, b, c = names(draw, 3)
    tasks = [task(draw, c, b), task(draw, b), task(draw, a)]
    return _case(tasks, {a: _failed(draw), b: _failed(draw), c: _skipped(b)})


def behind(data: dict[str, Any], id: str) -> list[str]:
    """All tasks of a plan that wait for one, directly or not."""
    found: set[str] = set()
    todo = [id]
    while todo:
        here = todo.pop()
        after = {each["id"] for each in data["tasks"] if here in each["dependencies"]}
        todo += after - found
        found |= after
    return sorted(found)


def wanted(case: Case) -> list[dict[str, Any]]:
    """The gaps of a case, in the order of its plan."""
    roots = []
    for each in case["plan"]["tasks"]:
        failure = case["results"][each["id"]].get("failure")
        if failure and failure[2] != "dependency":
            why, touched = f"{failure[0]}: {failure[1]}", behind(case["plan"], each["id"])
            gap = {"task": each["id"], "what": each["description"], "why": why, "affects": touched}
            roots.append(gap)
    return roots


_found = compared(wanted)


GAPS = Exercise(
    "9.1", ("gaps",), (
        Trial("tells a failure once, at its root", STAGE, cases(_chain, _nothing),
              _found("the cause of each failure, and at what is told of the task")),
        Trial("names everything that it touches, skipped or not", STAGE, cases(_marked, _diamond),
              _found("affects: all that depend on the task, directly or through others, each once"),
              0.5),
        Trial("tells each of several, in the order of the plan", STAGE,
              cases(_two_roots, _backwards),
              _found("the order: the plan's tasks, one after the other"), 0.5),
    ),
    places={
        "*": "the gaps of the {} plan",
        "*.*": "the {1} gap of the {0} plan",
    },
    finished={"gaps": "course.supervisor_worker.aggregate:gaps"},
)  # fmt: skip
