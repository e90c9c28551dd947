"""A model that answers from a function: for tests, for graders, and for seeing what was asked."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from course.errors import UnexpectedRequest
from course.models.gauge import Gauge
from course.models.wire import ChatRequest, Reply

Scripting: TypeAlias = Reply | str | Sequence[Reply] | None
Script: TypeAlias = Callable[[ChatRequest], Scripting | Awaitable[Scripting]]


class Scripted:
    """A model whose answers are a function of the request.

    `function` gets a `ChatRequest` and returns a `Reply`, a plain text, or one `Reply` for each
    choice; it may be asynchronous, and may raise `ApiError` to answer with an error. Since it sees
    the request and not a position in a list, one function serves many agents at once and gives
    each the same answers in whatever order they ask.

    Args:
        function: the script.
        strict: raise UnexpectedRequest where the function returns None; otherwise such a request
            is answered with an empty text.
        latency: seconds each answer takes.

    Attributes:
        requests: every request so far, in the order of arrival.
    """

    def __init__(self, function: Script, *, strict: bool = True, latency: float = 0.0) -> None:
        self.requests: list[ChatRequest] = []
        self.latency = latency
        self.gauge = Gauge()
        self._function = function
        self._strict = strict

    @property
    def in_flight_peak(self) -> int:
        """The most requests that were being answered at the same time."""
        return self.gauge.peak

    async def __call__(self, request: ChatRequest) -> Reply | str | Sequence[Reply]:
        """Answer a request; called by the engine."""
        self.requests.append(request)
        answer = self._function(request)
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is not None:
            return answer
        if self._strict:
            raise UnexpectedRequest(f"the script has no answer to {_describe(request)}")
        return ""


def _describe(request: ChatRequest) -> str:
    """A request in one line: who asked, the last message, and the tools on offer."""
    last = request.messages[-1]
    text = " ".join(str(last.get("content") or "").split())
    shown = text if len(text) <= 120 else text[:117] + "..."
    who = f"{request.key.agent}, call {request.key.call}"
    tools = ", ".join(tool.name for tool in request.tools) or "none"
    return f"the {last['role']} message {shown!r} ({who}; tools: {tools})"
