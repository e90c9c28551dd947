"""Exercise 7.5: traces of runs in which tasks were held up for nothing, or for a good reason."""

from __future__ import annotations

from course.observability.plan_runs import delays
from graders.exercises.kit import *
from graders.exercises.sample_traces import PlanStep, trace_of_plan

_STAGE = stage_of(
    "[[delay.task, delay.behind, delay.seconds]"
    " for delay in student.delays(Trace.from_json(case['trace']), case['limit'])]",
    given="from course.trace import Trace",
)
Case = Callable[[random.Random], tuple[list[PlanStep], int | None]]
"""Draws the steps of a run, and how many tasks could be under way at once in it."""


def _planned(end: float, *tasks: Any) -> PlanStep:
    return ("plan", "planner", 0.0, end, json.dumps(plan(tasks)))


def _time(draw: random.Random) -> float:
    return float(draw.randrange(3, 9))


def _in_waves(draw: random.Random) -> tuple[list[PlanStep], None]:
    """Two waves: the second waits for the slowest of the first, whom only one of it needs."""
    a, b, c, d, e = names(draw, 5)
    quick, slow = 1.0, _time(draw)
    end = 2 + slow
    steps = [
        _planned(2.0, *(task(draw, id, *n) for id, n in ((a, ()), (b, ()), (c, (a,)), (d, (b,)),
                                                        (e, (a,))))),
        ("dispatch", a, 2.0, 2 + quick, None),
        ("dispatch", b, 2.0, end, None),
        ("chat", "small", 2.0, end, None),
        ("dispatch", c, end, end + 3, None),
        ("dispatch", d, end, end + 1, None),
        ("dispatch", e, end, end + 2, None),
    ]  # fmt: skip
    return steps, None


def _one_by_one(draw: random.Random) -> tuple[list[PlanStep], None]:
    """One after the other, although none of them needs another."""
    (a, b, c), one, two = names(draw, 3), _time(draw), _time(draw)
    steps = [
        _planned(1.0, task(draw, a), task(draw, b), task(draw, c)),
        ("dispatch", b, 1.0, 1 + one, None),
        ("dispatch", c, 1 + one, 1 + one + two, None),
        ("dispatch", a, 1 + one + two, 20.0, None),
    ]
    return steps, None


def _dawdling(draw: random.Random) -> tuple[list[PlanStep], None]:
    """One begins late, and nothing ended meanwhile; another one was planned and never begun."""
    (a, b, c, d), late = names(draw, 4), _time(draw)
    steps = [
        _planned(1.0, task(draw, a), task(draw, b, a), task(draw, c), task(draw, d, c)),
        ("dispatch", c, 1.0, 30.0, None),
        ("dispatch", a, 1.0, 3.0, None),
        ("dispatch", b, 3 + late, 5 + late, None),
    ]
    return steps, None


def _own(draw: random.Random) -> tuple[list[PlanStep], None]:
    """Each begins in the moment in which the last of its own dependencies ends."""
    (a, b, c, d), one, two = names(draw, 4), _time(draw), _time(draw)
    last = max(2 + one + 1, 2 + two)
    steps = [
        _planned(2.0, task(draw, d, c, b), task(draw, a), task(draw, b), task(draw, c, a)),
        ("dispatch", d, last, last + 2, None),
        ("dispatch", a, 2.0, 2 + one, None),
        ("dispatch", b, 2.0, 2 + two, None),
        ("dispatch", c, 2 + one, 3 + one, None),
        ("execute_tool", a, 2.5, 1 + one, None),  # a tool that is called like the task
    ]
    return steps, None


def _before_the_plan(draw: random.Random) -> tuple[list[PlanStep], None]:
    """A dependency was over before the plan was there; who needs it begins when that is."""
    (a, b), one = names(draw, 2), _time(draw)
    steps = [
        _planned(one, task(draw, a), task(draw, b, a)),
        ("dispatch", a, 0.5, 1.0, None),
        ("dispatch", b, one, one + 2, None),
    ]
    return steps, None


def _two_places(draw: random.Random) -> tuple[list[PlanStep], int]:
    """Four tasks and two places: two of them wait for a place, and rightly so."""
    (a, b, c, d), one, two = names(draw, 4), *draw.sample((3.0, 4.0, 5.0, 6.0), 2)
    first, second = sorted((1 + one, 1 + two))
    steps = [
        _planned(1.0, task(draw, a), task(draw, b), task(draw, c), task(draw, d)),
        ("dispatch", a, 1.0, 1 + one, None),
        ("dispatch", b, 1.0, 1 + two, None),
        ("dispatch", c, first, first + 9, None),
        ("dispatch", d, second, second + 9, None),
    ]
    return steps, 2


