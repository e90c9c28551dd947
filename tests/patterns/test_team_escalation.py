"""Escalation: by attempts and severity, with what was tried, up to a queue of people."""

from __future__ import annotations

from typing import Any

import pytest

from course.errors import ConfigurationError
from course.handoff import last
from course.models import ChatRequest, Reply
from course.session import Session, ToolAttempt
from course.team import (
    HUMAN,
    Criteria,
    HumanQueue,
    Team,
    answer_as_human,
    escalation,
    hub_with_escalation,
)
from course.team.human import PUT_THROUGH, STILL_WAITING
from course.team.rules import due
from tests.patterns.teaming import acting, agent, call, calls, contents, once, spans, talk, who


def ladder(**more: Any) -> Team:
    return escalation([agent("tier1"), agent("tier2")], **more)


def fails(what: str, ident: str = "c1") -> Reply:
    return calls(call("fails", ident, what=what))


def rates(level: str) -> Reply:
    return calls(call("rate_severity", level=level, reason="it is"))


def test_two_failed_attempts_go_up_by_rule_and_what_was_tried_goes_along() -> None:
    model = acting({"tier1": [fails("plan a"), fails("plan b")], "tier2": ["Solved."]})
    result = once(ladder(context=last(1)), model, "It is broken.")
    assert (result.answer, result.agent) == ("Solved.", "tier2")
    told = contents(model.requests[-1])[0]
    assert told.startswith("You are tier2.\n\nKnown so far: ")
    assert '"outcome":"{\\"error\\":\\"plan a did not work\\"}"' in told
    assert [each["call"] for each in result.session.state["tried"]] == [
        'fails({"what": "plan a"})',
        'fails({"what": "plan b"})',
    ]
    [moved] = spans(result, "handoff")
    assert moved.attributes["switchboard.handoff.kind"] == "escalate"
    assert moved.attributes["switchboard.handoff.reason"] == "failed attempts: 2"


def test_two_failures_in_one_message_count_as_two() -> None:
    both = calls(call("fails", "c1", what="a"), call("fails", "c2", what="b"))
    model = acting({"tier1": [both], "tier2": ["Solved."]})
    assert once(ladder(), model).agent == "tier2"


def test_attempts_count_over_several_turns() -> None:
    model = acting({"tier1": [fails("a"), "Is it better?", fails("b")], "tier2": ["Solved."]})
    first, second = talk(ladder(), model, "It is broken.", "No.")
    assert (first.agent, second.agent) == ("tier1", "tier2")


def test_what_works_is_no_attempt_that_failed() -> None:
    works = [calls(call("look_up", name=str(n))) for n in range(4)]
    model = acting({"tier1": [*works, "Solved."]})
    assert once(ladder(), model).agent == "tier1"


def test_a_tier_counts_from_when_it_took_over() -> None:
    model = acting({"tier1": [fails("a"), fails("b")], "tier2": [fails("c"), "Solved."]})
    assert once(ladder(), model).agent == "tier2"


@pytest.mark.parametrize(
    ("level", "ends"),
    [("low", "tier1"), ("medium", "tier1"), ("high", "tier2"), ("critical", HUMAN)],
)
def test_severity_decides_how_far_up_it_goes(level: str, ends: str) -> None:
    model = acting({"tier1": [rates(level), "Solved."], "tier2": ["Solved."]})
    result = once(ladder(), model)
    assert result.agent == ends
    assert result.session.state["severity"] == level


def test_the_ladder_ends_in_a_ticket_with_everything_that_was_tried() -> None:
    plans = iter("abcd")

    def fail(request: ChatRequest) -> Reply:
        return fails(next(plans))

    team = ladder()
    result = once(team, acting({"tier1": fail, "tier2": fail}), "It is broken.")
    assert (result.answer, result.agent, result.stop) == (PUT_THROUGH, HUMAN, None)
    [ticket] = team.queue.tickets
    assert (ticket.number, ticket.sender) == ("T-1", "tier2")
    assert ticket.reason == "failed attempts: 2"
    assert ticket.request == "It is broken."
    assert [(each.agent, each.call) for each in ticket.tried] == [
        ("tier1", 'fails({"what": "a"})'),
        ("tier1", 'fails({"what": "b"})'),
        ("tier2", 'fails({"what": "c"})'),
        ("tier2", 'fails({"what": "d"})'),
    ]
    assert all(each.failed for each in ticket.tried)
    assert [each.name for each in spans(result, "handoff")] == ["tier1 -> tier2", "tier2 -> human"]


