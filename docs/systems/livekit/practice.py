"""A supervisor: a dental practice whose agent stays in control and lets tasks find things out.

Its five steps: take the request apart, give each part away, look at what comes back, ask again
where nothing fits, and tell the caller all of it.
"""

from dataclasses import dataclass, field
from typing import Literal

from livekit.agents import (
    Agent,
    AgentServer,
    AgentSession,
    AgentTask,
    ChatContext,
    JobContext,
    RunContext,
    cli,
    function_tool,
    inference,
)

server = AgentServer()


@dataclass
class Practice:
    """Stands in for the practice's database: one patient, who is on the line."""

    visit: str = "Wednesday morning"
    balance: int = 85
    free: tuple[str, ...] = ("Monday morning", "Monday afternoon", "Friday morning")
    moved: list[str] = field(default_factory=list)


@dataclass
class Slot:
    """When somebody wants to come."""

    day: str
    part_of_day: str

    def __str__(self) -> str:
        return f"{self.day} {self.part_of_day}"


class FindSlot(AgentTask[Slot]):
    """Finds out a day and a part of the day on which something is free."""

    def __init__(self, practice: Practice, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You keep the appointment book of a dental practice. Find out on which"
            " weekday the patient wants to come, and whether in the morning or the afternoon."
            " Ask for what you don't know.",
            chat_ctx=chat_ctx,
        )
        self.practice = practice

    async def on_enter(self) -> None:
        self.session.generate_reply()

    @function_tool
    async def choose_slot(self, day: str, part_of_day: Literal["morning", "afternoon"]) -> str:
        """Finish once the patient has said both the day and the part of the day.

        Args:
            day: the weekday they want to come, such as Monday
            part_of_day: whether they come in the morning or in the afternoon
        """
        slot = Slot(day.capitalize(), part_of_day)
        if str(slot) not in self.practice.free:
            return f"{slot} is taken. Free are: {', '.join(self.practice.free)}."
        self.complete(slot)
        return f"{slot} is free."


class Supervisor(Agent):
    """Stays in control, delegates, and reports."""

    def __init__(self) -> None:
        super().__init__(
            instructions="You are the supervisor at the phone of Parkside Dental. Do everything"
            " that the patient asks for, one thing after the other, and then tell them what came"
            " of each.",
        )

    async def on_enter(self) -> None:
        await self.session.say("Parkside Dental. What can I do for you?")

    @function_tool
    async def reschedule_appointment(self, context: RunContext[Practice]) -> str:
        """Move the patient's appointment to another day: start this when they want to reschedule
        or come on another day.
        """
        practice = context.userdata
        heard = self.chat_ctx.copy(exclude_instructions=True)
        slot = await FindSlot(practice, heard)
        practice.visit = str(slot)
        practice.moved.append(str(slot))
        return f"The appointment is moved to {slot}."

    @function_tool
    async def check_balance(self, context: RunContext[Practice]) -> str:
        """Look up the patient's balance: how much they still owe."""
        return f"The balance is {context.userdata.balance} euros."

    @function_tool
    async def next_appointment(self, context: RunContext[Practice]) -> str:
        """Look up when the patient's next appointment is."""
        return f"The next appointment is on {context.userdata.visit}."


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Practice](
        userdata=Practice(),
        stt=inference.STT(model="deepgram/nova-3", language="en"),
        llm="openai/gpt-4.1-mini",
        tts=inference.TTS(model="cartesia/sonic-3"),
    )
    await session.start(agent=Supervisor(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
