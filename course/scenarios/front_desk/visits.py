"""Three tasks at the front desk: triage, scheduling and billing.

The models collect, the code acts: each task finds out what the desk has to know, as a typed
result that was checked against the clinic's data; booking and paying are ordinary functions that
get those results. An agent offers the tasks one by one (`start_triage`, ...), or as one group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, Field, computed_field

from course.agent import Agent
from course.context import Context
from course.delegation.group import TaskGroup
from course.delegation.results import MISFIT, TaskGroupResult
from course.delegation.task import Task, start_tool
from course.errors import ToolError
from course.scenarios.database import Row
from course.scenarios.front_desk.desk import Desk
from course.scenarios.front_desk.names import CLINIC, REASONS, Speciality
from course.tools import by_name

TODAY = "Today is {today:%A}, {today}."
WHO = "the patient's full name"
ASK = "Ask for what is missing, one thing at a time. Take nothing for granted that was not said."


class Triage(BaseModel):
    """What brings somebody in."""

    complaint: str = Field(min_length=3, description="what is wrong, in the person's own words")
    since: str = Field(description="since when, such as 'three days' or 'Monday'")
    severity: Literal["mild", "moderate", "severe"] = Field(description="how bad it is")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def speciality(self) -> Speciality:
        """The field of medicine for it, by the clinic's own list of reasons."""
        for speciality, reasons in REASONS.items():
            if any(reason.lower() in self.complaint.lower() for reason in reasons):
                return speciality  # type: ignore[return-value]
        return "general practice"


class Wish(BaseModel):
    """When somebody would like to come."""

    patient: str = Field(min_length=3, description=WHO)
    day: date = Field(description="which day the person wishes for")
    part_of_day: Literal["morning", "afternoon"] = Field(
        description="which part of the day suits best"
    )


class Payment(BaseModel):
    """Whose open invoice is paid, and how."""

    patient: str = Field(min_length=3, description=WHO)
    method: Literal["card", "cash", "transfer"] = Field(description="how the person wants to pay")


class TriageTask(Task[Triage]):
    """Finds out what brings somebody in; `then` gets the result, once there is one."""

    def __init__(
        self, *, context: Context | None = None, then: Callable[[Triage], None] | None = None
    ) -> None:
        super().__init__(
            instructions=f"You are the nurse on the phone of {CLINIC}. Find out what is wrong,"
            f" since when, and how bad it is. {ASK} Never give medical advice.",
            context=context,
            check=then,
        )


class SchedulingTask(Task[Wish]):
    """Finds out who wants to come, and when; refuses wishes that nothing free fits.

    Args:
        desk: whose patients and slots count.
        speciality: asked when a wish is checked: the field of medicine it is about.
        context: the conversation so far.
    """

    def __init__(
        self, desk: Desk, *, speciality: Callable[[], Speciality], context: Context | None = None
    ) -> None:
        def check(wish: Wish) -> None:
            with about("patient"):
                identify(desk, wish.patient)
            with about("day"):
                free_slots(desk, wish, speciality())

        super().__init__(
            instructions=f"You keep the appointment book of {CLINIC}."
            f" {TODAY.format(today=desk.today)}"
            f" Find out who the patient is, the day and the part of the day. {ASK}",
            context=context,
            check=check,
        )


class BillingTask(Task[Payment]):
    """Finds out whose invoice is to be paid, and how; refuses people who owe nothing."""

    def __init__(self, desk: Desk, *, context: Context | None = None) -> None:
        def check(payment: Payment) -> None:
            with about("patient"):
                open_invoices(desk, payment.patient)

        super().__init__(
            instructions=f"You do the billing of {CLINIC}. {TODAY.format(today=desk.today)}"
            f" Find out whose invoice is paid and how. {ASK}",
            context=context,
            check=check,
        )


def counter(desk: Desk) -> Agent:
    """An agent at the front desk that starts its tasks one by one.

    It remembers what triage found, so that scheduling looks in the right field of medicine: make
    a new one for each conversation.
    """
    visit = Visit(desk)
    tools = (
        start_tool(
            visit.triage,
            name="start_triage",
            description="Find out what is wrong: start this when somebody has a complaint.",
        ),
        start_tool(
            visit.scheduling,
            name="start_scheduling",
            description="Find a time and book it: start this after triage when somebody needs an"
            " appointment.",
            then=visit.book,
        ),
        start_tool(
            visit.billing,
            name="start_billing",
            description="Take a payment: start this when somebody has a bill or an invoice to pay.",
            then=visit.pay,
        ),
    )
    return Agent(name="front_desk", instructions=instructions(desk), tools=tools)


