"""The front desk in the course: a desk that hands over to billing."""

from collections.abc import Awaitable, Callable
from typing import Any

from course import Agent, Handoff, run, tool

Look = Callable[..., Awaitable[str]]


async def answer(client: Any, opening_hours: Look, find_bill: Look, request: str) -> str:
    billing = Agent(
        name="billing",
        description="Knows the bills.",
        instructions="You answer questions about bills.",
        tools=(tool(find_bill),),
    )
    desk = Agent(
        name="desk",
        instructions="You greet callers. Hand over what is about a bill.",
        tools=(tool(opening_hours),),
        handoffs=(Handoff(billing),),
    )
    return (await run(desk, request, client=client)).answer
