"""Four agents with their own data, a supervisor over them, and the line that callers reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from course.agent import Agent
from course.alternates import with_alternates
from course.answers import Usage
from course.context import Context
from course.errors import ToolError
from course.models.wire import AsyncOpenAI
from course.scenarios.database import Row
from course.scenarios.medical_office import rules
from course.scenarios.medical_office.office import PROTOCOL, Office
from course.scenarios.medical_office.rules import Call, Whose
from course.session import Session
from course.supervisor import Supervisor
from course.systems import Result, carry_out
from course.team import HumanQueue
from course.tools import Tool, tool

WHO = "May I have your full name and your date of birth first?"
HELP = "Thank you. What can I do for you?"
EMERGENCY = "This may be an emergency: I am putting you through to a person now."

_VISITS = "SELECT id AS visit_id, day, time, doctor FROM visits WHERE patient_id"
Day = Annotated[date | None, Field(description="only times on this day")]
Drug = Annotated[str, Field(description="the drug's name, such as ramipril")]
Complaint = Annotated[str, Field(description="what the caller complains of or asks")]
Service = Annotated[str, Field(description="such as blood test, X-ray or MRI scan")]
PolicyField = Literal["insurer", "plan", "member_number", "diagnosis", "claims"]
Visit = Annotated[str, Field(pattern=r"^V-\d+$", description="a visit's id, such as V-301")]


@dataclass(frozen=True)
class Desk:
    """What an agent of the office works on, in one call."""

    call: Call


class Scheduling(Desk):
    """The appointment book; it is for whoever was identified, and for nobody else."""

    def find_free_times(self, day: Day = None) -> list[Row]:
        """Find free times for an appointment."""
        free = f"{_VISITS} IS NULL AND day = coalesce(?, day) LIMIT 3"
        with self.call.checked(rules.IDENTITY, f"free times {day or ''}"):
            return self.call.tell(free, day and day.isoformat())

    def list_appointments(self, patient: Whose = None) -> list[Row]:
        """List the appointments that a patient has."""
        with self.call.checked(rules.IDENTITY, "list appointments", patient) as caller:
            return self.call.tell(f"{_VISITS} = ?", caller["id"])

    def book_appointment(self, visit_id: Visit, patient: Whose = None) -> Row:
        """Book a free time for an appointment."""
        with self.call.checked(rules.IDENTITY, f"book {visit_id}", patient) as caller:
            return self._give_to(caller["id"], visit_id, whose=None, done="booked")

    def cancel_appointment(self, visit_id: Visit, patient: Whose = None) -> Row:
        """Cancel an appointment."""
        with self.call.checked(rules.IDENTITY, f"cancel {visit_id}", patient) as caller:
            return self._give_to(None, visit_id, whose=caller["id"], done="cancelled")

    def _give_to(self, new: str | None, visit_id: str, *, whose: str | None, done: str) -> Row:
        change = "UPDATE visits SET patient_id = ? WHERE id = ? AND patient_id IS ?"
        if not self.call.change(change, new, visit_id, whose):
            raise ToolError(f"{visit_id} is {'no visit of the caller' if whose else 'not free'}")
        return self.call.give({"visit_id": visit_id, "done": done})


class Refills(Desk):
    """The prescriptions; a refill is ordered only if the record allows it."""

    def list_prescriptions(self, patient: Whose = None) -> list[Row]:
        """List the prescriptions, drugs or medication that a patient has."""
        query = "SELECT id, drug, dose, refills_left FROM prescriptions WHERE patient_id = ?"
        with self.call.checked(rules.IDENTITY, "list prescriptions", patient) as caller:
            return self.call.tell(query, caller["id"])

    def request_refill(self, drug: Drug, patient: Whose = None) -> Row:
        """Order a refill of a prescription."""
        with self.call.checked(rules.RECORD, f"refill of {drug}", patient) as caller:
            query = "SELECT * FROM prescriptions WHERE patient_id = ? AND lower(drug) = lower(?)"
            found = self.call.office.rows(query, caller["id"], drug)
            if reason := _against(found, self.call.office.today.isoformat()):
                raise ToolError(f"no refill: {reason}; a doctor has to decide")
            less = "refills_left = refills_left - 1, next_refill = expires"
            self.call.change(f"UPDATE prescriptions SET {less} WHERE id = ?", found[0]["id"])
            return self.call.give({"refill": found[0]["id"], "drug": drug, "ordered": "yes"})


def _against(found: list[Row], today: str) -> str:
    """What in the record stands against a refill; empty if nothing does."""
    if not found:
        return "it is not among the prescriptions"
    [row] = found
    if row["controlled"]:
        return "only a doctor may refill it"
    if row["expires"] < today:
        return "the prescription has expired"
    if row["next_refill"] > today:
        return f"it is too early, the next one is due on {row['next_refill']}"
    return "" if row["refills_left"] else "no refills are left"


class Nurse(Desk):
    """The nurses' protocol; what it does not say is not said."""

    def find_advice(self, symptom: Complaint) -> Row:
        """Find the advice on a complaint, such as a fever, cough, headache, rash or sore throat."""
        with self.call.checked(rules.PROTOCOL, f"advice on {symptom}"):
            known = self.call.office.rows("SELECT symptom, advice FROM protocol")
            found = [row for row in known if row["symptom"] in symptom.lower()]
            if rules.REMEDIES.search(symptom):
                raise ToolError("drugs and diagnoses are for a doctor; one will call back")
            if not found:
                raise ToolError("the protocol says nothing of that; a nurse will call back")
            return self.call.give(found[0])


