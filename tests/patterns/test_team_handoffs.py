"""A handoff: the conversation moves, the first agent stops, and nothing is lost on the way."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest

from course import clock, connect, tool
from course.context import Context
from course.errors import ConfigurationError, ModelError
from course.handoff import Handoff, last, summary, tool_name, whole
from course.models import ApiError, Call, ChatRequest, Reply, Scripted
from course.runner import run
from course.session import Session
from course.team import HUMAN, Team, TeamResult
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


def two(handoff: Handoff | str = "billing", **more: Any) -> Team:
    return Team(name="desk", agents=(agent("hub", handoff), agent("billing")), **more)


def test_the_conversation_moves_and_the_first_agent_stops() -> None:
    model = acting({"hub": [transfer("billing")], "billing": ["You owe 3 euros."]})
    result = once(two(), model, "What do I owe?")
    assert [who(each) for each in model.requests] == ["hub", "billing"]
    assert (result.answer, result.agent, result.stop) == ("You owe 3 euros.", "billing", None)
    assert result.usage.total == tokens(result)


def tokens(result: TeamResult) -> int:
    """The tokens of all model calls, by the trace."""
    told = [each.attributes for each in spans(result, "chat")]
    return sum(each[f"gen_ai.usage.{way}_tokens"] for each in told for way in ("input", "output"))


def test_the_next_turn_goes_to_the_agent_that_has_the_conversation() -> None:
    model = acting({"hub": [transfer("billing")], "billing": ["3 euros.", "By Friday."]})
    first, second = talk(two(), model, "What do I owe?", "By when?")
    assert (first.agent, second.answer) == ("billing", "By Friday.")
    assert contents(model.requests[-1])[-2:] == ["3 euros.", "By when?"]


def test_an_agent_is_offered_its_tools_and_one_tool_for_each_handoff() -> None:
    model = acting({"hub": ["Hello."]})
    team = Team(
        name="desk",
        agents=(
            agent("hub", "billing", Handoff("records", returns=True), HUMAN),
            agent("billing"),
            agent("records"),
        ),
    )
    once(team, model)
    offered = {tool.name: tool for tool in model.requests[0].tools}
    moves = ["transfer_to_billing", "consult_records", "transfer_to_human"]
    assert list(offered) == ["look_up", "fails", "remember", *moves]
    transfer_tool = offered["transfer_to_billing"]
    assert transfer_tool.description == "Hand the conversation over to billing: does billing"
    assert transfer_tool.parameters["required"] == ["reason"]
    assert offered["consult_records"].parameters["required"] == ["request"]


def test_a_name_that_no_api_takes_becomes_one() -> None:
    assert tool_name("transfer_to", "front desk, 2nd floor") == "transfer_to_front_desk_2nd_floor"
    assert len(tool_name("consult", "x" * 100)) == 64


def test_other_calls_of_the_message_run_first_and_their_results_travel_along() -> None:
    both = calls(
        call("transfer_to_billing", "c1", reason="money"), call("look_up", "c2", name="Ada")
    )
    model = acting({"hub": [both], "billing": ["Done."]})
    result = once(two(), model)
    seen = model.requests[1].messages
    assert [m.get("tool_call_id") for m in seen if m["role"] == "tool"] == ["c1", "c2"]
    assert contents(model.requests[1])[-2:] == ["Transferred to billing.", "Ada is known"]
    done = [f"{each.operation} {each.name}" for each in result.trace.spans]
    assert done.index("execute_tool look_up") < done.index("handoff hub -> billing")


def test_the_first_of_two_handoffs_wins_and_the_second_is_told_why() -> None:
    team = Team(
        name="desk", agents=(agent("hub", "billing", "tech"), agent("billing"), agent("tech"))
    )
    both = calls(
        call("transfer_to_tech", "c1", reason="a"), call("transfer_to_billing", "c2", reason="b")
    )
    model = acting({"hub": [both], "tech": ["Done."]})
    result = once(team, model)
    assert result.agent == "tech"
    told = json.loads(contents(model.requests[1])[-1])
    assert told == {"error": "already transferred to tech; one handoff per message"}
    assert len(spans(result, "handoff")) == 1


def test_a_tool_that_fails_beside_a_handoff_does_not_hold_it_up() -> None:
    both = calls(
        call("fails", "c1", what="the till"), call("transfer_to_billing", "c2", reason="x")
    )
    model = acting({"hub": [both], "billing": ["Done."]})
    assert once(two(), model).agent == "billing"
    assert "the till did not work" in contents(model.requests[1])[-2]


@pytest.mark.parametrize("arguments", ["{", "{}", '{"reason": 3}', '{"reason": "x", "to": "y"}'])
def test_a_handoff_whose_arguments_do_not_fit_is_not_made(arguments: str) -> None:
    broken = Reply(calls=(Call("transfer_to_billing", arguments, "c1"),))
    model = acting({"hub": [broken, "Sorry."]})
    result = once(two(), model)
    assert (result.agent, result.answer) == ("hub", "Sorry.")
    assert "error" in json.loads(contents(model.requests[1])[-1])


def test_a_handoff_that_nobody_declared_is_an_unknown_tool() -> None:
    model = acting({"hub": [transfer("tech"), "Sorry."]})
    once(two(), model)
    told = contents(model.requests[1])[-1]
    assert "no tool 'transfer_to_tech'" in told
    assert "transfer_to_billing" in told


def seen_through(handoff: Handoff) -> list[Any]:
    """What the next agent is shown after a look-up and a handoff."""
    looks = calls(call("look_up", "c0", name="Ada"))
    model = acting(
        {
            "hub": [looks, transfer("billing")],
            "billing": ["Done."],
            "summary": ["Ada asked."],
        }
    )
    once(two(handoff), model, "I am Ada.")
    return [
        (m["role"], "calls" if m.get("tool_calls") else m["content"])
        for m in model.requests[-1].messages
    ]


LOOKED = [("assistant", "calls"), ("tool", "Ada is known")]
MOVED = [("assistant", "calls"), ("tool", "Transferred to billing.")]
OWN = ("system", "You are billing.")


@pytest.mark.parametrize(
    ("handoff", "seen"),
    [
        (Handoff("billing"), [OWN, ("user", "I am Ada."), *LOOKED, *MOVED]),
        (
            Handoff("billing", whole),
            [OWN, ("system", "You are hub."), ("user", "I am Ada."), *LOOKED, *MOVED],
        ),
        (Handoff("billing", last(4)), [OWN, *LOOKED, *MOVED]),
        (Handoff("billing", last(3)), [OWN, *MOVED]),
        (Handoff("billing", last(1)), [OWN, *MOVED]),
        (
            Handoff("billing", summary(keep=2)),
            [OWN, ("user", "Summary of the conversation so far: Ada asked."), *MOVED],
        ),
    ],
    ids=["default", "whole", "last 4", "last 3", "last 1", "summary"],
)
def test_the_filter_decides_what_the_next_agent_sees(handoff: Handoff, seen: list[Any]) -> None:
    assert seen_through(handoff) == seen


def test_a_summary_is_charged_to_the_turn() -> None:
    model = acting({"hub": [transfer("billing")], "billing": ["Done."], "summary": ["x"]})
    result = once(two(Handoff("billing", summary(keep=1))), model)
    assert len(model.requests) == 3
    assert result.usage.total == tokens(result)


def test_a_summary_that_fails_lets_the_whole_conversation_through() -> None:
    def says(request: ChatRequest) -> Reply | str:
        if who(request) == "summary":
            raise ApiError(400, "too long")
        return "Done." if who(request) == "billing" else transfer("billing")

    result = once(two(Handoff("billing", summary(keep=1))), Scripted(says), "I am Ada.")
    assert result.answer == "Done."
    [moved] = spans(result, "handoff")
    assert [event.name for event in moved.events] == ["filter failed"]
    assert result.context.messages[0]["content"] == "I am Ada."


def test_a_filter_that_separates_a_call_from_its_result_is_refused() -> None:
    async def careless(context: Context, client: Any) -> Context:
        return Context(context.messages[-1:])

    model = acting({"hub": [transfer("billing")]})
    with pytest.raises(ConfigurationError, match="'careless' separated a call from its result"):
        once(two(Handoff("billing", careless)), model)


def test_a_filter_that_leaves_nothing_is_refused() -> None:
    async def nothing(context: Context, client: Any) -> Context:
        return Context()

    model = acting({"hub": [transfer("billing")]})
    with pytest.raises(ConfigurationError, match="'nothing' left nothing"):
        once(two(Handoff("billing", nothing)), model)


def test_a_greeting_is_said_first_and_then_the_request_is_answered() -> None:
    model = acting({"hub": [transfer("billing")], "billing": ["You owe 3 euros."]})
    greeting = "Billing, good morning."
    result = once(two(Handoff("billing", greeting=greeting)), model, "What do I owe?")
    assert result.heard == (greeting, "You owe 3 euros.")
    asked = model.requests[1].messages
    assert asked[-1] == {"role": "assistant", "content": greeting}
    assert {"role": "user", "content": "What do I owe?"} in asked
    said = [m for m in result.session.history if m.get("content") == greeting]
    assert said == [{"role": "assistant", "content": greeting, "name": "billing"}]


def test_what_an_agent_says_beside_its_handoff_is_heard() -> None:
    moves = calls(call("transfer_to_billing", reason="x"), text="One moment.")
    model = acting({"hub": [moves], "billing": ["3 euros."]})
    assert once(two(), model).heard == ("One moment.", "3 euros.")


def test_all_agents_know_the_state() -> None:
    keeps = calls(call("remember", "c1", what="a"), call("transfer_to_billing", "c2", reason="x"))
    model = acting({"hub": [keeps], "billing": ["Done."]})
    result = once(two(), model)
    told = [contents(each)[0] for each in model.requests]
    assert told == ["You are hub.", 'You are billing.\n\nKnown so far: {"noted":"a"}']
    assert result.session.state == {"noted": "a"}


def test_a_handoff_is_a_span_that_says_who_why_and_how_much() -> None:
    model = acting({"hub": [transfer("billing", "money")], "billing": ["Done."]})
    result = once(two(Handoff("billing", last(3))), model)
    [span] = spans(result, "handoff")
    said = {k.removeprefix("switchboard.handoff."): v for k, v in span.attributes.items()}
    assert span.name == "hub -> billing"
    assert said == {
        "kind": "transfer",
        "from": "hub",
        "to": "billing",
        "reason": "money",
        "context": "last 3",
        "switchboard.holder": "billing",
    }
    [root] = [each for each in result.trace.spans if each.parent_id is None]
    assert (root.operation, root.attributes["gen_ai.workflow.name"]) == ("invoke_workflow", "desk")
    assert [each.name for each in spans(result, "invoke_agent")] == ["hub", "billing"]


def test_history_keeps_what_a_filter_took_out_of_view() -> None:
    looks = calls(call("look_up", "c0", name="Ada"))
    model = acting({"hub": [looks, transfer("billing")], "billing": ["Done."]})
    session = once(two(Handoff("billing", last(1))), model).session
    assert len(session.context.messages) == 3
    assert [m.get("name") for m in session.history] == [None, *["hub"] * 4, "billing"]


def test_an_empty_request_is_refused() -> None:
    with pytest.raises(ValueError, match="the request is empty"):
        once(two(), acting({}), "  ")


def test_another_teams_session_is_refused_before_it_is_changed() -> None:
    model = acting({"hub": [transfer("billing")], "billing": ["Done."]})
    session = once(two(), model).session
    other = Team(name="other", agents=(agent("sales"),))
    before = session.history
    with pytest.raises(ConfigurationError, match="with 'billing', but team 'other' has: sales"):
        once(other, acting({}), session=session)
    assert session.history == before


def test_when_the_model_goes_away_the_session_can_go_on() -> None:
    def gone(request: ChatRequest) -> Reply:
        raise ApiError(404, "gone")

    broken = acting({"hub": [transfer("billing")], "billing": gone})
    team = two()
    session = team.begin()

    async def fail() -> ModelError:
        with pytest.raises(ModelError) as caught:
            await run(team, "What do I owe?", client=connect(broken), session=session)
        return caught.value

    error = clock.simulate(fail())
    assert error.context == session.context
    assert session.active == "billing"
    result = once(team, acting({"billing": ["3 euros."]}), "Are you there?", session=session)
    assert result.answer == "3 euros."


def test_a_session_is_changed_by_one_run_at_a_time() -> None:
    team, session = two(), two().begin()
    model = acting({"hub": lambda request: "Which bill?"})
    model.latency = 1.0

    async def both(second: Session) -> list[Any]:
        ask = [run(team, said, client=connect(model), session=each)
               for said, each in (("What do I owe?", session), ("And Max?", second))]  # fmt: skip
        return await asyncio.gather(*ask, return_exceptions=True)

    first, refused = clock.simulate(both(session))
    assert first.answer == "Which bill?"
    assert isinstance(refused, ConfigurationError)
    assert "another run is changing this session: await that one first" in str(refused)
    assert [m["content"] for m in session.history] == ["What do I owe?", "Which bill?"]
    apart = clock.simulate(both(two().begin()))
    assert [each.answer for each in apart] == ["Which bill?"] * 2
    again = clock.simulate(run(team, "And Max?", client=connect(model), session=session))
    assert again.answer == "Which bill?"


def test_text_arrives_as_it_is_written_the_greeting_first() -> None:
    heard: list[str] = []
    model = acting({"hub": [transfer("billing")], "billing": ["You owe 3 euros."]})
    once(two(Handoff("billing", greeting="Hello. ")), model, on_text=heard.append)
    assert "".join(heard) == "Hello. You owe 3 euros."
    assert len(heard) > 2


@pytest.mark.parametrize("seconds", [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5])
def test_a_turn_that_is_cut_short_leaves_a_session_that_goes_on(seconds: float) -> None:
    @tool
    async def think() -> str:
        """Think about it."""
        await asyncio.sleep(1.0)
        return "thought"

    hub = agent("hub", Handoff("billing", summary(keep=1)), tools=(think,))
    team = Team(name="desk", agents=(hub, agent("billing")))
    both = calls(call("think", "c1"), call("transfer_to_billing", "c2", reason="x"))
    said = {"hub": lambda request: both, "summary": ["x"], "billing": lambda request: "Done."}
    model = acting(said)
    model.latency = 1.0
    session, client = team.begin(), connect(model)

    async def cut_short() -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(run(team, "Hello?", client=client, session=session), seconds)

    clock.simulate(cut_short())
    again = acting({**said, "summary": ["x"]})
    assert once(team, again, "Are you there?", session=session).answer == "Done."
    assert Session.from_json(session.to_json()) == session
