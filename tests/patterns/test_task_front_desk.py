"""The clinic's front desk with its tasks: what callers wish for is what stands in the database."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from course import Agent, Context, clock, connect
from course.conversation import Conversation
from course.delegation import start_tool
from course.errors import ToolError
from course.models import Scripted
from course.observability.information import leaks
from course.runner import run
from course.scenarios.front_desk import Desk, state, visits
from course.scenarios.front_desk.callers import NOT_SURE, Answering, Caller, callers
from course.trace import Trace
from tests.patterns.talking import client_of, move, saying


def called(caller: Caller, desk: Any, make: Any) -> tuple[Any, Trace]:
    """One caller's whole conversation with an agent at this desk."""

    async def main() -> tuple[Any, Trace]:
        async with Conversation(make(desk), client=connect(profile="instant")) as talk:
            exchanged = await talk.hold(Answering(caller), first=caller.first)
        return exchanged, talk.trace

    return clock.simulate(main())


def visit(desk: Any, caller: Caller) -> dict[str, Any]:
    """The newest appointment of a caller."""
    query = """SELECT s.starts, d.speciality, a.reason FROM appointments a
               JOIN slots s ON s.id = a.slot_id JOIN doctors d ON d.id = s.doctor_id
               WHERE a.patient_id = ? ORDER BY CAST(substr(a.id, 3) AS INTEGER) DESC"""
    with closing(sqlite3.connect(desk.path)) as connection:
        connection.row_factory = sqlite3.Row
        return dict(connection.execute(query, (caller.patient_id,)).fetchone())


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize(("make", "undecided"), [
    (visits.counter, False), (visits.visit_counter, False), (visits.visit_counter, True),
])  # fmt: skip  # going back takes a group
def test_every_caller_gets_the_visit_they_wish_for(make: Any, place: int, undecided: bool) -> None:
    with Desk(seed=7) as desk:
        caller = callers(desk, count=5, undecided=undecided)[place]
        before = state(desk)
        exchanged, _ = called(caller, desk, make)
        booked, after = visit(desk, caller), state(desk)
    assert len(exchanged) < 14
    assert booked["starts"].startswith(str(caller.another_day or caller.day))
    assert (booked["starts"][11:] < "12:00") == (caller.part_of_day == "morning")
    assert booked["speciality"] == caller.speciality
    assert caller.complaint in booked["reason"]
    assert len(after.visits - before.visits) == 1
    assert [entry[0] for entry in after.paid - before.paid] == [caller.invoice_id]


@pytest.mark.parametrize("place", range(3))
def test_vague_callers_are_asked_again_until_their_wish_can_be_met(place: int) -> None:
    with Desk(seed=7) as desk:
        caller = callers(desk, vague=True)[place]
        exchanged, _ = called(caller, desk, visits.visit_counter)
        booked = visit(desk, caller)
    assert "Sunday 8 March 2026." in [said for said, _ in exchanged]
    assert booked["starts"].startswith(str(caller.day))
    assert booked["speciality"] == caller.speciality


def test_changing_the_day_goes_back_to_scheduling_alone() -> None:
    with Desk(seed=7) as desk:
        [caller, *_] = callers(desk, undecided=True)
        _, trace = called(caller, desk, visits.visit_counter)
    tasks = [each.name for each in trace.spans if each.operation == "task"]
    assert tasks == ["visit", "triage", "scheduling", "billing", "scheduling", "billing"]


def test_callers_are_the_same_for_a_seed_and_their_wishes_can_be_met() -> None:
    with Desk(seed=3) as desk:
        people = callers(desk, count=8, undecided=True)
        assert people == callers(desk, count=8, undecided=True)
        assert len({each.name for each in people}) == 8
        for each in people:
            wish = visits.Wish(
                patient=each.name,
                day=each.day,
                part_of_day=each.part_of_day,  # type: ignore[arg-type]
            )
            assert visits.free_slots(desk, wish, each.speciality)  # type: ignore[arg-type]
            assert visits.identify(desk, each.name) == each.patient_id
            assert visits.open_invoices(desk, each.patient_id) == [each.invoice_id]
            assert each.another_day not in (None, each.day)


