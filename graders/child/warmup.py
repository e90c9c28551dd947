"""What every child would do first, done once in the process that the boxes are forked from.

The openai package and pydantic build much of themselves on the first request. A fork finds it done.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx2
from openai import NotFoundError

from course import SMALL, Agent, run, tool
from course.models.tokens import count_text

from .bench import client_of
from .keeper import Keeper
from .stage import play, surroundings

STAGE = """
async def stage(bench, student):
    import asyncio
    await asyncio.gather(asyncio.sleep(1), asyncio.sleep(2))
"""
OFFER = {
    "name": "nothing",
    "description": "Do nothing.",
    "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
    "timeout": None,
}


def warm_up() -> None:
    """Talk to a scripted model in all the usual ways, and play a stage in which nothing happens.

    Leaves no thread and no open loop behind.
    """
    asyncio.run(_talk())
    count_text("Reading the tokenizer's tables takes longer than most runs.")
    keeper = Keeper(_Nobody())
    actor = keeper.adopt("nobody")
    with surroundings(keeper):
        play(keeper, {}, {"stage": STAGE, "tools": [OFFER], "params": {}})
    keeper.leave(actor)
    for loop in keeper.loops:
        loop.close()
    asyncio.set_event_loop(None)


class _Nobody:
    """A world in which nothing but time happens."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Hear it, and do nothing."""

    def exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Move to where the child wants to be."""
        return {"now": message["until"], "events": []}


@tool
def nothing(name: str, number: int = 0) -> dict[str, int]:
    """Do nothing."""
    return {name: number}


HEAD = {"id": "chatcmpl-0", "created": 0, "model": SMALL}
USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
CALLS = [
    {"id": "call_0", "type": "function", "function": {"name": "nothing", "arguments": "{}"}},
    {"id": "call_1", "type": "function", "function": {"name": "gone", "arguments": "{}"}},
]


def _choice(key: str, turn: int) -> dict[str, Any]:
    """Tool calls at first, then the last words; a whole message or the only piece of one."""
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if not turn:
        calls = [{"index": n, **call} for n, call in enumerate(CALLS)]
        message["tool_calls"] = calls if key == "delta" else CALLS
    return {"index": 0, key: message, "finish_reason": "stop" if turn else "tool_calls"}


def _answer(request: httpx2.Request) -> httpx2.Response:
    """What a model answers, as bytes: an engine in process would cost every fork its memory."""
    asked = json.loads(request.content)
    turn = sum(message["role"] == "assistant" for message in asked["messages"])
    if asked["model"] != SMALL:
        return httpx2.Response(404, json={"error": {"message": "there is no such model"}})
    if not asked.get("stream"):
        choices = [_choice("message", turn)]
        whole = {**HEAD, "object": "chat.completion", "choices": choices, "usage": USAGE}
        return httpx2.Response(200, json=whole)
    piece = {**HEAD, "object": "chat.completion.chunk", "choices": [_choice("delta", turn)]}
    last = {**piece, "choices": [], "usage": USAGE}
    events = [json.dumps(piece), json.dumps(last), "[DONE]"]
    text = "".join(f"data: {event}\n\n" for event in events)
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=text)


async def _talk() -> None:
    client = client_of(httpx2.MockTransport(_answer))
    agent = Agent(name="nobody", instructions="Do nothing.", tools=(nothing,))
    await run(agent, "Hello", client=client)
    await run(agent, "Hello", client=client, on_text=lambda text: None)
    ask: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}]}
    ask["tools"] = [nothing.spec()]
    await client.chat.completions.create(model=SMALL, **ask)
    async for _ in await client.chat.completions.create(model=SMALL, stream=True, **ask):
        pass
    with suppress(NotFoundError):
        await client.chat.completions.create(model="nobody", **ask)
