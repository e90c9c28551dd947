"""A task inside an agent: the call may be recorded only when the caller said so, then a message.

One `AgentTask` finds out one thing and gives the floor back to the agent that awaits it.
"""

from dataclasses import dataclass, field
from typing import Literal

from livekit.agents import (
    Agent,
    AgentServer,
    AgentSession,
    AgentTask,
    JobContext,
    RunContext,
    cli,
    function_tool,
)
from livekit.plugins import silero

server = AgentServer()


@dataclass
class Call:
    """What this call has found out; stands in for the studio's message book."""

    may_record: bool | None = None
    messages: list[tuple[str, str]] = field(default_factory=list)


class CollectConsent(AgentTask[bool]):
    """Finds out whether the call may be recorded."""

    def __init__(self) -> None:
        super().__init__(
            instructions="Ask whether this call may be recorded. The caller has to answer with a"
            " clear yes or no. Talk about nothing else before that.",
        )

    async def on_enter(self) -> None:
        await self.session.say("Lindgren Photography. May we record this call?")

    @function_tool
    async def record_answer(self, answer: Literal["yes", "no"]) -> None:
        """Finish with the caller's answer: whether the call may be recorded.

        Args:
            answer: yes, it may be recorded; or no, it must not be
        """
        self.complete(answer == "yes")


class Studio(Agent):
    """Takes messages for the photographers."""

    def __init__(self) -> None:
        super().__init__(
            instructions="You answer the phone of Lindgren Photography and take messages for the"
            " photographers, Ines and Tom. Take a message when you know for whom it is and what"
            " it says, and ask for what is missing.",
        )

    async def on_enter(self) -> None:
        self.session.userdata.may_record = await CollectConsent()
        await self.session.say("Thank you. For whom is your message, and what shall I write down?")

    @function_tool
    async def take_message(self, context: RunContext[Call], photographer: str, message: str) -> str:
        """Write down a message for one of the photographers.

        Args:
            photographer: who it is for: Ines or Tom
            message: what they shall be told, in the caller's own words
        """
        context.userdata.messages.append((photographer, message))
        return f"{photographer} will get the message."


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Call](
        userdata=Call(),
        stt="assemblyai/universal-streaming:en",
        llm="openai/gpt-4.1-mini",
        tts="cartesia/sonic-2:9626c31c-bec5-4cca-baa8-f8ba9e84c8bc",
        vad=silero.VAD.load(),
    )
    await session.start(agent=Studio(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
