"""How sure an answer may be: the rule part by part, and that it holds when tools go wrong."""

from dataclasses import replace

import pytest

from course.answers import Usage
from course.context import Context
from course.contradictions import Contradiction
from course.results import Attempt, Evidence, Failure, Gap, TaskResult
from course.supervisor_worker import Plan, PlanResult
from course.supervisor_worker.confidence import NEVER, ONCE, TRIED_AGAIN, TWICE, WITHOUT, part
from tests.benchmarks.confidence import play

CALL = Evidence("look_up", '{"rank": 1}', '{"value": 12}')
ONE = TaskResult(task_id="t1", worker="w", result="12", evidence=(CALL,))


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ({}, ONCE),
        ({"evidence": (CALL, CALL)}, TWICE),
        ({"evidence": (CALL, replace(CALL, result='{"value": 13}'))}, ONCE),
        ({"evidence": (CALL, CALL, replace(CALL, tool="other"))}, ONCE),
        ({"evidence": ()}, NEVER),
        ({"evidence": (), "rests_on": ("t0",)}, TWICE),
        ({"evidence": (CALL, CALL, replace(CALL, outcome="error"))}, TWICE * TRIED_AGAIN),
        ({"attempts": (Attempt("w", "", Failure("worker", "no")),)}, ONCE * TRIED_AGAIN),
        ({"without": ("t0",)}, ONCE * WITHOUT),
        ({"status": "failed", "failure": Failure("worker", "no")}, 0.0),
    ],
)
def test_a_part_is_as_sure_as_its_sources_tries_and_gaps_allow(
    change: dict[str, object], value: float
) -> None:
    assert part(replace(ONE, **change)).value == pytest.approx(value)


def test_contradictions_and_gaps_make_the_whole_answer_unsure() -> None:
    twice = replace(ONE, evidence=(CALL, CALL))
    sound = PlanResult(
        answer="12", context=Context(), usage=Usage(), stop=None, plan=Plan(goal="", tasks=()),
        results={"t1": twice, "t2": replace(twice, task_id="t2")},
    )  # fmt: skip
    assert sound.confidence.answer.sure
    disputed = replace(
        sound, contradictions=(Contradiction("price", (("t1", "12"), ("t2", "13"))),)
    )
    told = disputed.confidence
    assert not told.answer.sure and not told.parts["t1"].sure and not told.parts["t2"].sure
    assert not replace(sound, gaps=(Gap("t3", "the price", "no"),)).confidence.answer.sure
    listed = replace(sound, failures={"aggregation": Failure("model", "no")})
    assert not listed.confidence.answer.sure
    assert replace(sound, results={}).confidence.answer.value == 0.0


def test_with_a_fifth_of_tool_calls_wrong_a_sure_answer_is_right_and_many_are_sure() -> None:
    """A thousand runs are `python -m tests.benchmarks.confidence`."""
    played = list(play(8, faults=0.2, twice=True))
    sure = [each for each in played if each.told.answer.sure]
    assert len(sure) >= 3 and all(each.right for each in sure)
    once = list(play(3, faults=0.6, twice=False, kind="bad_value"))
    assert not all(each.right for each in once)  # the faults do harm
    assert not any(each.told.answer.sure for each in once)
