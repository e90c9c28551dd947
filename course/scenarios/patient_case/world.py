"""The hospital's world and the workers in it."""

from __future__ import annotations

import sqlite3
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from course.agent import Agent
from course.errors import ToolError
from course.scenarios.database import Row
from course.scenarios.patient_case.data import TODAY, make_hospital
from course.scenarios.world.domain import calculating, querying, searching, worker, writer
from course.scenarios.world.world import World

PatientId = Annotated[str, Field(pattern=r"^P-\d+$", description="the patient's id, such as P-104")]
Analyte = Annotated[
    Literal["creatinine", "HbA1c", "haemoglobin", "potassium", "glucose"],
    Field(description="what was measured in the blood"),
]
MOST_RESULTS = 8


class Hospital(World):
    """Sixteen patients with results, medicines, stays and letters. Nothing in it is for care."""

    make = staticmethod(make_hospital)
    today = TODAY

    def find_patient(
        self,
        name: Annotated[str, Field(description="first and last name")],
        birth_year: Annotated[int | None, Field(description="year of birth, such as 1958")] = None,
    ) -> Row:
        """Find a patient by name: id, sex, day of birth, weight, allergies."""
        query = "SELECT * FROM patients WHERE lower(name) = lower(?) ORDER BY id"
        with self.database.read() as connection:
            found = connection.execute(query, (" ".join(name.split()),)).fetchall()
            years = " and ".join(row["born"][:4] for row in found)
            if birth_year is not None:
                found = [row for row in found if row["born"].startswith(f"{birth_year}-")]
            if len(found) != 1:
                raise ToolError(_not_one(name, birth_year, years))
            query = "SELECT class, reaction FROM allergies WHERE patient_id = ?"
            allergies = connection.execute(query, (found[0]["id"],)).fetchall()
        row = found[0]
        weight = row["weight_kg"] or "not on file"
        shown = {"patient_id": row["id"], "name": row["name"], "sex": row["sex"]}
        return {**shown, "born": row["born"], "weight_kg": weight, "allergies": allergies,
                "source": "patients and allergies"}  # fmt: skip

    def list_stays(self, patient_id: PatientId) -> Row:
        """List a patient's stays in hospital with reason, days and length, latest first."""
        query = """SELECT admitted, discharged, department, reason,
            CAST(julianday(discharged) - julianday(admitted) AS INTEGER) AS length_in_days
            FROM stays WHERE patient_id = ? ORDER BY admitted DESC"""
        with self.database.read() as connection:
            name = patient(connection, patient_id)["name"]
            rows = connection.execute(query, (patient_id,)).fetchall()
        return {"patient": name, "stays": rows, "source": "stays"}

    def list_examinations(self, patient_id: PatientId) -> Row:
        """List a patient's examinations with their findings, and those without a report yet."""
        query = """SELECT kind, ordered, reported, finding FROM examinations
            WHERE patient_id = ? ORDER BY ordered DESC"""
        with self.database.read() as connection:
            name = patient(connection, patient_id)["name"]
            rows = connection.execute(query, (patient_id,)).fetchall()
        done = [row for row in rows if row["reported"]]
        waiting = [
            {"kind": row["kind"], "ordered": row["ordered"], "report": "missing"}
            for row in rows
            if not row["reported"]
        ]
        return {"patient": name, "reported": done, "not_reported": waiting,
                "source": "examinations"}  # fmt: skip

    def get_latest_result(self, patient_id: PatientId, analyte: Analyte) -> Row:
        """Look up a patient's latest result of an analyte, and whether it is in its range."""
        with self.database.read() as connection:
            row = _results(connection, patient_id, analyte)[-1]
            name = patient(connection, patient_id)["name"]
        where = "within"
        if not row["low"] <= row["value"] <= row["high"]:
            where = "below" if row["value"] < row["low"] else "above"
        return {
            "patient": name, "analyte": analyte, "taken": row["taken"], "value": row["value"],
            "unit": row["unit"], "range_low": row["low"], "range_high": row["high"],
            "status": f"{where} the reference range", "source": "lab_results",
        }  # fmt: skip

    def measure_lab_trend(
        self,
        patient_id: PatientId,
        analyte: Analyte,
        year: Annotated[int | None, Field(description="only results of this year")] = None,
        unit: Annotated[
            str | None, Field(description="convert every result into this unit, such as g/L")
        ] = None,
    ) -> Row:
        """Calculate how an analyte changed: first and last value, change, slope per month."""
        with self.database.read() as connection:
            name = patient(connection, patient_id)["name"]
            rows = _results(connection, patient_id, analyte)
        rows = _of_year(rows, analyte, year)
        unit = _unit(rows, analyte, unit)
        values = [converted(row, unit) for row in rows]
        return {
            "patient": name, "analyte": analyte, "unit": unit, "results": len(rows),
            "first_day": rows[0]["taken"], "first": round(values[0], 2),
            "last_day": rows[-1]["taken"], "last": round(values[-1], 2),
            "change_percent": round(100 * (values[-1] / values[0] - 1), 2),
            "lowest": round(min(values), 2), "highest": round(max(values), 2),
            "slope_per_month": round(slope([row["taken"] for row in rows], values), 3),
            "source": "lab_results",
        }  # fmt: skip

    def calculate_kidney_function(self, patient_id: PatientId) -> Row:
        """Calculate the creatinine clearance (Cockcroft and Gault) from the latest creatinine."""
        with self.database.read() as connection:
            who = patient(connection, patient_id)
            row = _results(connection, patient_id, "creatinine")[-1]
        if who["weight_kg"] is None:
            raise ToolError(
                f"no weight of {who['name']} is on file, so the clearance cannot be calculated:"
                " say that it is missing"
            )
        clearance = cockcroft_gault(
            age=years_between(date.fromisoformat(who["born"]), date.fromisoformat(row["taken"])),
            weight_kg=who["weight_kg"],
            creatinine_mg_dl=converted(row, row["old_unit"]),
            female=who["sex"] == "female",
        )
        return {"patient": who["name"], "creatinine_taken": row["taken"],
                "clearance_ml_min": round(clearance, 1), "weight_kg": who["weight_kg"],
                "source": "lab_results and patients"}  # fmt: skip

    def list_medicines(self, patient_id: PatientId) -> Row:
        """List the medicines that a patient takes today, with dose and times a day."""
        with self.database.read() as connection:
            name = patient(connection, patient_id)["name"]
            rows = taken(connection, patient_id)
        return {"patient": name, "day": f"{TODAY}", "medicines": rows, "source": "prescriptions"}

    def check_interactions(self, patient_id: PatientId) -> Row:
        """Check a patient's medicines against each other and against the allergies."""
        with self.database.read() as connection:
            name = patient(connection, patient_id)["name"]
            drugs = {row["drug"]: row["class"] for row in taken(connection, patient_id)}
            pairs = connection.execute("SELECT * FROM interactions").fetchall()
            query = "SELECT class, reaction FROM allergies WHERE patient_id = ?"
            allergies = connection.execute(query, (patient_id,)).fetchall()
        conflicts = [
            {"drug": drug, "allergy_to": allergy["class"], "reaction": allergy["reaction"]}
            for allergy in allergies
            for drug, kind in drugs.items()
            if kind == allergy["class"]
        ]
        found = [pair for pair in pairs if pair["one"] in drugs and pair["other"] in drugs]
        return {"patient": name, "interactions": found, "allergy_conflicts": conflicts,
                "source": "prescriptions, interactions and allergies"}  # fmt: skip

    def check_dose(
        self,
        patient_id: PatientId,
        drug: Annotated[str, Field(description="one of the patient's medicines")],
        clearance_ml_min: Annotated[
            float | None, Field(gt=0, description="creatinine clearance in mL/min")
        ] = None,
    ) -> Row:
        """Check a medicine's daily dose against its limit, which may depend on the kidneys."""
        with self.database.read() as connection:
            mine = {row["drug"]: row for row in taken(connection, patient_id)}
        if (row := mine.get(drug.strip().lower())) is None:
            raise ToolError(f"{patient_id} does not take '{drug}'; there are {', '.join(mine)}")
        limit, threshold = row["max_daily_mg"], row["kidney_ml_min"]
        if threshold is not None:
            if clearance_ml_min is None:
                raise ToolError(
                    f"the limit of {row['drug']} depends on the kidneys: give clearance_ml_min"
                )
            limit = row["kidney_daily_mg"] if clearance_ml_min < threshold else limit
        daily = row["dose_mg"] * row["times_a_day"]
        verdict = "above the limit" if daily > limit else "within the limit"
        return {"drug": row["drug"], "daily_mg": daily, "limit_daily_mg": limit,
                "verdict": verdict, "source": "prescriptions and drugs"}  # fmt: skip


