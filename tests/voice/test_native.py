"""Agents that are written for LiveKit itself, with the simulated model and LiveKit's assertions."""

import asyncio
from typing import Any

import pytest

from course import clock, connect
from course.models.names import LARGE, SMALL
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk import state as standing
from course.scenarios.front_desk.callers import Answering, callers
from course.scenarios.front_desk.visits import Visit, Wish
from course.trace import Trace
from course.voice.native import (
    Accounts,
    Appointments,
    FrontDesk,
    LiveScheduling,
    Operator,
    VisitDesk,
)
from course.voice.typed import hold, typed_session, words
from tests.voice.calling import scripted, visit


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("make", [FrontDesk, VisitDesk])
def test_a_supervisor_stays_in_control_and_books_what_its_tasks_found_out(
    make: Any, place: int
) -> None:
    client = connect(profile="instant")
    with Desk(seed=7) as desk:
        caller = callers(desk, count=5, undecided=make is VisitDesk)[place]
        before, visited = standing(desk), Visit(desk)

        async def main() -> int:
            agent = make(visited)
            async with typed_session(agent, client=client, userdata=visited) as session:
                await hold(session, Answering(caller), first=caller.first)
                assert session.current_agent is agent
            return len(session.history.items)

        assert clock.simulate(main()) > 5
        booked, after = visit(desk, caller), standing(desk)
    assert booked["starts"].startswith(str(caller.another_day or caller.day))
    assert booked["speciality"] == caller.speciality
    assert [entry[0] for entry in after.paid - before.paid] == [caller.invoice_id]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("What do I owe? I am {}.", Accounts), ("When is my appointment? I am {}.", Appointments)],
)
def test_a_router_hands_over_without_a_word_to_a_specialist_with_a_large_model(
    text: str, kind: Any
) -> None:
    client = connect(profile="instant")
    with Desk(seed=7) as desk:
        caller, trace = callers(desk)[0], Trace("call")

        async def main() -> Any:
            visited = Visit(desk)
            agent = Operator(client)
            async with typed_session(
                agent, client=client, userdata=visited, trace=trace
            ) as session:
                return await session.run(user_input=text.format(caller.name))

        result = clock.simulate(main())
    result.expect.next_event().is_function_call(name=f"transfer_to_{kind.__name__.lower()}")
    result.expect.contains_agent_handoff(new_agent_type=kind)
    said = [event for event in result.events if event.type == "message"]
    assert len(said) == 1
    models = [each.name for each in trace.spans if each.operation == "chat"]
    assert models[0] == SMALL and set(models[1:]) == {LARGE}


def test_what_travels_along_has_no_instructions_and_no_more_than_six_items() -> None:
    client = scripted("Yes?")

    async def main() -> Any:
        agent = Operator(client)
        async with typed_session(agent, client=client) as session:
            for number in range(5):
                await session.run(user_input=f"Hello {number}.")
            return agent.passed_on().items

    items = clock.simulate(main())
    assert [each.role for each in items] == ["user", "assistant"] * 3
    assert items[0].text_content == "Hello 2."


def test_a_wish_that_cannot_be_met_goes_back_to_the_model() -> None:
    wish = {"day": "2026-03-08", "part_of_day": "morning"}
    with Desk(seed=7) as desk:
        caller = callers(desk)[0]
        good = {"patient": caller.name, "part_of_day": caller.part_of_day, "day": str(caller.day)}
        steps = (
            ("record_wish", {"patient": caller.name, **wish}),
            "Closed.",
            ("record_wish", good),
        )
        client = scripted(*steps)

        async def main() -> Any:
            async with typed_session(LiveScheduling(Visit(desk)), client=client) as session:
                await asyncio.sleep(10)  # it has spoken first
                return await session.run(user_input="Another day then.", output_type=Wish)

        result = clock.simulate(main())
    assert str(result.final_output.day) == str(caller.day)
    assert words(result) == ""
