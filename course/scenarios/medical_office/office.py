"""The medical office's world: who is a patient there, and the data that each agent has."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from course.scenarios.dice import Dice
from course.scenarios.shared import DOCTORS, FIRST_NAMES, LAST_NAMES
from course.scenarios.world.world import Content, World

PATIENTS = 12
DRUGS = (  # name, dose, and whether only a doctor may refill it
    ("ramipril", "5 mg once a day", 0), ("metformin", "850 mg twice a day", 0),
    ("simvastatin", "20 mg at night", 0), ("levothyroxine", "75 mcg in the morning", 0),
    ("omeprazole", "20 mg before breakfast", 0), ("oxycodone", "5 mg when in pain", 1),
    ("lorazepam", "1 mg at night", 1),
)  # fmt: skip
STATES = ("fine", "none left", "too early", "expired")
PLANS = {
    "Basic": {"blood test": 80, "X-ray": 70, "physiotherapy": 0, "MRI scan": 0},
    "Plus": {"blood test": 100, "X-ray": 90, "physiotherapy": 50, "MRI scan": 60},
    "Complete": {"blood test": 100, "X-ray": 100, "physiotherapy": 80, "MRI scan": 90},
}
INSURERS = ("Fairhaven Mutual", "Northlight Health", "Meridian Care")
DIAGNOSES = ("hypertension", "type 2 diabetes", "hypothyroidism", "reflux", "anxiety disorder")
PROTOCOL = {
    "fever": "Rest, drink plenty, and call again if it lasts longer than three days.",
    "cough": "Drink warm fluids, and call again if it lasts longer than two weeks.",
    "sore throat": "Drink warm fluids, and call again if you cannot swallow.",
    "headache": "Rest in a dark room, and call again if it is not better tomorrow.",
    "sprained ankle": "Keep the foot up and cool it, and call again if you cannot stand on it.",
    "rash": "Leave it alone, and call again if it spreads.",
}


class Office(World):
    """A medical office: twelve patients, their visits, prescriptions and insurance, and a log."""

    @staticmethod
    def make(seed: int) -> Content:
        """The rows that belong to a seed."""
        dice = Dice(seed)
        names = zip(dice.some(FIRST_NAMES, PATIENTS), dice.some(LAST_NAMES, PATIENTS), strict=True)
        days = [date(1945, 1, 1) + timedelta(days=dice.number(0, 20_000)) for _ in range(PATIENTS)]
        patients = [
            (f"P-{n}", " ".join(name), day.isoformat())
            for n, (name, day) in enumerate(zip(names, days, strict=True), 101)
        ]
        ids = [row[0] for row in patients]
        return Content({
            "patients": patients,
            "visits": _visits(dice, ids),
            "prescriptions": list(_prescriptions(dice, ids)),
            "policies": [
                (id, dice.pick(INSURERS), dice.pick(tuple(PLANS)),
                 f"M-{dice.number(100, 999)}-{n}", dice.pick(DIAGNOSES),
                 f"{dice.number(2, 9)} claims, {dice.number(200, 900)}.00 EUR")
                for n, id in enumerate(ids, 4001)
            ],
            "covers": [(plan, *each) for plan, shares in PLANS.items() for each in shares.items()],
            "protocol": list(PROTOCOL.items()),
        })  # fmt: skip

    def audited(self, outcome: str = "refused") -> list[dict[str, str]]:
        """The entries of the audit log with this outcome, oldest first."""
        return self.rows("SELECT * FROM audit WHERE outcome = ? ORDER BY id", outcome)


def _visits(dice: Dice, ids: list[str]) -> list[tuple[object, ...]]:
    """Ten days with two free times each; every patient has a visit in the second week."""
    times: list[tuple[int, str, str | None]] = [
        (day, time, None) for day in range(1, 11) for time in ("09:00", "15:30")
    ]
    times += [(7 + n % 5, f"{10 + n // 5}:00", id) for n, id in enumerate(ids)]
    return [
        (f"V-{n}", _day(day), time, f"Dr {dice.pick(DOCTORS[:3])[1]}", id)
        for n, (day, time, id) in enumerate(sorted(times, key=lambda each: each[:2]), 301)
    ]


def _prescriptions(dice: Dice, ids: list[str]) -> Iterator[tuple[object, ...]]:
    """Two drugs a patient; every state and both controlled drugs occur."""
    for n, id in enumerate(ids):
        for k, (drug, dose, controlled) in enumerate((DRUGS[n % 5], DRUGS[5 + n % 2])):
            state = "fine" if k else STATES[n % 4]
            left = 0 if state == "none left" else dice.number(1, 5)
            due = _day(dice.number(5, 20) if state == "too early" else -2)
            expires = _day(-3 if state == "expired" else 200)
            yield f"RX-{501 + 2 * n + k}", id, drug, dose, left, due, expires, controlled


def _day(later: int) -> str:
    return (Office.today + timedelta(days=later)).isoformat()
