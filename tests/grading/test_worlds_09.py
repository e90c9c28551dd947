"""The worlds in which chapter 09's answers are judged hold what they say, on texts and traces."""

from __future__ import annotations

import random

import pytest

from course.observability.diagnosis import diagnose
from course.supervisor_worker.aggregate import SHARE, batches, size
from course.supervisor_worker.plan import Plan, downstream
from course.trace import Trace
from graders.exercises.ch09 import (
    answer_completion,
    contradictions,
    gaps,
    map_reduce,
    trace_diagnosis,
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("case", "many"), trace_diagnosis.CASES.items())
def test_the_finished_diagnosis_finds_what_is_there(
    case: trace_diagnosis.Case, many: int, seed: int
) -> None:
    assert len(diagnose(Trace.from_json(case(random.Random(seed))))) == many


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("maker", contradictions.MAKERS)
def test_the_finished_search_finds_the_contradictions_that_were_made(
    maker: contradictions.Maker, seed: int
) -> None:
    results, made = maker(random.Random(seed))
    assert contradictions.wanted(results) == sorted(made)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("maker", "blocks"),
    [
        (answer_completion._silent, 4),
        (answer_completion._apart, 2),
        (answer_completion._honest, 1),
        (answer_completion._half, 3),
        (answer_completion._nothing_to_add, 2),
        (answer_completion._spaced, 2),
        (answer_completion._empty, 2),
    ],
)
def test_an_answer_is_completed_with_what_it_hides(
    maker: answer_completion.Maker, blocks: int, seed: int
) -> None:
    assert len(answer_completion.wanted(maker(random.Random(seed))).split("\n\n")) == blocks


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("many", "window", "length"), [(12, 400, 9), (8, 240, 12)])
def test_results_come_in_batches_whose_figures_fit_into_a_note(
    many: int, window: int, length: int, seed: int
) -> None:
    results = map_reduce._results(random.Random(seed), many, length)
    parts = batches(results, window)
    assert len(parts) > 2
    assert all(len(part) > 1 for part in parts[:-1])
    every = {"t1": "0123456789ab: " + "; ".join(sorted(map_reduce._figures(results)))}
    assert size(every) <= window // SHARE + size({"t1": ""})


@pytest.mark.parametrize("seed", range(5))
def test_what_waits_for_a_failed_task_is_what_the_package_finds(seed: int) -> None:
    for maker in (gaps._chain, gaps._marked, gaps._diamond, gaps._two_roots):
        case = maker(random.Random(seed))
        plan = Plan.model_validate(case["plan"])
        for id in plan.by_id:
            assert gaps.behind(case["plan"], id) == sorted(downstream(plan, id))
