"""Escalation: first line, specialist, person. Each level tries, and hands on what it cannot do."""

from dataclasses import dataclass, field

from livekit.agents import (
    Agent,
    AgentServer,
    AgentSession,
    ChatContext,
    JobContext,
    RunContext,
    cli,
    function_tool,
)
from livekit.agents.llm import ToolResult

server = AgentServer()


@dataclass
class Case:
    """Stands in for the ticket system: what was tried, and who waits for a person."""

    tried: list[str] = field(default_factory=list)
    solved: bool = False
    queue: list[str] = field(default_factory=list)


class Tier(Agent):
    """What both levels can do."""

    @function_tool
    async def close_case(self, context: RunContext[Case]) -> str:
        """Close the case: the printer works again."""
        context.userdata.solved = True
        return "The case is closed. Have a good day."

    @function_tool
    async def transfer_to_human(self, context: RunContext[Case], reason: str) -> ToolResult:
        """Hand over to a human: the caller wants to talk to a person.

        Args:
            reason: why, in one sentence
        """
        context.userdata.queue.append(reason)
        await context.session.say("I put you through to a person. Please hold the line.")
        return ToolResult("A person takes over.", reply_required=False)


class FirstLine(Tier):
    """Knows one thing to try."""

    def __init__(self) -> None:
        super().__init__(
            instructions="You are the first line of support for a printer company. Let the caller"
            " restart the printer first. When that has not helped, escalate to a specialist."
        )

    async def on_enter(self) -> None:
        await self.session.say("Printer support. What is wrong?")

    @function_tool
    async def restart_printer(self, context: RunContext[Case]) -> str:
        """Restart the printer: what helps when it is stuck or does not print."""
        context.userdata.tried.append("restart")
        return "The printer was restarted. If it does not print now, a specialist can help."

    @function_tool
    async def transfer_to_specialist(
        self, context: RunContext[Case], reason: str
    ) -> tuple[Agent, ToolResult]:
        """Hand over to a specialist: the caller wants a specialist, or nothing has helped so far.

        Args:
            reason: what was tried and what is still wrong, in one sentence
        """
        heard = self.chat_ctx.copy(exclude_instructions=True)
        return Specialist(heard), ToolResult("Transferred.", reply_required=False)


class Specialist(Tier):
    """Knows the firmware."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You are a printer specialist. The caller's printer was restarted"
            " already. Install the firmware again. When that has not helped either, escalate to a"
            " human.",
            chat_ctx=chat_ctx,
            llm="openai/gpt-4.1",
        )

    async def on_enter(self) -> None:
        await self.session.say("I am the specialist. I can install the firmware again.")

    @function_tool
    async def install_firmware(self, context: RunContext[Case]) -> str:
        """Install the firmware again: what helps when a restart has not helped."""
        context.userdata.tried.append("firmware")
        return "The firmware was installed again. If it does not print now, a person can help."


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Case](
        userdata=Case(),
        stt="deepgram/nova-3",
        llm="openai/gpt-4.1-mini",
        tts="cartesia/sonic-2",
    )
    await session.start(agent=FirstLine(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
