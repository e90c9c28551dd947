"""The clinic's front desk with three tasks: triage, scheduling and billing.

The models collect, the code acts: each task finds out what the desk has to know, as a typed
result that was checked against the clinic's data; booking and paying are ordinary functions that
get those results. An agent offers the tasks one by one (`start_triage`, ...), or as one group.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, Field, computed_field

from course.agent import Agent
from course.context import Context
from course.delegation.group import TaskGroup, TaskGroupResult
from course.delegation.running import start_tool
from course.delegation.task import Task
from course.errors import ToolError
from course.scenarios.database import Database, Row
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk.billing import InvoiceId
from course.scenarios.front_desk.names import CLINIC, REASONS
from course.scenarios.front_desk.patients import PatientId
from course.scenarios.front_desk.slots import Speciality
from course.tools import Tool, by_name

TODAY = "Today is {today:%A}, {today}."
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

    patient_id: PatientId
    day: date = Field(description="which day the person wishes for")
    part_of_day: Literal["morning", "afternoon"] = Field(description="morning or afternoon")


class Payment(BaseModel):
    """What somebody pays, and how."""

    invoice_id: InvoiceId
    method: Literal["card", "cash", "transfer"] = Field(
        description="how the person wants to pay: by card, cash or transfer"
    )


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
            free_slots(desk, wish, speciality())

        super().__init__(
            instructions=f"You keep the appointment book of {CLINIC}."
            f" {TODAY.format(today=desk.today)}"
            f" Find out who the patient is, the day and the part of the day. {ASK}",
            tools=some_tools(desk, "find_patient"),
            context=context,
            check=check,
        )


class BillingTask(Task[Payment]):
    """Finds out which invoice is to be paid, and how; refuses one that has nothing open."""

    def __init__(self, desk: Desk, *, context: Context | None = None) -> None:
        super().__init__(
            instructions=f"You do the billing of {CLINIC}. {TODAY.format(today=desk.today)}"
            f" Find out which invoice the person pays and how. {ASK}",
            tools=some_tools(desk, "find_patient", "list_invoices"),
            context=context,
            check=lambda payment: require_open(desk, payment.invoice_id),
        )


def counter(desk: Desk) -> Agent:
    """An agent at the front desk that starts its tasks one by one.

    It remembers what triage found, so that scheduling looks in the right field of medicine: make
    a new one for each conversation.
    """
    work = Work(desk)
    tools = (
        start_tool(
            work.triage,
            name="start_triage",
            description="Find out what is wrong: start this when somebody describes a complaint"
            " or wants to come in for a visit.",
        ),
        start_tool(
            work.scheduling,
            name="start_scheduling",
            description="Find a time and book the visit: start this when somebody wants to come in"
            " for a visit, after triage.",
            then=work.book,
        ),
        start_tool(
            work.billing,
            name="start_billing",
            description="Take a payment: start this when somebody wants to pay or settle a bill.",
            then=work.pay,
        ),
    )
    return Agent(name="front_desk", instructions=instructions(desk), tools=tools)


def reception(desk: Desk) -> Agent:
    """An agent at the front desk that starts all three tasks as one group: `start_visit`.

    Make a new one for each conversation.
    """
    work = Work(desk)
    start = start_tool(
        work.visit,
        name="start_visit",
        description="Prepare a visit: find out what is wrong, find a time and book it, and take"
        " the payment. Start this when somebody wants to come in for a visit.",
        then=work.carry_out,
    )
    return Agent(name="front_desk", instructions=instructions(desk), tools=(start,))


def instructions(desk: Desk) -> str:
    """What the agent at the front desk is told."""
    return (
        f"You answer the phone of {CLINIC}. {TODAY.format(today=desk.today)} Start what the person"
        " needs, and then tell them what was found out, booked and paid."
    )


class Work:
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

    def visit(self, context: Context | None = None) -> TaskGroup:
        """A new group of all three."""
        group = TaskGroup(name="visit", context=context)
        group.add(self.triage, id="triage", description="what is wrong, since when, how bad it is")
        group.add(self.scheduling, id="scheduling", description="the day and the time of the visit")
        group.add(self.billing, id="billing", description="which invoice is paid, and how")
        return group

    def remember(self, found: Triage) -> None:
        """Keep what triage found out, for scheduling."""
        self.found = found

    def speciality(self) -> Speciality:
        """The field of medicine that the visit is about."""
        return self.found.speciality if self.found else "general practice"

    def book(self, wish: Wish) -> dict[str, Any]:
        """Book the first free slot that fits; gives the appointment."""
        slot = free_slots(self.desk, wish, self.speciality())[0]
        reason = self.found.complaint if self.found else "consultation"
        booked: dict[str, Any] = work_of(self.desk, "book_appointment")(
            patient_id=wish.patient_id, slot_id=slot["slot_id"], reason=reason
        )
        return booked

    def pay(self, payment: Payment) -> dict[str, Any]:
        """Pay the invoice in full; gives its new state."""
        paid: dict[str, Any] = work_of(self.desk, "pay_invoice")(invoice_id=payment.invoice_id)
        return {"method": payment.method, **paid}

    def carry_out(self, result: TaskGroupResult) -> dict[str, Any]:
        """Book and pay what a group has found out."""
        found = result.task_results
        return {
            "triage": found["triage"],
            "scheduling": self.book(found["scheduling"]),
            "billing": self.pay(found["billing"]),
        }


def some_tools(desk: Desk, *wanted: str) -> tuple[Tool, ...]:
    """The desk's tools of these names."""
    named = by_name(desk.tools)
    return tuple(named[name] for name in wanted)


def work_of(desk: Desk, name: str) -> Callable[..., Any]:
    """The function behind one of the desk's tools."""
    return by_name(desk.tools)[name].function


def free_slots(desk: Desk, wish: Wish, speciality: Speciality) -> list[Row]:
    """The free slots that fit a wish, earliest first.

    Raises:
        ToolError: nothing fits; the message names the next free times.
    """
    slots: list[Row] = work_of(desk, "find_free_slots")(
        speciality=speciality, day=wish.day, part_of_day=wish.part_of_day
    )
    return slots


def require_open(desk: Desk, invoice_id: str) -> None:
    """Raise ToolError unless this invoice exists and has something open."""
    with Database(desk.database, remedy="open_desk() makes a new one").read() as connection:
        query = "SELECT total_cents - paid_cents AS open FROM balances WHERE invoice_id = ?"
        row = connection.execute(query, (invoice_id,)).fetchone()
    if row is None:
        raise ToolError(f"there is no invoice {invoice_id}: list_invoices gives the numbers")
    if row["open"] == 0:
        raise ToolError(f"invoice {invoice_id} is already paid: nothing is open")
