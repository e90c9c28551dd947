"""The appointment book: free slots, and booking, moving and cancelling visits."""

from __future__ import annotations

import sqlite3
from calendar import day_name
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.front_desk.diary import NOW, stamp
from course.scenarios.front_desk.patients import PatientId, require_patient

SlotId = Annotated[
    str,
    Field(
        pattern=r"^S-\d+$",
        description="a free slot's id as find_free_slots gives it, such as S-1001",
    ),
]
AppointmentId = Annotated[
    str,
    Field(
        pattern=r"^A-\d+$",
        description="the appointment's id as list_appointments gives it, such as A-2001",
    ),
]

_NOW = stamp(NOW.date(), NOW.time())
_APPOINTMENTS = """
    SELECT a.id AS appointment_id, p.first_name || ' ' || p.last_name AS patient, s.starts,
           'Dr. ' || d.first_name || ' ' || d.last_name AS doctor, d.speciality, a.reason, a.status
    FROM appointments a JOIN patients p ON p.id = a.patient_id
    JOIN slots s ON s.id = a.slot_id JOIN doctors d ON d.id = s.doctor_id
"""
_OF_PATIENT = {
    "upcoming": f"{_APPOINTMENTS} WHERE a.patient_id = ? AND s.starts >= ? AND a.status = 'booked'"
    " ORDER BY s.starts",
    "past": f"{_APPOINTMENTS} WHERE a.patient_id = ? AND s.starts < ? ORDER BY s.starts DESC",
}


@dataclass(frozen=True, slots=True)
class Book:
    """The tools that read and write appointments, on one database."""

    database: Database

    def list_appointments(
        self,
        patient_id: PatientId,
        period: Annotated[
            Literal["upcoming", "past"], Field(description="the next visits, or the earlier ones")
        ] = "upcoming",
    ) -> list[Row]:
        """List a patient's appointments with time, doctor and reason, the next visit first."""
        with self.database.read() as connection:
            require_patient(connection, patient_id)
            rows = connection.execute(_OF_PATIENT[period], (patient_id, _NOW)).fetchall()
        return [_with_weekday(row) for row in rows]

    def book_appointment(
        self,
        patient_id: PatientId,
        slot_id: SlotId,
        reason: Annotated[
            str, Field(min_length=1, max_length=120, description="why the patient comes")
        ] = "consultation",
    ) -> Row:
        """Book a new appointment: gives a free slot with a doctor to a patient."""
        with self.database.write() as connection:
            require_patient(connection, patient_id)
            starts = _require_free(connection, slot_id)
            _require_patient_free(connection, patient_id, starts)
            new = f"A-{_last_number(connection) + 1}"
            connection.execute(
                "INSERT INTO appointments VALUES (?, ?, ?, ?, 'booked')",
                (new, patient_id, slot_id, reason),
            )
            return _appointment(connection, new)

    def move_appointment(self, appointment_id: AppointmentId, slot_id: SlotId) -> Row:
        """Move (reschedule) an appointment to another free slot; its old slot becomes free."""
        with self.database.write() as connection:
            patient_id = _require_upcoming(connection, appointment_id)
            starts = _require_free(connection, slot_id)
            _require_patient_free(connection, patient_id, starts, apart_from=appointment_id)
            connection.execute(
                "UPDATE appointments SET slot_id = ? WHERE id = ?", (slot_id, appointment_id)
            )
            return _appointment(connection, appointment_id)

    def cancel_appointment(self, appointment_id: AppointmentId) -> Row:
        """Cancel an appointment for good; its slot becomes free for others."""
        with self.database.write() as connection:
            _require_upcoming(connection, appointment_id)
            connection.execute(
                "UPDATE appointments SET status = 'cancelled' WHERE id = ?", (appointment_id,)
            )
            return _appointment(connection, appointment_id)


def _appointment(connection: sqlite3.Connection, appointment_id: str) -> Row:
    row = connection.execute(f"{_APPOINTMENTS} WHERE a.id = ?", (appointment_id,)).fetchone()
    if row is None:
        raise ToolError(
            f"there is no appointment {appointment_id}: list_appointments gives a patient's ids"
        )
    return _with_weekday(row)


def _with_weekday(row: Row) -> Row:
    """The row with the name of the day added: models are poor at working it out."""
    return row | {"weekday": day_name[date.fromisoformat(row["starts"][:10]).weekday()]}


def _require_upcoming(connection: sqlite3.Connection, appointment_id: str) -> str:
    """The id of the patient whose booked, upcoming appointment this is."""
    row = _appointment(connection, appointment_id)
    if row["status"] != "booked":
        raise ToolError(
            f"appointment {appointment_id} is {row['status']}: only a booked one can be changed"
        )
    if row["starts"] < _NOW:
        raise ToolError(
            f"appointment {appointment_id} was on {row['starts']}: what is past cannot be changed"
        )
    query = "SELECT patient_id FROM appointments WHERE id = ?"
    return str(connection.execute(query, (appointment_id,)).fetchone()["patient_id"])


def _require_free(connection: sqlite3.Connection, slot_id: str) -> str:
    """When the slot starts, if it can still be booked."""
    slot = connection.execute("SELECT starts FROM slots WHERE id = ?", (slot_id,)).fetchone()
    if slot is None:
        raise ToolError(f"there is no slot {slot_id}: find_free_slots gives the ids of free ones")
    if slot["starts"] < _NOW:
        raise ToolError(f"slot {slot_id} was on {slot['starts']}, in the past: choose a later one")
    taken = connection.execute(
        "SELECT 1 FROM appointments WHERE slot_id = ? AND status <> 'cancelled'", (slot_id,)
    ).fetchone()
    if taken:
        raise ToolError(
            f"slot {slot_id} on {slot['starts']} is taken: choose another from find_free_slots"
        )
    return str(slot["starts"])


def _require_patient_free(
    connection: sqlite3.Connection, patient_id: str, starts: str, *, apart_from: str = ""
) -> None:
    clash = connection.execute(
        "SELECT a.id FROM appointments a JOIN slots s ON s.id = a.slot_id"
        " WHERE a.patient_id = ? AND s.starts = ? AND a.status = 'booked' AND a.id <> ?",
        (patient_id, starts, apart_from),
    ).fetchone()
    if clash:
        raise ToolError(
            f"the patient already has appointment {clash['id']} at {starts}: choose another time"
        )


def _last_number(connection: sqlite3.Connection) -> int:
    query = "SELECT max(CAST(substr(id, 3) AS INTEGER)) AS number FROM appointments"
    return int(connection.execute(query).fetchone()["number"])
