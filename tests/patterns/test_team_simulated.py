"""The patterns with the simulated model, at a clinic and at an internet provider's support."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from course import clock, connect
from course.handoff import Handoff, last, summary, whole, without_instructions
from course.runner import run
from course.scenarios import front_desk, support
from course.session import Session
from course.team import (
    HUMAN,
    Criteria,
    Team,
    TeamResult,
    consultation,
    escalation,
    hub_and_spoke,
    hub_with_consultation,
    hub_with_escalation,
)
from tests.patterns.teaming import spans


@pytest.fixture
def desk() -> Iterator[front_desk.Desk]:
    with front_desk.Desk(seed=7) as desk:
        yield desk


@pytest.fixture
def helpdesk() -> Iterator[support.HelpDesk]:
    with support.HelpDesk(seed=7) as helpdesk:
        yield helpdesk


def say(team: Team, *turns: str, **more: Any) -> TeamResult:
    """The last answer of a talk with a team of simulated agents."""
    client = connect(profile="instant")

    async def talk() -> TeamResult:
        session, result = team.begin(), None
        for text in turns:
            result = await run(team, text, client=client, session=session, **more)
        assert result is not None
        return result

    return clock.simulate(talk())


def moves(result: TeamResult) -> list[str]:
    return [each.name for each in spans(result, "handoff")]


def clinic(desk: front_desk.Desk, **more: Any) -> Team:
    return hub_and_spoke(
        front_desk.reception(desk), front_desk.colleagues(desk), name="clinic", **more
    )


def sample(desk: front_desk.Desk, name: str) -> front_desk.Sample:
    [request] = [each for each in front_desk.REQUESTS if each.name == name]
    return request.on(desk)


@pytest.mark.parametrize("context", [without_instructions, whole, last(4), summary(keep=2)])
@pytest.mark.parametrize(
    ("name", "agent"), [("owed", "billing"), ("pay", "billing"), ("next visit", "scheduling")]
)
def test_the_hub_finds_the_desk_whose_work_it_is(
    desk: front_desk.Desk, name: str, agent: str, context: Any
) -> None:
    wanted = sample(desk, name)
    result = say(clinic(desk, context=context), wanted.text)
    assert (result.agent, result.stop) == (agent, None)
    assert wanted.missing(result.answer) == []
    assert front_desk.state(desk) == wanted.after


def test_the_house_itself_is_the_receptions_own(desk: front_desk.Desk) -> None:
    wanted = sample(desk, "opening hours")
    result = say(clinic(desk, matters=False), wanted.text)
    assert (result.agent, wanted.missing(result.answer)) == ("reception", [])
    listed = say(clinic(desk), wanted.text)  # records know the opening hours as well
    assert (listed.agent in ("reception", "records"), wanted.missing(listed.answer)) == (True, [])


def test_two_questions_go_to_two_desks_by_way_of_the_hub(desk: front_desk.Desk) -> None:
    name = sample(desk, "owed").text.split()[3:5]
    text = f"When is {' '.join(name)}'s next appointment, and how much does he still owe?"
    by_hub = ["reception -> scheduling", "scheduling -> reception", "reception -> billing"]
    for matters, path in ((True, [by_hub[0], by_hub[2]]), (False, by_hub)):
        result = say(clinic(desk, matters=matters), text)
        assert moves(result) == path
        assert "Total owed" in result.answer
        assert "appointment" in result.answer


def test_who_it_is_about_is_found_out_once(desk: front_desk.Desk) -> None:
    wanted = sample(desk, "owed")
    result = say(clinic(desk, context=last(1)), wanted.text, "And when is the next appointment?")
    looked = [each.name for each in spans(result, "execute_tool")]
    assert result.agent == "scheduling"
    assert "find_patient" not in looked


def test_a_conversation_goes_on_from_a_file(desk: front_desk.Desk, tmp_path: Any) -> None:
    wanted = sample(desk, "owed")
    team, client = clinic(desk), connect(profile="instant")
    first = say(team, wanted.text)
    session = Session.load(first.session.save(tmp_path / "session.json"))
    text = "And when is the next appointment?"
    resumed = clock.simulate(run(team, text, client=client, session=session))
    straight = clock.simulate(run(team, text, client=client, session=first.session))
    assert resumed.answer == straight.answer
    assert resumed.session.history == straight.session.history


def test_a_consulted_desk_asks_the_person_and_returns(desk: front_desk.Desk) -> None:
    team = consultation(front_desk.reception(desk), front_desk.colleagues(desk), name="clinic")
    wanted = sample(desk, "owed")
    name = " ".join(wanted.text.split()[3:5])
    result = say(team, "What is still to pay?", name)
    assert result.agent == "reception"
    assert wanted.missing(result.answer) == []
    assert "billing" in result.session.state


def test_a_greeting_does_not_swallow_the_request(desk: front_desk.Desk) -> None:
    wanted = sample(desk, "owed")
    hub = replace(
        front_desk.reception(desk), handoffs=(Handoff("billing", greeting="Billing, hello."),)
    )
    result = say(Team(name="clinic", agents=(hub, front_desk.colleagues(desk)[1])), wanted.text)
    assert result.heard[0] == "Billing, hello."
    assert wanted.missing(result.answer) == []


def test_a_specialist_of_a_hub_consults_another(desk: front_desk.Desk) -> None:
    scheduling, billing, _ = front_desk.colleagues(desk)
    team = hub_with_consultation(front_desk.reception(desk), [scheduling], [billing], name="clinic")
    name = " ".join(sample(desk, "owed").text.split()[3:5])
    text = f"When is {name}'s next appointment, and how much does he still owe?"
    result = say(team, text)
    assert moves(result) == [
        "reception -> scheduling",
        "scheduling -> billing",
        "billing -> scheduling",
    ]
    assert "Total owed" in result.answer
    assert "appointment" in result.answer


RULES = (Criteria(max_attempts=1), Criteria(max_attempts=1, severity="critical"))


@pytest.mark.parametrize("fault", ["router", "wifi", "port", "profile", "cable"])
def test_a_fault_ends_at_the_tier_that_can_mend_it(helpdesk: support.HelpDesk, fault: str) -> None:
    team = escalation(support.tiers(helpdesk), criteria=RULES, name="support")
    for caller in support.calls(helpdesk, fault):
        result = say(team, caller.text)
        assert result.agent == caller.mended_by
        left = None if caller.mended_by != HUMAN else fault
        assert support.fault_of(helpdesk, caller.line_id) == left


def test_the_person_is_told_everything_that_was_tried(helpdesk: support.HelpDesk) -> None:
    team = escalation(support.tiers(helpdesk), criteria=RULES, name="support")
    caller = support.calls(helpdesk, "cable")[0]
    result = say(team, caller.text)
    ticket = result.session.ticket
    assert ticket is not None
    assert ticket.request == caller.text
    tried = [each.call.partition("(")[0] for each in ticket.tried]
    assert tried[:2] == ["find_customer", "restart_router"]
    assert "measure_line" in tried


def test_danger_goes_straight_to_a_person(helpdesk: support.HelpDesk) -> None:
    team = escalation(support.tiers(helpdesk), name="support")
    caller = support.calls(helpdesk, "port")[0]
    alarm = "Our whole nursing home is without its alarm line, this is dangerous!"
    result = say(team, f"{alarm} {caller.text}")
    assert result.agent == HUMAN
    assert moves(result) == ["tier1 -> tier2", "tier2 -> human"]
    assert result.session.state["severity"] == "critical"


def test_a_hub_with_a_ladder_serves_both_kinds_of_callers(
    desk: front_desk.Desk, helpdesk: support.HelpDesk
) -> None:
    team = hub_with_escalation(
        front_desk.reception(desk),
        front_desk.colleagues(desk)[1:2],
        support.tiers(helpdesk),
        criteria=RULES,
        name="house",
    )
    owed, caller = sample(desk, "owed"), support.calls(helpdesk, "port")[0]
    assert owed.missing(say(team, owed.text).answer) == []
    mended = say(team, caller.text)
    assert mended.agent == "tier2"
    assert support.fault_of(helpdesk, caller.line_id) is None
