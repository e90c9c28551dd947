"""Properties that hold for every request: valid arguments, no exception, the same reply again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from course.models.draws import Draws
from course.models.policy import respond
from course.models.wire import ChatRequest, ToolSpec
from tests.policy.cases import ALL

NAMES = st.sampled_from(["", "_", "名"]) | st.sampled_from(
    "name date time amount quantity customer_id order_id city email kind note items active limit "
    "start title query phone currency reason address count tags details".split()
)
SAID = st.sampled_from(
    [
        "Book a table for four tomorrow at 7pm, my name is Tom Becker",
        "Pay invoice INV-1042 of 120.50 EUR and tell me what Anna Vogt owes",
        "Hello!",
        "",
        "Find red shoes, a hat and two scarves under 30 euros for 12 March at half past two",
        "cancel it",
        '{"task": "x", "error": "y"}',
        "Task: find the revenue\nError: needs a year\nContext: [a] 12 EUR",
        "¿Qué? 你好 \x00 €€ 99999999999999999999 31/31/2026 25:99",
    ]
)


def _numbers(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    low = st.integers(-50, 50)
    return st.one_of(
        st.just({"type": kind}),
        low.map(lambda n: {"type": kind, "minimum": n}),
        low.map(lambda n: {"type": kind, "maximum": n}),
        low.map(lambda n: {"type": kind, "minimum": n, "maximum": n + 7}),
        low.map(lambda n: {"type": kind, "exclusiveMinimum": n}),
        st.integers(1, 9).map(lambda n: {"type": kind, "multipleOf": n}),
    )


STRINGS = st.one_of(
    st.just({"type": "string"}),
    st.integers(0, 12).map(lambda n: {"type": "string", "minLength": n}),
    st.integers(0, 12).map(lambda n: {"type": "string", "maxLength": n}),
    st.sampled_from(["date", "time", "date-time", "email", "uuid", "uri"]).map(
        lambda f: {"type": "string", "format": f}
    ),
    st.sampled_from(
        [
            r"^[A-Z]{2}\d{4}$",
            r"^(red|green)-\d+$",
            r"^\d{5}(-\d{4})?$",
            r"^[a-z]+@x\.org$",
            r"^#[0-9a-f]{6}$",
        ]
    ).map(lambda p: {"type": "string", "pattern": p}),
    st.lists(st.text("abcxyz ", min_size=1, max_size=8), min_size=1, max_size=4, unique=True).map(
        lambda values: {"enum": values}
    ),
)
SCALARS = st.one_of(
    STRINGS,
    _numbers("integer"),
    _numbers("number"),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"const": 3}),
    st.just({"type": ["string", "null"]}),
    st.just({"$ref": "#/$defs/Thing"}),
    st.just({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    st.just({"$ref": "#/$defs/Sum"}),
    st.just({"anyOf": [{"$ref": "#/$defs/Add"}, {"$ref": "#/$defs/Thing"}]}),
    st.just({"type": "array", "items": {"$ref": "#/$defs/Sum"}, "minItems": 2}),
    st.just({"type": "array", "items": {"type": "string"}, "minItems": 60}),
)


def _objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    @st.composite
    def build(draw: st.DrawFn) -> dict[str, Any]:
        properties = draw(st.dictionaries(NAMES, inner, max_size=5))
        required = [n for n in properties if draw(st.booleans())]
        schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
        if draw(st.booleans()):
            schema["additionalProperties"] = False
        return schema

    return build()


def _arrays(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda items, low: {"type": "array", "items": items, "minItems": low},
        inner,
        st.integers(0, 2),
    )


SCHEMAS = st.recursive(SCALARS, lambda s: st.one_of(_objects(s), _arrays(s)), max_leaves=12)
PARAMETERS = _objects(SCHEMAS).map(
    lambda s: {
        **s,
        "$defs": {
            "Thing": {
                "type": "object",
                "properties": {"label": {"type": "string"}},
                "required": ["label"],
            },
            "Sum": {"anyOf": [{"$ref": "#/$defs/Add"}, {"type": "number"}]},
            "Add": {
                "type": "object",
                "properties": {"left": {"$ref": "#/$defs/Sum"}, "right": {"$ref": "#/$defs/Sum"}},
                "required": ["left", "right"],
                "additionalProperties": False,
            },
        },
    }
)


def _ask(text: str, **more: Any) -> ChatRequest:
    return ChatRequest("test", ({"role": "user", "content": text},), **more)


@given(PARAMETERS, SAID)
def test_forced_arguments_validate(schema: dict[str, Any], said: str) -> None:
    tool = ToolSpec("do_thing", "Do the thing.", schema)
    for choice in ("required", "named"):
        reply = respond(
            _ask(said, tools=(tool,), tool_choice=choice, named_tool="do_thing"), Draws()
        )
        assert {c.name for c in reply.calls} == {"do_thing"}
        for call in reply.calls:
            Draft202012Validator(schema).validate(json.loads(call.arguments))


@given(PARAMETERS, SAID)
def test_free_arguments_validate(schema: dict[str, Any], said: str) -> None:
    tool = ToolSpec("book_table", "Book a table, pay an invoice, find shoes.", schema)
    for call in respond(_ask(said, tools=(tool,)), Draws()).calls:
        Draft202012Validator(schema).validate(json.loads(call.arguments))


@given(PARAMETERS, SAID)
def test_structured_answers_validate(schema: dict[str, Any], said: str) -> None:
    reply = respond(_ask(said, response_format="json_schema", schema=schema), Draws())
    assert not reply.calls
    Draft202012Validator(schema).validate(json.loads(reply.text or ""))


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


def test_as_deep_as_a_schema_goes_its_answer_goes() -> None:
    for schema in (_nested(20), _nested(60)):
        reply = respond(_ask("Hello!", response_format="json_schema", schema=schema), Draws())
        Draft202012Validator(schema).validate(json.loads(reply.text or ""))


def test_what_no_value_can_meet_is_answered_all_the_same() -> None:
    itself = {"type": "object", "properties": {n: {"$ref": "#"} for n in "abcd"},
              "required": [*"abcd"]}  # fmt: skip
    long = {"type": "object", "properties": {"text": {"type": "string", "minLength": 10**9}},
            "required": ["text"]}  # fmt: skip
    for schema in (itself, long, {"allOf": [{"$ref": "#"}]}):
        tools = (ToolSpec("do", "", schema),)
        answer = respond(_ask("Hello!", response_format="json_schema", schema=schema), Draws())
        call = respond(_ask("Hello!", tools=tools, tool_choice="required"), Draws()).calls[0]
        for said in (answer.text or "", call.arguments):
            assert len(said) < 100_000 and json.loads(said) is not None


TEXTS = st.one_of(SAID, st.text(max_size=60), st.none(), st.just([{"type": "text", "text": "hi"}]))
CALLS = st.builds(
    lambda name, arguments, n: {
        "id": f"c{n}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    st.sampled_from(["find_person", "book_table", "gone", ""]),
    st.sampled_from(
        [
            '{"name": "Anna"}',
            "{}",
            "{broken",
            '"text"',
            "[1]",
            "null",
            '{"name": NaN}',
            '{"a":' * 999,
        ]
    ),
    st.integers(0, 3),
)
RESULTS = st.sampled_from(
    [
        '[{"id": "P-1", "name": "Anna Vogt"}, {"id": "P-2", "name": "Anna Roth"}]',
        '{"error": "unknown day; use one of: monday, friday"}',
        "Error: no such tool",
        "[]",
        "null",
        "12.5",
        '{"a": {"b": [{"c": null}]}}',
        "NaN",
        '{"paid": Infinity, "owed": 1e999}',
        "[1e999]",
        "Paid(day=date('x', 1, [2]))",
        '{"a":' * 300 + "1" + "}" * 300,
        "[" * 900 + "]" * 900,
        "[" * 2000,
        "plain words",
        "",
    ]
)
MESSAGES = st.lists(
    st.one_of(
        st.builds(
            lambda r, t: {"role": r, "content": t},
            st.sampled_from(["user", "system", "developer", "assistant"]),
            TEXTS,
        ),
        st.builds(
            lambda c: {"role": "assistant", "content": None, "tool_calls": c},
            st.lists(CALLS, min_size=1, max_size=3),
        ),
        st.builds(
            lambda n, t: {"role": "tool", "tool_call_id": f"c{n}", "content": t},
            st.integers(0, 3),
            RESULTS,
        ),
    ),
    max_size=8,
)
TOOLS = (
    ToolSpec(
        "find_person",
        "Find a person.",
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ),
    ToolSpec(
        "book_table",
        "Book a table for a person.",
        {
            "type": "object",
            "properties": {"person_id": {"type": "string"}, "day": {"enum": ["monday", "friday"]}},
            "required": ["person_id", "day"],
        },
    ),
    ToolSpec("ping"),
)


@given(
    MESSAGES,
    st.sampled_from(["auto", "none", "required"]),
    st.sampled_from(["text", "json_object"]),
    st.booleans(),
)
def test_any_conversation_gets_the_same_reply_twice(
    messages: list[dict[str, Any]], choice: Any, shape: Any, several: bool
) -> None:
    request = ChatRequest(
        "test",
        tuple(messages),
        tools=TOOLS,
        tool_choice=choice,
        response_format=shape,
        parallel_tool_calls=several,
    )
    reply = respond(request, Draws(seed=3), error_rate=0.3)
    assert reply == respond(request, Draws(seed=3), error_rate=0.3)
    assert bool(reply.calls) != (reply.text is not None)
    assert len(reply.calls) <= 1 or several
    if choice == "none":
        assert not reply.calls
    if choice == "required":
        assert reply.calls


TRANSFER = ToolSpec("transfer_to_billing", "Hand over to billing. Invoices and payments.")
FIRST_OF_EACH = [*{case.domain: case for case in reversed(ALL)}.values()]


@pytest.mark.parametrize("transfer", [(), (TRANSFER,)], ids=["alone", "in a team"])
def test_strict_tools_are_used_as_others_are(transfer: tuple[ToolSpec, ...]) -> None:
    assert len(FIRST_OF_EACH) > 20
    for case in FIRST_OF_EACH:
        told = [
            respond(
                _ask(
                    f"My bill is wrong. {case.say}",
                    tools=tuple(replace(t, strict=strict) for t in (*transfer, *case.tools)),
                ),
                Draws(),
            )
            for strict in (False, True)
        ]
        assert told[0] == told[1], case.id