def workers(world: Hospital) -> tuple[Agent, ...]:
    """A registrar, a reader of letters, a laboratory, a pharmacist and a writer: no shared tool."""
    return (
        worker(
            world,
            "registrar",
            "finds patients by name, their stays and examinations, and queries the database",
            duty="You find patients and say what the files hold about them.",
            does=(
                world.find_patient,
                world.list_stays,
                world.list_examinations,
                *querying(world),
            ),
        ),
        worker(
            world,
            "reader",
            "searches and reads discharge letters, clinic notes, reports and guidelines",
            duty="You find out what letters and notes say about a patient.",
            does=searching(world),
        ),
        worker(
            world,
            "laboratory",
            "looks up laboratory results, calculates trends in one unit and kidney function",
            duty="You say what the laboratory measured, each value with its unit.",
            does=(
                world.get_latest_result,
                world.measure_lab_trend,
                world.calculate_kidney_function,
                *calculating(),
            ),
        ),
        worker(
            world,
            "pharmacist",
            "lists medicines, checks interactions, allergies and doses",
            duty="You check what a patient takes. You report, and change no prescription.",
            does=(world.list_medicines, world.check_interactions, world.check_dose),
        ),
        writer(world),
    )


def cockcroft_gault(*, age: int, weight_kg: float, creatinine_mg_dl: float, female: bool) -> float:
    """Creatinine clearance in mL/min, after Cockcroft and Gault, Nephron 16 (1976) 31-41."""
    clearance = (140 - age) * weight_kg / (72 * creatinine_mg_dl)
    return 0.85 * clearance if female else clearance