class Insurance(Desk):
    """The policies; callers hear what it takes to know what is paid, and no more."""

    def check_coverage(self, service: Service, patient: Whose = None) -> Row:
        """Check whether the insurance covers a service, and how much it pays."""
        query = """
            SELECT c.service, c.percent || ' %' AS paid FROM policies p JOIN covers c USING (plan)
            WHERE p.patient_id = ? AND lower(c.service) LIKE lower(?) || '%'
        """
        with self.call.checked(rules.NEED, f"coverage of {service}", patient) as caller:
            found = self.call.tell(query, caller["id"], service)
            if not found:
                raise ToolError("the policy does not name that")
            return found[0]

    def read_policy(self, field: PolicyField, patient: Whose = None) -> Row:
        """Read one field of a patient's insurance policy."""
        with self.call.checked(rules.NEED, f"the policy's {field}", patient) as caller:
            if field not in rules.NEEDED:
                named = field.replace("_", " ")
                raise ToolError(f"nobody on the phone needs to know the policy's {named}")
            query = f"SELECT {field} FROM policies WHERE patient_id = ?"
            return self.call.tell(query, caller["id"])[0]


def staff(call: Call) -> Supervisor:
    """The supervisor and its four agents, who share no tool."""
    book, refills, nurse, insurance = Scheduling(call), Refills(call), Nurse(call), Insurance(call)
    return Supervisor(
        name="reception",
        instructions=f"You answer the phone of a medical office. Today is {call.office.today}."
        " Give each matter to the agent it belongs to, and tell what they say word for word.",
        workers=(
            _agent("scheduling", "Finds, books, lists and cancels appointments.",
                   with_alternates(tool(book.find_free_times), "day"),
                   book.list_appointments, book.book_appointment, book.cancel_appointment),
            _agent("refills", "Lists prescriptions and drugs, and orders refills of them.",
                   refills.list_prescriptions, refills.request_refill),
            _agent("nurse", f"Gives medical advice on complaints ({', '.join(PROTOCOL)})"
                   " and on what is safe to take.", nurse.find_advice),
            _agent("insurance", "Verifies insurance: what the policy says, and what it covers.",
                   insurance.check_coverage, insurance.read_policy),
        ),
    )  # fmt: skip


def _agent(name: str, does: str, *tools: Tool | Callable[..., Any]) -> Agent:
    told = f"{does} Say what the tools say, word for word, and nothing else."
    made = tuple(each if isinstance(each, Tool) else tool(each) for each in tools)
    return Agent(name=name, description=does, instructions=told, tools=made)


@dataclass(frozen=True)
class Line:
    """The office's telephone line: `course.run(Line(office), words)` answers a caller.

    What comes first and last is code: an emergency goes to `people` before anything else, whoever
    is not identified is asked for it, and no sentence is said that a rule is against.
    """

    office: Office
    people: HumanQueue = field(default_factory=HumanQueue)
    name: str = "medical office"


@carry_out.register(Line)
async def run_line(line: Line, request: str, *, client: AsyncOpenAI) -> Result:
    """One call: an emergency check, an identity check, the supervisor, and a check of its words."""
    call, heard = Call(line.office), Context.of(request)
    if rules.SIGNS.search(request):
        session = Session(active=line.name, context=heard, history=heard.messages)
        line.people.put(session, sender=line.name, reason=rules.EMERGENCY)
        call.log(rules.EMERGENCY, request, "handed to a person")
        return _said(heard, EMERGENCY)
    matter = call.identify(request)
    if not matter:
        return _said(heard, WHO if matter is None else HELP)
    result: Result = await carry_out(staff(call), matter, client=client)
    return replace(result, answer=call.release(result.answer, request))


def _said(heard: Context, answer: str) -> Result:
    told = heard.add({"role": "assistant", "content": answer})
    return Result(answer=answer, context=told, usage=Usage(), stop=None)
