"""The worlds in which chapter 02's answers are judged hold what they say, on pipelines."""

from __future__ import annotations

import random

import pytest

from course.observability.information import unshown
from course.trace import Trace
from graders.exercises.ch02.missing_fields import CASES, Case, trace_of


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__.strip("_"))
def test_the_finished_diagnosis_finds_what_was_hidden_in_a_trace(case: Case, seed: int) -> None:
    steps, hidden = case(random.Random(seed))  # type: ignore[operator]
    found = unshown(Trace.from_json(trace_of(steps, seed=seed)))
    assert [[each.stage, each.field, each.tool] for each in found] == hidden
