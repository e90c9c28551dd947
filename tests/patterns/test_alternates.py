"""A look-up that comes back empty is followed by one that asks for others, by rule."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from course import Agent, clock, connect, run, tool
from course.alternates import nothing, with_alternates
from course.errors import ConfigurationError, ToolError
from course.models import Reply, Scripted
from course.scenarios.medical_office import Call, Office, staff
from course.tools import Tool
from tests.patterns.teaming import call, calls

TIMES = {"Monday": ["09:00", "10:30"], "Tuesday": []}


def book(asked: list[dict[str, Any]], *, slow: bool = False, full: bool = False) -> Tool:
    """A calendar, with what it was asked."""

    def look(doctor: str, day: str | None, hour: str) -> list[str]:
        asked.append({"doctor": doctor, "day": day, "hour": hour})
        if doctor != "Adler":
            raise ToolError(f"there is no Dr {doctor}")
        free = [f"{d} {t}" for d, times in TIMES.items() for t in times if day in (None, d)]
        return [] if full else [each for each in free if hour in each]

    if slow:

        @tool
        async def find_slots(doctor: str, day: str | None = None, hour: str = "") -> list[str]:
            """Find free slots."""
            await asyncio.sleep(1)
            return look(doctor, day, hour)

        return find_slots

    @tool(name="find_slots")
    def at_once(doctor: str, day: str | None = None, hour: str = "") -> list[str]:
        """Find free slots."""
        return look(doctor, day, hour)

    return at_once


def looked(made: Tool, **given: Any) -> tuple[Any, Any]:
    """What an agent's tool answers, and the run."""
    steps: list[Reply | str] = [calls(call("find_slots", **given)), "That is what there is."]
    client = connect(Scripted(lambda request: steps.pop(0)))
    result = clock.simulate(run(Agent(name="desk", tools=(made,)), "When?", client=client))
    [answer] = [m["content"] for m in result.context.messages if m["role"] == "tool"]
    return json.loads(answer), result


@pytest.mark.parametrize("slow", [False, True])
def test_where_nothing_is_free_others_are_looked_for_and_offered(slow: bool) -> None:
    asked: list[dict[str, Any]] = []
    made = with_alternates(book(asked, slow=slow), "day", "hour")
    found, result = looked(made, doctor="Adler", day="Tuesday")
    assert found == {
        "nothing_for": {"day": "Tuesday"},
        "alternates": ["Monday 09:00", "Monday 10:30"],
    }
    assert [each["day"] for each in asked] == ["Tuesday", None]
    outer, inner = sorted(
        (each for each in result.trace.spans if each.operation == "execute_tool"),
        key=lambda each: each.parent_id != outer_id(result),
    )
    assert json.loads(str(inner.attributes["gen_ai.tool.call.arguments"])) == {
        "doctor": "Adler", "hour": "",
    }  # fmt: skip
    assert inner.parent_id == outer.span_id


def outer_id(result: Any) -> str:
    """The step of the agent."""
    [step] = [each for each in result.trace.spans if each.operation == "invoke_agent"]
    return str(step.span_id)


@pytest.mark.parametrize(
    ("given", "looks"),
    [
        ({"doctor": "Adler", "day": "Monday"}, 1),
        ({"doctor": "Adler"}, 1),
        ({"doctor": "Adler", "day": "Tuesday", "hour": "09"}, 2),
    ],
)
def test_what_is_found_at_once_stays_as_it_is(given: dict[str, Any], looks: int) -> None:
    asked: list[dict[str, Any]] = []
    plain, made = book([]), with_alternates(book(asked), "day", "hour")
    found, _ = looked(made, **given)
    assert len(asked) == looks
    assert looks == 2 or found == looked(plain, **given)[0]


def test_what_is_full_altogether_and_what_is_refused_stay_what_they_are() -> None:
    asked: list[dict[str, Any]] = []
    full, _ = looked(with_alternates(book(asked, full=True), "day"), doctor="Adler", day="Monday")
    assert (full, len(asked)) == ([], 2)
    told, _ = looked(with_alternates(book(asked), "day"), doctor="Byrne", day="Monday")
    assert told == {"error": "there is no Dr Byrne"}


def test_a_model_sees_the_same_tool_and_a_wrong_argument_is_refused() -> None:
    plain = book([])
    assert with_alternates(plain, "day").spec() == plain.spec()
    for wrong in (("doctor",), ("colour",), ()):
        with pytest.raises(ConfigurationError, match="these can: day, hour"):
            with_alternates(plain, *wrong)


def test_what_is_offered_instead_meets_no_condition() -> None:
    done: list[str] = []

    @tool
    def book_slot(slot: str) -> str:
        """Book a slot."""
        done.append(slot)
        return "booked"

    steps: list[Reply | str] = [
        calls(call("find_slots", "c1", doctor="Adler", day="Tuesday")),
        calls(call("book_slot", "c2", slot="Monday 09:00")),
        "There is only Monday: shall I?",
    ]
    desk = Agent(name="desk", tools=(with_alternates(book([]), "day"), book_slot))
    client = connect(Scripted(lambda request: steps.pop(0)))
    words = "If there is anything free on Tuesday, book it."
    clock.simulate(run(desk, words, client=client))
    assert done == []


@pytest.mark.parametrize(
    ("found", "empty"),
    [([], True), (None, True), ("", True), ({"free": []}, True), ({}, True),
     ([0], False), ({"free": [], "n": 0}, False), ("none", False), (0, False)],
)  # fmt: skip
def test_nothing_is_nothing(found: Any, empty: bool) -> None:
    assert nothing(found) is empty


def test_the_medical_office_offers_other_days() -> None:
    with Office(seed=7) as office:
        visit = Call(office)
        visit.patient = office.rows("SELECT * FROM patients LIMIT 1")[0]
        [find] = [t for w in staff(visit).workers for t in w.tools if t.name == "find_free_times"]
        found, _ = looked(Tool(**{**vars(find), "name": "find_slots"}), day="2026-03-30")
    assert found["nothing_for"] == {"day": "2026-03-30"}
    assert len(found["alternates"]) == 3
