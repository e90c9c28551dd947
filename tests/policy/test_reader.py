"""The reader's stages on schemas of no scenario: shapes, choices, twins, and what it leaves be."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.corrected import mended
from course.models.policy.mentions import mentions
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.matters import matters_of
from course.models.policy.reader.slots import offer_of
from course.models.wire import ChatRequest, ToolSpec
from tests.policy.talks import TEXT, tool

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
        ({"type": "string", "examples": ["KF100100"]}, "for KF 22 90 11", "KF229011"),
        ({"type": "string", "description": "ISO 639-1 code"}, "for a Finnish potter", "fi"),
        ({"type": "string", "enum": ["7d", "14d", "30d"]}, "for two weeks", "14d"),
        ({"type": "string", "enum": ["month", "year"]}, "for twelve months", "year"),
        ({"type": "string", "enum": ["A", "B", "C"]}, "as I said, in B", "B"),
        (
            {"type": "array", "items": {"type": "string", "pattern": "^K[0-9]{3}$"}},
            "of K101, K102 and K103",
            ["K101", "K102", "K103"],
        ),
        (
            {
                "type": "object",
                "properties": {
                    "street": {"type": "string"},
                    "zip": {"type": "string"},
                    "city": {"type": "string"},
                },
            },
            "at Ofenweg 12, 8001 Brunnen",
            {"street": "Ofenweg 12", "zip": "8001", "city": "Brunnen"},
        ),
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


@pytest.mark.parametrize(
    ("name", "said", "value"),
    [
        ("minutes", "for an hour and a half", 90),
        ("days", "for a fortnight", 14),
        ("length_cm", "of 1.5 metres", 150),
        ("weight_g", "of half a kilo", 500),
        ("price_eur", "for 12,50 euros", 12.5),
    ],
)
def test_a_number_is_told_in_the_slots_own_unit(name: str, said: str, value: float) -> None:
    offer = offer_of((kiln(**{name: {"type": "number"}}),))
    assert fill_tool(offer, 0, f"Please book a firing {said}.", DAY).values == {name: value}


DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("Tuesday to Thursday", DAYS[1:4]),
        ("on working days", DAYS[:5]),
        ("every day bar Saturday and Sunday", DAYS[:5]),
        ("on Fridays, never on a weekend", DAYS[4:5]),
    ],
)
def test_days_of_the_week_are_listed_as_people_say_them(said: str, days: tuple[str, ...]) -> None:
    offer = offer_of((kiln(days={"type": "array", "items": {"enum": list(DAYS)}}),))
    assert fill_tool(offer, 0, f"Please fire {said}.", DAY).values == {"days": list(days)}


def test_numbers_stand_with_the_names_of_what_they_measure() -> None:
    size = {"type": "integer"}
    inner = {"type": "object", "properties": dict.fromkeys(("width", "depth", "height"), size)}
    offer = offer_of((kiln(inside=inner),))
    said = "The width is a hundred and six, depth ninety-eight and 104 in height."
    made = fill_tool(offer, 0, said, DAY).values
    assert made == {"inside": {"width": 106, "depth": 98, "height": 104}}


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("I fire at dawn, in group two", {"grade": "II"}),
        ("I fire at dawn", {}),
        ("lights off, please", {"lights": False}),
        ("with insurance, nothing noisy", {"covered": True, "loud": False}),
    ],
)
def test_choices_are_no_pronouns_and_switches_go_off(said: str, values: dict[str, Any]) -> None:
    grade = ToolSpec("fire", "Fire.", {"type": "object", "properties": {
        "grade": {"type": "string", "enum": ["I", "II", "III"], "description": "Group"},
        "lights": {"type": "boolean"},
        "covered": {"type": "boolean", "description": "Has insurance"},
        "loud": {"type": "boolean", "description": "Is noisy"}}})  # fmt: skip
    made = fill_tool(offer_of((grade,)), 0, said, DAY).values
    assert made == values


def test_two_slots_of_a_kind_take_what_is_told_for_each() -> None:
    code = {"type": "string", "description": "language code"}
    day = {"type": "string", "format": "date"}
    told = {"source": code, "target": code}
    made = fill_tool(offer_of((kiln(**told),)), 0, "from Finnish into Welsh please", DAY)
    assert made.values == {"source": "fi", "target": "cy"}
    told = {"from_date": day, "to_date": day}
    made = fill_tool(offer_of((kiln(**told),)), 0, "all firings of the whole of May", DAY)
    assert made.values == {"from_date": "2026-05-01", "to_date": "2026-05-31"}


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


@pytest.mark.parametrize(
    "text",
    ["Find the growth of Harbourline Cloud.", "Which cloud providers are there?", "Ask Mr Baker.",
     "Send the form to Ulrike Stale.", "Is the trial on?"],
)  # fmt: skip
def test_a_name_and_a_word_that_there_is_are_no_slips(text: str) -> None:
    assert mended(text, ()) == text


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
    filler = "All went well on 3 May, the pots of KF-%d came out fine. "
    text = "".join(filler % (3000 + n) for n in range(900)) + "Please book firing KF-2001."
    said = ({"role": "user", "content": text},)
    [call] = respond(ChatRequest("test", said, tools=(cancel,)), Draws()).calls
    assert json.loads(call.arguments)["number"].startswith("KF-")


def test_questions_within_a_document_are_not_what_is_asked() -> None:
    cancel = kiln(number={"type": "string", "examples": ["KF-1001"]})
    asked = "".join(
        f"Why was lamp {n} never lit in the old hall? It was said so. " for n in range(99)
    )
    said: list[dict[str, Any]] = [
        {"role": "user", "content": f"{asked}Please book firing KF-2001."}
    ]
    [call] = respond(ChatRequest("test", tuple(said), tools=(cancel,)), Draws()).calls
    function = {"name": call.name, "arguments": call.arguments}
    said += [
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "booked"},
    ]
    told = respond(ChatRequest("test", tuple(said), tools=(cancel,)), Draws()).text or ""
    assert "lamp 50" not in told and "ooked" in told


def test_fields_alone_make_the_one_call_that_they_suffice_for() -> None:
    number = {"type": "integer", "description": "Number of the order"}
    pay = tool("get_payment", "Look up the payment for an order.", ["number"], number=number)
    find = tool("find_order", "Find an order.", ["number", "town"], number=number, town=TEXT)
    said = ({"role": "user", "content": json.dumps({"number": 31, "greeting": "Hello!"})},)
    answer = respond(ChatRequest("test", said, tools=(find, pay)), Draws())
    assert [(c.name, json.loads(c.arguments)) for c in answer.calls] == [
        ("get_payment", {"number": 31})
    ]
