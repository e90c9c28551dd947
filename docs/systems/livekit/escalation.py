"""Escalation: first line, specialist, person. Each level tries, and hands on what it cannot do."""

from dataclasses import dataclass, field
from typing import Literal

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
    queue: list[tuple[str, str]] = field(default_factory=list)


class Tier(Agent):
    """What both levels can do."""

    @function_tool
    async def mark_resolved(self, context: RunContext[Case]) -> str:
        """Mark the case as resolved: the caller says that the printer works again, or prints."""
        context.userdata.solved = True
        return "The case is closed. Have a good day."

    @function_tool
    async def escalate_to_human(
        self,
        context: RunContext[Case],
        reason: str,
        severity: Literal["low", "medium", "high"] = "medium",
    ) -> ToolResult:
        """Escalate to a human: the caller asks for a person, a human or a manager, or nothing has
        helped.

        Args:
            reason: why, in one sentence
            severity: how bad it is: high when a whole company stands still or something was stolen
        """
        context.userdata.queue.append((reason, severity))
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
        """Restart the printer: the first thing to try when it does not print, is stuck or shows an
        error.
        """
        context.userdata.tried.append("restart")
        return "The printer was restarted. Does it work now?"

    @function_tool
    async def escalate_to_specialist(
        self, context: RunContext[Case], reason: str
    ) -> tuple[Agent, ToolResult]:
        """Escalate to a specialist: the printer was restarted and it still does not print, or the
        restart has not helped.

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
        self.session.generate_reply()

    @function_tool
    async def reinstall_firmware(self, context: RunContext[Case]) -> str:
        """Reinstall the firmware: the printer was restarted and it still does not print."""
        context.userdata.tried.append("firmware")
        return "The firmware was installed again. Does it work now?"


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
