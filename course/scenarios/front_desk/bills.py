"""What the generated clinic charges for visits, and what its patients have paid so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from course.scenarios.dice import Dice
from course.scenarios.front_desk import names
from course.scenarios.front_desk.diary import TODAY
from course.scenarios.world.world import Rows

DAYS_TO_PAY = 14
OLD_VISITS = 60  # before the book begins; their bills may be overdue by now


@dataclass(frozen=True, slots=True)
class Visit:
    """Something to send a bill for; `appointment` is None for visits older than the book."""

    patient: str
    appointment: str | None
    speciality: str
    day: date


@dataclass(frozen=True, slots=True)
class Bill:
    """One row of invoices with its rows of invoice_items and payments."""

    invoice: tuple[str, str, str | None, str, str]
    items: Rows
    payments: Rows


def visits_to_bill(
    dice: Dice, doctors: Rows, patients: Rows, slots: Rows, appointments: Rows
) -> list[Visit]:
    """The visits that have been billed: some from past months, and most of last week's."""
    days = sorted(TODAY - timedelta(days=dice.number(17, 90)) for _ in range(OLD_VISITS))
    visits = [
        Visit(dice.pick(patients)[0], None, dice.pick(names.SPECIALITIES), day) for day in days
    ]
    speciality = {doctor[0]: doctor[3] for doctor in doctors}
    where = {slot: (speciality[doctor], starts[:10]) for slot, doctor, starts, _ in slots}
    for number, patient, slot, _, status in appointments:
        if status == "attended" and dice.chance(0.7):
            field, day = where[slot]
            visits.append(Visit(patient, number, field, date.fromisoformat(day)))
    return visits


def make_bills(dice: Dice, visits: Sequence[Visit]) -> list[Bill]:
    """One bill per visit, with invoices numbered in the order of `visits`."""
    return [_bill(dice, f"INV-{3001 + place}", visit) for place, visit in enumerate(visits)]


def _bill(dice: Dice, number: str, visit: Visit) -> Bill:
    due = visit.day + timedelta(days=DAYS_TO_PAY)
    lines = [(f"consultation, {visit.speciality}", names.CONSULTATION[visit.speciality])]
    lines += dice.some(names.EXTRAS, dice.number(0, 2))
    paid = _paid(dice, sum(cents for _, cents in lines))
    paid_on = min(TODAY, visit.day + timedelta(days=dice.number(0, 20))).isoformat()
    return Bill(
        (number, visit.patient, visit.appointment, visit.day.isoformat(), due.isoformat()),
        tuple((number, place, *line) for place, line in enumerate(lines, start=1)),
        ((None, number, paid_on, paid),) if paid else (),
    )


def _paid(dice: Dice, cents: int) -> int:
    """What has been paid of a bill: mostly all of it, often nothing, now and then a part."""
    if dice.chance(0.6):
        return cents
    return cents // 200 * 100 if dice.chance(0.15) else 0