def _place_left_free(draw: random.Random) -> tuple[list[PlanStep], int]:
    """Two places: one task waits for one at first, and then beside an empty one."""
    (a, b, c, d), one = names(draw, 4), _time(draw)
    free, end = 1 + one, 4 + one
    steps = [
        _planned(1.0, task(draw, a), task(draw, b), task(draw, c), task(draw, d, a)),
        ("dispatch", a, 1.0, free, None),
        ("dispatch", b, 1.0, end, None),
        ("dispatch", c, end, end + 2, None),
        ("dispatch", d, free + 1, free + 1.5, None),
    ]
    return steps, 2


def _strangers(draw: random.Random) -> tuple[list[PlanStep], None]:
    """A second plan and its task, and a dependency that an earlier run has finished."""
    (a, b, c, d), one = names(draw, 4), _time(draw)
    steps = [
        _planned(1.0, task(draw, a, d), task(draw, b), task(draw, d)),
        ("dispatch", a, 1.0, 1 + one, None),
        ("dispatch", b, 1.0, 2.0, None),
        ("plan", "planner", 1 + one, 2 + one, _planned(1.0, task(draw, c))[4]),
        ("dispatch", c, 5 + one, 6 + one, None),
    ]
    return steps, None


def _beside_a_stranger(draw: random.Random) -> tuple[list[PlanStep], int]:
    """Two places: a task is held up while that of a second plan is under way, and ends."""
    (a, b, c, d), one = names(draw, 4), _time(draw)
    steps = [
        _planned(1.0, task(draw, a), task(draw, b), task(draw, d)),
        ("dispatch", a, 1.0, 1 + one, None),
        ("dispatch", b, 1.0, 2.0, None),
        ("plan", "planner", 1.5, 2.0, _planned(1.0, task(draw, c))[4]),
        ("dispatch", c, 2.5, 2 + one, None),
        ("dispatch", d, 3 + one, 4 + one, None),
    ]
    return steps, 2


CASES: dict[Case, int] = {
    _in_waves: 2,
    _one_by_one: 2,
    _dawdling: 1,
    _own: 0,
    _before_the_plan: 0,
    _two_places: 0,
    _place_left_free: 2,
    _strangers: 0,
    _beside_a_stranger: 1,
}
"""The cases, with the number of delays in each."""


def _runs(*cases: Case) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        runs = []
        for case in cases:
            steps, limit = case(draw)
            runs.append({"trace": trace_of_plan(steps), "limit": limit})
        return Scenario(params={"cases": runs})

    return world


def _wanted(case: Mapping[str, Any]) -> list[list[Any]]:
    told = delays(Trace.from_json(case["trace"]), case["limit"])
    return [[each.task, each.behind, each.seconds] for each in told]


_found = compared(_wanted, within=1e-6)


DELAYS = Exercise(
    "7.5", ("delays",), (
        Trial(
            "finds the tasks that waited for a wave, behind whom, and how long",
            _STAGE,
            _runs(_in_waves, _one_by_one, _dawdling),
            _found(
                "when each task could have begun (the plan is there, its dependencies are over),"
                " and who ended last before it did"
            ),
            points=1.5,
        ),
        Trial("accuses nobody who waited for its own dependencies, or for a place", _STAGE,
              _runs(_own, _before_the_plan, _two_places, _strangers, _in_waves),
              _found("what a task may wait for, and which tasks you look at"), 0.75),
        Trial("counts only the seconds in which a place was free", _STAGE,
              _runs(_place_left_free, _beside_a_stranger),
              _found("the limit: while all places are taken, nobody is held up for nothing"), 0.75),
    ),
    builds_on={
        "Delay": "course.observability.plan_runs:Delay",
        "idle": "course.observability.plan_runs:idle",
    },
    places={
        "*": "the delays of the {} run",
        "*.*": "the {1} delay of the {0} run",
        "*.*.0": "the task of the {1} delay in the {0} run",
        "*.*.1": "`behind` of the {1} delay in the {0} run",
        "*.*.2": "`seconds` of the {1} delay in the {0} run",
    },
    finished={"delays": "course.observability.plan_runs:delays"},
)  # fmt: skip
