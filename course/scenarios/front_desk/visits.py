"""Three tasks at the front desk: triage, scheduling and billing.

The models collect, the code acts: each task finds out what the desk has to know, as a typed
result that was checked against the clinic's data; booking and paying are ordinary functions that
get those results. An agent offers the tasks one by one (`start_triage`, ...), or as one group.

Who is only heard is confirmed, as at any front desk: a date of birth stands beside the name, and a
complaint that the clinic does not know is asked for once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any, Literal, TypeVar

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
from course.scenarios.nearest import likeness, nearest
from course.tools import Tool, by_name, tool

_BORN = "SELECT id, first_name || ' ' || last_name AS name FROM patients WHERE born = ?"
TODAY = "Today is {today:%A}, {today}."
WHO = "the patient's full name"
BORN = "the patient's date of birth"
ALIKE = 0.82
"""From this likeness on, two complaints sound the same."""
ILL = (
    "Find out what is wrong: start this when somebody has a complaint, feels ill or hurts: a cough,"
    " a cold, fever, a sore throat, a headache or another pain, a rash, an injury, dizziness."
)
"""When a nurse is needed, in the words of people on the telephone."""
ASK = "Ask for what is missing, one thing at a time. Take nothing for granted that was not said."


_FIELDS: dict[str, Speciality] = {
    reason: speciality  # type: ignore[misc]
    for speciality, reasons in REASONS.items()
    for reason in reasons
}


class Triage(BaseModel):
    """What brings somebody in."""

    complaint: str = Field(min_length=3, description="what is wrong, in the person's own words")
    since: str = Field(description="since when, such as 'three days' or 'Monday'")
    severity: Literal["mild", "moderate", "severe"] = Field(description="how bad it is")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def speciality(self) -> Speciality:
        """The field of medicine for it, by the clinic's own list of reasons; the longest counts."""
        known = [each for each in _FIELDS if each.lower() in self.complaint.lower()]
        return _FIELDS[max(known, key=len)] if known else "general practice"


class HeardTriage(Triage):
    """The same of somebody who is only heard; examples show a recogniser what may be said."""

    complaint: str = Field(
        min_length=3,
        description="what is wrong, in the person's own words",
        examples=list(_FIELDS),
    )
    since: str = Field(
        description="since when, such as 'three days' or 'Monday'",
        examples=["two days", "a week", "three weeks", "yesterday", "Monday"],
    )


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


HeardName = Annotated[
    str,
    Field(
        min_length=3, description=WHO, examples=["Maria Schneider", "John Miller", "Sofia Romano"]
    ),
]


class HeardWish(Wish):
    """The same of somebody who is only heard."""

    patient: HeardName
    born: date = Field(description=BORN)
    day: date = Field(
        description="which day the person wishes for",
        examples=["Tuesday 3 March 2026", "Thursday 12 March 2026"],
    )


class HeardPayment(Payment):
    """The same of somebody who is only heard."""

    patient: HeardName
    born: date = Field(description=BORN)


AnyTriage = TypeVar("AnyTriage", bound=Triage)
AnyWish = TypeVar("AnyWish", bound=Wish)
AnyPayment = TypeVar("AnyPayment", bound=Payment)


class TriageTask(Task[AnyTriage]):
    """Finds out what brings somebody in; `then` gets the result, once there is one."""

    def __init__(
        self, *, context: Context | None = None, then: Callable[[AnyTriage], None] | None = None
    ) -> None:
        super().__init__(
            instructions=f"You are the nurse on the phone of {CLINIC}. Find out what is wrong,"
            f" since when, and how bad it is. {ASK} Never give medical advice.",
            context=context,
            check=then,
        )


class SchedulingTask(Task[AnyWish]):
    """Finds out who wants to come, and when; refuses wishes that nothing free fits.

    Args:
        desk: whose patients and slots count.
        speciality: asked when a wish is checked: the field of medicine it is about.
        context: the conversation so far.
    """

    def __init__(
        self, desk: Desk, *, speciality: Callable[[], Speciality], context: Context | None = None
    ) -> None:
        def check(wish: AnyWish) -> None:
            patient_of(desk, wish)
            with about("day"):
                free_slots(desk, wish, speciality())

        super().__init__(
            instructions=f"You keep the appointment book of {CLINIC}."
            f" {TODAY.format(today=desk.today)}"
            f" Find out who the patient is, the day and the part of the day. {ASK}",
            context=context,
            check=check,
        )


class BillingTask(Task[AnyPayment]):
    """Finds out whose invoice is to be paid, and how; refuses people who owe nothing."""

    def __init__(self, desk: Desk, *, context: Context | None = None) -> None:
        def check(payment: AnyPayment) -> None:
            patient_id = patient_of(desk, payment)
            with about("patient"):
                open_invoices(desk, patient_id)

        super().__init__(
            instructions=f"You do the billing of {CLINIC}. {TODAY.format(today=desk.today)}"
            f" Find out whose invoice is paid and how. {ASK}",
            context=context,
            check=check,
        )


