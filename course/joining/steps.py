"""A step that a framework tells of, from its beginning to its end."""

from __future__ import annotations

from typing import Any

from opentelemetry.context import attach, get_current
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    get_current_span,
    set_span_in_context,
)

from course.models.heard import is_around, tool_told
from course.trace import Span, Trace, all_plain, current, span


def join(trace: Trace, step: Span) -> None:
    """Add a framework's step, unless it says what a step of the course in it says already."""
    said = ((each.operation, each.name) for each in trace.within(step.span_id))
    same = (step.operation, step.name) in said
    if same or (step.operation == "chat" and is_around(trace, step.span_id)):
        trace.skip(step.span_id, step.parent_id)
        return
    if step.operation == "execute_tool":
        tool_told(trace, step.name)
    trace.add(step)


def handed(one: str | None, other: str | None) -> None:
    """Note that the conversation has moved from one agent to another one."""
    told = {"kind": "transfer", "from": one, "to": other}
    attributes = {f"switchboard.handoff.{key}": value for key, value in told.items()}
    with span("handoff", f"{one} -> {other}", attributes) as step:
        step.set("switchboard.holder", other)


class Hooked:
    """A step that began now, in the trace that is being recorded, if any; what begins before its
    `end`, in the same task or one that it starts, is within it."""

    def __init__(self, operation: str, name: str) -> None:
        self._operation, self._name = operation, name
        self._trace = trace = current()
        if trace is None:
            return
        above = get_current_span().get_span_context()
        mine = int(trace.trace_id, 16)
        self._parent = format(above.span_id, "016x") if above.trace_id == mine else None
        self._id, self._start = trace.reserve()
        ids = SpanContext(mine, int(self._id, 16), False, TraceFlags(TraceFlags.SAMPLED))
        self._here, self._before = NonRecordingSpan(ids), get_current()
        attach(set_span_in_context(self._here))

    def end(self, attributes: dict[str, Any], error: str | None = None) -> None:
        """End it, with OpenTelemetry's attributes and what went wrong."""
        if (trace := self._trace) is None:
            return
        if get_current_span() is self._here:  # some hooks end in another task than they began in
            attach(self._before)
        step = Span(
            name=self._name, operation=self._operation, span_id=self._id, parent_id=self._parent,
            start=self._start, end=max(self._start, trace.now()), attributes=all_plain(attributes),
            status="ok" if error is None else "error", error=error,
        )  # fmt: skip
        join(trace, step)
