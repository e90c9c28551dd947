"""Consult and return: the result comes back as the call's own, and nobody's words are lost."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from course import Agent, clock, connect, tool
from course.errors import ConfigurationError
from course.handoff import Handoff, last
from course.models import ChatRequest, Reply, Scripted
from course.pipeline import Pipeline, Stage
from course.runner import run
from course.session import Session, state
from course.team import (
    HUMAN,
    Guards,
    Team,
    consultation,
    hub_with_consultation,
    pipeline_with_consultation,
)
from course.team.rules import SORRY
from tests.patterns.teaming import (
    acting,
    agent,
    call,
    calls,
    contents,
    once,
    spans,
    talk,
    transfer,
    who,
)


def consult(whom: str, request: str = "What is owed?", ident: str = "c1") -> Reply:
    return calls(call(f"consult_{whom}", ident, request=request))


def back(to: str, result: str, ident: str = "c9") -> Reply:
    return calls(call(f"return_to_{to}", ident, result=result))


def pair(**more: Any) -> Team:
    return consultation(agent("hub"), [agent("billing")], name="desk", **more)


@tool
def quote(price: int) -> str:
    """Write a price down for all."""
    state()["billing"] = {"price": price}
    return f"{price} euros"


def test_what_a_consulted_agents_tool_wrote_into_the_state_stays() -> None:
    model = acting(
        {
            "hub": [consult("billing"), "You owe 3 euros."],
            "billing": [calls(call("quote", "c2", price=3)), back("hub", "3 euros are open")],
        }
    )
    team = consultation(agent("hub"), [agent("billing", tools=(quote,))], name="desk")
    assert once(team, model, "What do I owe?").session.state == {"billing": {"price": 3}}


def test_the_result_answers_the_call_and_stands_in_the_state() -> None:
    model = acting(
        {
            "hub": [consult("billing"), "You owe 3 euros."],
            "billing": [back("hub", "3 euros are open")],
        }
    )
    result = once(pair(), model, "What do I owe?")
    assert (result.answer, result.agent) == ("You owe 3 euros.", "hub")
    assert result.session.state == {"billing": "3 euros are open"}
    messages = model.requests[-1].messages
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool"]
    assert messages[-1]["content"] == "3 euros are open"
    assert messages[-1]["tool_call_id"] == "c1"
    assert [each.name for each in spans(result, "handoff")] == ["hub -> billing", "billing -> hub"]


def test_who_is_consulted_sees_the_conversation_and_the_request() -> None:
    model = acting({"hub": [consult("billing"), "Done."], "billing": [back("hub", "3 euros")]})
    once(pair(), model, "I am Ada.")
    assert contents(model.requests[1]) == ["You are billing.", "I am Ada.", "What is owed?"]
    offered = {tool.name: tool for tool in model.requests[1].tools}
    assert offered["return_to_hub"].parameters["required"] == ["result"]
    assert "transfer_to_hub" not in offered


def test_a_filter_limits_what_the_consulted_agent_sees() -> None:
    model = acting(
        {"hub": ["Yes?", consult("billing"), "Done."], "billing": [back("hub", "3 euros")]}
    )
    talk(pair(context=last(1)), model, "I am Ada.", "What do I owe?")
    assert contents(model.requests[2]) == ["You are billing.", "What do I owe?", "What is owed?"]


def test_other_results_of_the_message_travel_along_and_keep_their_place() -> None:
    both = calls(
        call("look_up", "c1", name="Ada"),
        call("consult_billing", "c2", request="What is owed?"),
        call("look_up", "c3", name="Ben"),
    )
    model = acting({"hub": [both, "Done."], "billing": [back("hub", "3 euros")]})
    once(pair(), model)
    assert contents(model.requests[1])[-3:] == ["Ada is known", "Ben is known", "What is owed?"]
    assert contents(model.requests[2])[-3:] == ["Ada is known", "3 euros", "Ben is known"]


def test_the_second_consultation_of_a_message_is_told_to_wait() -> None:
    team = consultation(agent("hub"), [agent("billing"), agent("records")])
    both = calls(
        call("consult_billing", "c1", request="a"), call("consult_records", "c2", request="b")
    )
    model = acting({"hub": [both, "Done."], "billing": [back("hub", "3 euros")]})
    once(team, model)
    told = contents(model.requests[-1])[-1]
    assert told == '{"error":"already asked billing; one handoff per message"}'


def test_a_consulted_agent_can_ask_the_person_and_go_on_after_the_answer() -> None:
    model = acting(
        {
            "hub": [consult("billing"), "You owe 3 euros."],
            "billing": ["What is your name?", back("hub", "Ada owes 3 euros")],
        }
    )
    first, second = talk(pair(), model, "What do I owe?", "Ada, and I have moved house.")
    assert (first.answer, first.agent) == ("What is your name?", "billing")
    assert (second.answer, second.agent) == ("You owe 3 euros.", "hub")
    seen = contents(model.requests[-1])
    assert seen[1:4] == ["What do I owe?", "What is your name?", "Ada, and I have moved house."]
    assert seen[4:] == [None, "Ada owes 3 euros"]


@pytest.mark.parametrize("words", ["I need a name for that.", "Whose invoice?"])
def test_words_are_for_the_person_and_a_call_is_the_result(words: str) -> None:
    said = {"hub": [consult("billing"), "You owe 3."], "billing": [words, back("hub", "Ada: 3?")]}
    first, second = talk(pair(), acting(said), "What do I owe?", "Ada's.")
    assert (first.answer, first.agent) == (words, "billing")
    assert (second.answer, second.agent) == ("You owe 3.", "hub")
    assert second.session.state == {"billing": "Ada: 3?"}


def test_where_nobody_can_answer_a_question_is_the_result_too() -> None:
    model = acting({"hub": [consult("billing"), "Whose?"], "billing": ["Whose invoice?"]})
    result = once(pair(), model, attended=False)
    assert result.session.state == {"billing": "Whose invoice?"}
    assert result.agent == "hub"


@pytest.mark.parametrize(
    ("attended", "written"), [(True, "Whose?You owe 3."), (False, "You owe 3.")]
)
def test_what_is_said_to_the_asker_is_not_written_to_the_person(
    attended: bool, written: str
) -> None:
    heard: list[str] = []
    billing = ["Whose?", back("hub", "3 are open.")] if attended else ["3 are open."]
    said = acting({"hub": [consult("billing"), "You owe 3."], "billing": billing})
    words = ("What do I owe?", "Ada's.")[: 1 + attended]
    talk(pair(), said, *words, on_text=heard.append, attended=attended)
    assert "".join(heard) == written


def test_consultations_nest() -> None:
    team = Team(
        name="desk",
        agents=(
            agent("hub", Handoff("billing", returns=True)),
            agent("billing", Handoff("records", returns=True), Handoff("hub", returns=True)),
            agent("records", Handoff("hub"), Handoff("billing")),
        ),
    )
    model = acting(
        {
            "hub": [consult("billing"), "You owe 3 euros."],
            "billing": [consult("records", "Who is it?", "c2"), back("hub", "Ada owes 3")],
            "records": ["What is your name?", back("billing", "It is Ada")],
        }
    )
    [first] = talk(team, model, "What do I owe?")
    assert first.agent == "records"
    assert [frame.agent for frame in first.session.frames] == ["hub", "billing"]
    second = once(team, model, "Ada.", session=first.session)
    assert second.answer == "You owe 3 euros."
    assert second.session.frames == ()
    assert second.session.state == {"records": "It is Ada", "billing": "Ada owes 3"}
    offered = [[tool.name for tool in each.tools][3:] for each in model.requests]
    assert offered[1] == ["consult_records", "return_to_hub"]
    assert offered[2] == ["return_to_billing"]
    assert "Ada." in contents(model.requests[-1])


def test_a_consulted_agent_may_hand_over_and_the_next_one_returns() -> None:
    team = Team(
        name="desk",
        agents=(
            agent("hub", Handoff("billing", returns=True)),
            agent("billing", "records"),
            agent("records"),
        ),
    )
    model = acting(
        {
            "hub": [consult("billing"), "Done."],
            "billing": [transfer("records", ident="c2")],
            "records": [back("hub", "3 euros")],
        }
    )
    result = once(team, model)
    assert (result.answer, result.agent) == ("Done.", "hub")
    assert result.session.state == {"billing": "3 euros"}


def test_a_consultation_survives_a_file() -> None:
    model = acting(
        {
            "hub": [consult("billing"), "You owe 3 euros."],
            "billing": ["What is your name?", back("hub", "Ada owes 3 euros")],
        }
    )
    [first] = talk(pair(), model, "What do I owe?")
    resumed = Session.from_json(first.session.to_json())
    assert once(pair(), model, "Ada.", session=resumed).answer == "You owe 3 euros."


def test_a_person_takes_over_a_consultation_whole() -> None:
    team = Team(
        name="desk",
        agents=(agent("hub", Handoff("billing", returns=True)), agent("billing", HUMAN)),
    )
    gives_up = calls(call("transfer_to_human", "c2", reason="too hard"))
    model = acting({"hub": [consult("billing")], "billing": ["Your name?", gives_up]})
    _, result = talk(team, model, "What do I owe?", "Ada.")
    assert (result.agent, result.session.frames) == (HUMAN, ())
    assert [m.get("content") for m in result.context.messages][:3] == [
        "What do I owe?",
        "Your name?",
        "Ada.",
    ]
    assert '"no result: too hard"' in str(result.context.messages[-2]["content"])


def test_a_round_within_a_consultation_ends_with_the_persons_words_kept() -> None:
    team = Team(
        name="desk",
        agents=(
            agent("hub", Handoff("billing", returns=True)),
            agent("billing"),
            agent("calm"),
        ),
        fallback="calm",
        guards=Guards(max_turns=4),
    )
    looks = calls(call("look_up", "c2", name="Ada"))
    model = acting(
        {
            "hub": [consult("billing")],
            "billing": ["Your name?", looks, looks, looks],
            "calm": ["Let us start again."],
        }
    )
    _, result = talk(team, model, "What do I owe?", "Ada, and hurry.")
    assert result.answer == "Let us start again."
    assert "Ada, and hurry." in contents(model.requests[-1])


def test_a_round_of_consultations_is_stopped() -> None:
    team = Team(
        name="desk",
        agents=(
            agent("hub", Handoff("billing", returns=True)),
            agent("billing", Handoff("hub", returns=True)),
        ),
    )

    def says(request: ChatRequest) -> Reply:
        if who(request) == "hub":
            return consult("billing")
        return back("hub", "ask again")

    model = Scripted(says)
    result = once(team, model)
    assert len(model.requests) <= 12
    assert result.answer == SORRY


def test_specialists_of_a_hub_may_consult() -> None:
    team = hub_with_consultation(agent("hub"), [agent("billing")], [agent("records")])
    model = acting(
        {
            "hub": [transfer("billing")],
            "billing": [consult("records", ident="c2"), "You owe 3 euros."],
            "records": [back("billing", "it is Ada", "c3")],
        }
    )
    result = once(team, model)
    assert (result.answer, result.agent) == ("You owe 3 euros.", "billing")
    names = ["hub -> billing", "billing -> records", "records -> billing"]
    assert [each.name for each in spans(result, "handoff")] == names


class Order(BaseModel):
    """What a small chain fills."""

    model_config = ConfigDict(frozen=True)

    request: str
    dish: str = ""


COOK = Agent(name="cook", instructions="You are cook.", description="knows the menu")


def chain() -> Pipeline[Order]:
    waiter = Agent(name="waiter", instructions="You are waiter.", description="takes orders")
    stage = Stage(name="order", work=waiter, reads=("request",), writes=("dish",))
    return Pipeline(name="meal", stages=(stage,), state=Order)


def test_a_stage_of_a_pipeline_may_consult() -> None:
    model = acting(
        {
            "waiter": [consult("cook", "Is there soup?"), '{"dish": "soup"}'],
            "cook": ["Yes, soup is there. Anything else?"],
        }
    )
    session, client = Session("waiter"), connect(model)
    asking = pipeline_with_consultation(chain(), {"order": [COOK]}, client=client, session=session)
    result: Any = clock.simulate(run(asking, "Soup, please.", client=client))
    assert result.state.dish == "soup"
    assert session.state == {"cook": "Yes, soup is there. Anything else?"}
    assert contents(model.requests[1]) == ["You are cook.", "Is there soup?"]
    assert contents(model.requests[2])[-1] == "Yes, soup is there. Anything else?"


def test_a_stage_that_is_not_there_cannot_consult() -> None:
    client = connect(acting({}))
    with pytest.raises(ConfigurationError, match="no stage 'pay' with an agent"):
        pipeline_with_consultation(
            chain(), {"pay": [COOK]}, client=client, session=Session("waiter")
        )
