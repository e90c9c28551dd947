"""A way out of every system: what cannot be served is an answer, somebody else's or one's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from course import Agent, Pipeline, Router, Stage, clock, connect, run
from course.errors import ConfigurationError
from course.fallback import SENTENCE
from course.limits import Limits
from course.models import Scripted
from course.models.wire import ChatRequest
from course.pipeline import StageError, WiringError
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


class Meal(BaseModel, frozen=True):
    """A meal."""

    request: str
    dish: str = ""
    price: int = 0


def kitchen(**more: Any) -> Pipeline[Meal]:
    """A chain whose second stage never gets its form right."""
    stages = (
        Stage(name="choose", work=Agent(name="c"), reads=("request",), writes=("dish",)),
        Stage(name="price", work=Agent(name="p"), reads=("dish",), writes=("price",)),
    )
    return Pipeline(name="kitchen", state=Meal, stages=stages, **more)


def cooks(request: ChatRequest) -> str:
    asked = request.messages[-1]["content"]
    if request.schema_name == "choose":
        return '{"dish": "goose"}'
    return "much" if request.schema_name else f"{request.key.agent}: {asked}"


HOW_FAR = "Done: choose. Not done: price."


def test_a_stage_that_fails_ends_a_chain_with_an_answer_and_a_program_gets_the_error() -> None:
    alone = ran(kitchen(), cooks)
    assert alone.answer.startswith("No more could be done: stage 'price' could not fill 'price'")
    assert alone.answer.endswith(HOW_FAR)
    assert (alone.state.dish, alone.broken.stage, alone.escalated_to) == ("goose", "price", None)
    assert alone.failure is not None and alone.failure.error == str(alone.broken)
    with pytest.raises(StageError) as refused:
        clock.simulate(carry_out(kitchen(), "Cook a goose.", client=connect(Scripted(cooks))))
    assert refused.value.instead.answer == alone.answer


def test_a_chain_that_cannot_go_on_has_a_way_out() -> None:
    queue = HumanQueue()
    result = ran(kitchen(fallback=queue), cooks)
    assert (result.escalated_to, result.answer, len(queue)) == (HUMAN, PUT_THROUGH, 1)
    [ticket] = queue.tickets
    assert (ticket.request, ticket.tried[0].outcome) == ("Cook a goose.", '{"dish":"goose"}')
    assert HOW_FAR in ticket.reason
    result = ran(kitchen(fallback=SPARE), cooks)
    assert result.escalated_to == "spare"
    assert result.answer.startswith("spare: Cook a goose.") and '"goose"' in result.answer
    result = ran(kitchen(fallback="Please call us.", limits=Limits(max_turns=1)), cooks)
    assert (result.escalated_to, result.stop.reason) == (SENTENCE, "max_turns")
    assert result.answer.startswith("Please call us.") and result.answer.endswith(HOW_FAR)


def test_what_cannot_take_over_is_refused_when_it_is_said() -> None:
    for wrong in (3, "  ", object()):
        with pytest.raises(ConfigurationError, match="an agent, a HumanQueue, HUMAN or a sentence"):
            boss(fallback=wrong)
        with pytest.raises(WiringError, match="an agent, a HumanQueue, HUMAN or a sentence"):
            kitchen(fallback=wrong)
        with pytest.raises(ConfigurationError, match="an agent, a HumanQueue, HUMAN or a sentence"):
            Router(agents=(WORKER,), fallback=wrong)  # type: ignore[arg-type]
