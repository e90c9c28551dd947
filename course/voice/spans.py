"""LiveKit's own spans in the course's trace, as children of the step in which they began."""

from __future__ import annotations

from functools import cache

from livekit.agents import telemetry

from course.joining.otel import provider


@cache
def join_spans() -> None:
    """From now on LiveKit's spans join the trace that is being recorded; twice does no more.

    Where LiveKit has a tracer provider of its own already, as in a worker, call
    `provider.add_span_processor(course.joining.otel.Joining())` instead.
    """
    telemetry.set_tracer_provider(provider())
