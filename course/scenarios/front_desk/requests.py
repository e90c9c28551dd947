"""Sample requests of growing difficulty, each with what a right answer says and leaves behind.

Names, days and amounts are read from the desk's own database, so the requests fit every seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from course.scenarios.front_desk.desk import Desk
from course.scenarios.front_desk.diary import TODAY
from course.scenarios.shared import money

Level = Literal["look-up", "two-step", "compound", "write", "impossible", "ambiguous"]
Fact = tuple[str, ...]  # several ways to write the same thing; one of them is enough
Entries = frozenset[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class State:
    """What requests can change: (patient, slot, status) of visits, and cents paid per invoice."""

    visits: Entries
    paid: Entries


@dataclass(frozen=True, slots=True)
class Sample:
    """A request put to one desk: its text, the facts of a right answer, the state afterwards."""

    text: str
    facts: tuple[Fact, ...]
    after: State

    def missing(self, answer: str) -> list[Fact]:
        """The facts that `answer` does not state in any of their forms."""
        text = " ".join(answer.lower().split())
        return [fact for fact in self.facts if not any(form.lower() in text for form in fact)]


@dataclass(frozen=True, slots=True)
class Request:
    """A kind of request. `on(desk)` words it for an untouched desk."""

    name: str
    level: Level
    on: Callable[[Desk], Sample]


def state(desk: Desk) -> State:
    """What stands in the desk's database now."""
    return State(
        visits=frozenset(
            tuple(row.values())
            for row in desk.rows("SELECT patient_id, slot_id, status FROM appointments")
        ),
        paid=frozenset(
            tuple(row.values())
            for row in desk.rows("SELECT invoice_id, sum(cents) FROM payments GROUP BY 1")
        ),
    )


# A patient whose name is unique and who has exactly one booked visit to come.
_ONE_VISIT = """
    SELECT p.id AS patient_id, p.first_name || ' ' || p.last_name AS patient,
           s.id AS slot_id, s.starts, d.speciality, d.last_name AS doctor
    FROM appointments a JOIN patients p ON p.id = a.patient_id
    JOIN slots s ON s.id = a.slot_id JOIN doctors d ON d.id = s.doctor_id
    WHERE a.status = 'booked' AND s.starts > ? GROUP BY p.id
    HAVING count(*) = 1 AND 1 = (
        SELECT count(*) FROM patients q
        WHERE q.first_name = p.first_name AND q.last_name = p.last_name)
    ORDER BY p.id
"""
_ONE_BILL = """
    SELECT p.first_name || ' ' || p.last_name AS patient, i.id AS invoice_id,
           b.total_cents - b.paid_cents AS cents, b.total_cents
    FROM invoices i JOIN balances b ON b.invoice_id = i.id JOIN patients p ON p.id = i.patient_id
    WHERE b.paid_cents < b.total_cents GROUP BY p.id
    HAVING count(*) = 1 AND 1 = (
        SELECT count(*) FROM patients q
        WHERE q.first_name = p.first_name AND q.last_name = p.last_name)
    ORDER BY p.id
"""
_FREE = """
    SELECT s.id AS slot_id, s.starts, d.last_name AS doctor
    FROM slots s JOIN doctors d ON d.id = s.doctor_id
    WHERE s.starts > '2026-03-09' AND d.speciality = ?
      AND s.id NOT IN (SELECT slot_id FROM appointments WHERE status <> 'cancelled')
    ORDER BY s.starts
"""
_SHARED_NAME = """
    SELECT first_name || ' ' || last_name AS patient, min(born) AS older, max(born) AS younger
    FROM patients GROUP BY first_name, last_name HAVING count(*) > 1
"""


def _visit(desk: Desk, place: int) -> dict[str, Any]:
    return desk.rows(_ONE_VISIT, TODAY.isoformat())[place]


def _free_for(desk: Desk, visit: dict[str, Any], speciality: str, place: int) -> dict[str, Any]:
    """A free slot on another day than the patient's visit."""
    slots = desk.rows(_FREE, speciality)
    return [slot for slot in slots if slot["starts"][:10] != visit["starts"][:10]][place]


def _spoken(starts: str) -> str:
    """'2026-03-10 14:30' as a caller says the day: 'Tuesday 10 March 2026'."""
    day = date.fromisoformat(starts[:10])
    return f"{day:%A} {day.day} {day:%B %Y}"


def _day(starts: str) -> Fact:
    day = date.fromisoformat(starts[:10])
    return (day.isoformat(), f"{day.day} {day:%B}", f"{day:%B} {day.day}", f"{day:%b} {day.day}")


def _time(text: str) -> Fact:
    at = datetime.strptime(text[-5:], "%H:%M")
    half = "am" if at.hour < 12 else "pm"
    hour = (at.hour - 1) % 12 + 1
    return (f"{at:%H:%M}", f"{hour}:{at:%M} {half}", f"{hour}:{at:%M}{half}")


def _amount(cents: int) -> Fact:
    return (money(cents).removesuffix(" EUR"),)


def _opening_hours(desk: Desk) -> Sample:
    hours = desk.rows("SELECT * FROM opening_hours WHERE weekday = 4")[0]
    return Sample(
        "What are your opening hours on Friday?",
        (_time(hours["opens"]), _time(hours["closes"])),
        state(desk),
    )


