"""Messages as a span carries them: JSON text in the form of the GenAI conventions.

Source: OpenTelemetry GenAI conventions, `gen_ai.input.messages` and `gen_ai.output.messages`: each
message has a role and parts (text, tool_call, tool_call_response).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

CAPTURE_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
LONGEST_TEXT = 4_000
"""Characters of one text that a `chat` span keeps."""

MOST_MESSAGES = 40
"""Messages that a `chat` span keeps: the first two and the last ones of a longer conversation."""


def captured_by_default() -> bool:
    """Whether `chat` spans carry their messages where the trace does not say.

    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is "true", "span_only" or "span_and_event".
    """
    said = os.environ.get(CAPTURE_VARIABLE, "").lower()
    return said in ("true", "span_only", "span_and_event")


def as_json(messages: Iterable[Mapping[str, Any]]) -> str:
    """Chat Completions messages in the conventions' form, as they are."""
    return _text([_in_parts(each) for each in messages])


def shortened(messages: Iterable[Mapping[str, Any]], **more: str) -> str:
    """As `as_json`, each with `more` (such as `finish_reason`), but short enough for every call's
    span.
    """
    told = [{**_in_parts(each, LONGEST_TEXT), **more} for each in messages]
    if over := max(0, len(told) - MOST_MESSAGES):
        left_out = {"type": "text", "content": f"({over} messages left out)"}
        told[2 : 2 + over] = [{"role": "system", "parts": [left_out]}]
    return _text(told)


def _text(told: list[dict[str, Any]]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=str)


def _in_parts(message: Mapping[str, Any], longest: int | None = None) -> dict[str, Any]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        id, response = message.get("tool_call_id"), _cut(content, longest)
        parts = [{"type": "tool_call_response", "id": id, "response": response}]
    elif isinstance(content, list):  # a message in parts already, such as text and a picture
        parts = [_part(each, longest) for each in content]
    else:
        parts = [] if content is None else [{"type": "text", "content": _cut(content, longest)}]
    for call in message.get("tool_calls") or ():
        asked = call.get("function") or {}
        name, arguments = asked.get("name"), _cut(asked.get("arguments"), longest)
        told = {"type": "tool_call", "id": call.get("id"), "name": name, "arguments": arguments}
        parts.append(told)
    return {"role": role, "parts": parts}


def _part(part: Mapping[str, Any], longest: int | None) -> dict[str, Any]:
    if part.get("type") == "text":
        return {"type": "text", "content": _cut(part.get("text"), longest)}
    return {"type": str(part.get("type"))}  # what a picture shows is too long for a trace


def _cut(text: Any, longest: int | None) -> Any:
    if longest is None or not isinstance(text, str) or len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text)} characters)"
