"""The front desk in agent-framework: a workflow in which a desk hands over to billing."""

from collections.abc import Awaitable, Callable
from typing import Any

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient
from agent_framework.orchestrations import HandoffBuilder

from course.models import SMALL

Look = Callable[..., Awaitable[str]]


async def answer(client: Any, opening_hours: Look, find_bill: Look, request: str) -> str:
    asked = OpenAIChatCompletionClient(model=SMALL, async_client=client)
    kept = {"require_per_service_call_history_persistence": True}
    told = "You greet callers. Hand over what is about a bill."
    desk = Agent(asked, told, name="desk", tools=[opening_hours], **kept)
    told, knows = "You answer questions about bills.", "Knows the bills."
    billing = Agent(asked, told, name="billing", description=knows, tools=[find_bill], **kept)
    made = HandoffBuilder(participants=[desk, billing]).with_start_agent(desk)
    workflow = made.add_handoff(desk, [billing]).build()
    said = ""
    async for event in workflow.run(request, stream=True):
        said = "" if event.type == "handoff_sent" else said
        said += event.data.text if event.type == "output" else ""
    return said
