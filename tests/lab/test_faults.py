"""Faults by design: as many as asked for, where they were asked for; and limits under load."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from course.lab.one import Played, arrivals, play
from course.lab.spec import Experiment
from course.models import Call, ChatRequest, Reply
from course.models.conditions import Weather
from course.models.injection import ANSWERS, profile_with, spoil

BASE: dict[str, Any] = {
    "name": "test", "bench": "calls:3", "pattern": "planner", "seeds": "0:1", "tasks": 1,
}  # fmt: skip


def played(**axes: Any) -> list[Played]:
    return [play(cell) for cell in Experiment(**{**BASE, **axes}).cells()]


def test_outages_are_as_frequent_as_they_were_asked_for() -> None:
    outages = profile_with("calm", model=0.15, kind="outages").failures.outages
    assert outages is not None
    bad = [Weather(outages, seed).bad(second) for seed in range(60) for second in range(0, 100, 5)]
    assert sum(bad) / len(bad) * outages.failure_rate == pytest.approx(0.15, abs=0.03)


def test_a_profiles_own_failures_stay_where_none_are_asked_for() -> None:
    assert profile_with("faulty").failures == profile_with("faulty", tool=0.2).failures
    assert profile_with("calm", tool=0.2, tool_kind="error").tool_failures.error == 1.0  # type: ignore[union-attr]


CALLS = Reply(calls=(Call("look_up", '{"name": "x"}'),))
BEFORE = {"tool_calls": [{"id": "1", "function": {"name": "first", "arguments": "{}"}}]}


@pytest.mark.parametrize("kind", ANSWERS)
def test_each_fault_changes_the_answer_that_it_concerns(kind: str) -> None:
    answer = Reply("A long enough answer.") if kind == "truncated" else CALLS
    request = ChatRequest("m", ({"role": "assistant", **BEFORE},))
    assert spoil(answer, kind, request) != answer
    other = CALLS if kind == "truncated" else Reply("done")
    assert spoil(other, kind, request) == other


def test_faults_stand_in_the_spans() -> None:
    [run] = played(fault={"model": 1.0, "kind": "unknown_tool"})
    assert "unknown_tool" in {span["fault"] for span in run.spans}
    [run] = played(fault={"tool": 1.0, "tool_kind": "error"})
    assert run.row["tool_errors"] == run.row["tool_calls"] > 0
    assert run.row["tokens_waste"] > 0


def test_tools_fail_alike_in_patterns_that_ask_alike() -> None:
    runs = played(
        pattern=["single", "supervisor"], policy="none", seeds="0:8",
        fault={"tool": 0.3, "tool_kind": "bad_value"},
    )  # fmt: skip
    shares = {name: [r.row["share"] for r in runs if r.row["pattern"] == name]
              for name in ("single", "supervisor")}  # fmt: skip
    assert shares["single"] == shares["supervisor"]
    assert min(shares["single"]) < 1


def test_rate_limits_follow_from_load() -> None:
    alone, crowded = played(profile="busy", load=[1, 12])
    assert alone.row["retries"] == 0 < crowded.row["retries"]
    assert crowded.row["latency_s"] > 1.5 * alone.row["latency_s"]


def test_requests_that_arrive_apart_are_in_each_others_way_less() -> None:
    at_once, apart = played(profile="busy", load=12, gap=[0, 20])
    assert at_once.row["latency_s"] > apart.row["latency_s"] and apart.row["gap_s"] == 20
    cell = replace(next(Experiment(**BASE).cells()), load=4001, gap=0.5)
    mine, *others = arrivals(cell)
    assert sorted(others) == others and sum(each < mine for each in others) == 2000
    gaps = np.diff([0.0, *sorted([mine, *others])])
    assert gaps.mean() == pytest.approx(0.5, rel=0.05) == gaps.std()
    assert arrivals(replace(cell, pattern="planner")) == [mine, *others]
    assert set(arrivals(replace(cell, gap=0.0))) == {0.0}


def test_a_deadline_leaves_a_planner_its_partial_answer() -> None:
    late, partial = played(pattern=["supervisor", "planner"], bench="dag:4x2", deadline=10)
    assert (late.row["share"], late.row["stop_reason"]) == (0.0, "deadline")
    assert 0 < partial.row["share"] < 1 and partial.row["latency_s"] == pytest.approx(10)