def test_a_tier_may_hand_on_by_itself_and_what_was_tried_goes_along() -> None:
    up = calls(call("transfer_to_tier2", reason="not mine"))
    model = acting({"tier1": [fails("a"), up], "tier2": ["Solved."]})
    result = once(ladder(), model)
    assert result.agent == "tier2"
    assert len(result.session.state["tried"]) == 1


def test_who_waits_for_a_person_is_heard_without_a_model() -> None:
    model = acting({"tier1": [rates("critical")]})
    _, second = talk(ladder(), model, "Fire!", "Hello?")
    assert (second.answer, second.agent) == (STILL_WAITING, HUMAN)
    assert len(model.requests) == 1
    assert second.session.request == "Hello?"


def test_a_person_takes_the_ticket_answers_and_gives_the_conversation_back() -> None:
    team = ladder()
    model = acting({"tier1": [rates("critical"), "Anything else?"]})
    once(team, model, "Fire!")
    ticket, session = team.queue.take()
    assert (ticket.reason, len(team.queue)) == ("severity is critical", 0)
    answer_as_human(session, "The engine is on its way.", back_to="tier1")
    [result] = talk(team, model, "Thank you.", session=session)
    assert (result.answer, result.agent) == ("Anything else?", "tier1")
    assert "The engine is on its way." in contents(model.requests[-1])
    said = [m for m in session.history if m.get("name") == HUMAN]
    assert [m["content"] for m in said] == ["The engine is on its way."]


def test_nobody_answers_as_a_person_where_none_has_the_conversation() -> None:
    with pytest.raises(ConfigurationError, match="with 'tier1', not with a person"):
        answer_as_human(Session("tier1"), "Hello.")


def test_an_empty_queue_says_so() -> None:
    with pytest.raises(ConfigurationError, match="the queue is empty"):
        HumanQueue().take()


def test_a_hub_may_have_a_ladder_behind_it() -> None:
    team = hub_with_escalation(agent("hub"), [agent("sales")], [agent("tier1"), agent("tier2")])
    broken = calls(call("transfer_to_tier1", reason="broken"))
    model = acting({"hub": [broken], "tier1": [fails("a"), fails("b")], "tier2": ["Solved."]})
    result = once(team, model)
    assert [each.name for each in spans(result, "handoff")] == ["hub -> tier1", "tier1 -> tier2"]
    assert [t.name for t in model.requests[0].tools][3:] == [
        "transfer_to_sales",
        "transfer_to_tier1",
    ]
    assert {who(each) for each in model.requests} == {"hub", "tier1", "tier2"}


ATTEMPTS = [
    ToolAttempt("a", "x", "no", True),
    ToolAttempt("a", "y", "yes"),
    ToolAttempt("a", "z", "no", True),
]


@pytest.mark.parametrize(
    ("criteria", "attempts", "state", "reason"),
    [
        (Criteria(), ATTEMPTS, {}, "failed attempts: 2"),
        (Criteria(max_attempts=3), ATTEMPTS, {}, None),
        (Criteria(), ATTEMPTS[:2], {}, None),
        (Criteria(), [], {"severity": "high"}, "severity is high"),
        (Criteria(severity="medium"), [], {"severity": "critical"}, "severity is critical"),
        (Criteria(severity="critical"), [], {"severity": "high"}, None),
        (Criteria(), [], {"severity": "odd"}, None),
        (Criteria(), ATTEMPTS, {"severity": "critical"}, "failed attempts: 2"),
    ],
)
def test_what_the_criteria_say(
    criteria: Criteria, attempts: list[ToolAttempt], state: dict[str, Any], reason: str | None
) -> None:
    assert due(criteria, attempts, state) == reason


def test_a_long_outcome_is_cut_for_the_next_tier_alone() -> None:
    model = acting({"tier1": [fails("word " * 500), fails("plan b")], "tier2": ["Solved."]})
    session = once(ladder(), model).session
    assert [len(each["outcome"]) <= 200 for each in session.state["tried"]] == [True, True]
    assert len(session.attempts[0].outcome) > 2500


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"severity": "huge"}, "there is no severity 'huge'; there are: low, medium"),
        ({"max_attempts": 0}, "max_attempts must be at least 1"),
    ],
)
def test_criteria_that_cannot_be_met_are_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        Criteria(**wrong)


def test_criteria_are_one_for_each_tier() -> None:
    with pytest.raises(ConfigurationError, match="2 tiers need 2 criteria"):
        ladder(criteria=[Criteria()])
    with pytest.raises(ConfigurationError, match="a ladder needs a tier"):
        escalation([])
