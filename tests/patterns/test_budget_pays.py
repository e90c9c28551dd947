"""A budget that is short pays for the results of some tasks, not for the first steps of all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course import Agent, clock, connect, run, tool
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.results import Evidence
from course.supervisor import Supervisor
from course.supervisor_worker import Plan, PlanMade, PlanningSupervisor, PlanResult, PlanTask
from course.supervisor_worker.cost import Cost, least_cost

EIGHT = 8
REQUEST = "Find the figures of eight years."


@tool
def look_up(year: int) -> str:
    """Look a year's figure up.

    Args:
        year: the year
    """
    return f"The figure of {year} is {year * 3}."


LOOKER = Agent(name="looker", description="looks figures up", tools=(look_up,))
PLAN = Plan(
    goal="figures",
    tasks=tuple(
        PlanTask(id=f"t{n}", description=f"Look up the figure of {2000 + n}", worker="looker")
        for n in range(1, EIGHT + 1)
    ),
)


def says(request: ChatRequest) -> Any:
    """A planner, a boss with eight orders, workers of two steps each, and one who answers."""
    if request.schema_name == "plan":
        return PLAN.to_json()
    last, agent = request.messages[-1], request.key.agent
    if agent == "boss" and request.tool_choice != "none" and last["role"] == "user":
        orders = ({"worker_agent": "looker", "task": each.description} for each in PLAN.tasks)
        return Reply(calls=tuple(Call("delegate_to_agent", json.dumps(each)) for each in orders))
    if agent == "looker" and last["role"] == "user":
        year = int(str(last["content"]).split("figure of ")[1][:4])
        return Reply(calls=(Call("look_up", json.dumps({"year": year})),))
    return str(last["content"]) if agent == "looker" else "Here is what was found."


def carried(plan: Plan | None = None, **limits: Any) -> PlanResult:
    boss = PlanningSupervisor(name="boss", workers=(LOOKER,), **limits)
    client = connect(Scripted(says, latency=1.0))
    return clock.simulate(run(boss, REQUEST, client=client, plan=plan))


def done(result: PlanResult) -> list[str]:
    return [id for id, each in result.results.items() if each.done]


@pytest.mark.parametrize("plan", [PLAN, None])
def test_eight_tasks_and_five_calls_bring_two_results_and_six_names(plan: Plan | None) -> None:
    result = carried(plan, max_calls=5)
    assert done(result) == ["t1", "t2"]
    assert result.stop is not None
    assert result.stop.reason == "max_calls"
    for id in ("t1", "t2"):
        assert result.results[id].evidence == (
            Evidence(
                "look_up",
                f'{{"year": 200{id[1]}}}',
                f"The figure of 200{id[1]} is {(2000 + int(id[1])) * 3}.",
            ),
        )
    missing = result.answer.partition("Missing:")[2]
    assert all(f"- t{n} " in missing for n in range(3, EIGHT + 1))


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 1.0])
def test_a_share_of_the_calls_pays_for_that_share_of_the_results(share: float) -> None:
    result = carried(max_calls=2 + int(2 * EIGHT * share))
    assert done(result) == [f"t{n}" for n in range(1, int(EIGHT * share) + 1)]


@pytest.mark.parametrize("share", [0.5, 0.75])
def test_a_share_of_the_tokens_pays_for_that_share_of_the_results(share: float) -> None:
    whole = carried()
    tasks = sum(each.usage.total for each in whole.results.values())
    around = whole.usage.total - tasks
    result = carried(max_tokens=int((around + tasks * share) * 4 / 3))  # a quarter is kept back
    assert len(done(result)) >= EIGHT * share
    assert done(result) == [f"t{n}" for n in range(1, len(done(result)) + 1)]


def test_with_enough_for_all_of_them_they_run_at_the_same_time() -> None:
    free, rich = carried(PLAN), carried(PLAN, max_calls=100, max_tokens=10**6)
    assert rich.seconds == free.seconds
    assert len(done(rich)) == EIGHT


def test_a_plan_says_what_it_costs_at_the_least_and_what_is_paid_for_before_it_runs() -> None:
    for calls, paid in ((None, EIGHT), (100, EIGHT), (18, EIGHT), (10, 4), (5, 2)):
        result = carried(max_calls=calls)
        kinds = [type(each).__name__ for each in result.events]
        [made] = [each for each in result.events if isinstance(each, PlanMade)]
        assert kinds.index("PlanMade") < kinds.index("TaskStarted")
        assert (made.least.calls, made.paid, made.enough) == (17, paid, paid == EIGHT)
    whole = carried(PLAN)
    least = least_cost(PLAN, PlanningSupervisor(name="boss", workers=(LOOKER,)).registry)
    assert Cost(0, 0) != least
    assert least.tokens <= whole.usage.total


def test_a_supervisors_delegations_are_paid_for_one_after_the_other_too() -> None:
    boss = Supervisor(name="boss", workers=(LOOKER,), max_iterations=6)
    client = connect(Scripted(says, latency=1.0))
    result = clock.simulate(run(boss, REQUEST, client=client))
    found = [each.result for each in result.delegations.values() if not each.failure]
    assert found == ["The figure of 2001 is 6003.", "The figure of 2002 is 6006."]
    assert len(result.failures) == EIGHT - 2
