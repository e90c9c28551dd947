"""Who is calling, and what the clinic says about itself: the two tools most requests begin with."""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from calendar import day_name
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.nearest import nearest

PatientId = Annotated[
    str,
    Field(
        pattern=r"^P-\d+$", description="the patient's id as find_patient gives it, such as P-101"
    ),
]

_TITLES = {"mr", "mrs", "ms", "miss", "mx"}
_MOST_CANDIDATES = 5
# Every word of the name has to occur somewhere in the first or family name.
_BY_NAME = """
    SELECT id AS patient_id, first_name || ' ' || last_name AS name, born AS date_of_birth,
           phone, email
    FROM patients
    WHERE NOT EXISTS (
        SELECT 1 FROM json_each(?) WHERE instr(lower(first_name || ' ' || last_name), value) = 0
    )
    ORDER BY last_name, first_name, born
"""


@dataclass(frozen=True, slots=True)
class Reception:
    """The tools about patients and about the clinic itself, on one database."""

    database: Database

    def find_patient(
        self,
        name: Annotated[str, Field(description="the patient's full name, or the family name")],
        date_of_birth: Annotated[
            date | None, Field(description="to tell apart patients who share a name")
        ] = None,
    ) -> Row:
        """Find a patient by name: id, date of birth, phone number and email address."""
        words = [word for word in re.findall(r"[^\W_]+", name.lower()) if word not in _TITLES]
        if not words:
            raise ToolError("the name is empty: give the patient's name, such as 'Ada Okafor'")
        with self.database.read() as connection:
            found = connection.execute(_BY_NAME, (json.dumps(words),)).fetchall()
            found = [row for row in found if set(words) <= set(_words(row["name"]))] or found
            if not found:
                raise ToolError(_nobody(connection, name))
        if date_of_birth is not None:
            found = [row for row in found if row["date_of_birth"] == date_of_birth.isoformat()]
        return _the_one(found, name, date_of_birth)

    def get_clinic_information(
        self,
        topic: Annotated[
            Literal["opening hours", "doctors", "address"], Field(description="what to look up")
        ],
    ) -> Any:
        """Look up the clinic's opening hours, its doctors with specialities, or its address."""
        with self.database.read() as connection:
            if topic == "opening hours":
                return opening_hours(connection)
            if topic == "doctors":
                return connection.execute(
                    "SELECT 'Dr. ' || first_name || ' ' || last_name AS doctor, speciality"
                    " FROM doctors ORDER BY speciality, last_name"
                ).fetchall()
            return connection.execute("SELECT * FROM clinic").fetchone()


def opening_hours(connection: sqlite3.Connection) -> dict[str, str]:
    """Each weekday's hours, such as `{"Monday": "08:15 to 18:00", ..., "Sunday": "closed"}`."""
    open_days = {
        row["weekday"]: f"{row['opens']} to {row['closes']}"
        for row in connection.execute("SELECT * FROM opening_hours")
    }
    return {day_name[day]: open_days.get(day, "closed") for day in range(7)}


def require_patient(connection: sqlite3.Connection, patient_id: str) -> str:
    """The name of the patient with this id.

    Raises ToolError: there is none.
    """
    row = connection.execute(
        "SELECT first_name || ' ' || last_name AS name FROM patients WHERE id = ?", (patient_id,)
    ).fetchone()
    if row is None:
        raise ToolError(f"there is no patient {patient_id}: find_patient gives the id for a name")
    return str(row["name"])


def _words(name: str) -> list[str]:
    return name.lower().split()


def _nobody(connection: sqlite3.Connection, name: str) -> str:
    rows = connection.execute("SELECT first_name || ' ' || last_name AS name FROM patients")
    known = [row["name"] for row in rows]
    close = difflib.get_close_matches(name.title(), known, n=3, cutoff=0.75)
    if close := close or list(nearest(name, known).candidates):  # written nearly so, or heard so
        return f"no patient is called '{name}'; names that come close: {', '.join(close)}"
    return f"no patient is called '{name}': check the spelling, or search by the family name alone"


def _the_one(found: list[Row], name: str, born: date | None) -> Row:
    """The only row, or a ToolError that says how to tell the candidates apart."""
    if len(found) == 1:
        return found[0]
    if not found:
        raise ToolError(f"no patient called '{name}' was born on {born}: ask for the date again")
    if len(found) > _MOST_CANDIDATES:
        raise ToolError(f"{len(found)} patients match '{name}': ask for the full name")
    people = "; ".join(f"{row['name']}, born {row['date_of_birth']}" for row in found)
    raise ToolError(
        f"{len(found)} patients match '{name}': {people}. Ask which one is meant, then call"
        " find_patient again with the full name and the date of birth"
    )
