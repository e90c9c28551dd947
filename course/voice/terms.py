"""Words that are likely next: the values that a task's fields can take.

A recogniser that expects "mild, moderate, severe" hears "mild" where it would have heard "my old".
"""

from __future__ import annotations

import re
from calendar import day_name
from collections.abc import Iterator, Mapping
from typing import Any

from livekit.agents import Agent, AgentSession, AgentStateChangedEvent, llm
from livekit.agents.llm.utils import build_legacy_openai_schema

from course.delegation.results import adapter

_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b")
_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)")
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


def follow(session: AgentSession[Any]) -> None:
    """From now on let a session's recogniser expect what the agent's tools can be given.

    Whenever the agent listens, the field is chosen by its last question: by the words of the
    field's name and of its values. A task's finishing tool is such a tool, so a task needs no more.
    Full names that the question offers are expected too.

    Args:
        session: one whose ears take keyterms, such as `course.voice.hearing.Hearing`.
    """

    def listening(event: AgentStateChangedEvent) -> None:
        if event.new_state != "listening":
            return
        said = [each for each in session.history.messages() if each.role == "assistant"]
        question = (said[-1].text_content or "") if said else ""
        expected = offered(question) or in_order(tool_terms(session.current_agent), question)
        session.update_options(keyterms=expected)

    session.on("agent_state_changed", listening)


def offered(question: str) -> list[str]:
    """The full names that a question offers, without those it only quotes: they were misheard."""
    return _NAME.findall(_QUOTED.sub("", question)) if "?" in question else []


def tool_terms(agent: Agent) -> dict[str, tuple[str, ...]]:
    """What can be said for each field of an agent's tools."""
    found: dict[str, tuple[str, ...]] = {}
    for tool in llm.ToolContext(agent.tools).function_tools.values():
        if isinstance(tool, llm.RawFunctionTool):
            schema = tool.info.raw_schema["parameters"]
        else:
            schema = build_legacy_openai_schema(tool, internally_tagged=True)["parameters"]
        found |= schema_terms(schema)
    return found


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
    if field.get("format") == "date":
        yield from day_name
    inner = [field["items"]] if isinstance(field.get("items"), Mapping) else []
    for part in (*field.get("anyOf", ()), *field.get("oneOf", ()), *inner):
        yield from _values(part, definitions)
