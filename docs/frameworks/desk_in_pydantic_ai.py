"""The front desk in pydantic-ai: a desk with a tool that runs billing (agent delegation)."""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from course.models import SMALL

Look = Callable[..., Awaitable[str]]


async def answer(client: Any, opening_hours: Look, find_bill: Look, request: str) -> str:
    model = OpenAIChatModel(SMALL, provider=OpenAIProvider(openai_client=client))
    billing = Agent(model, instructions="You answer questions about bills.", tools=[find_bill])
    desk = Agent(
        model,
        instructions="You greet callers. Ask billing what is about a bill.",
        tools=[opening_hours],
    )

    @desk.tool_plain
    async def ask_billing(question: str) -> str:
        """Ask billing, which knows the bills."""
        return str((await billing.run(question)).output)

    return str((await desk.run(request)).output)
