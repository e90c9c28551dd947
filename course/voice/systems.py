"""Voice systems on the course's scenarios: front desk, triage, drive-through, and a copilot.

Each is a LiveKit agent (or a team that `live_team` makes one of) that works typed and spoken alike.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Literal

from livekit.agents import Agent, ModelSettings, llm
from pydantic import BaseModel, Field

from course.agent import Agent as CourseAgent
from course.delegation import Task, TaskCancelled, start_tool
from course.models.wire import AsyncOpenAI
from course.scenarios.drive_through import Window
from course.scenarios.drive_through.chain import chain
from course.scenarios.front_desk import Desk
from course.scenarios.front_desk.visits import ILL, Triage, Visit, counter, instructions
from course.session import state
from course.systems import carry_out
from course.team import HUMAN, Criteria, Escalation, Team
from course.team.rules import rate_severity
from course.voice.bridge import Heard, LiveAgent, live_agent, live_task

AGAIN = "What else would you like?"
GOODBYE = "Then have a good day."


def front_desk(desk: Desk, *, client: AsyncOpenAI) -> LiveAgent:
    """The clinic's front desk: a supervisor whose tools await triage, scheduling and billing, and
    that answers what one asks a front desk: opening hours, doctors, appointments, what is owed.

    Who calls is only heard, so their date of birth confirms who they are before anything is booked
    or paid.

    Args:
        desk: the clinic of this call.
        client: answers for the desk and its tasks.
    """
    return live_agent(counter(desk, heard=True), client=client)


def triage_line(desk: Desk) -> Team:
    """The clinic's triage line: severity decides, and an emergency goes to a person at once.

    A nurse rates what is said before anything else, and finds out more in a task. What is rated
    high, or turns out to be severe, is handed to a person by rule, in the middle of the turn; the
    rest gets an appointment. Let `live_team` make an agent of it.

    Args:
        desk: the clinic of this call.
    """
    visit = Visit(desk, heard=True)

    def weigh(found: Triage) -> Triage:
        if found.severity == "severe":
            state()["severity"] = "high"
        return found

    triage = start_tool(
        visit.triage,
        name="start_triage",
        description=ILL,
        then=weigh,
    )
    scheduling = start_tool(
        visit.scheduling,
        name="start_scheduling",
        description="Find a time and book it: start this after triage when somebody needs an"
        " appointment.",
        then=visit.book,
    )
    nurse = CourseAgent(
        name="nurse",
        description="finds out how bad it is",
        instructions=instructions(desk),
        tools=(rate_severity, triage, scheduling),
    )
    emergency = Escalation(sender="nurse", to=HUMAN, criteria=Criteria(severity="high"))
    return Team(name="triage line", agents=(nurse,), escalations=(emergency,), fallback=HUMAN)


class Ordering(BaseModel):
    """What a guest orders, as they say it, and how they pay."""

    order: str = Field(min_length=3, description="what you would like")
    paying: Literal["card", "cash"] = Field(description="how you pay")


class DriveThrough(Agent):
    """A drive-through that takes one order: a task hears it, a fixed chain carries it out.

    Of what cannot be had the guest hears why, and may order something else.

    Args:
        window: the menu, the orders and the till.
        client: answers for the task and for the agents of the chain.
    """

    def __init__(self, window: Window, *, client: AsyncOpenAI) -> None:
        super().__init__(id="drive_through", instructions="You work at a drive-through.")
        self.window, self.client = window, client

    async def on_enter(self) -> None:
        """Take orders until one is paid, or until the guest wants nothing any more."""
        while True:
            task = Task[Ordering](
                instructions="You take the order at a drive-through. Find out what the guest would"
                " like and how they pay. Say nothing about prices.",
                name="ordering",
            )
            try:
                ordering = await live_task(task, client=self.client)
            except llm.ToolError:
                if isinstance(task.outcome(), TaskCancelled):
                    self.session.say(GOODBYE)
                return
            served = await carry_out(
                chain(self.window),
                f"{ordering.order}. I pay by {ordering.paying}.",
                client=self.client,
            )
            if not served.state.sorry:
                self.session.say(served.answer)
                return
            self.session.say(f"{served.state.sorry} {AGAIN}")


class Copilot(LiveAgent):
    """An agent that listens in on a call, and advises the person who holds it.

    It uses its tools and asks its model like any other, and nothing of what it says is spoken or
    joins the conversation: the caller hears the human alone.

    Args:
        agent: who advises; its instructions say for whom.
        client: answers for it.
        advise: gets each piece of advice, for the human's screen.
    """

    def __init__(
        self, agent: CourseAgent, *, client: AsyncOpenAI, advise: Callable[[str], None]
    ) -> None:
        super().__init__(agent, client=client)
        self.advise = advise

    async def overhear(self, text: str) -> None:
        """Note what the human said to the caller."""
        heard = self.chat_ctx.copy()
        heard.add_message(role="assistant", content=text)
        await self.update_chat_ctx(heard)

    async def llm_node(
        self, chat_ctx: llm.ChatContext, tools: list[llm.Tool], model_settings: ModelSettings
    ) -> AsyncIterator[Heard]:
        """Calls are made; words go to the human."""
        words = ""
        async for chunk in super().llm_node(chat_ctx, tools, model_settings):
            if isinstance(chunk, llm.ChatChunk) and chunk.delta and not chunk.delta.content:
                yield chunk
            elif isinstance(chunk, llm.ChatChunk):
                words += (chunk.delta.content or "") if chunk.delta else ""
            elif isinstance(chunk, str):
                words += chunk
        if words.strip():
            self.advise(words.strip())
