"""One trace for everything a run does: OpenTelemetry spans with GenAI attributes, kept and drawn.

`Trace` records, `span` marks a step in whatever trace is being recorded, `tree` and `gantt` show
it as text; `course.trace.file` holds the format on disk.
"""

from course.trace.file import TRACE_SCHEMA
from course.trace.record import Recording, Trace, current, span
from course.trace.spans import Span, SpanEvent
from course.trace.views import gantt, tree

__all__ = [
    "TRACE_SCHEMA",
    "Recording",
    "Span",
    "SpanEvent",
    "Trace",
    "current",
    "gantt",
    "span",
    "tree",
]
