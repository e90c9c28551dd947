"""A model that hangs or fails: within the limit somebody answers, or a person has the case."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from course import Limits, clock, connect
from course.agent import Agent
from course.errors import ModelError
from course.models import ChatRequest
from course.results import Failure, TaskResult
from course.runner import run
from course.supervisor import SupervisorResult, Worker
from course.team import HUMAN, Guards, HumanQueue, Team
from tests.patterns.bosses import boss, models, order, ordering, results, turns

HUNG = Limits(max_seconds=10)


async def hang(request: ChatRequest) -> str:
    await asyncio.sleep(400)
    return "too late"


def timed(system: Any, **scripts: Any) -> tuple[Any, float]:
    """The result of a run and the seconds it took."""

    async def main() -> tuple[Any, float]:
        begin = clock.now()
        return await run(
            system, "Do it all.", client=connect(models(**scripts))
        ), clock.now() - begin

    return clock.simulate(main())


def test_a_supervisor_whose_model_hangs_hands_over_within_its_limit() -> None:
    queue = HumanQueue()
    first = ordering([order("a", "one")])
    result, seconds = timed(
        boss("a", limits=HUNG, escalate_to=queue),
        boss=lambda r: hang(r) if turns(r) else first(r),
        a="found",
    )
    assert seconds <= 10.5
    assert (result.escalated_to, result.stop.reason) == (HUMAN, "max_seconds")
    (ticket,) = queue.tickets
    assert [(each.agent, each.outcome) for each in ticket.tried] == [("a", "found")]
    assert [m["role"] for m in ticket.transcript] == ["user", "assistant", "tool"]


def test_without_anybody_else_what_is_known_is_the_answer() -> None:
    first = ordering([order("a", "one")])
    script = lambda r: hang(r) if turns(r) else first(r)  # noqa: E731
    result, seconds = timed(boss("a", limits=HUNG), boss=script, a="found")
    assert seconds <= 10.5
    assert result.answer == "a: found\nNo more could be done: max_seconds is 10."


def test_delegations_under_way_are_cut_off_and_the_others_results_are_told() -> None:
    script = ordering([order("a", "one"), order("b", "two")], answer="all there is")
    result, seconds = timed(boss("a", "b", limits=HUNG), boss=script, a="found", b=hang)
    assert seconds <= 10.5
    assert result.answer == "all there is"
    assert [d.status for d in result.delegations.values()] == ["done", "failed"]
    [late] = result.failures.values()
    assert late == Failure("timeout", "b was cut off before it was done")


def test_an_agent_that_takes_over_and_hangs_too_has_what_was_kept_for_it() -> None:
    chief = Agent(name="chief", instructions="You settle.")
    result, seconds = timed(boss("a", limits=HUNG, escalate_to=chief), boss=hang, chief=hang)
    assert seconds <= 10.5
    assert "max_seconds is 10" in result.answer


@pytest.mark.parametrize("most", [1, 3])
def test_a_model_that_fails_so_often_is_given_up_for_somebody_else(most: int) -> None:
    asked: list[int] = []

    def broken(request: ChatRequest) -> str:
        asked.append(turns(request))
        raise ModelError("the model refused the request (500)")

    chief = Agent(name="chief", instructions="You settle.")
    first = ordering([order("a", "one")])
    result, _ = timed(
        boss("a", escalate_to=chief, max_failures=most),
        boss=lambda r: broken(r) if turns(r) else first(r),
        a="found",
        chief=lambda r: r.messages[-1]["content"],
    )
    assert asked == [1] * most  # what was done before is not done again
    assert (result.stop.reason, result.stop.limit) == ("max_failures", most)
    assert "a: found" in result.answer
    with pytest.raises(ModelError):
        timed(boss("a", max_failures=most), boss=broken)


@pytest.mark.parametrize("fallback", ["spare", HUMAN])
def test_a_team_whose_model_hangs_or_fails_falls_back(fallback: str) -> None:
    agents = tuple(Agent(name=n, instructions="Answer.") for n in ("first", "spare"))
    team = Team(name="desk", agents=agents, fallback=fallback, guards=Guards(max_seconds=10))

    def broken(request: ChatRequest) -> str:
        raise ModelError("the model refused the request (500)")

    for script, reason in ((hang, "max_seconds"), (broken, "max_failures")):
        result, seconds = timed(team, first=script, spare="Here I am.")
        assert seconds <= 10.5
        assert (result.agent, result.stop.reason) == (fallback, reason)
    assert len(team.queue) == (2 if fallback == HUMAN else 0)
    with pytest.raises(ModelError):
        timed(replace(team, fallback=None), first=broken)


def test_the_same_task_for_the_same_worker_is_not_done_a_third_time() -> None:
    nine = ordering(*[[order("a", "look again")]] * 9)
    made: list[str] = []
    result, _ = timed(
        boss("a"),
        boss=lambda r: "what I have" if r.tool_choice == "none" else nine(r),
        a=lambda r: made.append("x") or "same",
    )
    assert len(made) == 2
    assert (result.answer, result.stop.reason) == ("what I have", "max_repeats")
    assert list(result.failures.values())[-1].error.startswith("a was given this before; max_rep")
    free, _ = timed(boss("a", max_repeats=None, limits=Limits(max_turns=12)), boss=nine, a="same")
    assert [d.status for d in free.delegations.values()] == ["done"] * 9


def checked(answers: list[str]) -> tuple[SupervisorResult, list[dict[str, Any]]]:
    """A run whose worker gives these answers, of which only one with a unit will do."""

    def unit(result: TaskResult) -> str | None:
        return None if "EUR" in result.result else "the unit is missing"

    told: list[dict[str, Any]] = []
    asked: list[str] = []

    def lead(request: ChatRequest) -> Any:
        told.extend(results(request))
        return ordering([order("a", "What is owed?")])(request)

    def work(request: ChatRequest) -> str:
        asked.append(request.messages[-1]["content"])
        return answers[len(asked) - 1]

    worker = Worker(name="a", description="knows", instructions="Look.", check=unit)
    result, _ = timed(replace(boss("b"), workers=(worker,)), boss=lead, a=work)
    assert asked[1:] == [
        "What is owed?\nConstraints: The first answer would not do: the unit is missing"
    ]
    return result, told


def test_a_workers_check_asks_again_with_the_reason() -> None:
    _, [told] = checked(["20", "20 EUR"])
    assert (told["status"], told["result"]) == ("done", "20 EUR")


def test_what_no_check_confirms_is_told_as_such() -> None:
    result, [told] = checked(["20", "21"])
    assert (told["status"], told["kind"], told["result"]) == ("failed", "unconfirmed", "21")
    assert told["error"] == "a could not confirm it: the unit is missing"
    assert next(iter(result.failures.values())).kind == "unconfirmed"
