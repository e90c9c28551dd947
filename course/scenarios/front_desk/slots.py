"""Looking for a free time: by doctor or speciality, by day, by half of the day."""

from __future__ import annotations

import sqlite3
from calendar import day_name
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import Field

from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.front_desk.diary import LAST_DAY, NOW, TODAY, stamp
from course.scenarios.front_desk.names import Speciality
from course.scenarios.front_desk.patients import opening_hours

_MOST_SLOTS = 12  # as many as a doctor has in a day
_HOURS = {"morning": ("00:00", "12:00"), "afternoon": ("12:00", "24:00"), None: ("00:00", "24:00")}
_FREE = """
    SELECT s.id AS slot_id, s.starts, 'Dr. ' || d.first_name || ' ' || d.last_name AS doctor,
           d.speciality, s.minutes
    FROM slots s JOIN doctors d ON d.id = s.doctor_id
    WHERE s.starts >= ? AND date(s.starts) BETWEEN ? AND ?
      AND substr(s.starts, 12) >= ? AND substr(s.starts, 12) < ?
      AND coalesce(d.id = ?, 1) AND coalesce(d.speciality = ?, 1)
      AND NOT EXISTS (
          SELECT 1 FROM appointments a WHERE a.slot_id = s.id AND a.status <> 'cancelled'
      )
    ORDER BY s.starts, d.last_name LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Timetable:
    """The tool that looks for free slots, on one database."""

    database: Database

    def find_free_slots(
        self,
        doctor: Annotated[
            str | None, Field(description="a doctor's family name, when one is wished for")
        ] = None,
        speciality: Annotated[
            Speciality | None, Field(description="the field of medicine, when no doctor is named")
        ] = None,
        day: Annotated[
            date | None, Field(description="the day wished for, or the first of several")
        ] = None,
        days: Annotated[
            int, Field(ge=1, description="how many days to look at, from that day on")
        ] = 1,
        part_of_day: Annotated[
            Literal["morning", "afternoon"] | None, Field(description="when one of them is wished")
        ] = None,
    ) -> list[Row]:
        """Find free slots for an appointment, earliest first; without a day, the next free ones."""
        first, last = _days(day, days)
        with self.database.read() as connection:
            doctor_id = None if doctor is None else require_doctor(connection, doctor)
            wish = (*_HOURS[part_of_day], doctor_id, speciality)
            rows = _free(connection, first, last, wish)
            if not rows:
                raise ToolError(_none_free(connection, first, last, wish))
        return rows


def require_doctor(connection: sqlite3.Connection, name: str) -> str:
    """The id of the doctor with this name ('Keller', 'Dr. Lena Keller', 'keller').

    Raises ToolError: none has it, or several have it; the message lists who there is.
    """
    words = set(name.lower().replace(".", " ").split()) - {"dr", "doctor"}
    doctors = connection.execute("SELECT * FROM doctors ORDER BY last_name").fetchall()
    found = [
        doctor
        for doctor in doctors
        if words and words <= {doctor["first_name"].lower(), doctor["last_name"].lower()}
    ]
    if len(found) == 1:
        return str(found[0]["id"])
    people = ", ".join(
        f"Dr. {doctor['first_name']} {doctor['last_name']} ({doctor['speciality']})"
        for doctor in found or doctors
    )
    if found:
        raise ToolError(f"several doctors are called '{name}': {people}; give the full name")
    raise ToolError(f"no doctor here is called '{name}'; there are {people}")


def _days(day: date | None, count: int) -> tuple[date, date]:
    """The first and the last day to look at, or a ToolError that says which days there are."""
    if day is None:
        return TODAY, LAST_DAY
    if day < TODAY:
        raise ToolError(f"{day} is in the past: today is {TODAY}")
    if day > LAST_DAY:
        raise ToolError(f"the book is open until {LAST_DAY}: choose a day up to then")
    return day, day + timedelta(days=min(count - 1, (LAST_DAY - day).days))


def _free(
    connection: sqlite3.Connection,
    first: date,
    last: date,
    wish: tuple[str, str, str | None, str | None],
) -> list[Row]:
    bounds = (stamp(TODAY, NOW.time()), first.isoformat(), last.isoformat())
    rows = connection.execute(_FREE, (*bounds, *wish, _MOST_SLOTS))
    return [
        row | {"weekday": day_name[date.fromisoformat(row["starts"][:10]).weekday()]}
        for row in rows
    ]


def _none_free(
    connection: sqlite3.Connection,
    first: date,
    last: date,
    wish: tuple[str, str, str | None, str | None],
) -> str:
    weekday = day_name[first.weekday()]
    hours = opening_hours(connection)
    if first == last and hours[weekday] == "closed":
        open_days = ", ".join(day for day, times in hours.items() if times != "closed")
        problem = f"the clinic is closed on {weekday} {first}; it is open on {open_days}"
    else:
        when = f"{weekday} {first}" if first == last else f"{first} to {last}"
        problem = f"nothing that fits is free on {when}"
    others = _free(connection, TODAY, LAST_DAY, wish)[:3]
    if not others:
        return f"{problem}, nor on any other day until {LAST_DAY}"
    times = ", ".join(f"{row['weekday']} {row['starts']} with {row['doctor']}" for row in others)
    return f"{problem}. The next free times: {times}"
