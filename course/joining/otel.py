"""OpenTelemetry's spans in the course's trace, as children of the step in which they began.

Agent(model, instrument=InstrumentationSettings(tracer_provider=provider()))    # pydantic-ai
opentelemetry.trace.set_tracer_provider(provider())                             # any other
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace import Span as OpenSpan
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import StatusCode

from course import clock
from course.joining.steps import join
from course.trace import OPERATION, Span, Trace, Value, all_plain, current
from course.trace_ids import SeededIds

_NAMES = ("gen_ai.tool.name", "gen_ai.agent.name", "gen_ai.request.model")
_OTHERS = (OPERATION, "gen_ai.conversation.id", "gen_ai.agent.id", "gen_ai.agent.call.id")
"""What the span has as its operation, and ids that are others whenever a run is made again."""
LONGEST = 2_000
"""Characters of one attribute that a span keeps."""


class Joining(SpanProcessor):
    """Makes a `course.trace.Span` of every span that begins while a course trace is recorded.

    Times are the trace's own, so that they fit its other spans in virtual time as well.
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[Trace, float]] = {}
        self._lock = threading.Lock()  # a worker's calls may each have a thread of their own

    def on_start(self, span: OpenSpan, parent_context: Context | None = None) -> None:
        """Give the span its place in the trace."""
        trace, context = current(), span.get_span_context()
        if trace is None or context is None:
            return
        with self._lock:
            self._open[context.span_id] = (trace, trace.begin(context.span_id))

    def on_end(self, span: ReadableSpan) -> None:
        """Add the finished span to the trace in which it began."""
        context = span.context
        with self._lock:
            opened = self._open.pop(context.span_id, None) if context else None
        if opened is None or context is None:
            return
        trace, start = opened
        noted: dict[str, Any] = dict(span.attributes or {})
        attributes = all_plain(noted)
        kept = {key: _short(value) for key, value in attributes.items() if _is_kept(key, value)}
        failed = span.status.status_code is StatusCode.ERROR
        operation = str(attributes.get(OPERATION, span.name))
        if operation == "invoke_agent":  # in a session, whose turn it is has the conversation
            kept["switchboard.holder"] = str(kept.get("gen_ai.agent.name", span.name))
        join(
            trace,
            Span(
                name=next((str(kept[key]) for key in _NAMES if key in kept), span.name),
                operation=operation,
                span_id=format(context.span_id, "016x"),
                parent_id=format(span.parent.span_id, "016x") if span.parent else None,
                start=start,
                end=max(start, trace.now()),
                attributes=kept,
                status="error" if failed else "ok",
                error=(span.status.description or "failed") if failed else None,
            ),
        )


class TraceIds(IdGenerator):
    """Ids that are the same whenever the same run is made again, in a course trace."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()
        self._of: WeakKeyDictionary[Trace, SeededIds] = WeakKeyDictionary()

    def generate_span_id(self) -> int:
        """The next span's id: by the trace that is recorded, or by chance outside one."""
        trace = current()
        if trace is None:
            return self._random.generate_span_id()
        ids = self._of.setdefault(trace, SeededIds(f"{trace.trace_id}/live"))
        return ids.next_span()

    def generate_trace_id(self) -> int:
        """The id of a trace that begins outside any step: that of the one that is recorded."""
        trace = current()
        return int(trace.trace_id, 16) if trace else self._random.generate_trace_id()


@cache
def provider() -> TracerProvider:
    """Of whoever emits spans: those made with it join the trace that is being recorded."""
    resource = Resource({"service.name": "switchboard"})  # or it looks around in threads
    made = TracerProvider(id_generator=TraceIds(), resource=resource)
    made.add_span_processor(Joining())
    return made


def _is_kept(key: str, value: Value) -> bool:
    """The conventions' attributes, and what LiveKit measured, where its clock is the trace's."""
    if key in _OTHERS:
        return False
    if key.startswith("lk.") or isinstance(value, float):
        return not clock.is_virtual() and isinstance(value, bool | int | float)
    return key.startswith(("gen_ai.", "error."))


def _short(value: Value) -> Value:
    return f"{value[:LONGEST]}…" if isinstance(value, str) and len(value) > LONGEST else value
