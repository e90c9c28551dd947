"""Words that are likely next: the values that a task's fields can take.

A recogniser that expects "mild, moderate, severe" hears "mild" where it would have heard "my old".
What it wrongly expects it also hears, so a field without values, such as a name, brings none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from livekit.agents import Agent, AgentSession, AgentStateChangedEvent, llm
from livekit.agents.llm.utils import build_legacy_openai_schema

from course.delegation.results import adapter
from course.voice.hearing import Hearing, sentences

_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+\b")
_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)")
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True)
class Asked:
    """What a question for a field says, and what can be said to it.

    Attributes:
        values: the enumerated values and examples; nothing for free text.
        words: of its name, its description and its values, in lower case.
    """

    values: tuple[str, ...]
    words: frozenset[str]


def field_terms(result_type: Any) -> dict[str, tuple[str, ...]]:
    """What can be said for each field of a task's result: its enumerated values and examples.

    Args:
        result_type: what a task results in. A type without fields is one field, `result`.
    """
    fields = schema_fields(adapter(result_type).json_schema())
    return {name: field.values for name, field in fields.items() if field.values}


def schema_fields(schema: Mapping[str, Any]) -> dict[str, Asked]:
    """The fields of a JSON schema, such as that of a tool's parameters."""
    definitions = schema.get("$defs", {})
    fields = schema.get("properties") or {"result": schema}
    found = {}
    for name, field in fields.items():
        values = tuple(dict.fromkeys(_values(field, definitions)))
        text = " ".join((name.replace("_", " "), str(field.get("description", "")), *values))
        found[name] = Asked(values, frozenset(_WORD.findall(text.lower())))
    return found


def follow(session: AgentSession[Any]) -> None:
    """From now on let a session's recogniser expect what the agent's tools can be given.

    Whenever the agent listens, the field is chosen by its last question: by the words of the
    field's name, description and values. A task's finishing tool is such a tool, so a task needs no
    more. Where it is a name, those that the question offers are expected.

    Args:
        session: one whose ears take keyterms, such as `course.voice.hearing.Hearing`.
    """

    def listening(event: AgentStateChangedEvent) -> None:
        if event.new_state != "listening":
            return
        said = [each for each in session.history.messages() if each.role == "assistant"]
        question = (said[-1].text_content or "") if said else ""
        if isinstance(session.stt, Hearing):
            session.stt.asked(question)
        expected = likely(tool_fields(session.current_agent), question)
        session.update_options(keyterms=expected)

    session.on("agent_state_changed", listening)


def offered(question: str) -> list[str]:
    """The full names that a question offers, without those it only quotes: they were misheard."""
    return _NAME.findall(_QUOTED.sub("", question)) if "?" in question else []


def tool_fields(agent: Agent) -> dict[str, Asked]:
    """The fields of an agent's tools."""
    found: dict[str, Asked] = {}
    for tool in llm.ToolContext(agent.tools).function_tools.values():
        if isinstance(tool, llm.RawFunctionTool):
            schema = tool.info.raw_schema["parameters"]
        else:
            schema = build_legacy_openai_schema(tool, internally_tagged=True)["parameters"]
        found |= schema_fields(schema)
    return found


def likely(fields: Mapping[str, Asked], question: str) -> list[str]:
    """What can be said to a question: values, those that it tells last, or full names it offers.

    Only its last sentence asks; what stands before it, such as a doctor's name, is no answer.

    Args:
        fields: those of the agent's tools.
        question: all that the agent said.
    """
    said = {*_WORD.findall(sentences(question)[-1].lower())}
    best = max((len(field.words & said) for field in fields.values()), default=0)
    chosen = [field for field in fields.values() if len(field.words & said) == best]
    values = dict.fromkeys(value for field in chosen for value in field.values)
    names = offered(question)
    if names and not (best and values):
        return names
    return sorted(values, key=lambda value: best > 0 and value.lower() in question.lower())


def _values(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in field:
        yield from _values(definitions.get(str(field["$ref"]).rpartition("/")[2], {}), definitions)
    told = (*field.get("enum", ()), *field.get("examples", ()))
    yield from (value for value in told if isinstance(value, str))
    if isinstance(field.get("const"), str):
        yield field["const"]
    if field.get("type") == "boolean":
        yield from ("yes", "no")
    inner = [field["items"]] if isinstance(field.get("items"), Mapping) else []
    for part in (*field.get("anyOf", ()), *field.get("oneOf", ()), *inner):
        yield from _values(part, definitions)
