"""The router pattern: route, answer, and one answer from several."""

from __future__ import annotations

import json

import pytest

from course import LARGE, SMALL, Agent, Limits, clock, connect, tool
from course.answers import Usage
from course.errors import ConfigurationError, ModelError
from course.models import ApiError, Call, ChatRequest, Reply, Scripted
from course.routing import ModelRouter, Router, RouterResult, StaticRouter
from course.runner import run
from course.trace import Trace


@tool
def look_up(what: str) -> str:
    """Look something up."""
    return f"{what}: 40 EUR"


BILLING = Agent(
    name="billing", description="money", instructions="Count.", tools=(look_up,), model=LARGE
)
BOOK = Agent(name="book", description="appointments", instructions="Write.")
NURSE = Agent(name="nurse", description="symptoms", instructions="Ask.")
OFFICE = (BILLING, BOOK, NURSE)


def world(routes: list[str], *, broken: tuple[str, ...] = ()) -> Scripted:
    """Routes as told; billing looks something up first; the others answer at once."""

    def script(request: ChatRequest) -> Reply | str:
        who = request.key.agent
        if who in broken:
            raise ApiError(400, f"{who} is ill")
        if who == "router":
            return json.dumps({"agents": routes})
        if who == "billing" and request.messages[-1]["role"] == "user":
            return Reply(calls=(Call("look_up", '{"what": "the bill"}'),))
        return f"{who} says so."

    return Scripted(script, latency=1.0)


def ran(router: Router, script: Scripted, request: str = "How are things?") -> RouterResult:
    return clock.simulate(run(router, request, client=connect(script)))


def who(script: Scripted) -> list[str]:
    return [request.key.agent for request in script.requests]


def test_one_specialists_answer_is_passed_on_as_it_is() -> None:
    script = world(["billing"])
    result = ran(Router(agents=OFFICE), script)
    assert result.answer == "billing says so."
    assert who(script) == ["router", "billing", "billing"]
    assert result.route.agents == ("billing",)
    assert result.context == result.results["billing"].context
    assert result.usage == result.route.usage + result.results["billing"].usage
    assert result.stop is None


def test_a_specialist_alone_sees_its_own_instructions_and_the_request() -> None:
    script = world(["book"])
    ran(Router(agents=OFFICE), script)
    assert script.requests[1].messages == (
        {"role": "system", "content": "Write."},
        {"role": "user", "content": "How are things?"},
    )


def test_the_router_is_small_and_a_specialist_has_the_model_it_asks_for() -> None:
    script = world(["billing"])
    ran(Router(agents=OFFICE), script)
    assert [request.model for request in script.requests] == [SMALL, LARGE, LARGE]


def test_several_work_at_the_same_time_and_one_answer_is_made_of_theirs() -> None:
    script = world(["nurse", "billing", "book"])
    result = ran(Router(agents=OFFICE), script)
    assert result.answer == "synthesis says so."
    assert list(result.results) == ["nurse", "billing", "book"]
    assert who(script)[0] == "router"
    assert sorted(who(script)[1:-1]) == ["billing", "billing", "book", "nurse"]
    assert script.in_flight_peak == 3
    assert max(span.end for span in result.trace.spans) == pytest.approx(4.0)  # 1 + 2 + 1
    told = str(script.requests[-1].messages[-1]["content"])
    for name in result.results:
        assert f"## {name}\n{name} says so." in told
    calls = [span for span in result.trace.spans if span.operation == "chat"]
    spent = sum(float(span.attributes["gen_ai.usage.input_tokens"]) for span in calls)
    assert result.usage.input == spent


def test_several_know_that_they_are_not_alone() -> None:
    script = world(["nurse", "book"])
    ran(Router(agents=OFFICE), script)
    [asked] = [request for request in script.requests if request.key.agent == "nurse"]
    system = str(asked.messages[0]["content"])
    assert system.startswith("Ask.\n")
    assert "(book)" in system


def test_the_steps_stand_in_the_trace() -> None:
    result = ran(Router(name="front desk", agents=OFFICE), world(["nurse", "book"]))
    [root, *steps] = [span for span in result.trace.spans if span.operation != "chat"]
    assert (root.operation, root.name) == ("invoke_workflow", "front desk")
    assert root.attributes["gen_ai.workflow.name"] == "front desk"
    assert [(step.operation, step.name) for step in steps] == [
        ("route", "ModelRouter"),
        ("invoke_agent", "nurse"),
        ("invoke_agent", "book"),
        ("synthesise", "nurse, book"),
    ]
    assert all(step.parent_id == root.span_id for step in steps)


