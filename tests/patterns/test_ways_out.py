"""A way out of every system: what cannot be served is an answer, somebody else's or one's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course import Agent, Router, clock, connect, run
from course.errors import ConfigurationError
from course.fallback import SENTENCE
from course.models import Scripted
from course.models.wire import ChatRequest
from course.supervisor_worker import (
    LoadBalancer,
    PlanError,
    PlanningSupervisor,
    PlanResult,
    Replica,
)
from course.systems import carry_out
from course.team import HUMAN, HumanQueue, Team, TeamResult
from course.team.human import PUT_THROUGH

WORKER = Agent(name="w", description="finds prices", instructions="You find prices.")
NOBODY = "Nobody here cooks."
SPARE = Agent(name="spare", description="the rest", instructions="You are the spare one.")


def says(request: ChatRequest) -> Any:
    """A planner that finds nobody for the request, a router that finds nobody either."""
    forms = {
        "plan": {"goal": "g", "tasks": [], "final_instruction": NOBODY},
        "route": {"agents": []},
    }
    form = forms.get(str(request.schema_name))
    return json.dumps(form) if form else f"{request.key.agent}: {request.messages[-1]['content']}"


def boss(**more: Any) -> PlanningSupervisor:
    return PlanningSupervisor(name="boss", description="plans", workers=(WORKER,), **more)


def ran(system: Any, script: Any = says, **more: Any) -> Any:
    return clock.simulate(run(system, "Cook a goose.", client=connect(Scripted(script)), **more))


def test_who_takes_over_gets_the_request_and_the_reason() -> None:
    queue = HumanQueue()
    result = ran(boss(fallback=queue))
    assert (result.escalated_to, result.ticket.number) == (HUMAN, "T-1")
    assert result.answer.startswith(PUT_THROUGH)
    [ticket] = queue.tickets
    assert ticket.request == "Cook a goose."
    assert NOBODY.rstrip(".") in ticket.reason
    result = ran(boss(fallback=SPARE))
    assert (result.escalated_to, result.answer.splitlines()[0]) == ("spare", "spare: Cook a goose.")
    result = ran(boss(fallback="Please call us."))
    assert (result.escalated_to, result.answer.splitlines()[0]) == (SENTENCE, "Please call us.")
    assert all("Nothing was done: no worker can serve" in ran(boss(fallback=each)).answer
               for each in (queue, SPARE, "Please call us."))  # fmt: skip


def test_without_anybody_a_person_hears_the_reason_and_a_program_gets_the_error() -> None:
    result = ran(boss())
    assert f"Nothing was done: no worker can serve the request: {NOBODY}" in result.answer
    assert result.failures["decomposition"].kind == "decomposition"
    with pytest.raises(PlanError) as refused:
        clock.simulate(carry_out(boss(), "Cook a goose.", client=connect(Scripted(says))))
    assert refused.value.instead.answer == result.answer


def test_a_member_that_comes_to_no_plan_answers_for_a_team_a_router_and_a_balancer() -> None:
    def routed(request: ChatRequest) -> Any:
        return '{"agents": ["boss"]}' if request.schema_name == "route" else says(request)

    team = ran(Team(name="desk", agents=(boss(),)))
    router = ran(Router(agents=(boss(), WORKER)), routed)
    client = connect(Scripted(says))
    balancer = ran(LoadBalancer(replicas=(Replica(boss=boss(), client=client),)))
    kinds = (type(team), type(router).__name__, type(balancer))
    assert kinds == (TeamResult, "RouterResult", PlanResult)
    assert all("Nothing was done: " in each.answer for each in (team, router, balancer))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (says, "Nobody here is there for that"),
        (lambda request: "no route at all", "the router's answer is no route"),
    ],
)
def test_a_router_that_finds_nobody_has_a_way_out_too(script: Any, why: str) -> None:
    alone = ran(Router(agents=(WORKER,)), script)
    assert why in alone.answer
    assert "w: finds prices" in alone.answer
    queue = HumanQueue()
    result = ran(Router(agents=(WORKER,), fallback=queue), script)
    assert (result.escalated_to, result.answer, len(queue)) == (HUMAN, PUT_THROUGH, 1)
    result = ran(Router(agents=(WORKER,), fallback="Please call us."), script)
    assert result.answer.startswith("Please call us.")


def test_what_cannot_take_over_is_refused_when_it_is_said() -> None:
    for wrong in (3, "  ", object()):
        with pytest.raises(ConfigurationError, match="an agent, a HumanQueue, HUMAN or a sentence"):
            boss(fallback=wrong)
        with pytest.raises(ConfigurationError, match="an agent, a HumanQueue, HUMAN or a sentence"):
            Router(agents=(WORKER,), fallback=wrong)  # type: ignore[arg-type]
