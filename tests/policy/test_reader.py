"""The reader's stages on schemas of no scenario: shapes, choices, twins, and what it leaves be."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.mentions import mentions
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.matters import matters_of, mended
from course.models.policy.reader.slots import offer_of
from course.models.wire import ChatRequest, ToolSpec

DAY = date(2026, 6, 9)


def kiln(**properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec("book_firing", "Book a firing of the kiln.", schema)


@pytest.mark.parametrize(
    ("schema", "said", "value"),
    [
        ({"type": "string", "examples": ["KF-1001"]}, "for kf 2290", "KF-2290"),
        ({"type": "string", "pattern": r"^\d{2}/[A-Z]{2}$"}, "under 17/QB", "17/QB"),
        ({"type": "string", "enum": ["e_kiln", "gas_kiln"]}, "in the electric kiln", "e_kiln"),
        ({"type": "string", "enum": ["5kg", "15kg"]}, "of 15 kg", "15kg"),
        ({"type": "string", "enum": ["sms", "letter"]}, "tell me by text message", "sms"),
        ({"type": "string", "enum": ["matt", "glossy"]}, "glossy, not matt", "glossy"),
        ({"type": "string", "format": "date"}, "on 12 June, KF-9", "2026-06-12"),
        ({"type": "array", "items": {"enum": ["red", "blue"]}}, "red and blue", ["red", "blue"]),
    ],
)
def test_a_slot_takes_what_has_its_form(schema: dict[str, Any], said: str, value: Any) -> None:
    offer = offer_of((kiln(what=schema),))
    assert fill_tool(offer, 0, f"Please book a firing {said}.", DAY).values == {"what": value}


@pytest.mark.parametrize(
    ("said", "on"), [("with glaze", True), ("without glaze", False), ("unglazed", False)]
)
def test_a_switch_is_turned_the_way_it_is_said(said: str, on: bool) -> None:
    offer = offer_of((kiln(glazed={"type": "boolean"}),))
    assert fill_tool(offer, 0, f"Please book a firing {said}.", DAY).values == {"glazed": on}


def test_nothing_is_filled_from_nowhere() -> None:
    offer = offer_of((kiln(number={"type": "string", "examples": ["KF-1001"]}),))
    made = fill_tool(offer, 0, "Please book a firing for me.", DAY)
    assert made.values == {} and [s.name for s in made.missing] == ["number"]


def test_two_ids_side_by_side_are_two_calls_and_a_slip_is_mended() -> None:
    cancel = ToolSpec(
        "cancel_firing",
        "Cancel a firing.",
        {"type": "object", "properties": {"number": {"type": "string", "examples": ["KF-1001"]}},
         "required": ["number"]},
    )  # fmt: skip
    text = mended("Please cacnel KF-2001 and KF-2002.", (cancel,))
    assert text == "Please cancel KF-2001 and KF-2002."
    found = [m.filling.values for m in matters_of((cancel,), text, DAY)]
    assert found == [{"number": "KF-2001"}, {"number": "KF-2002"}]


SELF = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
ODD: tuple[dict[str, Any], ...] = (
    SELF,
    {"type": "object", "properties": {"n": {"type": "array", "items": {"$ref": "#"}}}},
    {"type": "object", "properties": {"n": {"type": "integer", "minimum": 10**400}},
     "required": ["n"]},
    {"type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": "x"}},
     "required": ["n"]},
    {"type": "object", "properties": {"n": {"enum": []}}, "required": ["n"]},
    {"type": "object", "properties": {"n": {"pattern": "([", "type": "string"}}, "required": ["n"]},
)  # fmt: skip


def test_a_row_of_digits_that_nobody_means_is_no_number() -> None:
    assert [m.kind for m in mentions("1" * 4_400)] == []


@pytest.mark.parametrize("schema", ODD, ids=str)
def test_no_schema_breaks_an_answer(schema: dict[str, Any]) -> None:
    text = "Please book it at 25:99 on 31 February, 1e999"
    said = ({"role": "user", "content": text},)
    tools = (ToolSpec("book_it", "Book it.", schema),)
    for request in (
        ChatRequest("test", said, tools=tools),
        ChatRequest("test", said, tools=tools, tool_choice="required"),
        ChatRequest("test", said, response_format="json_schema", schema=schema),
    ):
        answer = respond(request, Draws())
        assert answer.text is not None or answer.calls


def test_a_document_is_read_at_its_ends() -> None:
    cancel = kiln(number={"type": "string", "examples": ["KF-1001"]})
    filler = "All went well on 3 May and order KF-%d was fine. "
    text = "".join(filler % (3000 + n) for n in range(900)) + "Please book firing KF-2001."
    said = ({"role": "user", "content": text},)
    [call] = respond(ChatRequest("test", said, tools=(cancel,)), Draws()).calls
    assert json.loads(call.arguments)["number"].startswith("KF-")