def visit_counter(desk: Desk) -> Agent:
    """An agent at the front desk that starts all three tasks as one group: `start_visit`.

    Make a new one for each conversation.
    """
    visit = Visit(desk)
    start = start_tool(
        visit.group,
        name="start_visit",
        description="Prepare an appointment: find out what is wrong, find a time and book it, and"
        " take the payment of a bill. Start this when somebody needs an appointment.",
        then=visit.carry_out,
    )
    return Agent(name="front_desk", instructions=instructions(desk), tools=(start,))


def instructions(desk: Desk) -> str:
    """What the agent at the front desk is told."""
    return (
        f"You answer the phone of {CLINIC}. {TODAY.format(today=desk.today)} Start what the person"
        " needs, and then tell them what was found out, booked and paid."
    )


class Visit:
    """What one conversation at the front desk has found out, and what is done with it.

    Attributes:
        desk: the clinic's data.
        found: what triage found out, once it did.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.found: Triage | None = None

    def triage(self, context: Context | None = None) -> TriageTask:
        """A new triage task."""
        return TriageTask(context=context, then=self.remember)

    def scheduling(self, context: Context | None = None) -> SchedulingTask:
        """A new scheduling task."""
        return SchedulingTask(self.desk, speciality=self.speciality, context=context)

    def billing(self, context: Context | None = None) -> BillingTask:
        """A new billing task."""
        return BillingTask(self.desk, context=context)

    def group(self, context: Context | None = None) -> TaskGroup:
        """A new group of all three."""
        group = TaskGroup(name="visit", context=context)
        group.add(self.triage, id="triage", description="what is wrong, since when, how bad it is")
        group.add(self.scheduling, id="scheduling", description="the day and the time of the visit")
        group.add(self.billing, id="billing", description="whose invoice is paid, and how")
        return group

    def remember(self, found: Triage) -> None:
        """Keep what triage found out, for scheduling."""
        self.found = found

    def speciality(self) -> Speciality:
        """The field of medicine that the visit is about."""
        return self.found.speciality if self.found else "general practice"

    def book(self, wish: Wish) -> dict[str, Any]:
        """Book the first free slot that fits; gives the appointment."""
        booked: dict[str, Any] = function_of(self.desk, "book_appointment")(
            patient_id=identify(self.desk, wish.patient),
            slot_id=free_slots(self.desk, wish, self.speciality())[0]["slot_id"],
            reason=self.found.complaint if self.found else "consultation",
        )
        return booked

    def pay(self, payment: Payment) -> dict[str, Any]:
        """Pay what the patient owes; gives each invoice's new state."""
        pay = function_of(self.desk, "pay_invoice")
        due = open_invoices(self.desk, payment.patient)
        return {"method": payment.method, "paid": [pay(invoice_id=id) for id in due]}

    def carry_out(self, result: TaskGroupResult) -> dict[str, Any]:
        """Book and pay what a group has found out."""
        found = result.task_results
        return {
            "triage": found["triage"],
            "scheduling": self.book(found["scheduling"]),
            "billing": self.pay(found["billing"]),
        }


@contextmanager
def about(field: str) -> Iterator[None]:
    """Let a tool's refusal name the field of the result that it is about, as a type's would."""
    try:
        yield
    except ToolError as error:
        raise ToolError(f"{MISFIT}{field}: {error}") from None


def function_of(desk: Desk, name: str) -> Callable[..., Any]:
    """The function behind one of the desk's tools."""
    return by_name(desk.tools)[name].function


def free_slots(desk: Desk, wish: Wish, speciality: Speciality) -> list[Row]:
    """The free slots that fit a wish, earliest first.

    Raises ToolError: nothing fits; the message names the next free times.
    """
    slots: list[Row] = function_of(desk, "find_free_slots")(
        speciality=speciality, day=wish.day, part_of_day=wish.part_of_day
    )
    return slots


def identify(desk: Desk, patient: str) -> str:
    """The id of a patient, by a name and maybe a date of birth ("Ada Okafor, born 1980-02-01").

    Raises ToolError: nobody is called so, or several are; the message says how to tell them apart.
    """
    born = re.search(r"\d{4}-\d\d-\d\d", patient)
    name = re.sub(r",?\s*(?:born|of|\d{4}-\d\d-\d\d)\b", "", patient)
    day = date.fromisoformat(born[0]) if born else None
    return str(function_of(desk, "find_patient")(name=name, date_of_birth=day)["patient_id"])


def open_invoices(desk: Desk, patient: str) -> list[str]:
    """The ids of a patient's open invoices.

    Raises ToolError: there is none, or the patient is not known.
    """
    shown = function_of(desk, "list_invoices")(patient_id=identify(desk, patient))["invoices"]
    if not shown:
        raise ToolError(f"{patient} owes nothing: there is no open invoice")
    return [str(each["invoice_id"]) for each in shown]
