"""The desk's work divided among specialists: all can look a patient up, the rest is each one's."""

from __future__ import annotations

from course.agent import Agent
from course.scenarios.front_desk import names
from course.scenarios.front_desk.desk import Desk
from course.tools import Tool

_COMMON = """\
You work at {clinic}. Today is {today:%A}, {today}.
Identify the patient first: look the name up before you say or change anything about a person.
Say only what the tools told you, with dates, times and amounts as they gave them.
If something cannot be done, say why."""

_DUTIES = {
    "scheduling": (
        "lists, books, moves and cancels appointments, and finds free slots with doctors",
        "You keep the appointment book.",
        (
            "find_patient",
            "find_free_slots",
            "list_appointments",
            "book_appointment",
            "move_appointment",
            "cancel_appointment",
        ),
    ),
    "billing": (
        "says what a patient owes, lists invoices, and takes payments",
        "You keep the accounts.",
        ("find_patient", "list_invoices", "pay_invoice"),
    ),
    "records": (
        "finds a patient's id, phone number and email address, and knows the clinic's opening"
        " hours, doctors and address",
        "You keep the patients' records.",
        ("find_patient", "get_clinic_information"),
    ),
}


def specialists(desk: Desk) -> tuple[Agent, ...]:
    """Scheduling, billing and records: agents that have the desk's nine tools among them.

    A specialist who sees nothing but a name has to find the patient's id, so `find_patient` is
    everybody's; no other tool belongs to two of them.
    """
    common = _COMMON.format(clinic=names.CLINIC, today=desk.today)
    return tuple(
        Agent(
            name=name,
            description=description,
            instructions=f"{duty}\n{common}",
            tools=tuple(_tool(desk, each) for each in tools),
        )
        for name, (description, duty, tools) in _DUTIES.items()
    )


def _tool(desk: Desk, name: str) -> Tool:
    return next(tool for tool in desk.tools if tool.name == name)
