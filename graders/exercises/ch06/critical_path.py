"""Exercise 6.3: the critical path of a plan, and how long it takes."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = """
from course.supervisor_worker import Plan


async def stage(bench, student):
    found = []
    for case in bench.params["cases"]:
        data, seconds = case["plan"], case["seconds"]
        told = student.critical_path(Plan.model_validate(data), *([] if seconds is None else [seconds]))
        found.append({"tasks": list(told[0]), "seconds": told[1]})
    return found
"""  # noqa: E501
Seconds = dict[str, float] | None
Case = Callable[[random.Random], tuple[dict[str, Any], Seconds]]


def _hybrid(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Two ways of three tasks; the slower one does not hold the slowest task."""
    a, b, c, d, e, f = names(draw, 6)
    tasks = [
        task(draw, a), task(draw, b, a), task(draw, c, a), task(draw, d, b), task(draw, e, c),
        task(draw, f, d, e),
    ]  # fmt: skip
    slow = float(draw.randrange(6, 9))
    return plan(shuffled(draw, tasks)), {a: 1.0, b: slow, c: slow - 1, d: 1.0, e: 4.0, f: 2.0}


def _fewer_and_longer(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """A long chain of short tasks beside two long tasks: time counts, not the number."""
    *chain, x, y, z = names(draw, 8)
    tasks = [task(draw, chain[0]), *(task(draw, b, a) for a, b in pairwise(chain))]
    tasks += [task(draw, x), task(draw, y, x), task(draw, z)]
    short = dict.fromkeys(chain, 1.0)
    return plan(shuffled(draw, tasks)), {**short, x: 4.0, y: float(draw.randrange(4, 7)), z: 6.5}


def _second_start(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """The longest chain begins with a task that is neither first in the list nor slow."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b), task(draw, c, b), task(draw, d, c, a)]
    return plan(tasks), {a: 5.0, b: 1.0, c: float(draw.randrange(5, 9)), d: 1.0}


def _in_between(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """The longest chain ends before the plan's longest row of tasks does."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, b), task(draw, d, a)]
    return plan(shuffled(draw, tasks)), {a: 1.0, b: 1.0, c: 1.0, d: float(draw.randrange(4, 9))}


def _unsaid(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Nothing is said of how long tasks take: a second each."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, b), task(draw, d)]
    return plan(shuffled(draw, tasks)), None


def _half_said(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Only some are known; two tasks of a second each are longer than one and a half."""
    return _beside_two_seconds(draw, 1.5, 0.25)


def _more_than_half(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Only some are known; two tasks of a second each are shorter than these two."""
    return _beside_two_seconds(draw, 1.5, 0.75)


def _beside_two_seconds(
    draw: random.Random, one: float, other: float
) -> tuple[dict[str, Any], Seconds]:
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c), task(draw, d, c)]
    return plan(shuffled(draw, tasks)), {c: one, d: other}


def _no_time(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """What takes no time at all takes no second; and seconds may be broken."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, b), task(draw, d)]
    return plan(shuffled(draw, tasks)), {a: 0.0, b: 0.75, c: 0.0, d: 1.5}


def _single(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    [a] = names(draw, 1)
    return plan([task(draw, a)]), {a: float(draw.randrange(2, 6))}


def _empty(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    return plan([]), {}


def _cases(*cases: Case) -> ScenarioMaker:
    """These cases, in which all that is said to take time takes a little more: it is not round."""

    def world(draw: random.Random) -> Scenario:
        more, made = 1 + draw.randrange(1, 4) / 64, []
        for drawn, seconds in (case(draw) for case in cases):
            takes = seconds and {id: each * more for id, each in seconds.items()}
            made.append({"plan": drawn, "seconds": takes})
        return Scenario(params={"cases": made})

    return world


def chains(data: dict[str, Any], seconds: Seconds) -> tuple[list[list[str]], float]:
    """All longest chains of a plan, and how long they take, by trying every chain."""
    takes = {each["id"]: (seconds or {}).get(each["id"], 1.0) for each in data["tasks"]}
    after: dict[str, list[str]] = {id: [] for id in takes}
    for each in data["tasks"]:
        for need in each["dependencies"]:
            after[need].append(each["id"])
    found = [[each["id"]] for each in data["tasks"] if not each["dependencies"]]
    for chain in found:  # it grows while it is walked through
        found += [[*chain, following] for following in after[chain[-1]]]
    found = [chain for chain in found if not after[chain[-1]]] or [[]]
    longest = max(sum(takes[id] for id in chain) for chain in found)
    return [c for c in found if abs(sum(takes[id] for id in c) - longest) < 1e-9], longest


def _one_of(good: list[list[str]]) -> Callable[[Any], bool]:
    said = " or ".join(str(each) for each in good)
    return such_that(said, lambda tasks: tasks in good)


def _found(look: str) -> Checks:
    def checks(world: Scenario) -> list[Any]:
        right = [chains(case["plan"], case["seconds"]) for case in world.params["cases"]]
        wanted = [{"tasks": _one_of(good)} for good, _ in right]
        lengths = [{"seconds": longest} for _, longest in right]
        said = f"look at {look}"
        return [fits(lengths, within=1e-6, look=said), fits(wanted, look=said)]

    return checks


CRITICAL_PATH = Exercise(
    "6.3", ("critical_path",), (
        Trial("finds the chain that takes longest", _STAGE, _cases(_hybrid, _fewer_and_longer),
              _found("what is added up: the seconds of a chain, not its tasks")),
        Trial("looks at every beginning and every end", _STAGE, _cases(_second_start, _in_between),
              _found("where a chain may begin, and where it may end"), 0.5),
        Trial("takes a second where nothing is said, and nothing for no tasks", _STAGE,
              _cases(_unsaid, _half_said, _more_than_half, _no_time, _single, _empty),
              _found("what a task takes of which nothing is said, and at a plan without tasks"),
              0.5),
    ),
    places={
        "*": "the path of the {} plan",
        "*.tasks": "the tasks on the {} plan's path",
        "*.tasks.*": "the {1} task on the {0} plan's path",
        "*.seconds": "the seconds of the {} plan's path",
    },
    finished={"critical_path": "course.supervisor_worker.plan:critical_path"},
)  # fmt: skip
