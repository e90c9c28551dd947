"""Spans that somebody else's code makes, in the course's trace, and none of them twice.

What emits OpenTelemetry joins by a tracer provider (`otel`: pydantic-ai, agent-framework, LiveKit);
openai-agents and langgraph have hooks of their own, which `openai_agents` and `langgraph` take.
A model call that is heard at the client, or a tool that the course carried out, is the course's
step; what a framework says of the same thing is left out, and what it says besides is kept.
"""
