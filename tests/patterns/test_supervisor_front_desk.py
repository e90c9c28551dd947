"""The clinic's front desk led by a supervisor, answered by the simulated model."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from course import clock, connect
from course.approval import Decision
from course.errors import ModelError
from course.runner import run
from course.scenarios import front_desk
from course.scenarios.front_desk import REQUESTS, Desk, state
from course.scenarios.front_desk.specialists import specialists
from course.supervisor import Supervisor, SupervisorResult, Worker

LEAD = "You lead a front desk. Delegate to your workers and answer with what they report."
BY_NAME = {each.name: each for each in REQUESTS}


@pytest.fixture(params=[7, 11, 23])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    with front_desk.Desk(seed=request.param) as opened:
        yield opened


def boss(desk: Desk, **more: Any) -> Supervisor:
    return Supervisor(name="front desk", instructions=LEAD, workers=specialists(desk), **more)


def answer(lead: Supervisor, request: str, *, profile: str = "calm") -> SupervisorResult:
    return clock.simulate(run(lead, request, client=connect(profile=profile)))


@pytest.mark.parametrize(
    ("name", "workers"),
    [
        ("opening hours", {"records"}),
        ("next visit", {"scheduling"}),
        ("owed", {"billing"}),
        ("visit and bill", {"scheduling", "billing"}),
        ("pay", {"billing"}),
        ("cancel", {"scheduling"}),
    ],
)
def test_a_request_goes_to_the_workers_it_is_for_and_is_answered(
    desk: Desk, name: str, workers: set[str]
) -> None:
    sample = BY_NAME[name].on(desk)
    result = answer(boss(desk), sample.text)
    assert {each.worker for each in result.delegations.values()} == workers
    assert sample.missing(result.answer) == []
    assert state(desk) == sample.after
    assert result.failures == {}


def test_independent_parts_are_worked_on_at_the_same_time(desk: Desk) -> None:
    result = answer(boss(desk), BY_NAME["visit and bill"].on(desk).text)
    starts = {s.start for s in result.trace.spans if s.operation == "delegate"}
    assert len(result.delegations) == 2
    assert len(starts) == 1


def test_what_a_person_refuses_is_not_done_and_the_answer_says_so(desk: Desk) -> None:
    scheduling, billing, records = specialists(desk)
    guarded = Worker(**{**vars(billing), "policy": "needs approval"})
    lead = Supervisor(
        name="front desk", instructions=LEAD, workers=(scheduling, guarded, records),
        approve=lambda question: Decision(approved=False, by="the manager", reason="not today"),
    )  # fmt: skip
    before = state(desk)
    result = answer(lead, BY_NAME["pay"].on(desk).text)
    assert state(desk) == before
    assert [each.kind for each in result.failures.values()] == ["refused"]
    assert "not today" in result.answer


def test_when_one_worker_takes_too_long_the_others_results_are_in_the_answer(desk: Desk) -> None:
    sample = BY_NAME["visit and bill"].on(desk)
    whole = answer(boss(desk), sample.text)
    slow, quick = sorted(whole.delegations.values(), key=lambda each: -each.seconds)
    between = (slow.seconds + quick.seconds) / 2
    result = answer(boss(desk, delegation_seconds=between), sample.text)
    failed = {each.worker for each in result.delegations.values() if each.failure}
    assert failed == {slow.worker}
    kept = next(e for e in result.delegations.values() if e.worker == quick.worker)
    assert kept.result == quick.result
    assert quick.result.splitlines()[0] in result.answer


@pytest.mark.parametrize("limit", [500, 1500, 2500, 4000, 6000, 9000])
def test_a_limit_is_kept_whatever_the_model_does(desk: Desk, limit: int) -> None:
    sample = BY_NAME["visit and bill"].on(desk)
    result = answer(boss(desk, max_tokens=limit), sample.text)
    assert result.usage.total <= limit
    assert result.answer
    assert (result.stop is None) == (not sample.missing(result.answer))


@pytest.mark.parametrize("profile", ["stormy", "faulty", "misrouting"])
def test_bad_weather_gives_results_or_typed_failures_never_a_crash(
    desk: Desk, profile: str
) -> None:
    for number in range(4):
        lead = replace(boss(desk), max_tokens=20_000)
        client = connect(profile=profile, seed=number)
        text = BY_NAME["visit and bill"].on(desk).text
        try:
            result = clock.simulate(run(lead, text, client=client, run_id=str(number)))
        except ModelError:  # the supervisor's own model, after the client's retries
            continue
        assert result.answer
        assert all(each.result or each.failure for each in result.delegations.values())
