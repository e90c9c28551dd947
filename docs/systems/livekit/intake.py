"""A group of tasks in a row: a new customer of a moving company, asked for three things.

Each task ends in a tool that submits what it found out; the group gives all results by id, and
lets the caller go back to an earlier one.
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
from livekit.agents.beta.workflows import TaskGroup

server = AgentServer()


@dataclass
class Customer:
    """Who moves."""

    name: str


@dataclass
class Route:
    """From where to where."""

    origin: str
    destination: str


@dataclass
class Size:
    """How much there is to move."""

    rooms: int
    help_with_packing: bool


@dataclass
class Book:
    """Stands in for the company's order book."""

    requests: list[dict[str, object]] = field(default_factory=list)


class CollectName(AgentTask[Customer]):
    """Finds out who moves."""

    def __init__(self) -> None:
        super().__init__(instructions="Find out the caller's name. Ask for it if you don't know.")

    async def on_enter(self) -> None:
        self.session.generate_reply(instructions="Ask for the caller's name.")

    @function_tool
    async def submit_name(self, name: str) -> None:
        """Submit the name once the caller has told it.

        Args:
            name: the caller's first and last name, such as "Ada Brown"
        """
        self.complete(Customer(name))


class CollectRoute(AgentTask[Route]):
    """Finds out from where to where."""

    def __init__(self) -> None:
        super().__init__(
            instructions="Find out from which town the caller moves, and to which town. Ask for"
            " what you don't know."
        )

    async def on_enter(self) -> None:
        self.session.generate_reply(instructions="Ask from which town to which town they move.")

    @function_tool
    async def submit_route(self, origin: str, destination: str) -> None:
        """Submit the route once the caller has told both towns.

        Args:
            origin: the town they move from, such as "Leeds"
            destination: the town they move to, such as "York"
        """
        self.complete(Route(origin, destination))


class CollectSize(AgentTask[Size]):
    """Finds out how much there is to move."""

    def __init__(self) -> None:
        super().__init__(
            instructions="Find out how many rooms there are to move, and whether we shall help"
            " with packing. Ask for what you don't know."
        )

    async def on_enter(self) -> None:
        self.session.generate_reply(instructions="Ask how many rooms, and about packing.")

    @function_tool
    async def submit_size(self, rooms: int, packing: Literal["yes", "no"]) -> None:
        """Submit the size once the caller has told the rooms, and whether they want help.

        Args:
            rooms: how many rooms there are to move
            packing: whether they want help with packing
        """
        self.complete(Size(rooms, packing == "yes"))


class MovingDesk(Agent):
    """Takes requests for an offer."""

    def __init__(self) -> None:
        super().__init__(
            instructions="You answer the phone of Harbour Removals. Start the intake when somebody"
            " wants to move or asks for an offer, and tell them afterwards what was taken down."
        )

    async def on_enter(self) -> None:
        await self.session.say("Harbour Removals, good morning. What can I do for you?")

    @function_tool
    async def start_intake(self, context: RunContext[Book]) -> str:
        """Take down a request for an offer: who moves, the route, and the size. Start this when
        somebody wants to move house or asks for an offer.
        """
        group = TaskGroup(chat_ctx=self.chat_ctx.copy(exclude_instructions=True))
        group.add(CollectName, id="name", description="who moves")
        group.add(CollectRoute, id="route", description="from which town to which town")
        group.add(CollectSize, id="size", description="how many rooms, and help with packing")
        found = (await group).task_results
        context.userdata.requests.append(dict(found))
        route, size = found["route"], found["size"]
        packing = "with" if size.help_with_packing else "without"
        return (
            f"The request of {found['name'].name} is taken down: {size.rooms} rooms from"
            f" {route.origin} to {route.destination}, {packing} help with packing."
        )


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Book](
        userdata=Book(),
        stt="deepgram/nova-3",
        llm="openai/gpt-4.1-mini",
        tts="cartesia/sonic-2",
    )
    await session.start(agent=MovingDesk(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
