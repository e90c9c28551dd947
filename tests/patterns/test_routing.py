"""Choosing a specialist: by a table, by a model, in two levels; and how a route is traced."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import Agent, clock, connect
from course.errors import ConfigurationError, ModelError
from course.models import ApiError, ChatRequest, Scripted
from course.routing import (
    Chooser,
    Department,
    ModelRouter,
    NestedRouter,
    Route,
    StaticRouter,
    descriptions,
    route,
    sentences,
)
from course.trace import Trace

TABLE = {"billing": ["invoice", "pay", "owe"], "scheduling": ["appointment", "blood test"]}
CHOICES = {"billing": "invoices and payments", "scheduling": "appointments", "records": "files"}


def chosen(chooser: Chooser, request: str, script: Scripted | None = None) -> Route:
    return clock.simulate(
        route(chooser, request, client=connect(script or Scripted(lambda _: None)))
    )


def says(answer: object) -> Scripted:
    text = answer if isinstance(answer, str) else json.dumps({"agents": answer})
    return Scripted(lambda request: text)


def test_a_table_finds_words_by_their_stems() -> None:
    found = chosen(StaticRouter(TABLE), "I have PAID both invoices already!")
    assert found.agents == ("billing",)  # "invoices"; "paid" is irregular and stays unknown
    assert found.by == "table"
    assert found.usage.total == 0
    assert chosen(StaticRouter(TABLE), "Is he paying?").agents == ("billing",)


def test_a_table_finds_phrases_whole_and_words_not_inside_words() -> None:
    router = StaticRouter(TABLE)
    assert chosen(router, "When is my blood test?").agents == ("scheduling",)
    assert chosen(router, "Is blood needed for a test?").agents == ()
    assert chosen(router, "My payload is heavy").agents == ()


def test_a_table_weighs_hits_and_lets_the_upper_row_win() -> None:
    router = StaticRouter(TABLE)
    found = chosen(router, "What do I owe for the appointment, and may I pay by card?")
    assert (found.agents, found.confidence) == (("billing",), pytest.approx(2 / 3))
    even = chosen(router, "An appointment to pay?")
    assert (even.agents, even.confidence) == (("billing",), 0.5)


def test_a_table_without_a_hit_names_nobody() -> None:
    found = chosen(StaticRouter(TABLE), "What is the weather like?")
    assert (found.agents, found.confidence) == ((), 0.0)


@pytest.mark.parametrize("table", [{}, {"billing": []}, {"billing": "pay"}, {"billing": ["?!"]}])
def test_a_table_with_nothing_to_look_for_is_refused(table: dict[str, list[str]]) -> None:
    with pytest.raises(ConfigurationError, match="row"):
        StaticRouter(table)


@given(st.text())
def test_a_table_reads_any_text(request: str) -> None:
    found = asyncio.run(StaticRouter(TABLE).choose(request, client=connect()))
    assert set(found.agents) <= set(TABLE)


def test_a_model_is_shown_the_descriptions_and_may_answer_with_names_alone() -> None:
    script = says(["billing"])
    found = chosen(ModelRouter(CHOICES), "What do I owe?", script)
    [request] = script.requests
    system = str(request.messages[0]["content"])
    assert all(f"- {name}: {about}" in system for name, about in CHOICES.items())
    assert request.messages[1] == {"role": "user", "content": "What do I owe?"}
    assert request.tools == ()
    assert request.schema is not None
    assert request.schema["properties"]["agents"]["items"]["enum"] == list(CHOICES)
    assert found.agents == ("billing",)
    assert (found.by, found.confidence) == ("model", None)
    assert found.usage.total > 0


def test_a_model_names_each_specialist_once_in_its_order() -> None:
    found = chosen(ModelRouter(CHOICES), "Both, please", says(["records", "billing", "records"]))
    assert found.agents == ("records", "billing")


def test_a_model_may_name_nobody() -> None:
    assert chosen(ModelRouter(CHOICES), "Tell me a joke", says([])).agents == ()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (["billing", "sales"], "the router chose 'sales'; there are: billing, scheduling, records"),
        ("billing, I think", "the router's answer is no route: 'billing, I think'"),
        ('{"agents": ["bil', "no route"),
        ('{"agent": "billing"}', "no route"),
        ('{"agents": "billing"}', "no route"),
        ('{"agents": [["billing"]]}', "no route"),
        ('{"agents": null}', "no route"),
        ("[]", "no route"),
    ],
)
def test_what_is_no_route_is_refused_by_name(answer: object, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        chosen(ModelRouter(CHOICES), "What do I owe?", says(answer))


def test_a_router_needs_somebody_to_choose_from() -> None:
    with pytest.raises(ConfigurationError, match="needs specialists"):
        ModelRouter({})


def test_the_simulated_model_routes_by_descriptions() -> None:
    router = ModelRouter(sentences.specialists())
    client = connect(profile="instant")

    def agents(request: str) -> tuple[str, ...]:
        return clock.simulate(route(router, request, client=client)).agents

    assert agents("How can I pay my invoice?") == ("billing",)
    assert agents("Please renew my prescription.") == ("prescriptions",)
    assert agents("Tell me a joke.") == ()


def test_descriptions_are_read_from_agents() -> None:
    billing = Agent(name="billing", description="invoices")
    assert descriptions([billing]) == {"billing": "invoices"}
    with pytest.raises(ConfigurationError, match="'records' has no description"):
        descriptions([billing, Agent(name="records")])
    with pytest.raises(ConfigurationError, match="two agents are called 'billing'"):
        descriptions([billing, Agent(name="billing", description="other")])


def test_a_route_is_a_step_of_the_trace_with_its_seconds() -> None:
    script = Scripted(lambda request: '{"agents": ["billing"]}', latency=0.25)
    trace = Trace("a route")
    with trace.record():
        found = chosen(ModelRouter(CHOICES), "What do I owe?", script)
    [step, call] = trace.spans
    assert (step.operation, step.name, call.operation) == ("route", "ModelRouter", "chat")
    assert call.parent_id == step.span_id
    assert step.attributes["switchboard.route.agents"] == "billing"
    assert step.attributes["switchboard.route.by"] == "model"
    assert found.seconds == pytest.approx(0.25)


@pytest.mark.parametrize("request_", ["", "  \n"])
def test_an_empty_request_is_refused(request_: str) -> None:
    with pytest.raises(ValueError, match="the request is empty"):
        chosen(StaticRouter(TABLE), request_)


MONEY = Department("money", "paying", {"billing": "invoices", "refunds": "money back"})
CARE = Department("care", "people", {"nurse": "symptoms", "doctor": "illness"})
DOOR = Department("door", "the way in", {"porter": "directions"})


def by_list(answers: dict[str, list[str]]) -> Scripted:
    """Answers by the first name on the list that is offered."""

    def script(request: ChatRequest) -> str:
        assert request.schema is not None
        names = request.schema["properties"]["agents"]["items"]["enum"]
        return json.dumps({"agents": answers[names[0]]})

    return Scripted(script, latency=1.0)


def test_two_levels_choose_a_department_and_then_a_specialist() -> None:
    script = by_list({"money": ["care"], "nurse": ["doctor"]})
    found = chosen(NestedRouter((MONEY, CARE, DOOR)), "I am ill", script)
    assert found.agents == ("doctor",)
    assert len(script.requests) == 2
    assert found.seconds == pytest.approx(2.0)
    assert "invoices" not in str(script.requests[0].messages[0]["content"])


def test_several_departments_choose_at_the_same_time() -> None:
    script = by_list({"money": ["money", "care"], "billing": ["refunds"], "nurse": ["nurse"]})
    found = chosen(NestedRouter((MONEY, CARE)), "Two things", script)
    assert found.agents == ("refunds", "nurse")
    assert len(script.requests) == 3
    assert found.seconds == pytest.approx(2.0)
    assert script.in_flight_peak == 2


def test_a_list_of_one_is_not_asked_about() -> None:
    script = by_list({"money": ["door"], "billing": ["billing"]})
    assert chosen(NestedRouter((MONEY, DOOR)), "Where is it?", script).agents == ("porter",)
    assert len(script.requests) == 1
    assert chosen(NestedRouter((MONEY,)), "What do I owe?", script).agents == ("billing",)
    assert len(script.requests) == 2


def test_departments_that_share_a_name_or_are_empty_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="department 'money'"):
        NestedRouter((MONEY, MONEY))
    with pytest.raises(ConfigurationError, match="specialist 'billing'"):
        NestedRouter((MONEY, Department("other", "", {"billing": "again"})))
    with pytest.raises(ConfigurationError, match="'empty' has no specialists"):
        NestedRouter((Department("empty", "", {}),))
    with pytest.raises(ConfigurationError, match="needs departments"):
        NestedRouter(())


def test_a_model_out_of_order_is_an_error_of_the_route() -> None:
    def fail(request: ChatRequest) -> str:
        raise ApiError(400, "no")

    with pytest.raises(ModelError, match="refused"):
        chosen(NestedRouter((MONEY, CARE)), "I am ill", Scripted(fail))
