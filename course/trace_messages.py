"""Chat Completions messages in the form in which traces keep them: GenAI's, in parts.

Source: OpenTelemetry GenAI semantic conventions, `gen_ai.input.messages`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

LONGEST_TEXT = 4_000
MOST_MESSAGES = 40
"""What a `chat` span keeps: characters of one text, and of a longer conversation that many
messages, the first two and the last ones."""


def as_json(messages: Iterable[Mapping[str, Any]], *, whole: bool = True, **more: str) -> str:
    """Chat Completions messages in the conventions' form, each with `more` (such as
    `finish_reason`); if not `whole`, short enough for every call's span.
    """
    told = [{**_in_parts(each, None if whole else LONGEST_TEXT), **more} for each in messages]
    over = len(told) - MOST_MESSAGES
    if over > 0 and not whole:
        left_out = {"type": "text", "content": f"({over} messages left out)"}
        told[2 : 2 + over] = [{"role": "system", "parts": [left_out]}]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=str)


def _in_parts(message: Mapping[str, Any], longest: int | None) -> dict[str, Any]:
    def cut(text: Any) -> Any:
        if longest is None or not isinstance(text, str) or len(text) <= longest:
            return text
        return f"{text[:longest]}… ({len(text)} characters)"

    role, content = message.get("role"), message.get("content")
    parts: list[dict[str, Any]] = []
    if role == "tool":
        id = message.get("tool_call_id")
        parts.append({"type": "tool_call_response", "id": id, "response": cut(content)})
    elif content is not None:
        # a message may be in parts already; what a picture shows is too long for a trace
        for each in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            said = {"content": cut(each.get("text"))} if each.get("type") == "text" else {}
            parts.append({"type": str(each.get("type")), **said})
    for call in message.get("tool_calls") or ():
        asked = call.get("function") or {}
        name, arguments = asked.get("name"), cut(asked.get("arguments"))
        told = {"type": "tool_call", "id": call.get("id"), "name": name, "arguments": arguments}
        parts.append(told)
    return {"role": role, "parts": parts}
