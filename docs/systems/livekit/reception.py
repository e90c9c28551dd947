"""Handoffs between agents: a hotel's reception hands over to reservations and to housekeeping.

What was said travels along, and what all agents know stands in the session's userdata.
"""

from dataclasses import dataclass, field

from livekit.agents import (
    Agent,
    AgentServer,
    AgentSession,
    ChatContext,
    JobContext,
    RoomInputOptions,
    RunContext,
    cli,
    function_tool,
)
from livekit.plugins import noise_cancellation, silero
from livekit.plugins.turn_detector.multilingual import MultilingualModel

server = AgentServer()


@dataclass
class Hotel:
    """Stands in for the hotel's computer."""

    stays: list[tuple[str, int]] = field(default_factory=list)
    wishes: list[tuple[int, str]] = field(default_factory=list)


class Reception(Agent):
    """Hears what is wanted and hands over."""

    def __init__(self, chat_ctx: ChatContext | None = None) -> None:
        super().__init__(
            instructions="You are the reception of Hotel Meridian. Say what you know: breakfast is"
            " from seven to ten. Hand over bookings to reservations, and what a guest needs in"
            " the room to housekeeping.",
            chat_ctx=chat_ctx or ChatContext.empty(),
        )

    async def on_enter(self) -> None:
        await self.session.say("Hotel Meridian, good day. How can I help?")

    @function_tool
    async def breakfast_hours(self) -> str:
        """Look up when breakfast is served."""
        return "Breakfast is from seven to ten."

    @function_tool
    async def transfer_to_reservations(self, context: RunContext[Hotel]) -> Agent:
        """Hand over to reservations: the caller wants to book a room or a stay."""
        return Reservations(self.chat_ctx.copy(exclude_instructions=True))

    @function_tool
    async def transfer_to_housekeeping(self, context: RunContext[Hotel]) -> Agent:
        """Hand over to housekeeping: a guest needs something in the room, such as towels, a
        pillow or a repair.
        """
        return Housekeeping(self.chat_ctx.copy(exclude_instructions=True))


class Reservations(Agent):
    """Books rooms."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You book rooms at Hotel Meridian. Find out the first day and the number"
            " of nights, book, and tell the guest what was booked.",
            chat_ctx=chat_ctx,
            llm="openai/gpt-4.1",
        )

    async def on_enter(self) -> None:
        self.session.generate_reply()

    @function_tool
    async def book_room(self, context: RunContext[Hotel], first_day: str, nights: int) -> str:
        """Book a room for somebody who wants to stay.

        Args:
            first_day: the weekday of arrival, such as Monday
            nights: how many nights they stay
        """
        context.userdata.stays.append((first_day, nights))
        return f"A room is booked from {first_day} on, for {nights} nights."


class Housekeeping(Agent):
    """Brings and mends."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You are housekeeping at Hotel Meridian. Find out the room's number and"
            " what is needed, note it, and tell the guest that it comes.",
            chat_ctx=chat_ctx,
        )

    async def on_enter(self) -> None:
        self.session.generate_reply()

    @function_tool
    async def note_wish(self, context: RunContext[Hotel], room: int, item: str) -> str:
        """Note what a guest needs in the room, and send somebody.

        Args:
            room: the number of the room
            item: what is needed, such as "two towels" or "a pillow"
        """
        context.userdata.wishes.append((room, item))
        return f"Somebody brings {item} to room {room}."


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Hotel](
        userdata=Hotel(),
        stt="deepgram/nova-3:en",
        llm="openai/gpt-4.1-mini",
        tts="elevenlabs/eleven_turbo_v2_5",
        vad=silero.VAD.load(),
        turn_detection=MultilingualModel(),
    )
    await session.start(
        agent=Reception(),
        room=ctx.room,
        room_input_options=RoomInputOptions(noise_cancellation=noise_cancellation.BVC()),
    )


if __name__ == "__main__":
    cli.run_app(server)
