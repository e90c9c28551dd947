"""The front desk as one writes it for LiveKit itself: a supervisor with tasks, and a router.

Beside the bridge, for who builds on LiveKit and not on the course. The clinic's data and what is
booked and paid are the scenario's own; a `Visit` is the session's userdata.

Source: LiveKit Agents 1.8.9, "Tasks & task groups" and "Agents & handoffs".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any, Literal

from livekit.agents import Agent, AgentTask, RunContext, ToolError, function_tool, llm
from livekit.agents.beta.workflows import TaskCompletedEvent, TaskGroup
from livekit.agents.llm import ToolResult
from pydantic import Field, ValidationError

from course.errors import ToolError as CourseToolError
from course.models.names import LARGE, SMALL
from course.models.wire import AsyncOpenAI
from course.scenarios.front_desk.names import CLINIC
from course.scenarios.front_desk.visits import (
    ASK,
    TODAY,
    WHO,
    Payment,
    Triage,
    Visit,
    Wish,
    free_slots,
    function_of,
    identify,
    open_invoices,
)
from course.voice.bridge import SETTLING_SECONDS
from course.voice.model import live_model

Patient = Annotated[str, Field(description=WHO)]
KEPT = 6
"""How many items of the conversation a specialist sees."""


@contextmanager
def told() -> Iterator[None]:
    """What the clinic refuses, as an error that the model reads."""
    try:
        yield
    except (CourseToolError, ValidationError) as error:
        raise ToolError(json.dumps({"error": str(error)})) from error


def recorded() -> ToolResult:
    """The result of a finishing tool: nobody is asked for another sentence after it."""
    return ToolResult("recorded", reply_required=False)


class Asking(AgentTask[Any]):
    """A task that speaks first."""

    async def on_enter(self) -> None:
        """Ask for the first thing that is missing."""
        self.session.generate_reply()


class AtVisit(Asking):
    """Asks for something about a visit, which it keeps."""

    def __init__(self, asked: str, visit: Visit, chat_ctx: llm.ChatContext | None) -> None:
        instructions = f"{asked} {ASK}"
        super().__init__(instructions=instructions, chat_ctx=chat_ctx or llm.ChatContext.empty())
        self.visit = visit


class LiveTriage(Asking):
    """Finds out what brings somebody in: a `Triage`."""

    def __init__(self, chat_ctx: llm.ChatContext | None = None) -> None:
        super().__init__(
            instructions=f"You are the nurse on the phone of {CLINIC}. Find out what is wrong,"
            f" since when, and how bad it is. {ASK} Never give medical advice.",
            chat_ctx=chat_ctx or llm.ChatContext.empty(),
        )

    @function_tool
    async def record_triage(
        self,
        complaint: Annotated[str, Field(description="what is wrong, in the person's own words")],
        since: Annotated[str, Field(description="since when, such as 'three days'")],
        severity: Annotated[
            Literal["mild", "moderate", "severe"], Field(description="how bad it is")
        ],
    ) -> ToolResult:
        """Record the triage once you know all of it."""
        with told():
            self.complete(Triage(complaint=complaint, since=since, severity=severity))
        return recorded()


class LiveScheduling(AtVisit):
    """Finds out who wants to come, and when: a `Wish` that something free fits."""

    def __init__(self, visit: Visit, chat_ctx: llm.ChatContext | None = None) -> None:
        asked = f"You keep the appointment book of {CLINIC}. {TODAY.format(today=visit.desk.today)}"
        asked += " Find out who the patient is, the day and the part of the day."
        super().__init__(asked, visit, chat_ctx)

    @function_tool
    async def record_wish(
        self,
        patient: Patient,
        day: Annotated[str, Field(description="which day the person wishes for, as YYYY-MM-DD")],
        part_of_day: Annotated[
            Literal["morning", "afternoon"], Field(description="which part of the day suits best")
        ],
    ) -> ToolResult:
        """Record the wish once you know all of it."""
        with told():
            wish = Wish(patient=patient, day=date.fromisoformat(day), part_of_day=part_of_day)
            identify(self.visit.desk, patient)
            free_slots(self.visit.desk, wish, self.visit.speciality())
            self.complete(wish)
        return recorded()


class LiveBilling(AtVisit):
    """Finds out whose invoice is paid, and how: a `Payment` of somebody who owes something."""

    def __init__(self, visit: Visit, chat_ctx: llm.ChatContext | None = None) -> None:
        asked = f"You do the billing of {CLINIC}. Find out whose invoice is paid and how."
        super().__init__(asked, visit, chat_ctx)

    @function_tool
    async def record_payment(
        self,
        patient: Patient,
        method: Annotated[
            Literal["card", "cash", "transfer"], Field(description="how the person wants to pay")
        ],
    ) -> ToolResult:
        """Record the payment once you know all of it."""
        with told():
            open_invoices(self.visit.desk, identify(self.visit.desk, patient))
            self.complete(Payment(patient=patient, method=method))
        return recorded()


class SettledGroup(TaskGroup):
    """LiveKit's TaskGroup with a moment after its last step.

    Without it 1.8.9 ends a typed run before the tool that awaits the group goes on: the closing
    words are in no `RunResult`, and the next run may find the empty group instead of its agent.
    """

    async def on_enter(self) -> None:
        """Carry out the steps, and let the session settle."""
        await super().on_enter()
        await asyncio.sleep(SETTLING_SECONDS)


class FrontDesk(Agent):
    """A supervisor: it stays in control, starts tasks, and gets their typed results."""

    def __init__(self, visit: Visit) -> None:
        super().__init__(
            instructions=f"You answer the phone of {CLINIC}."
            f" {TODAY.format(today=visit.desk.today)} Start what the person needs, and then tell"
            " them what was found out, booked and paid."
        )

    def heard(self) -> llm.ChatContext:
        """What was said so far, for a task: without this agent's instructions."""
        return self.chat_ctx.copy(exclude_instructions=True)

    @function_tool
    async def start_triage(self, context: RunContext[Visit]) -> str:
        """Find out what is wrong: start this when somebody has a complaint."""
        found: Triage = await LiveTriage(self.heard())
        context.userdata.remember(found)
        return found.model_dump_json()

    @function_tool
    async def start_scheduling(self, context: RunContext[Visit]) -> str:
        """Find a time and book it: start this after triage when somebody needs an appointment."""
        wish = await LiveScheduling(context.userdata, self.heard())
        return json.dumps(context.userdata.book(wish))

    @function_tool
    async def start_billing(self, context: RunContext[Visit]) -> str:
        """Take a payment: start this when somebody has a bill or an invoice to pay."""
        payment = await LiveBilling(context.userdata, self.heard())
        return json.dumps(context.userdata.pay(payment))


