"""Words that are likely next: the values that a task's fields can take.

A recogniser that expects "mild, moderate, severe" hears "mild" where it would have heard "my old".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from livekit.agents import AgentSession, ConversationItemAddedEvent
from livekit.agents.llm import ChatMessage

from course.delegation.results import adapter

_WORD = re.compile(r"[^\W_]{3,}")


def field_terms(result_type: Any) -> dict[str, tuple[str, ...]]:
    """What can be said for each field of a task's result: its enumerated values.

    Args:
        result_type: what a task results in. A type without fields is one field, `result`.
    """
    return schema_terms(adapter(result_type).json_schema())


def schema_terms(schema: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The same of a JSON schema, such as that of a tool's parameters."""
    definitions = schema.get("$defs", {})
    fields = schema.get("properties") or {"result": schema}
    found = {name: tuple(_values(field, definitions)) for name, field in fields.items()}
    return {name: values for name, values in found.items() if values}


def listen_for(session: AgentSession[Any], terms: Mapping[str, tuple[str, ...]]) -> None:
    """Let a session's recogniser expect these from now on, those of the field asked for last.

    With each question that the agent asks, the field is chosen anew by the question's words: those
    of the field's name, or one of its values.

    Args:
        session: one whose ears take keyterms, such as `course.voice.hearing.Hearing`.
        terms: fields with their values, as `field_terms` gives them.
    """
    session.update_options(keyterms=in_order(terms, ""))

    def asked(event: ConversationItemAddedEvent) -> None:
        item = event.item
        if isinstance(item, ChatMessage) and item.role == "assistant":
            session.update_options(keyterms=in_order(terms, item.text_content or ""))

    earlier = _listeners.pop(id(session), None)
    if earlier:
        session.off("conversation_item_added", earlier)
    _listeners[id(session)] = asked
    session.on("conversation_item_added", asked)
    session.once("close", lambda event: _listeners.pop(id(session), None))


_listeners: dict[int, Any] = {}


def in_order(terms: Mapping[str, tuple[str, ...]], question: str) -> list[str]:
    """All values, the likeliest last: where the prompt is cut, its end stays."""

    def asked_for(name: str) -> int:
        words = {*name.lower().split("_"), *(w.lower() for v in terms[name] for w in v.split())}
        return len(words & {word.lower() for word in _WORD.findall(question)})

    ordered = sorted(terms, key=asked_for)
    best = max((asked_for(name) for name in terms), default=0)
    chosen = [name for name in ordered if asked_for(name) == best] if best else ordered
    return list(dict.fromkeys(value for name in chosen for value in terms[name]))


def _values(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in field:
        yield from _values(definitions.get(str(field["$ref"]).rpartition("/")[2], {}), definitions)
    yield from (value for value in field.get("enum", ()) if isinstance(value, str))
    if isinstance(field.get("const"), str):
        yield field["const"]
    if field.get("type") == "boolean":
        yield from ("yes", "no")
    inner = [field["items"]] if isinstance(field.get("items"), Mapping) else []
    for part in (*field.get("anyOf", ()), *field.get("oneOf", ()), *inner):
        yield from _values(part, definitions)
