"""The front desk in langgraph, with langgraph-swarm: a desk that hands over to billing."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph_swarm import create_handoff_tool, create_swarm

from course.models import SMALL

Look = Callable[..., Awaitable[str]]


async def answer(client: Any, opening_hours: Look, find_bill: Look, request: str) -> str:
    model = ChatOpenAI(
        model=SMALL, api_key="none", root_async_client=client, async_client=client.chat.completions
    )
    handoff = create_handoff_tool(agent_name="billing", description="Knows the bills.")
    told = "You greet callers. Hand over what is about a bill."
    desk = create_agent(model, [opening_hours, handoff], system_prompt=told, name="desk")
    told = "You answer questions about bills."
    billing = create_agent(model, [find_bill], system_prompt=told, name="billing")
    graph = create_swarm([desk, billing], default_active_agent="desk").compile()
    state = await graph.ainvoke({"messages": [("user", request)]})
    return str(state["messages"][-1].content)
