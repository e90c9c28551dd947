"""What openai-agents tells its trace processors, in the course's trace.

    agents.set_trace_processors([AgentsHooks()])

in the place of its own, which sends what it sees to a service. Source: openai-agents 0.24, docs on
tracing.
"""

from __future__ import annotations

from typing import Any

from agents.tracing import Span, Trace, TracingProcessor

from course.joining.steps import Hooked, handed

OPERATIONS = {"agent": "invoke_agent", "function": "execute_tool"}


class AgentsHooks(TracingProcessor):  # type: ignore[misc]
    """Agents, tools and handoffs become steps; model calls are heard at the client."""

    def __init__(self) -> None:
        self._open: dict[str, Hooked] = {}

    def on_span_start(self, span: Span[Any]) -> None:
        """Begin a step."""
        if operation := OPERATIONS.get(span.span_data.type):
            self._open[span.span_id] = Hooked(operation, span.span_data.name)

    def on_span_end(self, span: Span[Any]) -> None:
        """End it, or note a handoff, of which all is known now."""
        data, error = span.span_data, (span.error or {}).get("message")
        if data.type == "handoff":
            handed(data.from_agent, data.to_agent)
        elif step := self._open.pop(span.span_id, None):
            about = {"gen_ai.agent.name": data.name}
            if data.type == "function":
                about = {"gen_ai.tool.name": data.name, "gen_ai.tool.call.arguments": data.input,
                         "gen_ai.tool.call.result": data.output}  # fmt: skip
            step.end(about, error)

    def on_trace_start(self, trace: Trace) -> None:
        """Nothing: the course's trace is one already."""

    def on_trace_end(self, trace: Trace) -> None:
        """Nothing."""

    def shutdown(self) -> None:
        """Nothing."""

    def force_flush(self) -> None:
        """Nothing."""
