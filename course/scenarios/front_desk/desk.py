"""The desk: the clinic's world, and the tools and the agent that work on it."""

from __future__ import annotations

from functools import cached_property

from course.agent import Agent
from course.scenarios.front_desk import names
from course.scenarios.front_desk.appointments import Book
from course.scenarios.front_desk.billing import Billing
from course.scenarios.front_desk.generate import make_clinic
from course.scenarios.front_desk.patients import Reception
from course.scenarios.front_desk.slots import Timetable
from course.scenarios.world.world import World
from course.tools import Tool, tool

_INSTRUCTIONS = """\
You work at the front desk of {clinic}. Today is {today:%A}, {today}.
Identify the patient first: look the name up before you say or change anything about a person.
If several patients share a name, ask for the date of birth.
Never give medical advice; offer an appointment instead.
Say only what the tools told you, with dates, times and amounts as they gave them.
If something cannot be done, say why and offer what can be done."""


class Desk(World):
    """A clinic's front desk: patients, doctors, appointments and invoices.

    Attributes:
        tools: what an agent at the desk can do.
    """

    make = staticmethod(make_clinic)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The nine tools of the desk."""
        database = self.database
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


def agent(desk: Desk) -> Agent:
    """The agent of chapter 01 with the desk's instructions and tools."""
    instructions = _INSTRUCTIONS.format(clinic=names.CLINIC, today=desk.today)
    return Agent(name="front desk", instructions=instructions, tools=desk.tools)
