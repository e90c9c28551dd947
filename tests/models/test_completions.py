"""Chat completions without the SDK's walk through messages: to the byte what the SDK sends."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import httpx2
import pytest
from openai import NOT_GIVEN, AsyncOpenAI, omit
from openai.resources.chat import AsyncCompletions
from openai.types.chat import ChatCompletionMessage
from pydantic import BaseModel

from course.models import completions
from course.models.client import CourseClient

ASKED: list[Any] = [
    {"role": "system", "content": "You are the harbour office; réponds 🛥 \u2028 in \"short\"."},
    {"role": "user", "content": [{"type": "text", "text": "What is the tide?"}]},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "low", "odd": [1, 2.5, True, None, {}]},
]  # fmt: skip
TOOLS: list[Any] = [
    {"type": "function",
     "function": {"name": "tide", "parameters": {"type": "object"}, "strict": True}},
]  # fmt: skip
SAID: list[Any] = [{"role": "user", "content": "Hello."}]


class Told(BaseModel):
    high: bool


class Kind(StrEnum):
    LOW = "low"


class Own(dict[str, Any]):
    """A dictionary of somebody's own."""


async def create(made: Any, **asked: Any) -> Any:
    return await made.create(model="m", **asked)


async def streaming(made: Any, **asked: Any) -> Any:
    return await made.create(model="m", stream=True, **asked)


async def by_stream(made: Any, **asked: Any) -> Any:
    async with made.stream(model="m", **asked) as stream:
        return [event async for event in stream]


async def parse(made: Any, **asked: Any) -> Any:
    return await made.parse(model="m", response_format=Told, **asked)


async def raw(made: Any, **asked: Any) -> Any:
    return await made.with_raw_response.create(model="m", **asked)


async def unread(made: Any, **asked: Any) -> Any:
    async with made.with_streaming_response.create(model="m", **asked) as came:
        return await came.read()


async def raw_parse(made: Any, **asked: Any) -> Any:
    return await made.with_raw_response.parse(model="m", response_format=Told, **asked)


def sent(client: type[AsyncOpenAI], way: Any, asked: dict[str, Any]) -> tuple[Any, ...]:
    """What a client sends that is asked in this way, or what it raises."""
    seen: list[httpx2.Request] = []

    def refused(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(400, json={"error": {"message": "seen"}})

    async def main() -> tuple[Any, ...]:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(refused))
        made = client(api_key="none", base_url="http://x.invalid/v1", http_client=http)
        try:
            await way(made.chat.completions, **asked)
        except Exception as error:
            return type(error), str(error), [(str(r.url), r.content) for r in seen]
        raise AssertionError("nothing was refused")

    return asyncio.run(main())


@pytest.mark.parametrize("way", [create, streaming, by_stream, parse, raw, unread, raw_parse])
@pytest.mark.parametrize("tools", [{}, {"tools": TOOLS}, {"tools": omit}])
def test_plain_messages_go_out_as_the_sdk_sends_them_and_are_not_walked_through(
    way: Any, tools: dict[str, Any]
) -> None:
    asked = {"messages": ASKED, **tools}
    assert sent(CourseClient, way, asked) == sent(AsyncOpenAI, way, asked)
    assert "seen" in sent(CourseClient, way, asked)[1]
    carried = completions._carried(asked)["messages"]
    assert carried.what == ASKED
    assert carried.what[0] is not ASKED[0]


ODD: dict[str, Callable[[], dict[str, Any]]] = {
    "a message of an answer": lambda: {
        "messages": [*ASKED, ChatCompletionMessage(role="assistant", content="Low.")]
    },
    "left out": lambda: {"messages": [{**SAID[0], "name": NOT_GIVEN, "audio": omit}]},
    "left out below": lambda: {"messages": SAID, "tools": [{**TOOLS[0], "strict": omit}]},
    "a moment": lambda: {"messages": [{"role": "user", "content": datetime(2026, 1, 2)}]},
    "a day": lambda: {"messages": [{"role": "user", "content": date(2026, 1, 2)}]},
    "bytes": lambda: {"messages": [{"role": "user", "content": b"Hello."}]},
    "a file": lambda: {"messages": [{"role": "user", "content": io.BytesIO(b"Hello.")}]},
    "a tuple": lambda: {"messages": tuple(SAID)},
    "a tuple within": lambda: {"messages": [{"role": "user", "content": ({"type": "text"},)}]},
    "a set within": lambda: {"messages": [{"role": "user", "content": {"a"}}]},
    "read once": lambda: {"messages": iter(SAID), "tools": iter(TOOLS)},
    "one of several": lambda: {"messages": [{"role": "user", "content": Kind.LOW}]},
    "a dictionary of one's own": lambda: {"messages": [Own(SAID[0])]},
    "no number": lambda: {"messages": [{**SAID[0], "odd": float("nan")}]},
    "keys that are none": lambda: {"messages": [{**SAID[0], "odd": {1: 2}}]},
    "no text": lambda: {"messages": [{"role": "user", "content": "\ud800"}]},
    "text alone": lambda: {"messages": "Hello."},
    "nothing": lambda: {"messages": []},
    "none": lambda: {"messages": None},
    "a body besides": lambda: {"messages": ASKED, "extra_body": {"messages": SAID, "more": 1}},
    "more besides": lambda: {
        "messages": ASKED, "extra_query": {"a": "b"}, "extra_headers": {"x-a": "b"}, "timeout": 3,
    },
    "a format that is none": lambda: {"messages": SAID, "response_format": Told},
    "no such argument": lambda: {"messages": SAID, "tool": TOOLS},
    "no messages": dict,
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("way", [create, by_stream])
def test_whatever_else_is_given_the_sdk_has_the_last_word(odd: str, way: Any) -> None:
    ours, theirs = (sent(client, way, ODD[odd]()) for client in (CourseClient, AsyncOpenAI))
    assert ours == theirs


def test_what_is_changed_while_a_request_waits_does_not_reach_it() -> None:
    seen: list[Any] = []

    class Slow(CourseClient):
        async def post(self, path: str, *, cast_to: Any, **more: Any) -> Any:
            await asyncio.sleep(0)
            seen.append(more["body"]["messages"])

    async def main() -> None:
        messages: Any = [{"role": "user", "content": [{"type": "text", "text": "Hello."}]}]
        made = Slow(api_key="none").chat.completions.create(model="m", messages=messages)
        asking = asyncio.ensure_future(made)
        await asyncio.sleep(0)
        messages[0]["content"][0]["text"] = "Bye."
        messages.append(SAID[0])
        await asking

    asyncio.run(main())
    assert seen == [[{"role": "user", "content": [{"type": "text", "text": "Hello."}]}]]


def test_the_sdk_s_create_has_one_name_for_each_of_these() -> None:
    """Were it to take messages under another name, nothing would be carried past its walk."""
    assert set(completions._LONG) <= set(AsyncCompletions.create.__wrapped__.__annotations__)  # type: ignore[attr-defined]
