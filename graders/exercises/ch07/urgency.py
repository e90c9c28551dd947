"""Exercise 7.3: how urgent each task is: the longest chain that begins with it."""

from __future__ import annotations

from graders.exercises.kit import *

_STAGE = stage_of(
    "dict(student.urgency(Plan.model_validate(case['plan']),"
    " *([] if case['seconds'] is None else [case['seconds']])))",
    given="from course.supervisor_worker import Plan",
)
Seconds = dict[str, float] | None
Case = Callable[[random.Random], tuple[dict[str, Any], Seconds]]


def _forked(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Two ways go on from the first task and meet again; the slower one counts."""
    a, b, c, d, e = names(draw, 5)
    tasks = [
        task(draw, a),
        task(draw, b, a),
        task(draw, c, a),
        task(draw, d, c),
        task(draw, e, b, d),
    ]
    quick, slow = draw.sample(range(2, 9), 2)
    return plan(shuffled(draw, tasks)), {a: 1.0, b: float(quick), c: 0.5, d: float(slow), e: 2.0}


def _few_and_slow(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """A chain of four quick tasks and one of two slow ones begin with the same task."""
    first, *ids = names(draw, 6)
    quick, slow = ids[:3], ids[3:]
    tasks = [task(draw, first)]
    tasks += [task(draw, b, a) for a, b in pairwise([first, *quick])]
    tasks += [task(draw, b, a) for a, b in pairwise([first, *slow])]
    takes = {first: 1.0, **dict.fromkeys(quick, 1.0), **dict.fromkeys(slow, 4.0)}
    return plan(shuffled(draw, tasks)), takes


def _apart(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """A chain, and a slow task that nobody waits for."""
    a, b, c, d = names(draw, 4)
    slow = float(draw.randrange(5, 9))
    return plan([task(draw, d), task(draw, c, b), task(draw, b, a), task(draw, a)]), {
        a: 2.0, b: 1.0, c: 1.0, d: slow,
    }  # fmt: skip


def _unsaid(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Nothing is said of how long tasks take: a second each."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, b, a), task(draw, d, c)]
    return plan(shuffled(draw, tasks)), None


def _half_said(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    """Only some are known; one of them takes no time at all."""
    a, b, c, d = names(draw, 4)
    tasks = [task(draw, a), task(draw, b, a), task(draw, c, a), task(draw, d, b)]
    return plan(shuffled(draw, tasks)), {b: 0.0, c: 1.5}


def _nothing(draw: random.Random) -> tuple[dict[str, Any], Seconds]:
    return plan([]), None


def longest(data: Mapping[str, Any], seconds: Seconds) -> dict[str, float]:
    """For each task the length of the longest chain that begins with it, chain by chain."""
    after = {
        each["id"]: [other["id"] for other in data["tasks"] if each["id"] in other["dependencies"]]
        for each in data["tasks"]
    }

    def chains(id: str) -> list[float]:
        own = (seconds or {}).get(id, 1.0)
        return [own, *(own + rest for each in after[id] for rest in chains(each))]

    return {id: max(chains(id)) for id in after}


def _cases(*makers: Case) -> ScenarioMaker:
    return cases(*makers, made=lambda told: dict(zip(("plan", "seconds"), told, strict=True)))


_found = compared(lambda case: longest(case["plan"], case["seconds"]), within=1e-6)


URGENCY = Exercise(
    "7.3", ("urgency",), (
        Trial("measures the longest chain that begins with each task", _STAGE,
              _cases(_forked, _apart),
              _found("where a chain begins, where it ends, and which way it takes where it forks")),
        Trial("counts seconds, not tasks", _STAGE, _cases(_few_and_slow),
              _found("what is added up along a chain"), 0.5),
        Trial("counts a second where nothing is said", _STAGE,
              _cases(_unsaid, _half_said, _nothing),
              _found("tasks that `seconds` does not name, and those that take no time at all"),
              0.5),
    ),
    builds_on={
        "dependants": "course.supervisor_worker.plan:dependants",
        "in_order": "course.supervisor_worker.plan:in_order",
    },
    places={
        "*": "the urgencies of the {} plan",
        "*.*": "the urgency of {1} in the {0} plan",
    },
    finished={"urgency": "course.supervisor_worker.plan:urgency"},
)  # fmt: skip
