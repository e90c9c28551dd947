"""A linear pipeline: welcome, order, check, payment. Each agent does its step and hands on."""

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

server = AgentServer()
MENU = {"burger": 6, "wrap": 5, "fries": 3, "lemonade": 2}
Item = Literal["burger", "wrap", "fries", "lemonade"]


@dataclass
class Order:
    """What goes from step to step; `paid` stands in for the till."""

    name: str = ""
    items: dict[str, int] = field(default_factory=dict)
    paid: tuple[int, str] | None = None

    @property
    def total(self) -> int:
        return sum(MENU[item] * count for item, count in self.items.items())

    def __str__(self) -> str:
        listed = ", ".join(f"{count} {item}" for item, count in self.items.items())
        return f"{listed}: {self.total} euros"


class Welcome(Agent):
    """Asks for the name."""

    def __init__(self) -> None:
        super().__init__(
            instructions="You welcome guests at a drive-through. Ask for the guest's name, and"
            " note it when they told you."
        )

    async def on_enter(self) -> None:
        await self.session.say("Welcome to Corner Grill! What is your name?")

    @function_tool
    async def note_name(self, context: RunContext[Order], name: str) -> Agent:
        """Finish once the guest has told their name.

        Args:
            name: the guest's name, such as Ada
        """
        context.userdata.name = name
        return TakeOrder(self.chat_ctx.copy(exclude_instructions=True))


class TakeOrder(Agent):
    """Takes the order, piece by piece."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You take the order at a drive-through: burger, wrap, fries, lemonade."
            " Add what the guest wants. When the guest says that this is all, finish the order.",
            chat_ctx=chat_ctx,
        )

    async def on_enter(self) -> None:
        name = self.session.userdata.name
        await self.session.say(f"Thank you, {name}. What would you like?")

    @function_tool
    async def add_item(self, context: RunContext[Order], item: Item, quantity: int = 1) -> str:
        """Add an item to the order: the guest would like something from the menu.

        Args:
            item: what the guest wants
            quantity: how many of it
        """
        items = context.userdata.items
        items[item] = items.get(item, 0) + quantity
        return f"On the order: {context.userdata}. Anything else?"

    @function_tool
    async def finish_order(self, context: RunContext[Order]) -> Agent | str:
        """Finish the order: the guest says that this is all, or that they want nothing else."""
        if not context.userdata.items:
            return "There is nothing on the order yet. What would you like?"
        return Check(self.chat_ctx.copy(exclude_instructions=True))


class Check(Agent):
    """Reads the order back."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You read the order back. When the guest says that it is right, confirm"
            " it; when something is wrong, change the order.",
            chat_ctx=chat_ctx,
        )

    async def on_enter(self) -> None:
        await self.session.say(f"You have {self.session.userdata}. Is that right?")

    @function_tool
    async def confirm_order(self, context: RunContext[Order]) -> Agent:
        """Confirm the order: the guest says yes, that it is right."""
        return Payment(self.chat_ctx.copy(exclude_instructions=True))

    @function_tool
    async def change_order(self, context: RunContext[Order]) -> Agent:
        """Change the order: the guest says no, or that something is wrong or missing."""
        context.userdata.items.clear()
        return TakeOrder(self.chat_ctx.copy(exclude_instructions=True))


class Payment(Agent):
    """Takes the money."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You take the payment at a drive-through. Find out how the guest pays.",
            chat_ctx=chat_ctx,
        )

    async def on_enter(self) -> None:
        total = self.session.userdata.total
        await self.session.say(f"That is {total} euros. Do you pay by card or in cash?")

    @function_tool
    async def take_payment(
        self, context: RunContext[Order], method: Literal["card", "cash"]
    ) -> str:
        """Take the payment, when the guest has said how they pay.

        Args:
            method: how the guest pays
        """
        order = context.userdata
        order.paid = (order.total, method)
        return f"Thank you, {order.name}: {order.total} euros paid by {method}. Drive on, please."


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Order](
        userdata=Order(),
        stt="deepgram/nova-3",
        llm="openai/gpt-4.1-mini",
        tts="cartesia/sonic-2",
    )
    await session.start(agent=Welcome(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
