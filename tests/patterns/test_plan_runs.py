"""Reading a trace: the straggler, the wasted try, the contradiction."""

from typing import Any

import pytest
from hypothesis import given

from course import Trace, clock
from course.limits import Limits
from course.observability.diagnosis import Finding, diagnose, straggler, wasted
from course.observability.plan_runs import decisive, task_runs
from course.runner import run
from course.supervisor_worker import FailurePolicy, Plan, Timeouts, critical_path
from tests.patterns.planwork import Asked, World, chief, dags, plan_of, task

PLAN = plan_of(task("t1"), task("t2"), task("t3", "t1"), task("t4", "t2", "t3"))


def traced(says: Any, plan: Plan = PLAN, **policy: Any) -> Trace:
    """The trace of a run, as it comes back from a file."""
    boss = chief(
        failure_policy=FailurePolicy(**policy),
        timeouts=Timeouts(call=None, task=None),
        limits=Limits(),
    )
    result = clock.simulate(run(boss, "Go.", client=World(says).client, plan=plan))
    return Trace.from_json(result.trace.to_json())


def test_the_task_that_held_everything_up_is_found() -> None:
    takes = {"t1": 2.0, "t2": 30.0, "t3": 3.0, "t4": 1.0}
    runs = task_runs(traced(lambda asked: (takes.get(asked.task, 0.0), None)))
    assert decisive(runs) == ("t2", "t4")
    assert straggler(runs) == "t2"
    assert runs["t4"].start == pytest.approx(30.0, abs=1e-4)


def test_where_all_take_the_same_nobody_is_a_straggler() -> None:
    runs = task_runs(traced(lambda asked: (2.0 if asked.task else 0.0, None)))
    assert straggler(runs) is None
    assert decisive(runs) == ("t1", "t3", "t4")


def test_a_little_longer_than_usual_is_no_straggler() -> None:
    takes = {"t1": 2.0, "t2": 2.0, "t3": 2.8, "t4": 2.0}
    assert straggler(task_runs(traced(lambda asked: (takes.get(asked.task, 0.0), None)))) is None


def test_a_slow_task_that_nobody_waited_for_held_nothing_up() -> None:
    takes = {"t1": 9.0, "t2": 8.0, "t3": 1.0, "t4": 1.0}
    assert straggler(task_runs(traced(lambda asked: (takes.get(asked.task, 0.0), None)))) == "t1"


def test_without_any_task_nothing_is_found() -> None:
    assert decisive({}) == ()
    assert straggler({}) is None
    assert list(wasted({})) == []


def failing(asked: Asked) -> Any:
    if asked.task == "t2" and not asked.refines and asked.attempt < 3:
        return (4.0, "CANNOT: no year is named")
    return (1.0, None)


def test_a_try_in_the_same_words_that_met_the_same_error_was_wasted() -> None:
    repeated = task_runs(traced(failing, retry="repeat"))
    assert [(id, number) for id, number, _ in wasted(repeated)] == [("t2", 2)]
    assert sum(seconds for _, _, seconds in wasted(repeated)) == pytest.approx(4.0, abs=1e-4)
    refined = task_runs(traced(failing, retry="refine"))
    assert list(wasted(refined)) == []
    assert len(refined["t2"].tries) == 3


def test_a_failed_task_and_its_tries_are_told() -> None:
    trace = traced(lambda a: "CANNOT: no" if a.task == "t1" and not a.refines else None)
    runs = task_runs(trace)
    assert [run.done for run in runs.values()] == [False, True, True, True]
    assert [error for _, _, error, _ in runs["t1"].tries] == ["no"] * 3


def test_the_contradiction_stands_in_the_step_that_makes_the_answer() -> None:
    def says(asked: Asked) -> Any:
        return {"t1": "The price is 12 EUR.", "t2": "The price is 14 EUR."}.get(asked.task)

    (step,) = [s for s in traced(says).spans if s.operation == "aggregate"]
    assert "12 EUR (t1) and 14 EUR (t2)" in str(step.attributes["switchboard.contradictions"])


def prices(asked: Asked) -> Any:
    """Two prices for one thing, a slow third task that fails twice in the same way."""
    if asked.task == "t3" and asked.attempt < 3:
        return (4.0, "CANNOT: no year is named")
    said = {"t1": "The price is 12 EUR.", "t2": "The price is 14 EUR."}
    return (1.0, said.get(asked.task)) if asked.task else "It is 12 EUR."


def test_a_diagnosis_names_all_three() -> None:
    trace = traced(prices, retry="repeat")
    assert diagnose(trace) == [Finding("straggler", ("t3",)), Finding("wasted", ("t3",))]
    silent = Trace.from_json(trace.to_json().replace("The results disagree", "Never mind"))
    assert diagnose(silent) == diagnose(trace)  # both figures stand in one sentence all the same
    hiding = Trace.from_json(trace.to_json().replace("14 EUR (t2)", "little"))
    assert diagnose(hiding)[-1] == Finding("contradiction", ("t1", "t2"))


@given(dags())
def test_without_a_limit_the_decisive_chain_is_as_long_as_the_critical_path(
    made: tuple[Plan, dict[str, float]],
) -> None:
    plan, seconds = made
    runs = task_runs(traced(lambda asked: (seconds.get(asked.task, 0.0), None), plan))
    chain = decisive(runs)
    assert sum(seconds[id] for id in chain) == pytest.approx(critical_path(plan, seconds)[1])
