"""The worlds in which chapter 04's answers are judged hold what they say, on supervisors."""

from __future__ import annotations

import random

import pytest

from course.observability.diagnosis import waits
from course.trace import Trace
from graders.exercises.ch04 import delegation_waits


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("case", "waiting_ones"),
    [
        (delegation_waits._in_a_row, 2),
        (delegation_waits._at_once, 0),
        (delegation_waits._in_rounds, 0),
        (delegation_waits._rounds_in_a_row, 2),
        (delegation_waits._two_at_a_time, 2),
        (delegation_waits._below, 1),
    ],
)
def test_the_finished_diagnosis_finds_who_had_to_wait(
    case: delegation_waits.Case, waiting_ones: int, seed: int
) -> None:
    steps = case(random.Random(seed))
    found = waits(Trace.from_json(delegation_waits.trace_of(steps)))
    assert len(found) == waiting_ones
    by_name = {name: (start, end) for op, name, start, end, _ in steps if op == "delegate"}
    for each in found:
        assert by_name[each.behind][1] == by_name[each.worker][0]
