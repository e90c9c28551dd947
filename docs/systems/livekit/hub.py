"""Hub and spoke: a provider's front agent sends each call to one of four specialists, who can
send it back when it is about something else.
"""

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
PRICES = {"basic": 20, "family": 35, "business": 60}


@dataclass
class Account:
    """Stands in for the provider's systems."""

    demos: list[str] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    refunds: list[int] = field(default_factory=list)
    visited: list[str] = field(default_factory=list)


class Spoke(Agent):
    """A specialist: answers what was asked, and can give the call back."""

    async def on_enter(self) -> None:
        self.session.userdata.visited.append(type(self).__name__.lower())
        self.session.generate_reply()

    @function_tool
    async def transfer_to_front_desk(self, context: RunContext[Account]) -> Agent:
        """Transfer to the front desk: the caller asks for something that is none of your work."""
        return FrontDesk(self.chat_ctx.copy(exclude_instructions=True), again=True)


class Sales(Spoke):
    """Prices and demonstrations."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You do the sales of Brightline. Tell prices, and arrange demonstrations.",
            chat_ctx=chat_ctx,
        )

    @function_tool
    async def look_up_price(self, plan: Literal["basic", "family", "business"]) -> str:
        """Look up the price of a plan: what it costs a month.

        Args:
            plan: which plan
        """
        return f"The {plan} plan costs {PRICES[plan]} euros a month."

    @function_tool
    async def arrange_demo(self, context: RunContext[Account], day: str) -> str:
        """Arrange a demonstration for somebody who asks for one.

        Args:
            day: the weekday of the demonstration, such as Tuesday
        """
        context.userdata.demos.append(day)
        return f"A demonstration is arranged for {day}."


class Technical(Spoke):
    """What does not work."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You do the technical support of Brightline. Reset lines that are slow or"
            " down.",
            chat_ctx=chat_ctx,
        )

    @function_tool
    async def reset_line(self, context: RunContext[Account], line: str) -> str:
        """Reset a line that is slow or down.

        Args:
            line: the number of the line, such as L-12
        """
        context.userdata.resets.append(line)
        return f"Line {line} was reset and is up again."


class Billing(Spoke):
    """Invoices and refunds."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You do the billing of Brightline. Say what an invoice is for, and refund"
            " invoices when the caller asks for a refund.",
            chat_ctx=chat_ctx,
        )

    @function_tool
    async def look_up_invoice(self, number: int) -> str:
        """Look up an invoice: its amount and what it is for.

        Args:
            number: the number of the invoice
        """
        return f"Invoice {number} is 35 euros for the family plan in March."

    @function_tool
    async def refund_invoice(self, context: RunContext[Account], number: int) -> str:
        """Refund an invoice to a caller who asks for a refund.

        Args:
            number: the number of the invoice
        """
        context.userdata.refunds.append(number)
        return f"Invoice {number} is refunded."


class General(Spoke):
    """Everything else."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You answer general questions about Brightline.", chat_ctx=chat_ctx
        )

    @function_tool
    async def opening_hours(self) -> str:
        """Look up when the shops are open."""
        return "Our shops are open from nine to six, Monday to Saturday."


class FrontDesk(Agent):
    """The hub."""

    def __init__(self, chat_ctx: ChatContext | None = None, *, again: bool = False) -> None:
        super().__init__(
            instructions="You are the front desk of Brightline, an internet provider. Find out"
            " what the call is about and transfer it to the right department.",
            chat_ctx=chat_ctx or ChatContext.empty(),
        )
        self.again = again

    async def on_enter(self) -> None:
        if self.again:
            self.session.generate_reply()
        else:
            await self.session.say("Welcome to Brightline. What is your call about?")

    def heard(self) -> ChatContext:
        """What the next agent sees of the conversation."""
        return self.chat_ctx.copy(exclude_instructions=True).truncate(max_items=8)

    @function_tool
    async def transfer_to_sales(self, context: RunContext[Account]) -> Agent:
        """Transfer to sales: plans and their prices, demonstrations, new contracts."""
        return Sales(self.heard())

    @function_tool
    async def transfer_to_technical_support(self, context: RunContext[Account]) -> Agent:
        """Transfer to technical support: a line that is slow, down or does not work."""
        return Technical(self.heard())

    @function_tool
    async def transfer_to_billing(self, context: RunContext[Account]) -> Agent:
        """Transfer to billing: invoices, payments and refunds."""
        return Billing(self.heard())

    @function_tool
    async def transfer_to_general(self, context: RunContext[Account]) -> Agent:
        """Transfer to general information: opening hours and shops."""
        return General(self.heard())


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Account](
        userdata=Account(),
        stt="deepgram/nova-3",
        llm="openai/gpt-4.1-mini",
        tts="cartesia/sonic-2",
    )
    await session.start(agent=FrontDesk(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
