"""One trace for everything a run does: OpenTelemetry spans with GenAI attributes, kept.

`Trace` records, `span` marks a step. What reads traces is in `course.observability`.
"""

from course.trace.record import TRACE_SCHEMA, Recording, Span, SpanEvent, Trace, current, span

__all__ = [
    "TRACE_SCHEMA",
    "Recording",
    "Span",
    "SpanEvent",
    "Trace",
    "current",
    "span",
]
