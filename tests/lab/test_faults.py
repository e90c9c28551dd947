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
from course.runs import COORDINATION

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


GIVES = ("handoff", "consultation", "router", "supervisor", "supervisor:nested", "planner")
"""Patterns that give work away, each in another way."""


def test_faults_of_tools_strike_every_pattern_alike_and_no_move() -> None:
    runs = played(
        pattern=["single", *GIVES], policy="refine", seeds="0:6",
        fault={"tool": 0.2, "tool_kind": "error"},
    )  # fmt: skip
    told: dict[int, set[tuple[int, int]]] = {}
    for run in runs:
        row = run.row
        assert row["faults"] == row["tool_errors"]
        moved = {s["name"] for s in run.spans if s["operation"] == "execute_tool"}
        assert any(name.startswith(COORDINATION) for name in moved) == (row["handoffs"] > 0)
        told.setdefault(row["seed"], set()).add((row["faults"], row["tool_calls"]))
    assert all(len(met) == 1 for met in told.values())  # whoever asks
    assert max(faults for met in told.values() for faults, _ in met) > 1


@pytest.mark.parametrize("pattern", GIVES)
def test_a_move_fails_whatever_way_it_gives_work_away(pattern: str) -> None:
    [lost] = played(pattern=pattern, policy="refine", fault={"move": 1.0})
    assert (lost.row["success"], lost.row["tool_calls"]) == (False, 0)
    assert lost.row["faults"] == sum(s["fault"] == "move" for s in lost.spans) > 0


def test_the_first_move_to_somebody_meets_the_same_luck_in_every_pattern() -> None:
    runs = played(pattern=["router", "supervisor", "planner"], seeds="0:8", fault={"move": 0.4})
    lost: dict[str, list[set[str]]] = {}
    for run in runs:
        workers = {s["agent"] for s in run.spans if s["operation"] == "execute_tool"}
        lost.setdefault(run.row["pattern"], []).append(workers)
    assert lost["router"] == lost["planner"]  # neither tries again
    assert any(len(each) < 3 for each in lost["router"])
    assert all(a <= b for a, b in zip(lost["planner"], lost["supervisor"], strict=True))
    [single] = played(pattern="single", fault={"move": 1.0})
    assert (single.row["success"], single.row["faults"]) == (True, 0)


def test_faults_that_landed_are_counted_whatever_they_are() -> None:
    [busy] = played(profile="busy", load=12)
    assert busy.row["faults"] == 0 < busy.row["retries"]  # a rate limit is no fault
    for kind in ("service", "slow", "outages", "bad_json"):
        runs = played(seeds="0:4", policy="breaker", fault={"model": 0.5, "kind": kind})
        assert sum(run.row["faults"] for run in runs) > 0
        for run in runs:
            assert run.row["faults"] == sum(span["fault"] != "" for span in run.spans)


def test_tasks_of_a_seed_have_weathers_and_arrivals_of_their_own() -> None:
    outages = profile_with("stormy", weather="a").failures.outages
    other = profile_with("stormy", weather="b").failures.outages
    assert outages is not None and other is not None
    spells = [
        [Weather(each, 3).bad(second) for second in range(0, 2000, 5)] for each in (outages, other)
    ]
    assert spells[0] != spells[1] and all(map(any, spells))
    cell, *_, last = Experiment(**{**BASE, "tasks": 2}, load=5, gap=10).cells()
    assert cell.task != last.task
    assert arrivals(cell) != arrivals(last)


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
