"""Makes a hospital's case files from a seed: the same seed, the same files, byte for byte.

Sixteen patients with two and a half years of laboratory results, in units that change on the way,
their medicines, stays and examinations, and about a hundred documents. Some rows are there to be
found: a name that two patients share, doses that the kidneys do not bear, a report that never
came, a letter that contradicts the prescriptions and one that gives orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from course.scenarios.dice import Dice
from course.scenarios.front_desk.names import FIRST_NAMES, LAST_NAMES
from course.scenarios.patient_case import names
from course.scenarios.patient_case.texts import make_documents
from course.scenarios.world.world import Content

PATIENTS = 16
SAMPLES = 15  # of each analyte, one every two months
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who of the patients has what there is to find (ids)."""

    weak_kidneys: tuple[str, ...]
    waiting: str
    faxed: str


def make_hospital(seed: int) -> Content:
    """The rows and the documents of the case files that belong to `seed`."""
    dice = Dice(seed)
    people, cast = _people(dice)
    patients = [_patient(dice, id, name, cast) for id, name in people]
    ids = [id for id, _ in people]
    rows: dict[str, list[Row]] = {
        "patients": patients,
        "analytes": [tuple(analyte) for analyte in names.ANALYTES],
        "lab_results": _numbered(_results(dice, ids, cast)),
        "drugs": [tuple(drug) for drug in names.DRUGS],
        "interactions": [tuple(pair) for pair in names.INTERACTIONS],
        "prescriptions": _numbered(_prescriptions(dice, ids, cast)),
        "allergies": list(_allergies(dice, ids, cast)),
        "stays": _numbered(_stays(dice, ids)),
        "examinations": _numbered(_examinations(dice, ids, cast)),
    }
    return Content(rows, make_documents(dice, rows, cast.faxed))


def _numbered(rows: Iterator[Row]) -> list[Row]:
    return [(number, *row) for number, row in enumerate(rows, start=1)]


def _people(dice: Dice) -> tuple[list[tuple[str, str]], Cast]:
    everyone = [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES]
    drawn = dice.some(everyone, PATIENTS - 1)
    drawn.insert(dice.number(2, PATIENTS - 1), drawn[0])
    people = [(f"P-{101 + place}", name) for place, name in enumerate(drawn)]
    alone = [id for id, name in people if name != drawn[0]]
    one, two, waiting, faxed = dice.some(alone, 4)
    return people, Cast((one, two), waiting, faxed)


def _patient(dice: Dice, id: str, name: str, cast: Cast) -> Row:
    weak = id in cast.weak_kidneys
    # Every year once: with the year of birth, two of the same name are told apart.
    year = (1938 if weak else 1954) + 2 * (int(id[2:]) - 101) // (4 if weak else 1)
    born = date(year, 1, 1) + timedelta(days=dice.number(0, 364))
    weight = dice.number(520, 700 if weak else 960) / 10
    sex = dice.pick(("female", "male"))
    return id, name, sex, born.isoformat(), None if id == cast.faxed else weight


def _results(dice: Dice, ids: list[str], cast: Cast) -> Iterator[Row]:
    for id in ids:
        for analyte, unit, old_unit, factor, shift, *_ in names.ANALYTES:
            taken = date(2024, 1, 9) + timedelta(days=dice.number(0, 12))
            for level in _levels(dice, analyte, weak=id in cast.weak_kidneys):
                if taken >= names.NEW_UNITS:
                    yield id, analyte, taken.isoformat(), level, unit
                else:
                    old = round(level / factor + shift, 2)
                    yield id, analyte, taken.isoformat(), old, old_unit
                taken += timedelta(days=dice.number(56, 61))


def _levels(dice: Dice, analyte: str, *, weak: bool) -> Iterator[float]:
    """An analyte's values in its unit: a start, a drift, and a little noise around them."""
    low, high = names.STARTS[analyte]
    kidneys = weak and analyte == "creatinine"
    start = dice.number(170, 200) if kidneys else dice.number(low, high)
    drift = dice.number(8, 16) / 1000  # a sample: more than noise, so that a year shows it
    if not kidneys and dice.chance(0.5):
        drift = -drift
    for sample in range(SAMPLES):
        noise = dice.number(-8, 8) / 1000
        level = start * (1 + drift * sample + noise)
        yield round(level / 10, 1) if analyte in names.TENTHS else float(round(level))


def _prescriptions(dice: Dice, ids: list[str], cast: Cast) -> Iterator[Row]:
    for id in ids:
        for drug, dose, times in _current(dice, id, cast):
            started = date(2024, 1, 1) + timedelta(days=dice.number(0, 330))
            yield id, drug, dose, times, started.isoformat(), None
        over = dice.pick(("ibuprofen", "amoxicillin"))
        began = date(2025, 1, 1) + timedelta(days=dice.number(0, 200))
        ended = began + timedelta(days=dice.number(5, 14))
        yield id, over, *dice.pick(names.DOSES[over]), began.isoformat(), ended.isoformat()


def _current(dice: Dice, id: str, cast: Cast) -> list[tuple[str, float, int]]:
    """What a patient takes now: for the cast, what there is to find in it."""
    if id in cast.weak_kidneys:
        fixed = [("metformin", dice.pick((750.0, 850.0)), 2)]
        fixed += [(drug, *names.DOSES[drug][0]) for drug in ("ramipril", "spironolactone")]
        return [*fixed, ("bisoprolol", *dice.pick(names.DOSES["bisoprolol"]))]
    if id == cast.faxed:
        fixed = [("metformin", dice.pick((500.0, 850.0)), 2)]
        return fixed + [
            (drug, *dice.pick(names.DOSES[drug])) for drug in ("clarithromycin", "simvastatin")
        ]
    drugs = dice.some([drug for drug, *_ in names.DRUGS if drug != "amoxicillin"], 3)
    return [(drug, *dice.pick(names.DOSES[drug])) for drug in sorted(drugs)]


def _allergies(dice: Dice, ids: list[str], cast: Cast) -> Iterator[Row]:
    for id in ids:
        if id == cast.faxed:
            yield id, "macrolide", dice.pick(("rash", "hives"))
        elif dice.chance(0.4):
            yield id, *dice.pick(names.ALLERGIES)


def _stays(dice: Dice, ids: list[str]) -> Iterator[Row]:
    """One stay of each patient in 2025, and for half of them one in 2024."""
    for id in ids:
        for year in (2024, 2025) if dice.chance(0.5) else (2025,):
            reason, department = dice.pick(names.REASONS)
            admitted = date(year, 2, 1) + timedelta(days=dice.number(0, 270))
            discharged = admitted + timedelta(days=dice.number(3, 24))
            yield id, admitted.isoformat(), discharged.isoformat(), department, reason


def _examinations(dice: Dice, ids: list[str], cast: Cast) -> Iterator[Row]:
    for id in ids:
        for kind, findings in dice.some(names.EXAMINATIONS, 2):
            ordered = date(2025, 1, 10) + timedelta(days=dice.number(0, 400))
            reported = ordered + timedelta(days=dice.number(1, 9))
            yield id, kind, ordered.isoformat(), reported.isoformat(), dice.pick(findings)
        if id == cast.waiting:
            ordered = date(2026, 4, 1) + timedelta(days=dice.number(0, 40))
            yield id, dice.pick(names.UNREPORTED), ordered.isoformat(), None, None
