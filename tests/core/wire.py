"""A client whose model is whatever bytes a test says, under the real SDK."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import httpx2
import openai

KEY = "sk-very-secret-0123456789"
Handler = Callable[[httpx2.Request], httpx2.Response]


def client(handler: Handler) -> openai.AsyncOpenAI:
    """A real client; `handler` answers each of its requests. It doesn't retry."""
    transport = httpx2.MockTransport(handler)
    return openai.AsyncOpenAI(
        api_key=KEY,
        base_url="http://model.invalid/v1",
        max_retries=0,
        http_client=httpx2.AsyncClient(transport=transport),
    )


def completion(message: Any, *, finish_reason: str = "stop", **more: Any) -> dict[str, Any]:
    """A response body with one choice."""
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return {**head, "choices": [choice], "usage": usage, **more}


def chunk(delta: Any, *, finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
    """A piece of a streamed answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": [choice], **more}


def usage_chunk() -> dict[str, Any]:
    """The last piece: what the answer cost, and no choice."""
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    return {**chunk({}), "choices": [], "usage": usage}


def saying(body: Any, *, status: int = 200) -> Handler:
    """Always answer with this JSON."""
    return lambda request: httpx2.Response(status, json=body)


def streaming(chunks: Sequence[Any], *, end: str = "data: [DONE]\n\n") -> Handler:
    """Always answer with these pieces as server-sent events; text goes out as it is."""
    lines = [c if isinstance(c, str) else json.dumps(c) for c in chunks]
    content = "".join(f"data: {line}\n\n" for line in lines) + end
    headers = {"content-type": "text/event-stream"}
    return lambda request: httpx2.Response(200, content=content.encode(), headers=headers)
