"""Makes a clinic from a seed: the same seed gives the same rows, byte for byte in the database.

About 120 patients, seven specialities, four weeks of slots around `diary.TODAY`, and the invoices
of past visits. Everything is drawn from the word lists in `names`.
"""

from __future__ import annotations

from datetime import date, timedelta

from course.scenarios.dice import Dice
from course.scenarios.front_desk import diary, names
from course.scenarios.front_desk.bills import make_bills, visits_to_bill
from course.scenarios.front_desk.diary import TODAY
from course.scenarios.shared import DOCTORS, FIRST_NAMES, LAST_NAMES
from course.scenarios.world.world import Content, Rows

PATIENTS = 120
CHILDREN = 18
HALF_DAYS = 5  # of consultations per doctor and week
VISITS_PER_PATIENT = 5


def make_clinic(seed: int) -> Content:
    """The rows of the clinic that belongs to `seed`."""
    dice = Dice(seed)
    doctors = _doctors(dice)
    patients = _patients(dice)
    slots = _slots(dice, doctors)
    appointments = _appointments(dice, doctors, patients, slots)
    bills = make_bills(dice, visits_to_bill(dice, doctors, patients, slots, appointments))
    return Content(
        {
            "clinic": ((names.CLINIC, names.ADDRESS, names.PHONE),),
            "opening_hours": _opening_hours(dice),
            "doctors": doctors,
            "patients": patients,
            "slots": slots,
            "appointments": appointments,
            "invoices": tuple(bill.invoice for bill in bills),
            "invoice_items": tuple(item for bill in bills for item in bill.items),
            "payments": tuple(payment for bill in bills for payment in bill.payments),
        }
    )


def _opening_hours(dice: Dice) -> Rows:
    opens = dice.pick(("08:00", "08:15", "08:30"))
    closes = dice.pick(("17:30", "18:00", "18:30"))
    friday = dice.pick(("17:00", "17:15"))
    return tuple((day, opens, friday if day == diary.FRIDAY else closes) for day in range(5))


def _doctors(dice: Dice) -> Rows:
    specialities = (names.SPECIALITIES[0], *names.SPECIALITIES)  # two general practitioners
    people = dice.some(DOCTORS, len(specialities))
    return tuple(
        (f"D-{number}", first, last, speciality)
        for number, ((first, last), speciality) in enumerate(
            zip(people, specialities, strict=True), start=1
        )
    )


def _patients(dice: Dice) -> Rows:
    everyone = [(first, last) for first in FIRST_NAMES for last in LAST_NAMES]
    people = dice.some(everyone, PATIENTS - 1)
    # A child and an adult share their whole name, so that a name alone may not be enough.
    people.insert(dice.number(CHILDREN, PATIENTS - 1), people[0])
    numbers = dice.some(range(1000, 10000), PATIENTS)
    return tuple(
        (
            f"P-{101 + place}",
            first,
            last,
            _birthday(dice, child=place < CHILDREN).isoformat(),
            f"020 91{number // 1000} {number % 1000:03d}{place % 10}",
            f"{first}.{last}{place}@example.com".lower(),
        )
        for place, ((first, last), number) in enumerate(zip(people, numbers, strict=True))
    )


def _birthday(dice: Dice, *, child: bool) -> date:
    youngest, oldest = (1, 15) if child else (18, 92)
    return TODAY - timedelta(days=dice.number(youngest * 366, oldest * 365))


def _slots(dice: Dice, doctors: Rows) -> Rows:
    half_days = [(day, part) for day in range(5) for part in diary.SESSIONS]
    plan = {doctor[0]: set(dice.some(half_days, HALF_DAYS)) for doctor in doctors}
    moments = sorted(
        (diary.stamp(day, start), doctor)
        for day in diary.working_days()
        for doctor, sessions in plan.items()
        for part, starts in diary.SESSIONS.items()
        if (day.weekday(), part) in sessions
        for start in starts
    )
    return tuple(
        (f"S-{1001 + place}", doctor, starts, diary.SLOT_MINUTES)
        for place, (starts, doctor) in enumerate(moments)
    )


def _appointments(dice: Dice, doctors: Rows, patients: Rows, slots: Rows) -> Rows:
    speciality = {doctor[0]: doctor[3] for doctor in doctors}
    visits: dict[str, set[str]] = {patient[0]: set() for patient in patients}
    rows: list[tuple[str, str, str, str, str]] = []
    for slot, doctor, starts, _ in slots:
        if not dice.chance(_demand(date.fromisoformat(starts[:10]))):
            continue
        ages = patients[:CHILDREN] if speciality[doctor] == "paediatrics" else patients
        patient = dice.pick(ages)[0]
        if starts[:10] in visits[patient] or len(visits[patient]) == VISITS_PER_PATIENT:
            continue  # one visit a day is enough, and nobody fills the book alone
        visits[patient].add(starts[:10])
        reason = dice.pick(names.REASONS[speciality[doctor]])
        status = _status(dice, starts)
        rows.append((f"A-{2001 + len(rows)}", patient, slot, reason, status))
    return tuple(rows)


def _demand(day: date) -> float:
    """How likely a slot is taken: the book is fullest now and empties towards its end."""
    weeks_ahead = (day - TODAY).days // 7
    return {-1: 0.6, 0: 0.5, 1: 0.35}.get(weeks_ahead, 0.2)


def _status(dice: Dice, starts: str) -> str:
    if dice.chance(0.05):
        return "cancelled"
    if starts >= diary.stamp(TODAY, diary.NOW.time()):
        return "booked"
    return "missed" if dice.chance(0.06) else "attended"