def test_a_caller_answers_what_is_asked_and_then_hangs_up() -> None:
    with Desk() as desk:
        [caller, *_] = callers(desk)
    person = Answering(caller)

    async def main() -> list[str]:
        said = [
            await person(text)
            for text in ("Since when, and how bad is it?", "What is your hobby?", "All is booked.")
        ]
        with pytest.raises(EOFError, match="hung up"):
            await person("All is paid.")
        return said

    told = clock.simulate(main())
    assert told == [f"{caller.since}, {caller.severity}.", NOT_SURE, caller.second]
    assert len(person.heard) == 4


def test_a_wish_that_cannot_be_met_goes_back_with_the_next_free_times() -> None:
    with Desk() as desk:
        [caller, *_] = callers(desk)
        wish = {"patient": caller.name, "day": "2026-03-08", "part_of_day": "morning"}
        good = {**wish, "day": str(caller.day), "part_of_day": caller.part_of_day}
        seen: list[str] = []

        def script(request: Any) -> Any:
            seen.append(str(request.messages[-1].get("content")))
            arguments = good if "closed" in seen[-1] else wish
            return move(("complete", arguments))

        task = visits.SchedulingTask[visits.Wish](desk, speciality=lambda: caller.speciality)  # type: ignore[arg-type,return-value]
        ended = clock.simulate(run(task, person=saying(), client=connect(Scripted(script))))
    assert "the clinic is closed on Sunday 2026-03-08" in seen[1]
    assert ended.result.day == caller.day


def test_people_who_are_not_known_or_owe_nothing_are_refused() -> None:
    with Desk() as desk:
        with pytest.raises(ToolError, match="no patient is called"):
            visits.identify(desk, "Nobody Here")
        [caller, *_] = callers(desk)
        visits.Visit(desk).pay(visits.Payment(patient=caller.name, method="card"))
        with pytest.raises(ToolError, match="owes nothing"):
            visits.open_invoices(desk, caller.patient_id)
        steps = ("complete", {"patient": caller.name, "method": "card"})
        task = visits.BillingTask[visits.Payment](desk)
        with pytest.raises(ToolError, match="owes nothing"):
            clock.simulate(run(task, person=saying(), client=client_of(steps)))


def test_a_date_of_birth_tells_people_apart() -> None:
    with Desk() as desk, closing(sqlite3.connect(desk.path)) as connection:
        name, born = connection.execute(
            "SELECT first_name || ' ' || last_name, min(born) FROM patients"
            " GROUP BY first_name, last_name HAVING count(*) > 1"
        ).fetchone()
        with pytest.raises(ToolError, match="2 patients match"):
            visits.identify(desk, name)
        assert visits.identify(desk, f"{name}, born {born}").startswith("P-")


def test_triage_finds_the_field_of_medicine_by_the_clinic_s_own_list() -> None:
    def speciality(complaint: str) -> str:
        return visits.Triage(complaint=complaint, since="today", severity="mild").speciality

    assert speciality("a bad Rash") == "dermatology"
    assert speciality("something else") == "general practice"


@pytest.mark.parametrize("leaking", [True, False])
def test_words_of_another_call_are_found_in_the_trace(leaking: bool) -> None:
    archive: list[Any] = []

    def make(context: Context) -> visits.TriageTask[visits.Triage]:
        return visits.TriageTask[visits.Triage](
            context=Context((*(archive if leaking else ()), *context.messages))
        )

    async def main(people: list[Caller]) -> Trace:
        trace = Trace("a day")
        start = start_tool(make, name="start_triage", description="Find out what is wrong.")
        for number, caller in enumerate(people, start=1):
            agent = Agent(name=f"call {number}", tools=(start,))
            async with Conversation(agent, client=connect(profile="instant"), trace=trace) as talk:
                await talk.hold(Answering(caller), first="Hello. Please start triage.")
                archive.extend(talk.context.messages)
        return trace

    with Desk(seed=6) as desk:
        found = leaks(clock.simulate(main(callers(desk, count=2))))
    assert found == ([("call 2", "call 1")] if leaking else [])
