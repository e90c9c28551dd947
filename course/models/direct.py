"""The fast lane: the same client, whose chat requests reach the engine without HTTP objects.

For sweeps of thousands of runs. Answers, errors, times and traces are the same to the byte, and a
model call takes half the CPU: what is left out are the requests and responses of the client.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
from openai import APITimeoutError
from openai._utils._json import openapi_dumps
from openai.types.chat import ChatCompletionChunk
from pydantic_core import from_json

from course.models.client import BASE_URL, CourseClient
from course.models.conditions import Stalled
from course.models.engine import Engine, Stream
from course.models.transport import is_diverted, too_slow
from course.models.wire import KEY_HEADERS

PATH = "/chat/completions"


class DirectClient(CourseClient):
    """A client of an engine in this process; what is no plain chat request takes the usual way."""

    def __init__(self, *, engine: Engine, **options: Any) -> None:
        super().__init__(**options)
        self.engine = engine

    def _own(self) -> dict[str, Any]:
        return {**super()._own(), "engine": self.engine}

    async def post(self, path: str, *, cast_to: Any, **more: Any) -> Any:
        """Answer as the usual client does."""
        streamed = bool(more.get("stream"))
        if path != PATH or is_diverted() or self.max_retries or not (streamed or cast_to is object):
            return await super().post(path, cast_to=cast_to, **more)
        given = (more.get("options") or {}).get("headers", {})
        headers = {name: given[name] for name in KEY_HEADERS if name in given}
        patience = self.timeout.read if isinstance(self.timeout, httpx2.Timeout) else self.timeout
        try:
            answer = await self.engine.answer(
                "POST", path, headers, openapi_dumps(more["body"]), patience=patience
            )
        except Stalled:
            raise APITimeoutError(httpx2.Request("POST", BASE_URL + path)) from None
        if answer.events is not None:
            return _chunks(answer.events)
        if answer.status < 400:
            return answer.content
        request = httpx2.Request("POST", BASE_URL + path, headers=self.auth_headers)
        response = httpx2.Response(
            answer.status, headers=answer.headers, content=answer.body, request=request
        )
        raise self._make_status_error_from_response(response) from None


async def _chunks(events: Stream) -> AsyncIterator[ChatCompletionChunk]:
    """The pieces of a streamed answer as they come."""
    try:
        async for event in events:
            data = event.removeprefix(b"data: ").strip()
            if data != b"[DONE]":
                yield ChatCompletionChunk.construct(**from_json(data))
    except Stalled:
        raise too_slow(httpx2.Request("POST", BASE_URL + PATH)) from None
    finally:
        await events.aclose()
