"""The fast lane: the same client, whose chat requests reach the engine without HTTP objects.

For sweeps of thousands of runs. Answers, errors, times and traces are the same to the byte, and a
model call takes half the CPU: what is left out are the requests and responses of the client.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any

import httpx2
from openai import APITimeoutError, AsyncStream
from openai._constants import RAW_RESPONSE_HEADER
from openai.types.chat import ChatCompletionChunk
from pydantic_core import from_json, to_json

from course.models.client import BASE_URL, CourseClient
from course.models.conditions import Stalled
from course.models.engine import Engine, HttpAnswer, Stream
from course.models.heard import is_heard
from course.models.transport import is_diverted, response_of
from course.models.wire import KEY_HEADERS

PATH = "/chat/completions"
_PLAIN = {"headers", "timeout", "security"}
"""The options of a plain request; any other changes what is sent or how the answer is read."""


class DirectClient(CourseClient):
    """A client of an engine in this process; what is no plain chat request takes the usual way."""

    def __init__(self, *, engine: Engine, **options: Any) -> None:
        super().__init__(**options)
        self.engine = engine

    def _own(self) -> dict[str, Any]:
        return {**super()._own(), "engine": self.engine}

    async def post(self, path: str, *, cast_to: Any, **more: Any) -> Any:
        """Answer as the usual client does."""
        if is_heard(self, path, more.get("options")):
            return await super().post(path, cast_to=cast_to, **more)
        streamed = bool(more.get("stream"))
        options = more.get("options") or {}
        given = options.get("headers", {})
        plain = options.keys() <= _PLAIN and RAW_RESPONSE_HEADER not in given
        whole = path == PATH and plain and (streamed or cast_to is object)
        if not whole or is_diverted() or self.max_retries:
            return await super().post(path, cast_to=cast_to, **more)
        headers = {name: given[name] for name in KEY_HEADERS if name in given}
        timeout = options.get("timeout", self.timeout)
        read_timeout = getattr(timeout, "read", timeout)  # seconds, or httpx's or httpx2's Timeout
        try:
            answer = await self.engine.answer(
                "POST", path, headers, to_json(more["body"]), read_timeout=read_timeout
            )
        except Stalled:
            raise APITimeoutError(httpx2.Request("POST", BASE_URL + path)) from None
        if answer.events is not None:
            return Chunks(answer, answer.events)
        if answer.status < 400:
            return answer.content
        request = httpx2.Request("POST", BASE_URL + path, headers=self.auth_headers)
        raise self._make_status_error_from_response(response_of(answer, request)) from None


class Chunks(AsyncStream[ChatCompletionChunk]):
    """The pieces of a streamed answer as they come, with all that the SDK's own stream can do.

    Args:
        answer: what the engine said: the status and the headers.
        events: the pieces, as server-sent events.

    Raises openai.APITimeoutError when the next piece would take longer than the timeout.
    """

    def __init__(self, answer: HttpAnswer, events: Stream) -> None:
        self._answer = answer
        self._events = events
        self._iterator = self.__stream__()

    @cached_property
    def response(self) -> httpx2.Response:  # type: ignore[override]
        """The HTTP response that the pieces would have come in; made for who asks for it."""
        return response_of(self._answer, httpx2.Request("POST", BASE_URL + PATH))

    async def __stream__(self) -> AsyncIterator[ChatCompletionChunk]:
        try:
            async for event in self._events:
                data = event.removeprefix(b"data: ").strip()
                if data != b"[DONE]":
                    yield ChatCompletionChunk.construct(**from_json(data))
        except Stalled:
            raise APITimeoutError(httpx2.Request("POST", BASE_URL + PATH)) from None
        finally:
            await self.close()

    async def close(self) -> None:
        """End the answer at any point; the second time does nothing."""
        await self._events.aclose()