class VisitDesk(Agent):
    """The same supervisor with all three tasks as one group."""

    def __init__(self, visit: Visit) -> None:
        super().__init__(instructions=FrontDesk(visit).instructions)

    @function_tool
    async def start_visit(self, context: RunContext[Visit]) -> str:
        """Prepare an appointment: find out what is wrong, find a time and book it, and take the
        payment of a bill. Start this when somebody needs an appointment.
        """
        visit = context.userdata

        async def remember(event: TaskCompletedEvent) -> None:
            if isinstance(event.result, Triage):
                visit.remember(event.result)

        heard = self.chat_ctx.copy(exclude_instructions=True)
        group = SettledGroup(chat_ctx=heard, on_task_completed=remember)
        group.add(LiveTriage, id="triage", description="what is wrong, since when, how bad it is")
        group.add(
            lambda: LiveScheduling(visit),
            id="scheduling",
            description="the day and the time of the visit",
        )
        group.add(
            lambda: LiveBilling(visit), id="billing", description="whose invoice is paid, and how"
        )
        found = (await group).task_results
        booked, paid = visit.book(found["scheduling"]), visit.pay(found["billing"])
        return json.dumps({"scheduling": booked, "billing": paid})


class Specialist(Agent):
    """Who takes over: a large model, the last things that were said, and the first word."""

    def __init__(self, instructions: str, chat_ctx: llm.ChatContext, client: AsyncOpenAI) -> None:
        super().__init__(
            instructions=instructions,
            chat_ctx=chat_ctx,
            llm=live_model(client, LARGE),
        )

    async def on_enter(self) -> None:
        """Answer what was asked of the router."""
        self.session.generate_reply()


class Accounts(Specialist):
    """Says what a patient owes."""

    @function_tool
    async def list_invoices(self, context: RunContext[Visit], patient: Patient) -> str:
        """List the open invoices of a patient: what is owed."""
        desk = context.userdata.desk
        with told():
            id = identify(desk, patient)
            return json.dumps(function_of(desk, "list_invoices")(patient_id=id))


class Appointments(Specialist):
    """Says when a patient is expected."""

    @function_tool
    async def list_appointments(self, context: RunContext[Visit], patient: Patient) -> str:
        """List the appointments of a patient."""
        desk = context.userdata.desk
        with told():
            id = identify(desk, patient)
            return json.dumps(function_of(desk, "list_appointments")(patient_id=id), default=str)


class Operator(Agent):
    """A router: a small model that finds out what is wanted, and hands over without a word.

    Args:
        client: answers for it and for the specialists, who have larger models.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        super().__init__(
            instructions=f"You are the operator of {CLINIC}. Hand everything over to the colleague"
            " whose work it is.",
            llm=live_model(client, SMALL),
        )
        self.client = client

    def passed_on(self) -> llm.ChatContext:
        """What travels along: the last things said, without instructions, calls and notes.

        LiveKit counts handoffs and changes of tools as items too, so they go before it truncates.
        """
        said = self.chat_ctx.copy(
            exclude_instructions=True,
            exclude_function_call=True,
            exclude_handoff=True,
            exclude_config_update=True,
        )
        return said.truncate(max_items=KEPT)

    @function_tool
    async def transfer_to_accounts(
        self, reason: Annotated[str, Field(description="why, in one sentence")]
    ) -> tuple[Agent, ToolResult]:
        """Hand the conversation over to accounts: invoices, and what a patient owes."""
        agent = Accounts(f"You keep the accounts of {CLINIC}.", self.passed_on(), self.client)
        return agent, ToolResult("Transferred to accounts.", reply_required=False)

    @function_tool
    async def transfer_to_appointments(
        self, reason: Annotated[str, Field(description="why, in one sentence")]
    ) -> tuple[Agent, ToolResult]:
        """Hand the conversation over to appointments: when a patient is expected."""
        said = f"You keep the appointment book of {CLINIC}."
        agent = Appointments(said, self.passed_on(), self.client)
        return agent, ToolResult("Transferred to appointments.", reply_required=False)