def _doctor(desk: Desk) -> Sample:
    query = "SELECT last_name FROM doctors WHERE speciality = 'dermatology'"
    name = desk.rows(query)[0]["last_name"]
    return Sample("Which doctor do you have for dermatology?", ((name,),), state(desk))


def _free_slot(desk: Desk) -> Sample:
    slot = desk.rows(_FREE, "cardiology")[0]
    text = f"What is the earliest free slot in cardiology on {_spoken(slot['starts'])}?"
    return Sample(text, (_time(slot["starts"]), (slot["doctor"],)), state(desk))


def _next_visit(desk: Desk) -> Sample:
    visit = _visit(desk, 0)
    text = f"When is {visit['patient']}'s next appointment, and with which doctor?"
    facts = (_day(visit["starts"]), _time(visit["starts"]), (visit["doctor"],))
    return Sample(text, facts, state(desk))


def _owed(desk: Desk) -> Sample:
    bill = desk.rows(_ONE_BILL)[0]
    text = f"How much does {bill['patient']} still owe?"
    return Sample(text, (_amount(bill["cents"]),), state(desk))


def _visit_and_bill(desk: Desk) -> Sample:
    visit, bill = _visit(desk, 1), desk.rows(_ONE_BILL)[1]
    text = (
        f"When is {visit['patient']}'s next appointment?"
        f" And which unpaid invoices does {bill['patient']} have?"
    )
    facts = (_day(visit["starts"]), _time(visit["starts"]), (bill["invoice_id"],))
    return Sample(text, (*facts, _amount(bill["cents"])), state(desk))


def _pay(desk: Desk) -> Sample:
    bill = desk.rows(_ONE_BILL)[2]
    before = state(desk)
    others = {entry for entry in before.paid if entry[0] != bill["invoice_id"]}
    settled = frozenset(others | {(bill["invoice_id"], bill["total_cents"])})
    return Sample(
        f"{bill['patient']} wants to pay invoice {bill['invoice_id']} in full.",
        ((bill["invoice_id"],), _amount(bill["cents"])),
        State(before.visits, settled),
    )


def _cancel(desk: Desk) -> Sample:
    visit = _visit(desk, 2)
    text = f"Please cancel {visit['patient']}'s appointment on {_spoken(visit['starts'])}."
    return Sample(text, (("cancelled", "canceled"),), _moved(desk, visit, None))


def _book(desk: Desk) -> Sample:
    visit = _visit(desk, 3)
    slot = _free_for(desk, visit, "general practice", 2)
    before = state(desk)
    booked = before.visits | {(visit["patient_id"], slot["slot_id"], "booked")}
    text = (
        f"Please book {visit['patient']} with Dr. {slot['doctor']} on {_spoken(slot['starts'])}"
        f" at {slot['starts'][-5:]} for a check-up."
    )
    return Sample(text, (_day(slot["starts"]), _time(slot["starts"])), State(booked, before.paid))


def _move(desk: Desk) -> Sample:
    visit = _visit(desk, 4)
    slot = _free_for(desk, visit, visit["speciality"], 3)
    text = (
        f"Please move {visit['patient']}'s appointment to {_spoken(slot['starts'])}"
        f" at {slot['starts'][-5:]} with Dr. {slot['doctor']}."
    )
    facts = (_day(slot["starts"]), _time(slot["starts"]))
    return Sample(text, facts, _moved(desk, visit, slot["slot_id"]))


def _moved(desk: Desk, visit: dict[str, Any], slot_id: str | None) -> State:
    """The state after a visit went to another slot, or was cancelled (None)."""
    before = state(desk)
    old = (visit["patient_id"], visit["slot_id"], "booked")
    new = (
        (visit["patient_id"], visit["slot_id"], "cancelled")
        if slot_id is None
        else (visit["patient_id"], slot_id, "booked")
    )
    return State((before.visits - {old}) | {new}, before.paid)


def _on_a_sunday(desk: Desk) -> Sample:
    visit = _visit(desk, 5)
    doctor = f"Dr. {visit['doctor']}"
    text = f"Please book {visit['patient']} with {doctor} on Sunday 8 March 2026 at 10:00."
    return Sample(text, (("closed", "not open"),), state(desk))


def _shared_name(desk: Desk) -> Sample:
    people = desk.rows(_SHARED_NAME)[0]
    text = f"When is {people['patient']}'s next appointment?"
    return Sample(text, (("born", "birth"),), state(desk))


REQUESTS = (
    Request("opening hours", "look-up", _opening_hours),
    Request("doctor", "look-up", _doctor),
    Request("free slot", "look-up", _free_slot),
    Request("next visit", "two-step", _next_visit),
    Request("owed", "two-step", _owed),
    Request("visit and bill", "compound", _visit_and_bill),
    Request("pay", "write", _pay),
    Request("cancel", "write", _cancel),
    Request("book", "write", _book),
    Request("move", "write", _move),
    Request("on a Sunday", "impossible", _on_a_sunday),
    Request("shared name", "ambiguous", _shared_name),
)
