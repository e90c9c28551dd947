"""The desk: one copy of the clinic's database, and the tools and the agent that work on it."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from datetime import date
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from course.agent import Agent
from course.scenarios.database import Database
from course.scenarios.front_desk import diary, names
from course.scenarios.front_desk.appointments import Book
from course.scenarios.front_desk.billing import Billing
from course.scenarios.front_desk.generate import database_bytes
from course.scenarios.front_desk.patients import Reception
from course.scenarios.front_desk.slots import Timetable
from course.tools import Tool, tool

_INSTRUCTIONS = """\
You work at the front desk of {clinic}. Today is {today:%A}, {today}.
Identify the patient first: look the name up before you say or change anything about a person.
If several patients share a name, ask for the date of birth.
Never give medical advice; offer an appointment instead.
Say only what the tools told you, with dates, times and amounts as they gave them.
If something cannot be done, say why and offer what can be done."""


class Desk:
    """A clinic's front desk on its own copy of the generated database.

    Attributes:
        database: the SQLite file; the tools open it for each call, and so may you.
        today: the day it is at the desk.
        tools: what an agent at the desk can do.

    Leaving the `with` block, `close()` or the end of the program deletes the file.
    """

    def __init__(self, seed: int = 7) -> None:
        folder = tempfile.mkdtemp(prefix="front-desk-")
        self.seed = seed
        self.today: date = diary.TODAY
        self.database = Path(folder, "front_desk.sqlite")
        self.database.write_bytes(database_bytes(seed))
        self._database = Database(self.database, remedy="open_desk() makes a new one")
        # Tied to what the tools hold, not to the desk: agent(open_desk()) must keep its database.
        self._remove = weakref.finalize(self._database, shutil.rmtree, folder, ignore_errors=True)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The nine tools of the desk."""
        database = self._database
        reception, book, billing = Reception(database), Book(database), Billing(database)
        functions = (
            reception.find_patient,
            reception.get_clinic_information,
            Timetable(database).find_free_slots,
            book.list_appointments,
            book.book_appointment,
            book.move_appointment,
            book.cancel_appointment,
            billing.list_invoices,
            billing.pay_invoice,
        )
        return tuple(tool(function) for function in functions)

    def close(self) -> None:
        """Delete the desk's database; closing twice does no harm."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open_desk(*, seed: int = 7) -> Desk:
    """Open a front desk on a fresh copy of the clinic that belongs to `seed`.

    Use it in a `with` statement, or call `close()` when done. The same seed gives the same clinic,
    to the byte.
    """
    return Desk(seed)


def agent(desk: Desk) -> Agent:
    """The agent of chapter 01 with the desk's instructions and tools."""
    instructions = _INSTRUCTIONS.format(clinic=names.CLINIC, today=desk.today)
    return Agent(name="front desk", instructions=instructions, tools=desk.tools)
