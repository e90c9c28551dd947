"""Exercise 6.5: traces of runs that followed their plan, and of runs that did not."""

from __future__ import annotations

from course.observability.plan_runs import departures
from graders.exercises.kit import *
from graders.exercises.sample_traces import PlanStep, trace_of_plan

_STAGE = stage_of(
    "[[each.task, each.kind] for each in student.departures(Trace.from_json(case))]",
    given="from course.trace import Trace",
)


def _planned(*tasks: Any, start: float = 0.0, end: float = 2.0) -> PlanStep:
    return ("plan", "planner", start, end, json.dumps(plan(tasks)))


def _time(draw: random.Random) -> float:
    return float(draw.randrange(2, 9))


def _followed(draw: random.Random) -> list[PlanStep]:
    """Everything as planned: the second waits for the first, the third for nobody."""
    (a, b, c), one, other = names(draw, 3), _time(draw), _time(draw)
    return [
        _planned(task(draw, a), task(draw, b, a), task(draw, c)),
        ("dispatch", a, 2.0, 2 + one, None),
        ("chat", "small", 2.0, 2 + one, None),
        ("dispatch", c, 2.0, 2 + other, None),
        ("dispatch", b, 2 + one, 3 + one, None),
    ]


def _afterwards(draw: random.Random) -> list[PlanStep]:
    """The work comes first, and the plan tells of it; only the last task waited for it."""
    (a, b, c), took = names(draw, 3), _time(draw)
    end = 1 + took
    return [
        ("dispatch", a, 0.0, took, None),
        ("dispatch", b, took - 1, end, None),
        _planned(task(draw, a), task(draw, b), task(draw, c, b), start=took, end=end),
        ("dispatch", c, end, end + 2, None),
    ]


def _meanwhile(draw: random.Random) -> list[PlanStep]:
    """The plan is begun first, and there too late; one of the tasks is not in it."""
    a, b, c = names(draw, 3)
    return [
        _planned(task(draw, a), task(draw, b, a), end=4.0),
        ("dispatch", a, 1.0, 3.0, None),
        ("dispatch", c, 3.0, 6.0, None),
        ("dispatch", b, 4.0, 6.0, None),
    ]


def _unplanned(draw: random.Random) -> list[PlanStep]:
    """One task more than was planned, and one that was planned and never begun."""
    (a, b, c, d), took = names(draw, 4), _time(draw)
    return [
        _planned(task(draw, a), task(draw, b, a), task(draw, c)),
        ("dispatch", a, 2.0, 2 + took, None),
        ("dispatch", d, 2.0, 3.0, None),
        ("dispatch", b, 2 + took, 4 + took, None),
    ]


def _early(draw: random.Random) -> list[PlanStep]:
    """Two tasks wait for one of the two that they need; one for a task that is never begun."""
    (a, b, c, d, e), took = names(draw, 5), _time(draw)
    needy = [task(draw, c, a, b), task(draw, f"{c}2", b, a)]
    return [
        _planned(task(draw, a), task(draw, b), *needy, task(draw, d), task(draw, e, d)),
        ("dispatch", a, 2.0, 3.0, None),
        ("dispatch", b, 2.0, 3 + took, None),
        ("dispatch", f"{e}2", 2.0, 3.0, None),  # which nobody planned
        ("dispatch", c, 3.0, 5 + took, None),
        ("dispatch", f"{c}2", 3.0, 5 + took, None),
        ("dispatch", e, 4.0, 5.0, None),
    ]


def _planned_anew(draw: random.Random) -> list[PlanStep]:
    """A second plan comes later, with two tasks that the first one does not name, and with one
    that it does and that needed less there; all of them as planned."""
    (a, b, c, d), took = names(draw, 4), _time(draw)
    return [
        _planned(task(draw, a), task(draw, b)),
        ("dispatch", a, 2.0, 3.0, None),
        ("dispatch", b, 2.0, 3 + took, None),
        _planned(task(draw, b, a), task(draw, c), task(draw, d, c), start=3.0, end=4.0),
        ("dispatch", c, 4.0, 5.0, None),
        ("dispatch", d, 5.0, 6.0, None),
    ]


def _hurried_anew(draw: random.Random) -> list[PlanStep]:
    """The second plan's tasks begin before it is there, too early, and without a plan."""
    (a, b, c, d, e), took = names(draw, 5), _time(draw)
    return [
        _planned(task(draw, a), task(draw, b)),
        ("dispatch", a, 2.0, 3.0, None),
        ("dispatch", b, 2.0, 3.0, None),
        ("dispatch", c, 3.5, 4 + took, None),
        _planned(task(draw, c), task(draw, d, c), start=3.0, end=4.0),
        ("dispatch", d, 3 + took, 6 + took, None),
        ("dispatch", e, 3.0, 5.0, None),
    ]


def _never_planned(draw: random.Random) -> list[PlanStep]:
    """No plan at all; and a planner that came to no plan."""
    a, b = names(draw, 2)
    return [
        ("plan", "planner", 0.0, 1.0, None),
        ("dispatch", a, 0.5, 3.0, None),
        ("dispatch", b, 3.0, 4.0, None),
    ]


def _listed_before(draw: random.Random) -> list[PlanStep]:
    """A trace lists the dependant first; it waited all the same."""
    a, b = names(draw, 2)
    return [
        _planned(task(draw, b, a), task(draw, a)),
        ("dispatch", b, 5.0, 7.0, None),
        ("dispatch", a, 2.0, 5.0, None),
    ]


Case = Callable[[random.Random], list[PlanStep]]
CASES = {
    _followed: 0,
    _afterwards: 2,
    _meanwhile: 2,
    _unplanned: 1,
    _early: 4,
    _planned_anew: 0,
    _hurried_anew: 3,
    _never_planned: 2,
    _listed_before: 0,
}
"""The cases, with the number of departures in each."""


def _traces(*cases: Case) -> ScenarioMaker:
    def world(draw: random.Random) -> Scenario:
        return Scenario(
            params={
                "cases": [trace_of_plan(case(draw), led=case is not _followed) for case in cases]
            }
        )

    return world


_found = compared(
    lambda text: [[each.task, each.kind] for each in departures(Trace.from_json(text))]
)


DEPARTURES = Exercise(
    "6.5", ("departures",), (
        Trial("finds a plan that was made after the fact", _STAGE, _traces(_afterwards, _meanwhile),
              _found("when the plan was there: where its span ends")),
        Trial("finds what nobody planned, and what began too early", _STAGE,
              _traces(_unplanned, _early, _hurried_anew, _never_planned),
              _found("the plan that names it, and when each of the dependencies ended")),
        Trial("accuses nobody who followed the plan", _STAGE,
              _traces(_followed, _listed_before, _planned_anew, _unplanned),
              _found("a task that begins in the moment in which another one ends: it waited")),
    ),
    builds_on={"Departure": "course.observability.plan_runs:Departure"},
    places={
        "*": "the departures in the {} trace",
        "*.*": "the {1} departure in the {0} trace",
        "*.*.0": "the task of the {1} departure in the {0} trace",
        "*.*.1": "the kind of the {1} departure in the {0} trace",
    },
    finished={"departures": "course.observability.plan_runs:departures"},
)  # fmt: skip
