"""Who may be in a team: agents that hold each other, and members that lead others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

import course
from course import Agent, Handoff, Stage, Supervisor, Team, clock, connect
from course.errors import ConfigurationError
from course.models import ChatRequest, Scripted
from course.pipeline import Pipeline, WiringError
from course.team import HUMAN, TeamResult, hub_and_spoke, team_of
from tests.patterns.bosses import models, order, ordering, workers
from tests.patterns.teaming import acting, agent, call, calls, once, transfer


def lead(name: str = "office", **more: Any) -> Supervisor:
    people = workers("ann", "bob")
    told = {"instructions": f"You are {name}.", "description": f"does {name}"}
    return Supervisor(**{"name": name, "workers": people, **told, **more})


def house(desk: Any, **more: Any) -> Scripted:
    """The desk hands over to the office, which asks Ann."""
    parts = {"desk": desk, "ann": "7 EUR", "office": ordering([order("ann", "Look.")], answer="7.")}
    return models(**{**parts, **more})


def to(name: str) -> Any:
    return lambda request: transfer(name)


def test_a_supervisor_in_a_team_is_carried_out_as_one() -> None:
    team = Team(name="house", agents=(agent("desk", "office"), lead()))
    result = once(team, house(to("office")), "What do I owe?")
    assert (result.agent, result.answer, result.heard) == ("office", "7.", ("7.",))
    asked = [s.name for s in result.trace.spans if s.operation == "invoke_agent"]
    assert asked == ["desk", "office", "ann"]
    chats = [s for s in result.trace.spans if s.operation == "chat"]
    assert len(chats) == 4  # the desk's, two of the office and one of Ann
    assert result.usage.input == result.trace.total("gen_ai.usage.input_tokens")
    assert result.session.calls == 2  # a member that leads others counts as one call


def test_a_consulted_supervisor_gives_its_answer_back() -> None:
    def desk(request: ChatRequest) -> Any:
        if request.messages[-1]["role"] == "tool":
            return f"They say: {request.messages[-1]['content']}"
        return calls(call("consult_office", request="What is owed?"))

    team = Team(name="house", agents=(agent("desk", Handoff("office", returns=True)), lead()))
    result = once(team, house(desk), "What do I owe?")
    assert (result.agent, result.answer) == ("desk", "They say: 7.")
    assert result.session.state["office"] == "7."


def test_a_team_tells_which_tools_were_called() -> None:
    told: list[Any] = []
    asks = calls(call("look_up", "c1", name="Ada"), call("fails", "c2"))
    once(
        Team(name="house", agents=(agent("desk"),)),
        acting({"desk": [asks, "Done."]}),
        on_event=told.append,
    )
    assert [type(each).__name__ for each in told[:4]] == ["ToolCalled"] * 2 + ["ToolAnswered"] * 2
    assert [(each.system, each.tool, each.outcome) for each in told[2:4]] == [
        ("desk", "look_up", "ok"),
        ("desk", "fails", "refused"),
    ]


def test_a_leading_member_hears_what_was_said_before_and_what_all_know() -> None:
    model = house(to("office"))
    team = Team(name="house", agents=(agent("desk", "office"), lead()))
    client = connect(model)

    async def two_turns() -> TeamResult:
        first: TeamResult = await course.run(team, "What do I owe?", client=client)
        first.session.state["patient"] = "P-117"
        second: TeamResult = await course.run(
            team, "By when?", client=client, session=first.session
        )
        return second

    clock.simulate(two_turns())
    asked = [each for each in model.requests if each.key.agent == "office"][-2].messages
    assert '"patient":"P-117"' in asked[0]["content"]
    assert asked[-1]["content"].startswith("By when?")
    assert "What do I owe?" in asked[-1]["content"]


def test_who_leads_others_hands_over_to_nobody() -> None:
    spoiled = replace(lead(), handoffs=(Handoff("desk"),))
    with pytest.raises(ConfigurationError, match="'office' is a Supervisor, which keeps control"):
        Team(name="house", agents=(agent("desk"), spoiled))
    team = hub_and_spoke(agent("desk"), [lead(), agent("records")])
    assert [[each.to for each in one.handoffs] for one in team.agents[1:]] == [[], ["desk"]]


def test_a_stage_whose_agent_leads_others_is_refused() -> None:
    class Slip(BaseModel):
        model_config = ConfigDict(frozen=True)
        request: str
        answer: str = ""

    stage = Stage(name="ask", work=lead(), reads=("request",), writes=("answer",))
    with pytest.raises(WiringError, match="'office' is a Supervisor, which answers in no form"):
        Pipeline(name="chain", state=Slip, stages=(stage,))


def by_itself(first: Agent, model: Scripted, **more: Any) -> TeamResult:
    result: TeamResult = clock.simulate(course.run(first, "Hello.", client=connect(model), **more))
    return result


def test_an_agent_whose_handoffs_hold_agents_runs_as_their_team() -> None:
    billing = agent("billing", "desk")  # by its name, to whom holds it
    desk = agent("desk", Handoff(billing), HUMAN)
    result = by_itself(desk, acting({"desk": [transfer("billing")], "billing": ["7 EUR."]}))
    assert (result.agent, result.answer) == ("billing", "7 EUR.")
    again = by_itself(desk, acting({"billing": ["Gladly."]}), session=result.session)
    assert (again.agent, again.answer) == ("billing", "Gladly.")
    back = acting({"billing": [transfer("desk")], "desk": ["Desk again."]})
    assert by_itself(desk, back, session=again.session).answer == "Desk again."
    people = by_itself(desk, acting({"desk": [transfer(HUMAN)]}))
    assert people.agent == HUMAN
    assert people.session.ticket is not None


def test_handoffs_lead_on_to_a_team_of_their_own() -> None:
    records = agent("records")
    billing = agent("billing", Handoff(records, returns=True))
    scheduling = agent("scheduling", Handoff(records))
    desk = agent("desk", Handoff(billing), Handoff(scheduling))
    assert [each.name for each in team_of(desk).agents] == [
        "desk", "billing", "scheduling", "records",
    ]  # fmt: skip
    asks = calls(call("consult_records", request="Who?"))
    played = {"desk": [transfer("billing")], "billing": [asks, "Ada."]}
    played["records"] = [calls(call("return_to_billing", result="It is Ada."))]
    result = by_itself(desk, acting(played))
    assert (result.answer, result.session.state["records"]) == ("Ada.", "It is Ada.")


def test_two_agents_that_hold_each_other_are_one_team() -> None:
    plain = agent("desk")
    billing = agent("billing", Handoff(plain))
    desk = replace(plain, handoffs=(Handoff(billing),))
    assert team_of(desk).named == {"desk": desk, "billing": billing}


@pytest.mark.parametrize(
    ("handoffs", "said"),
    [
        ((Handoff("sales"),), "hands over to 'sales', and there is no team"),
        ((Handoff(agent("desk", instructions="Another.")),), "two agents are called 'desk'"),
        ((Handoff(agent("a")), Handoff(agent("a", model="other"), returns=True)), "called 'a'"),
        ((agent("a"),), "has a handoff that is none"),
        ((Handoff(agent("a", description="")),), "'a' has no description"),
        ((Handoff(agent("a", "nobody")),), "hands over to 'nobody', and there is no team"),
    ],
    ids=["by name alone", "another one of its name", "two of one name", "none", "mute", "further"],
)
def test_handoffs_that_make_no_team_are_refused(handoffs: Any, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        by_itself(agent("desk", *handoffs), acting({}))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_each_turn_of_the_person_has_a_luck_of_its_own() -> None:
    model = acting({"desk": ["Yes."] * 3})
    team, client = Team(name="house", agents=(agent("desk"),)), connect(model)

    async def three() -> None:
        session = team.begin()
        for words in ("One.", "Two.", "Three."):
            await course.run(team, words, client=client, session=session)

    clock.simulate(three())
    assert [(each.key.matter, each.key.call) for each in model.requests] == [
        ("", 0), ("2", 0), ("3", 0),
    ]  # fmt: skip