def slope(days: list[str], values: list[float]) -> float:
    """The least-squares slope of values over days, per month of 30.44 days; 0 for a single day."""
    places = [date.fromisoformat(day).toordinal() / 30.44 for day in days]
    middle, mean = sum(places) / len(places), sum(values) / len(values)
    spread = sum((place - middle) ** 2 for place in places)
    joint = sum((p - middle) * (v - mean) for p, v in zip(places, values, strict=True))
    return joint / spread if spread else 0.0


def years_between(born: date, on: date) -> int:
    """A person's age in whole years on a day."""
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))


def converted(row: Row, unit: str) -> float:
    """A result's value in the analyte's present or its old unit."""
    value = float(row["value"])
    if row["unit"] == unit:
        return value
    if unit == row["new_unit"]:
        return float((value - row["shift"]) * row["factor"])
    return float(value / row["factor"] + row["shift"])


def patient(connection: sqlite3.Connection, patient_id: str) -> Row:
    """A patient's row; raises ToolError for an unknown id."""
    query = "SELECT * FROM patients WHERE id = ?"
    row: Row | None = connection.execute(query, (patient_id,)).fetchone()
    if row is None:
        raise ToolError(f"there is no patient {patient_id}: find_patient gives the id for a name")
    return row


def taken(connection: sqlite3.Connection, patient_id: str) -> list[Row]:
    """What a patient takes today, with each drug's class and limits."""
    query = """SELECT p.drug, p.dose_mg, p.times_a_day, p.started, d.class, d.max_daily_mg,
        d.kidney_ml_min, d.kidney_daily_mg
        FROM prescriptions p JOIN drugs d ON d.name = p.drug
        WHERE p.patient_id = ? AND p.stopped IS NULL ORDER BY p.drug"""
    return connection.execute(query, (patient_id,)).fetchall()


def _results(connection: sqlite3.Connection, patient_id: str, analyte: str) -> list[Row]:
    patient(connection, patient_id)
    query = """SELECT r.taken, r.value, r.unit, a.unit AS new_unit, a.old_unit, a.factor, a.shift,
        a.low, a.high FROM lab_results r JOIN analytes a ON a.name = r.analyte
        WHERE r.patient_id = ? AND r.analyte = ? ORDER BY r.taken"""
    return connection.execute(query, (patient_id, analyte)).fetchall()


def _of_year(rows: list[Row], analyte: str, year: int | None) -> list[Row]:
    years = sorted({row["taken"][:4] for row in rows})
    if year is None and len(rows) > MOST_RESULTS:
        raise ToolError(
            f"there are {len(rows)} results of {analyte}, at most {MOST_RESULTS} make a trend:"
            f" give the year ({', '.join(years)})"
        )
    found = [row for row in rows if year is None or row["taken"].startswith(f"{year}-")]
    if not found:
        raise ToolError(f"there is no {analyte} of {year}; there are results of {', '.join(years)}")
    return found


def _unit(rows: list[Row], analyte: str, unit: str | None) -> str:
    units = sorted({row["unit"] for row in rows})
    known = (str(rows[0]["new_unit"]), str(rows[0]["old_unit"]))
    if unit is None and len(units) > 1:
        raise ToolError(
            f"these results of {analyte} are in {' and '.join(units)}, which cannot be compared:"
            f" give unit='{known[0]}' or unit='{known[1]}'"
        )
    chosen = unit or str(units[0])
    for each in known:
        if each.lower() == chosen.replace("u", "µ", chosen.startswith("u")).lower():
            return each
    raise ToolError(f"{analyte} cannot be given in '{unit}', only in {' or '.join(known)}")


def _not_one(name: str, birth_year: int | None, years: str) -> str:
    if not years:
        return f"no patient is called '{name}': give first and last name as they are on file"
    if birth_year is None:
        return f"two patients are called {name}, born in {years}: give birth_year"
    return f"no {name} was born in {birth_year}, but in {years}: give that birth_year"
