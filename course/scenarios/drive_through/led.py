"""The drive-through led by a supervisor: agents for order, menu and payment share one order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import BaseModel, Field

from course.agent import Agent, invoked
from course.answers import Usage
from course.context import Context
from course.corrections import corrected, correction_in
from course.errors import ToolError
from course.models.wire import AsyncOpenAI
from course.scenarios.database import Row
from course.scenarios.drive_through.menu import lines_of
from course.scenarios.drive_through.order import Paying, Size, Wish
from course.scenarios.drive_through.window import Till, Window
from course.supervisor import Supervisor
from course.systems import Result, carry_out
from course.tools import Tool, tool

ORDER_SECONDS = 20
"""How long the payment waits for whoever is changing the order at the same time."""


class Thing(BaseModel):
    """One thing that a guest wants."""

    item: Annotated[str, Field(description="what is wanted, without number and size")]
    quantity: Annotated[int, Field(ge=1, description="how many")] = 1
    size: Annotated[Size | None, Field(description="the size, if one was said")] = None


Item = Annotated[str, Field(description="the thing's name, such as fries")]


@dataclass
class Counter:
    """One guest's order, which all agents at the window see and change through their tools.

    Attributes:
        number: of the order, once it is paid.
        heard: what was said of the order, oldest first.
        changing: how many agents are at work on it right now; a payment waits for them.
    """

    window: Window
    wishes: list[Wish] = field(default_factory=list)
    number: int | None = None
    changing: int = 0
    heard: list[str] = field(default_factory=list)

    def add_items(
        self,
        things: Annotated[
            tuple[Thing, ...],
            Field(min_length=1, description="what the guest wants, one entry for each thing"),
        ],
    ) -> Row:
        """Add things to the order: what the guest would like, wants or takes."""
        self._open()
        wishes = tuple(Wish(**each.model_dump()) for each in things)
        with self.window.database.read() as connection:
            lines, refused = lines_of(connection, wishes)
            if not lines:
                raise ToolError("; ".join(refused))
            self.wishes += [each for each in wishes if lines_of(connection, (each,))[0]]
        return {"added": [f"{each.quantity} x {each.name}" for each in lines], "sorry": refused}

    def put_right(self, words: str) -> bool:
        """Whether words correct a number on the order ("make that three"), which is right now."""
        self.heard.append(words)
        known = {"wishes": [each.model_dump(mode="json") for each in self.wishes]}
        right = corrected(known, self.heard)
        if self.number is not None or right == known or not correction_in([words]):
            return False
        self.wishes = [Wish.model_validate(each) for each in right["wishes"]]
        return True

    def remove_item(self, item: Item) -> Row:
        """Take something off the order that the guest does not want any more."""
        self._open()
        kept = [each for each in self.wishes if item.rstrip("s") not in each.item]
        if len(kept) == len(self.wishes):
            raise ToolError(f"there is no {item} on the order")
        self.wishes = kept
        return {"removed": item}

    def read_order(self) -> Row:
        """Read back what is on the order, with the number once it is paid."""
        with self.window.database.read() as connection:
            lines, _ = lines_of(connection, tuple(self.wishes))
        return {
            "number": self.number,
            "items": [f"{each.quantity} x {each.name}" for each in lines],
        }

    async def take_payment(self, paying: Paying) -> Row:
        """Take the payment of the guest's order, by card or cash; gives total and order number."""
        for _ in range(ORDER_SECONDS):
            if self.changing:
                await asyncio.sleep(1)
        if self.changing:
            raise ToolError("the order is still being taken: ask again in a moment")
        self._open()
        placed = self.window.check_order(tuple(self.wishes))
        if placed["order_number"] is None:
            raise ToolError("nothing has been ordered yet")
        self.number = placed["order_number"]
        return Till(self.window.database).take_payment(self.number, paying)

    def _open(self) -> None:
        if self.number is not None:
            raise ToolError(f"order {self.number} is paid: nothing can be changed any more")

    def check_price(self, item: Item) -> Row:
        """Look up on the menu whether something is there, in which sizes and at which price."""
        rows = [
            row for row in Till(self.window.database).read_menu() if item.rstrip("s") in row["item"]
        ]
        if not rows:
            raise ToolError(f"{item} is not on the menu")
        return {"menu": rows}


@dataclass(frozen=True)
class OrderTaker:
    """An agent that changes the order: while it works, nobody takes the payment."""

    agent: Agent
    counter: Counter

    @property
    def name(self) -> str:
        """The agent's."""
        return self.agent.name

    @property
    def description(self) -> str:
        """The agent's."""
        return self.agent.description


@carry_out.register(OrderTaker)
async def run_order_taker(taker: OrderTaker, request: str, *, client: AsyncOpenAI) -> Result:
    """Let the agent work, and hold the payment meanwhile; a correction needs no model, which might
    add what replaces something.
    """
    if taker.counter.put_right(request):
        with invoked(taker.agent):
            items = ", ".join(taker.counter.read_order()["items"])
        answer = f"On the order now: {items}."
        said = Context.of(request).add({"role": "assistant", "content": answer})
        return Result(answer=answer, context=said, usage=Usage(), stop=None)
    taker.counter.changing += 1
    try:
        result: Result = await carry_out(taker.agent, request, client=client)
        return result
    finally:
        taker.counter.changing -= 1


def crew(counter: Counter) -> Supervisor:
    """A supervisor over order, menu and payment, for one guest's whole visit."""
    menu = ", ".join(row["name"] for row in counter.window.rows("SELECT name FROM items"))
    add = replace(tool(counter.add_items), description=f"Add things to the order: {menu}.")
    return Supervisor(
        name="window",
        instructions="You serve a guest at a drive-through: give each part to whom it belongs to.",
        workers=(
            OrderTaker(_agent(
                "order", "Adds things that a guest would like to the order, takes off or removes"
                f" them, and reads the order back: {menu}.",
                add, tool(counter.remove_item), tool(counter.read_order)), counter),
            _agent("menu", "Knows the menu: what there is, sizes and prices.",
                   tool(counter.check_price)),
            _agent("payment", "Sees to the payment, by card or cash.", tool(counter.take_payment)),
        ),
    )  # fmt: skip


def _agent(name: str, does: str, *tools: Tool) -> Agent:
    told = f"You work at a drive-through, and see to the {name}. Say what your tools say."
    return Agent(name=name, description=does, instructions=told, tools=tools)
