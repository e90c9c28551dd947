"""The sample requests can be answered: the right tool calls lead to the facts and the state."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from course.errors import ToolError
from course.scenarios import front_desk
from course.scenarios.front_desk import REQUESTS, Sample
from tests.scenarios.conftest import user_of

SEEDS = (7, 0, 1, 2, 99)
Use = Callable[..., Any]


def patient(use: Use, text: str, *, after: str, before: str) -> str:
    """The id of the patient whose name stands between two pieces of the request."""
    name = text.partition(after)[2].partition(before)[0]
    return str(use("find_patient", name=name)["patient_id"])


def next_visit(use: Use, who: str) -> str:
    return str(use("list_appointments", patient_id=who)[0]["appointment_id"])


def slot(use: Use, text: str, sample: Sample) -> str:
    """The free slot a booking asks for: its doctor is in the text, its time among the facts."""
    doctor = text.partition("Dr. ")[2].rstrip(".").partition(" on ")[0]
    day, time = sample.facts[0][0], sample.facts[1][0]
    free = use("find_free_slots", doctor=doctor, day=day)
    return str(next(row["slot_id"] for row in free if row["starts"] == f"{day} {time}"))


def opening_hours(use: Use, _: Sample) -> Any:
    return use("get_clinic_information", topic="opening hours")


def doctor(use: Use, _: Sample) -> Any:
    return use("get_clinic_information", topic="doctors")


def free_slot(use: Use, _: Sample) -> Any:
    return use("find_free_slots", speciality="cardiology", day="2026-03-09")


def visits(use: Use, sample: Sample) -> Any:
    who = patient(use, sample.text, after="When is ", before="'s next")
    return use("list_appointments", patient_id=who)


def owed(use: Use, sample: Sample) -> Any:
    who = patient(use, sample.text, after="How much does ", before=" still")
    return use("list_invoices", patient_id=who)


def visit_and_bill(use: Use, sample: Sample) -> Any:
    who = patient(use, sample.text, after="which unpaid invoices does ", before=" have")
    return [visits(use, sample), use("list_invoices", patient_id=who)]


def pay(use: Use, sample: Sample) -> Any:
    return use("pay_invoice", invoice_id=sample.facts[0][0])


def cancel(use: Use, sample: Sample) -> Any:
    who = patient(use, sample.text, after="cancel ", before="'s")
    return use("cancel_appointment", appointment_id=next_visit(use, who))


def book(use: Use, sample: Sample) -> Any:
    who = patient(use, sample.text, after="book ", before=" with")
    return use("book_appointment", patient_id=who, slot_id=slot(use, sample.text, sample))


def move(use: Use, sample: Sample) -> Any:
    who = patient(use, sample.text, after="move ", before="'s")
    to = slot(use, sample.text, sample)
    return use("move_appointment", appointment_id=next_visit(use, who), slot_id=to)


def on_a_sunday(use: Use, sample: Sample) -> Any:
    name = sample.text.partition("Dr. ")[2].partition(" on ")[0]
    with pytest.raises(ToolError) as caught:
        use("find_free_slots", doctor=name, day="2026-03-08")
    return str(caught.value)


def shared_name(use: Use, sample: Sample) -> Any:
    with pytest.raises(ToolError) as caught:
        patient(use, sample.text, after="When is ", before="'s next")
    return str(caught.value)


EXPERT = {
    "opening hours": opening_hours,
    "doctor": doctor,
    "free slot": free_slot,
    "next visit": visits,
    "owed": owed,
    "visit and bill": visit_and_bill,
    "pay": pay,
    "cancel": cancel,
    "book": book,
    "move": move,
    "on a Sunday": on_a_sunday,
    "shared name": shared_name,
}


def test_there_are_requests_of_every_level() -> None:
    assert [request.name for request in REQUESTS] == list(EXPERT)
    levels = {"look-up", "two-step", "compound", "write", "impossible", "ambiguous"}
    assert {request.level for request in REQUESTS} == levels


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.name)
def test_the_right_tool_calls_answer_it(request_: front_desk.Request, seed: int) -> None:
    with front_desk.Desk(seed=seed) as desk:
        sample = request_.on(desk)
        before = front_desk.state(desk)
        found = EXPERT[request_.name](user_of(desk), sample)
        assert sample.missing(json.dumps(found)) == []
        assert front_desk.state(desk) == sample.after
        assert (sample.after != before) == (request_.level == "write")


@pytest.mark.parametrize("seed", SEEDS)
def test_wording_a_request_changes_nothing_and_repeats_itself(seed: int) -> None:
    with front_desk.Desk(seed=seed) as desk, front_desk.Desk(seed=seed) as twin:
        assert [each.on(desk) for each in REQUESTS] == [each.on(twin) for each in REQUESTS]
        assert desk.path.read_bytes() == twin.path.read_bytes()


def test_an_answer_without_the_facts_is_told_what_is_missing(desk: front_desk.Desk) -> None:
    sample = REQUESTS[3].on(desk)
    assert sample.facts[0][:3] == ("2026-03-06", "6 March", "March 6")
    assert sample.missing("It is on 6 March\nat 3:30 PM with Dr. Faure.") == []
    assert sample.missing("It is on 2026-03-06.") == list(sample.facts[1:])
    assert sample.missing("") == list(sample.facts)
