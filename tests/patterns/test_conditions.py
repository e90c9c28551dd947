"""A condition is looked at first, and what hangs on it is done only when it holds."""

from __future__ import annotations

from typing import Any

import pytest

from course import Agent, clock, connect, run
from course.conditions import Condition, condition_of, gate, holds
from course.models import Reply, Scripted
from course.team import Team
from course.tools import Tool, tool
from course.voice.bridge import live_agent
from course.voice.typed import typed_session
from tests.patterns.teaming import call, calls


@pytest.mark.parametrize(
    ("said", "looks", "wanted"),
    [
        ("If it rains in Rome, cancel the trip.", "it rains in Rome", True),
        ("Cancel the trip if it rains in Rome.", "it rains in Rome", True),
        ("Cancel the trip only if it rains.", "it rains", True),
        ("Cancel the trip unless it is sunny.", "it is sunny", False),
        ("Unless it is sunny, cancel the trip.", "it is sunny", False),
        ("Could you cancel the trip if it rains?", "it rains", True),
        ("If it rains, I want you to cancel the trip.", "it rains", True),
    ],
)
def test_a_condition_is_read(said: str, looks: str, wanted: bool) -> None:
    found = condition_of(said)
    assert found is not None and (found.looks, found.wanted) == (looks, wanted)


@pytest.mark.parametrize(
    "said",
    [
        "Cancel the trip, if possible.",
        "Tell me if it rains.",
        "Cancel the trip if you can.",
        "Please check if room 4 is free.",
        "Cancel the trip.",
        # said out of politeness
        "Cancel the trip if that's okay.",
        "Please cancel the trip if you would.",
        "I'd appreciate it if you would cancel the trip.",
        "If I remember correctly, I booked the trip; cancel it.",
        "Cancel the trip if it isn't too much trouble.",
        # either way
        "Cancel the trip even if it rains.",
        "Even if it rains, cancel the trip.",
        "Book a trip, doesn't matter if it rains.",
        # questions and statements
        "What if I cancel the trip?",
        "What happens if I cancel the trip?",
        "Do I get a refund if I return the shoes?",
        "Would it cost anything if I cancel the trip?",
        "The buyer may cancel the trip if it rains.",
        # of a part of it only
        "Book a room, even better if it has a balcony.",
        "Order a pizza, with olives if you have them.",
    ],
)
def test_what_is_no_condition_is_none(said: str) -> None:
    assert condition_of(said) is None


def acting(effects: list[str], found: Any) -> tuple[Tool, Tool]:
    """A tool that tells something, and one that changes something."""

    @tool
    def look() -> Any:
        """Look at how things are."""
        return found

    @tool
    async def cancel_trip(reason: str = "") -> str:
        """Cancel the trip."""
        effects.append("cancelled")
        return "cancelled"

    return look, cancel_trip


FIRST, THEN = call("look", "c1"), call("cancel_trip", "c2")
CASES: list[tuple[str, Any, bool]] = [
    ("If it rains, cancel the trip.", {"rain": False}, False),
    ("If it rains, cancel the trip.", {"rain": True}, True),
    ("Cancel the trip unless it rains.", {"rain": True}, False),
    ("Cancel the trip unless it rains.", {"rain": False}, True),
    ("Cancel the trip if it does not rain.", {"rain": True}, False),
    ("If there are fewer than 10 chairs, cancel the trip.", {"chairs": 40}, False),
    ("If there are fewer than ten chairs, cancel the trip.", {"chairs": 4}, True),
    ("Cancel the trip if account A-1 has less than 100.", {"account": "A-1", "balance": 40}, True),
    ("Cancel the trip if there are at least 3 guests.", "[1, 2]", True),
    ("If 10:00 is free, cancel the trip.", [], False),
    ("If 10:00 is free, cancel the trip.", ["09:00", "11:30"], False),
    ("If 10:00 is free, cancel the trip.", ["09:00", "10:00"], True),
    ("If it looks bad, cancel the trip.", "Clouds, and more to come.", True),
    ("If it rains, cancel the trip, otherwise cancel the dinner.", {"rain": False}, True),
]


def played(said: str, found: Any, *steps: Reply | str) -> tuple[list[str], Any]:
    effects: list[str] = []
    agent = Agent(name="desk", tools=acting(effects, found))
    left = list(steps)
    client = connect(Scripted(lambda request: left.pop(0)))
    return effects, clock.simulate(run(agent, said, client=client))


@pytest.mark.parametrize(("said", "found", "done"), CASES)
def test_what_hangs_on_a_condition_is_done_when_it_holds(said: str, found: Any, done: bool) -> None:
    effects, result = played(said, found, calls(FIRST), calls(THEN), "That is how it is.")
    assert effects == ["cancelled"] * done
    [step] = [each for each in result.trace.spans if each.operation == "condition"]
    assert (step.status == "ok") is done


def test_nothing_is_done_before_the_look_nor_beside_it() -> None:
    said = "If it rains, cancel the trip."
    for first in (calls(THEN), calls(FIRST, THEN)):
        effects, result = played(said, {"rain": True}, first, "I did nothing.")
        assert effects == []
        assert "look first whether it rains" in str(result.context.messages)
    effects, _ = played(said, {"rain": True}, calls(THEN), calls(FIRST), calls(THEN), "Done.")
    assert effects == ["cancelled"]


def test_a_look_at_what_is_named_after_a_deed_is_a_look() -> None:
    """`order_status` changes nothing, though "order" is a deed; the only look must not wait."""
    effects: list[str] = []

    @tool
    def order_status(order: str) -> dict[str, bool]:
        """How far an order is."""
        return {"shipped": False}

    @tool
    def cancel_order(order: str) -> str:
        """Cancel an order."""
        effects.append(order)
        return "cancelled"

    steps: list[Reply | str] = [
        calls(call("order_status", "c1", order="12")),
        calls(call("cancel_order", "c2", order="12")),
        "Cancelled.",
    ]
    agent = Agent(name="desk", tools=(order_status, cancel_order))
    client = connect(Scripted(lambda request: steps.pop(0)))
    clock.simulate(run(agent, "Cancel order 12 if it has not shipped.", client=client))
    assert effects == ["12"]


def test_a_number_that_names_something_is_under_no_bound() -> None:
    looks = Condition("it costs less than 100", "cancel it", wanted=True, both=False)
    assert holds(looks, ['{"trip_id": 4711}']) is None
    assert holds(looks, ['{"trip_id": 4711, "price": 40}']) is True


def test_what_does_not_hang_on_it_is_free() -> None:
    effects, _ = played("If it rains, book a taxi.", {}, calls(THEN), "Done.")
    assert effects == ["cancelled"]
    tools = acting([], {})
    assert gate(tools, [{"role": "user", "content": "Cancel the trip."}]) == tools


def test_it_holds_in_teams_and_on_livekit() -> None:
    effects: list[str] = []
    agent = Agent(name="desk", tools=acting(effects, {"rain": False}))
    said = "If it rains, cancel the trip."

    def client() -> Any:
        left: list[Reply | str] = [calls(FIRST), calls(THEN), "It is dry."]
        return connect(Scripted(lambda request: left.pop(0)))

    clock.simulate(run(Team(name="team", agents=(agent,)), said, client=client()))

    async def main() -> None:
        answers = client()
        live = live_agent(agent, client=answers)
        async with typed_session(live, client=answers) as session:
            await session.run(user_input=said)

    clock.simulate(main())
    assert effects == []
