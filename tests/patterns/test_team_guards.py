"""Guards: a conversation that goes round ends, and the person hears something sensible."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from course import Limits, tool
from course.handoff import Handoff, summary
from course.models import ChatRequest, Reply, Scripted
from course.team import HUMAN, Guards, Team, hub_and_spoke
from course.team.human import PUT_THROUGH
from course.team.rules import SORRY, repeats
from tests.patterns.teaming import acting, agent, call, calls, once, spans, talk, transfer, who


def ping_pong(request: ChatRequest) -> Reply:
    """Hands over for ever, with another reason each time."""
    to = "billing" if who(request) == "hub" else "hub"
    return transfer(to, f"reason {len(request.messages)}")


def restless(request: ChatRequest) -> Reply:
    """Hands over for ever and changes the state each time, so that no state is seen twice."""
    number = str(len(request.messages))
    to = "billing" if who(request) == "hub" else "hub"
    return calls(
        call("remember", "c1", what=number), call(f"transfer_to_{to}", "c2", reason="again")
    )


def desk(**more: Any) -> Team:
    return hub_and_spoke(agent("hub"), [agent("billing")], name="desk", **more)


@pytest.mark.parametrize("script", [ping_pong, restless])
def test_a_ping_pong_of_handoffs_stops_within_twelve_calls_with_its_transcript(
    script: Any,
) -> None:
    model = Scripted(script)
    result = once(desk(), model)
    assert len(model.requests) <= 12
    assert result.stop is not None
    assert result.answer == SORRY
    moved = [m for m in result.session.history if m.get("tool_calls")]
    assert len(moved) == len(model.requests) - 1  # the first call takes down what is wanted
    assert result.context.messages[0]["content"] == "Help me, please."


def test_the_same_state_seen_three_times_is_what_stops_it() -> None:
    model = Scripted(ping_pong)
    stop = once(desk(), model).stop
    assert stop is not None
    assert (stop.reason, stop.limit, len(model.requests) - 1) == ("max_repeats", 3, 5)


def test_what_changes_the_state_ends_at_the_cap() -> None:
    stop = once(desk(), Scripted(restless)).stop
    assert stop is not None
    assert (stop.reason, stop.limit, stop.value) == ("max_turns", 10, 10)


def test_summaries_count_so_that_a_ping_pong_with_them_is_no_longer() -> None:
    team = Team(
        name="desk",
        agents=(
            agent("hub", Handoff("billing", summary(keep=1))),
            agent("billing", Handoff("hub", summary(keep=1))),
        ),
        guards=Guards(max_repeats=None),
    )

    def says(request: ChatRequest) -> Reply | str:
        return "In short." if who(request) == "summary" else ping_pong(request)

    model = Scripted(says)
    assert once(team, model).stop is not None
    assert len(model.requests) <= 12


def test_the_fallback_answers_and_cannot_join_the_round() -> None:
    calm = agent("calm", "hub")
    team = Team(
        name="desk",
        agents=(agent("hub", "billing"), agent("billing", "hub"), calm),
        fallback="calm",
    )

    def says(request: ChatRequest) -> Reply | str:
        return "Let us start again." if who(request) == "calm" else ping_pong(request)

    model = Scripted(says)
    result = once(team, model)
    assert (result.answer, result.agent) == ("Let us start again.", "calm")
    assert str(result.stop) == "stopped: max_repeats is 3, reached 3"
    assert [t.name for t in model.requests[-1].tools] == ["look_up", "fails", "remember"]
    last = spans(result, "handoff")[-1]
    assert last.attributes["switchboard.handoff.kind"] == "fallback"
    assert last.attributes["switchboard.handoff.reason"] == str(result.stop)


def test_the_fallbacks_last_call_offers_no_tools_so_that_it_answers() -> None:
    calm = agent("calm")
    team = Team(name="desk", agents=(agent("hub", "calm"), calm), fallback="calm",
                guards=Guards(max_turns=2))  # fmt: skip
    offered: list[int] = []

    def says(request: ChatRequest) -> Reply | str:
        if who(request) == "calm":
            offered.append(len(request.tools))
        number = len(request.messages)
        return calls(call("look_up", name=str(number))) if request.tools else "That is all."

    result = once(team, Scripted(says))
    assert offered == [3, 0]
    assert result.answer == "That is all."


def test_a_fallback_that_is_stopped_too_says_sorry() -> None:
    team = Team(name="desk", agents=(agent("hub", "billing"), agent("billing", "hub")),
                fallback="billing")  # fmt: skip

    def says(request: ChatRequest) -> Reply:
        if "transfer_to_hub" in str(request.tools) or who(request) == "hub":
            return ping_pong(request)
        return calls(call("look_up", name="x"))

    result = once(team, Scripted(says))
    assert result.heard[-1] == SORRY


def test_a_round_can_end_at_a_person() -> None:
    team = desk(fallback=HUMAN)
    result = once(team, Scripted(ping_pong), "I want my money back.")
    assert (result.answer, result.agent) == (PUT_THROUGH, HUMAN)
    [ticket] = team.queue.tickets
    assert ticket == result.session.ticket
    assert ticket.reason == "stopped: max_repeats is 3, reached 3"
    assert ticket.request == "I want my money back."
    assert [m["content"] for m in ticket.transcript][-1] == PUT_THROUGH


def test_the_same_request_in_three_turns_is_no_round() -> None:
    looks = calls(call("look_up", name="Ada"))
    model = acting({"hub": [looks, "Known."] * 4})
    results = talk(Team(name="desk", agents=(agent("hub"),)), model, *["Who is Ada?"] * 4)
    assert [each.stop for each in results] == [None] * 4


def test_the_call_that_was_one_too_many_is_answered_and_not_made() -> None:
    made: list[str] = []

    @tool
    def press(button: str) -> str:
        """Press a button."""
        made.append(button)
        return "pressed"

    model = acting({"hub": lambda request: calls(call("press", button="red"))})
    result = once(Team(name="desk", agents=(agent("hub", tools=(press,)),)), model)
    assert made == ["red", "red"]
    told = [m["content"] for m in result.session.history if m["role"] == "tool"]
    assert told[-1] == '{"error":"this was asked for 3 times and is not done again"}'


def test_guards_can_be_wider() -> None:
    model = Scripted(ping_pong)
    once(desk(guards=Guards(max_turns=20, max_repeats=None)), model)
    assert len(model.requests) - 1 == 20


def test_a_turn_that_takes_too_long_goes_to_the_default_agent() -> None:
    team = Team(
        name="desk",
        agents=(agent("slow"), agent("quick")),
        fallback="quick",
        guards=Guards(max_seconds=5.0),
    )

    async def says(request: ChatRequest) -> str:
        if who(request) == "slow":
            await asyncio.sleep(60.0)
        return "Here I am."

    result = once(team, Scripted(says))
    assert result.answer == "Here I am."
    assert result.stop is not None
    assert (result.stop.reason, result.stop.limit, result.stop.value) == ("max_seconds", 5.0, 3.75)
    assert max(span.end for span in result.trace.spans) == pytest.approx(3.75)


def test_a_tool_that_hangs_is_left_behind_and_the_conversation_stays_whole() -> None:
    @tool(timeout=None)
    async def wait() -> str:
        """Wait for ever."""
        await asyncio.sleep(1e9)
        return "never"

    team = Team(
        name="desk", agents=(agent("hub", tools=(wait,)),), fallback=HUMAN,
        guards=Guards(max_seconds=5.0),
    )  # fmt: skip
    result = once(team, acting({"hub": [calls(call("wait"))]}))
    assert result.agent == HUMAN
    assert [m["role"] for m in result.context.messages] == ["user", "assistant"]


def test_a_timeout_of_the_tools_own_making_is_no_guard() -> None:
    @tool
    async def late() -> str:
        """Give up."""
        raise TimeoutError("too late")

    model = acting({"hub": [calls(call("late")), "It was too late."]})
    team = Team(name="desk", agents=(agent("hub", tools=(late,)),), guards=Guards(max_seconds=5.0))
    result = once(team, model)
    assert (result.answer, result.stop) == ("It was too late.", None)


def test_an_agents_own_limits_count_within_its_stretch() -> None:
    model = acting({"hub": lambda request: calls(call("look_up", name=str(len(request.messages))))})
    team = Team(name="desk", agents=(agent("hub", limits=Limits(max_turns=2)),))
    result = once(team, model)
    assert len(model.requests) == 2
    assert str(result.stop) == "stopped: max_turns is 2, reached 2"


def test_an_answer_that_was_cut_off_is_not_sold_as_whole() -> None:
    model = acting({"hub": [Reply(text="You ow", finish_reason="length")]})
    result = once(Team(name="desk", agents=(agent("hub"),)), model)
    assert result.answer == "You ow"
    assert result.stop is not None
    assert result.stop.reason == "length"


def wire(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c1", "function": {"name": name, "arguments": arguments}}


def test_a_reason_in_other_words_is_the_same_handoff() -> None:
    seen: Counter[str] = Counter()
    for number in range(3):
        asked = [wire("transfer_to_b", f'{{"reason": "{number}"}}')]
        assert repeats(seen, "a", asked, {}, {"transfer_to_b"}) == number + 1


@pytest.mark.parametrize(
    ("agent_name", "name", "arguments", "state"),
    [
        ("b", "look_up", '{"name": "x"}', {}),
        ("a", "find", '{"name": "x"}', {}),
        ("a", "look_up", '{"name": "y"}', {}),
        ("a", "look_up", '{"name": "x"}', {"known": 1}),
    ],
)
def test_another_agent_call_or_state_is_another_state(
    agent_name: str, name: str, arguments: str, state: dict[str, Any]
) -> None:
    seen: Counter[str] = Counter()
    repeats(seen, "a", [wire("look_up", '{"name": "x"}')], {})
    assert repeats(seen, agent_name, [wire(name, arguments)], state) == 1


@pytest.mark.parametrize("wrong", [{"max_turns": 0}, {"max_repeats": 1}, {"max_seconds": -1.0}])
def test_a_guard_that_would_stop_everything_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be at least"):
        Guards(**wrong)
