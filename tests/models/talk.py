"""What the tests of the models share: short requests, and a raw way past the client's types."""

from typing import Any

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletion

from course.models import SMALL

HELLO = {"role": "user", "content": "hello"}
FIND = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Find something.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
    },
}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    ],
}
FOUND = {"role": "tool", "tool_call_id": "c1", "content": "found"}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": SMALL, "messages": list(messages) or [HELLO], **more}


async def post(client: AsyncOpenAI, content: Any, headers: Any = None) -> ChatCompletion:
    """Send a body as it is, without the checks and defaults of `create`."""
    return await client.post(
        "/chat/completions",
        body=content,
        cast_to=ChatCompletion,
        options={"headers": headers or {}},
    )