def test_one_that_fails_leaves_the_others_results_intact() -> None:
    script = world(["nurse", "billing", "book"], broken=("book",))
    result = ran(Router(agents=OFFICE), script)
    assert list(result.results) == ["nurse", "billing"]
    assert "book is ill" in result.failures["book"]
    told = str(script.requests[-1].messages[-1]["content"])
    assert "## book\nfailed: " in told
    assert result.answer == "synthesis says so."


def test_one_left_of_two_is_still_told_what_is_missing() -> None:
    script = world(["nurse", "book"], broken=("book",))
    assert ran(Router(agents=OFFICE), script).answer == "synthesis says so."


def test_when_all_of_them_fail_it_is_an_error() -> None:
    with pytest.raises(ModelError, match="nurse is ill"):
        ran(Router(agents=OFFICE), world(["nurse", "book"], broken=("nurse", "book")))


def test_a_synthesis_that_fails_throws_nothing_away() -> None:
    script = world(["nurse", "book"], broken=("synthesis",))
    result = ran(Router(agents=OFFICE), script)
    assert result.answer == "nurse: nurse says so.\n\nbook: book says so."
    assert "synthesis is ill" in result.failures["synthesis"]


def test_what_is_nobodys_business_is_said_so_without_another_call() -> None:
    script = world([])
    result = ran(Router(agents=OFFICE), script)
    assert who(script) == ["router"]
    assert "Nobody here" in result.answer
    assert all(agent.description in result.answer for agent in OFFICE)
    assert result.results == {}


def test_what_is_nobodys_business_goes_to_the_fallback() -> None:
    desk = Agent(name="desk", description="everything else")
    result = ran(Router(agents=OFFICE, fallback=desk), world([]))
    assert result.answer == "desk says so."
    assert list(result.results) == ["desk"]


def test_a_limit_of_a_specialist_is_the_stop_of_the_run() -> None:
    from dataclasses import replace

    hasty = replace(BILLING, limits=Limits(max_turns=1))
    alone = ran(Router(agents=(hasty, BOOK)), world(["billing"]))
    both = ran(Router(agents=(hasty, BOOK)), world(["billing", "book"]))
    for result in (alone, both):
        assert result.stop is not None
        assert result.stop.reason == "max_turns"


def test_limits_of_the_whole_run_count_over_everybody() -> None:
    limits = Limits(max_turns=2)
    result = ran(Router(agents=OFFICE, limits=limits), world(["nurse", "book"]))
    assert list(result.results) == ["nurse"]
    assert "max_turns is 2" in result.failures["book"]
    assert "nurse says so." in result.answer
    nobody = ran(Router(agents=OFFICE, limits=Limits(max_turns=1)), world(["nurse", "book"]))
    assert str(nobody.stop) == "stopped: max_turns is 1, reached 1"
    assert "No more could be done: max_turns is 1." in nobody.answer


def test_a_run_joins_the_trace_it_is_given() -> None:
    trace = Trace("mine")
    result = clock.simulate(
        run(Router(agents=OFFICE), "Hello?", client=connect(world(["nurse"])), trace=trace)
    )
    assert result.trace is trace
    assert trace.spans[0].operation == "invoke_workflow"


def test_wiring_that_cannot_work_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="two agents are called 'book'"):
        Router(agents=(BOOK, BOOK))
    with pytest.raises(ConfigurationError, match="'mute' has no description"):
        Router(agents=(BOOK, Agent(name="mute")))
    with pytest.raises(ConfigurationError, match="may choose 'sales', who is not among"):
        Router(agents=OFFICE, chooser=StaticRouter({"sales": ["buy"]}))
    with pytest.raises(ConfigurationError, match="needs specialists"):
        Router(agents=())


def test_an_empty_request_is_refused() -> None:
    with pytest.raises(ValueError, match="the request is empty"):
        ran(Router(agents=OFFICE), world([]), "  ")


def test_a_table_routes_without_a_call() -> None:
    script = world([])
    table = StaticRouter({"book": ["appointment"]})
    result = ran(Router(agents=OFFICE, chooser=table), script, "My appointment?")
    assert who(script) == ["book"]
    assert result.route.usage == Usage()
    assert isinstance(Router(agents=OFFICE).decides, ModelRouter)
