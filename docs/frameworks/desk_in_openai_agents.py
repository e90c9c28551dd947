"""The front desk in openai-agents: a desk that hands over to billing."""

from collections.abc import Awaitable, Callable
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool

from course.models import SMALL

Look = Callable[..., Awaitable[str]]


async def answer(client: Any, opening_hours: Look, find_bill: Look, request: str) -> str:
    model = OpenAIChatCompletionsModel(model=SMALL, openai_client=client)
    billing = Agent(
        name="billing",
        handoff_description="Knows the bills.",
        instructions="You answer questions about bills.",
        model=model,
        tools=[function_tool(find_bill)],
    )
    desk = Agent(
        name="desk",
        instructions="You greet callers. Hand over what is about a bill.",
        model=model,
        tools=[function_tool(opening_hours)],
        handoffs=[billing],
    )
    ran = await Runner.run(desk, request, run_config=RunConfig(tracing_disabled=True))
    return str(ran.final_output)