def counter(desk: Desk, *, heard: bool = False) -> Agent:
    """An agent at the front desk that starts its tasks one by one.

    It remembers what triage found, so that scheduling looks in the right field of medicine: make
    a new one for each conversation.

    Args:
        desk: the clinic's data.
        heard: as in `Visit`; on the telephone it answers questions as well (`look_ups`).
    """
    visit = Visit(desk, heard=heard)
    ill = "Find out what is wrong: start this when somebody has a complaint."
    tools = (
        start_tool(visit.triage, name="start_triage", description=ILL if heard else ill),
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
    looks = look_ups(desk) if heard else ()
    return Agent(name="front_desk", instructions=instructions(desk), tools=(*tools, *looks))


def look_ups(desk: Desk) -> tuple[Tool, ...]:
    """What one may ask on the telephone: opening hours and doctors, appointments, invoices.

    A name that is not clear is asked for again: no other patient's name is told, and nobody's date
    of birth, which confirms who calls.
    """

    def id_of(patient: str) -> str:
        try:
            return identify(desk, patient)
        except ToolError:
            raise ToolError(f"'{patient}' was not clear: the first and the last name?") from None

    @tool
    def list_appointments(patient: Annotated[str, Field(description=WHO)]) -> Any:
        """List a patient's next appointments with time, doctor and reason."""
        return function_of(desk, "list_appointments")(patient_id=id_of(patient))

    @tool
    def list_invoices(patient: Annotated[str, Field(description=WHO)]) -> Any:
        """List a patient's open invoices with their items, and the total that the patient owes."""
        return function_of(desk, "list_invoices")(patient_id=id_of(patient))

    return (by_name(desk.tools)["get_clinic_information"], list_appointments, list_invoices)


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
        heard: whether the person is only heard, and so has to be confirmed.
        found: what triage found out, once it did.
    """

    def __init__(self, desk: Desk, *, heard: bool = False) -> None:
        self.desk, self.heard = desk, heard
        self.found: Triage | None = None
        self._doubted = False

    def triage(self, context: Context | None = None) -> Task[Any]:
        """A new triage task."""
        if self.heard:
            return TriageTask[HeardTriage](context=context, then=self.understand)
        return TriageTask[Triage](context=context, then=self.remember)

    def scheduling(self, context: Context | None = None) -> Task[Any]:
        """A new scheduling task."""
        kind = SchedulingTask[HeardWish] if self.heard else SchedulingTask[Wish]
        return kind(self.desk, speciality=self.speciality, context=context)

    def billing(self, context: Context | None = None) -> Task[Any]:
        """A new billing task."""
        kind = BillingTask[HeardPayment] if self.heard else BillingTask[Payment]
        return kind(self.desk, context=context)

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

    def understand(self, found: Triage) -> None:
        """Keep what triage heard. A complaint that the clinic does not know is doubted once.

        Raises ToolError: it was not doubted before; the message names what sounds like it.
        """
        told = re.sub(r"^complaint\W*", "", found.complaint, flags=re.IGNORECASE)
        near = max(_FIELDS, key=lambda each: likeness(told, each))
        known = any(each.lower() in told.lower() for each in _FIELDS)
        if not known and likeness(told, near) >= ALIKE:
            found = found.model_copy(update={"complaint": near})
        elif not known and not self._doubted:
            self._doubted = True
            close = ", ".join(nearest(told, _FIELDS).candidates) or "nothing we know"
            with about("complaint"):
                raise ToolError(f"'{told}' may be misheard; it sounds like {close}")
        self.remember(found)

    def speciality(self) -> Speciality:
        """The field of medicine that the visit is about."""
        return self.found.speciality if self.found else "general practice"

    def book(self, wish: Wish) -> dict[str, Any]:
        """Book the first free slot that fits; gives the appointment."""
        booked: dict[str, Any] = function_of(self.desk, "book_appointment")(
            patient_id=patient_of(self.desk, wish),
            slot_id=free_slots(self.desk, wish, self.speciality())[0]["slot_id"],
            reason=self.found.complaint if self.found else "consultation",
        )
        return booked

    def pay(self, payment: Payment) -> dict[str, Any]:
        """Pay what the patient owes; gives each invoice's new state."""
        pay = function_of(self.desk, "pay_invoice")
        due = open_invoices(self.desk, patient_of(self.desk, payment))
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


def patient_of(desk: Desk, told: Wish | Payment) -> str:
    """The id of the patient that a result is about.

    Who is only heard is confirmed by the date of birth: of those who were born that day, it is the
    one whose name was heard nearly so. No other patient's name is ever told.

    Raises ToolError: it is nobody, or not clear who; the message names the field to ask for again.
    """
    if not isinstance(told, HeardWish | HeardPayment):
        with about("patient"):
            return identify(desk, told.patient)
    rows = desk.rows(_BORN, told.born.isoformat())
    with about("born"):
        if not rows:
            raise ToolError(f"nobody has the date of birth {told.born}")
    found = nearest(told.patient, (row["name"] for row in rows))
    with about("patient"):
        if not found.certain and len(found.candidates) != 1:
            raise ToolError(f"'{told.patient}' was not clear")
    return next(str(row["id"]) for row in rows if row["name"] == found.candidates[0])


def open_invoices(desk: Desk, patient_id: str) -> list[str]:
    """The ids of a patient's open invoices.

    Raises ToolError: there is none.
    """
    shown = function_of(desk, "list_invoices")(patient_id=patient_id)
    if not shown["invoices"]:
        raise ToolError(f"{shown['patient']} owes nothing: there is no open invoice")
    return [str(each["invoice_id"]) for each in shown["invoices"]]
