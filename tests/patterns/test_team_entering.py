"""What an agent does when it takes over, what all of them know, and how long a talk may get."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from course import Agent, Context, clock, connect, tool
from course.errors import ConfigurationError, ModelError, ToolError
from course.handoff import Handoff
from course.models import ChatRequest, Reply, Scripted
from course.runner import run
from course.session import Session, TypedState, state
from course.team import Entry, Team, greet
from tests.patterns.teaming import acting, agent, call, calls, once, spans, talk, transfer, who


def desk(on_enter: Any) -> Team:
    return Team(name="desk", agents=(
        agent("hub", Handoff("billing", on_enter=on_enter)), agent("billing"),
    ))  # fmt: skip


def test_who_takes_over_greets_in_its_own_words_before_it_answers() -> None:
    says = [transfer("billing"), "Hello, billing here.", "You owe nothing."]
    model = Scripted(lambda request: says.pop(0))
    result = once(desk(greet), model)
    assert result.heard == ("Hello, billing here.", "You owe nothing.")
    assert [len(r.tools) for r in model.requests] == [4, 0, 3]
    assert "Greet them in one sentence" in model.requests[1].messages[0]["content"]
    assert result.usage.total == result.trace.total("gen_ai.usage.input_tokens") + (
        result.trace.total("gen_ai.usage.output_tokens")
    )


def test_what_is_looked_up_on_entry_is_in_view_and_in_the_state() -> None:
    async def who_calls(entry: Entry) -> str | None:
        entry.session.state["caller"] = await entry.call("look_up", name=entry.reason)
        assert await entry.call("fails") is None
        return None

    model = acting({"hub": [transfer("billing", "Ada")], "billing": ["Hello, Ada."]})
    result = once(desk(who_calls), model)
    asked = model.requests[-1].messages
    assert [m["content"] for m in asked if m["role"] == "tool"][1] == "Ada is known"
    assert 'Known so far: {"caller":"Ada is known"}' in asked[0]["content"]
    assert [s.name for s in spans(result, "enter")] == ["billing"]


def test_a_greeting_that_no_model_can_write_is_left_out() -> None:
    def says(request: ChatRequest) -> Reply | str:
        if "Greet them" in str(request.messages[0]["content"]):
            raise ModelError("the model refused the request (500)")
        return transfer("billing") if who(request) == "hub" else "You owe nothing."

    result = once(desk(greet), Scripted(says))
    assert result.heard == ("You owe nothing.",)
    assert [s.status for s in spans(result, "enter")] == ["error"]


@dataclass
class Ticket:
    name: str
    severity_told: Literal["low", "high"] = "low"
    born: date | None = None


class Order(BaseModel):
    name: str = Field(min_length=2)
    born: date | None = None


@pytest.mark.parametrize("kind", [Ticket, Order])
def test_a_typed_state_checks_every_write(kind: type) -> None:
    known = TypedState(kind, {"name": "Ada"})
    known.born = "2000-02-01"
    assert (known["born"], known.name) == (date(2000, 2, 1), "Ada")
    for write in ({"name": 7}, {"born": "yesterday"}, {"bron": None}, {"name": "Bo", "born": 1.5}):
        with pytest.raises(
            ToolError, match=r"^state(\['(name|born)'\]: | has no 'bron'; \w+ has: )"
        ):
            known.update(write)
        assert known["name"] == "Ada"
    with pytest.raises(ConfigurationError, match="a dataclass or a pydantic model"):
        TypedState(dict)


def test_a_team_s_tools_write_into_its_typed_state_and_a_file_keeps_it() -> None:
    @tool
    def note(name: str, born: str) -> str:
        """Take down who calls."""
        state().update(name=name, born=born)
        return "noted"

    says = [
        calls(call("note", "c1", name="Ada", born="tomorrow")),
        calls(call("note", "c2", name="Ada", born="2000-02-01")),
        "Thank you.",
        "Still here.",
    ]
    team = Team(name="desk", agents=(agent("hub", tools=(note,)),), state=Order)
    model = Scripted(lambda request: says.pop(0))
    result = once(team, model)
    refused, noted = [m["content"] for m in result.session.history if m["role"] == "tool"]
    assert json.loads(refused)["error"].startswith("state['born']: Input should be a")
    assert noted == "noted"
    again = Session.from_json(result.session.to_json())
    [later] = talk(team, model, "And now?", session=again)
    assert isinstance(later.session.state, TypedState)
    assert later.session.state["born"] == date(2000, 2, 1)
    assert '"born":"2000-02-01"' in model.requests[-1].messages[0]["content"]


def many(exchanges: int) -> Context:
    context = Context()
    for number in range(exchanges):
        context = context.add({"role": "user", "content": f"question {number}"})
        context = context.add({"role": "assistant", "content": f"answer {number}"})
    return context.add({"role": "user", "content": "And now?"})


@pytest.mark.parametrize(("said", "calls_made", "seen"), [(19, 1, 40), (20, 2, 6)])
def test_past_twenty_exchanges_any_system_is_given_a_summary(
    said: int, calls_made: int, seen: int
) -> None:
    def says(request: ChatRequest) -> str:
        return "In short." if who(request) == "summary" else "Now."

    team, context = Team(name="desk", agents=(agent("hub"),)), many(said)
    session = Session("hub", context=Context(context.messages[:-1]))
    for system, request, more in (
        (Agent(name="hub", instructions="You are hub."), context, {}),
        (team, "And now?", {"session": session}),
    ):
        model = Scripted(says)
        result = clock.simulate(
            run(system, request, client=connect(model), max_exchanges=20, **more)
        )
        assert result.answer == "Now."
        if not more:
            assert (len(model.requests), len(model.requests[-1].messages)) == (calls_made, seen)


def test_a_summary_that_fails_leaves_the_conversation_whole() -> None:
    def says(request: ChatRequest) -> str:
        if who(request) == "summary":
            raise ModelError("the model refused the request (500)")
        return str(len(request.messages))

    system = Agent(name="hub", instructions="You are hub.")
    result = clock.simulate(run(system, many(30), client=connect(Scripted(says)), max_exchanges=20))
    assert result.answer == "62"
