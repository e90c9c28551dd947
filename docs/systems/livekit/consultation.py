"""Consultation, both ways: a sales agent lets a pricing specialist calculate, and goes on with
the result, which the specialist leaves in the shared state.
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
from livekit.agents.llm import ToolResult

server = AgentServer()
PRICES = {"chair": 80, "desk": 240, "lamp": 35}
Item = Literal["chair", "desk", "lamp"]


@dataclass
class Deal:
    """What both agents know; `orders` stands in for the shop's order system."""

    quotes: dict[str, int] = field(default_factory=dict)
    orders: list[tuple[str, int]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)


class Sales(Agent):
    """Has the customer; asks pricing for every figure."""

    def __init__(self, chat_ctx: ChatContext | None = None, *, back: bool = False) -> None:
        super().__init__(
            instructions="You sell office furniture: chairs, desks and lamps. Prices come from the"
            " pricing specialist alone.",
            chat_ctx=chat_ctx or ChatContext.empty(),
        )
        self.back = back

    async def on_enter(self) -> None:
        self.session.userdata.moves.append("sales")
        if self.back:
            item, total = list(self.session.userdata.quotes.items())[-1]
            await self.session.say(f"{item} cost {total} euros. I can order them for you.")
        else:
            await self.session.say("Kessler Office. What are you looking for?")

    @function_tool
    async def consult_pricing(self, context: RunContext[Deal]) -> tuple[Agent, ToolResult]:
        """Look up prices with the pricing specialist: what something costs, or a quote."""
        heard = self.chat_ctx.copy(exclude_instructions=True)
        return Pricing(heard), ToolResult("Pricing was asked.", reply_required=False)

    @function_tool
    async def place_order(self, context: RunContext[Deal], item: Item, quantity: int) -> str:
        """Place an order: the customer says that they want to order or to buy.

        Args:
            item: which piece of furniture
            quantity: how many of it
        """
        context.userdata.orders.append((item, quantity))
        return f"{quantity} {item}s are ordered."


class Pricing(Agent):
    """Calculates, and gives the customer back."""

    def __init__(self, chat_ctx: ChatContext) -> None:
        super().__init__(
            instructions="You calculate quotes. Calculate what the customer asked for, at once.",
            chat_ctx=chat_ctx,
        )

    async def on_enter(self) -> None:
        self.session.userdata.moves.append("pricing")
        self.session.generate_reply(tool_choice="required")

    @function_tool
    async def calculate_quote(
        self, context: RunContext[Deal], item: Item, quantity: int = 1
    ) -> tuple[Agent, ToolResult]:
        """Calculate the price of some pieces of furniture: a quote. From ten pieces on there is a
        tenth off.

        Args:
            item: which piece of furniture
            quantity: how many of it
        """
        total = PRICES[item] * quantity
        total = total * 9 // 10 if quantity > 9 else total
        context.userdata.quotes[f"{quantity} {item}s"] = total
        heard = self.chat_ctx.copy(exclude_instructions=True)
        found = ToolResult(f"{quantity} {item}s cost {total} euros.", reply_required=False)
        return Sales(heard, back=True), found


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession[Deal](
        userdata=Deal(),
        stt="deepgram/nova-3",
        llm="openai/gpt-4.1-mini",
        tts="cartesia/sonic-2",
    )
    await session.start(agent=Sales(), room=ctx.room)


if __name__ == "__main__":
    cli.run_app(server)
