"""The clinic's calendar: the day it is, the weeks in the book, and when doctors are in."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from course.scenarios.world.world import World

TODAY = World.today  # a Monday
NOW = datetime.combine(TODAY, time(8, 0))  # before the doors open: all of today is still to come
FIRST_DAY = TODAY - timedelta(days=7)
LAST_DAY = TODAY + timedelta(days=18)  # the Friday of the third week
SLOT_MINUTES = 30
SESSIONS = {  # the starts of the slots in half a day of consultations
    "morning": tuple(time(hour, minute) for hour in (9, 10, 11) for minute in (0, 30)),
    "afternoon": tuple(time(hour, minute) for hour in (14, 15, 16) for minute in (0, 30)),
}
FRIDAY = 4


def working_days() -> tuple[date, ...]:
    """The days from FIRST_DAY to LAST_DAY, Mondays to Fridays."""
    span = (LAST_DAY - FIRST_DAY).days + 1
    days = (FIRST_DAY + timedelta(days=number) for number in range(span))
    return tuple(day for day in days if day.weekday() <= FRIDAY)


def stamp(day: date, at: time) -> str:
    """A moment as the database writes it: '2026-03-02 09:30'."""
    return f"{day.isoformat()} {at:%H:%M}"
