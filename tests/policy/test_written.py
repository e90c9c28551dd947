"""Documents in natural words: how many fields come out right."""

from __future__ import annotations

from datetime import date

import pytest

from course.models.connect import connect
from course.models.policy.extraction import as_read, extract
from tests.policy.test_forms import TEXT, WHOLE, filled
from tests.policy.written import written, wrong_in

LEAST = {"train": 180, "validation": 70}
"""How many fields are right at least; both are a little less than was measured."""


@pytest.mark.parametrize("part", LEAST)
def test_as_many_fields_as_were_measured_come_out_right(part: str) -> None:
    client = connect(profile="instant", wire=False)
    found = list(written(part))
    right = sum(len(d.right) - len(wrong_in(client, d)) for d in found)
    assert right >= LEAST[part], f"{right} of {sum(len(d.right) for d in found)}"


def test_what_stands_behind_a_label_is_for_its_field_and_an_empty_one_for_none() -> None:
    text = "Hall: Nordlicht     Guide: Ada Moss\nPhone: n/a\nGroup: 14"
    phone = {"type": ["string", "null"]}
    found = filled(text, hall=TEXT, guide=TEXT, phone=phone, group=WHOLE)
    assert found == {"hall": "Nordlicht", "guide": "Ada Moss", "phone": None, "group": 14}


def test_rows_are_the_items_of_a_written_list() -> None:
    item = {"type": "object", "properties": {"article": TEXT, "quantity": WHOLE},
            "required": ["article", "quantity"]}  # fmt: skip
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": item}},
              "required": ["rows"]}  # fmt: skip
    found = extract(schema, "We order:\n 3 x tin bucket\n 12 x rope", date(2026, 3, 2))
    assert found == {"rows": [{"article": "tin bucket", "quantity": 3},
                              {"article": "rope", "quantity": 12}]}  # fmt: skip


def a_list(**fields: object) -> dict[str, object]:
    row = {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "array", "items": row}


THINGS = {"type": "array", "items": TEXT}
DAYS = {"type": "array", "items": {"type": "string", "format": "date"}}
COLOUR = {"type": ["string", "null"]}
TYRES = {"type": "string", "enum": ["brakes", "lights", "tyres"]}


@pytest.mark.parametrize(
    ("text", "field", "rows"),
    [
        (
            "Please send two boxes of nails, three hammers and a saw.",
            a_list(item=TEXT, quantity=WHOLE),
            [("boxes of nails", 2), ("hammers", 3), ("saw", 1)],
        ),
        (
            "I'd like 12 mugs, the blue ones, and 6 white bowls. No, make the mugs 14.",
            a_list(ware=TEXT, colour=COLOUR, pieces=WHOLE),
            [("mugs", "blue", 14), ("bowls", "white", 6)],
        ),
        (
            "Room A: 3 beds, 40 euros\nRoom B: 2 beds, 35 euros",
            a_list(room=TEXT, beds=WHOLE, price={"type": "number"}),
            [("A", 3, 40), ("B", 2, 35)],
        ),
        (
            "Brakes okay, lights okay, the tyres we didn't do.",
            a_list(part=TYRES, done={"type": "boolean"}),
            [("brakes", True), ("lights", True), ("tyres", False)],
        ),
    ],
)
def test_rows_are_what_a_sentence_counts_or_goes_through(
    text: str, field: dict[str, object], rows: list[tuple[object, ...]]
) -> None:
    assert [tuple(row.values()) for row in filled(text, rows=field)["rows"]] == rows


@pytest.mark.parametrize(
    ("text", "name", "things"),
    [
        ("He is allergic to hazelnuts and latex.", "allergies", ["hazelnuts", "latex"]),
        ("My hobbies are chess, rowing and old maps.", "hobbies", ["chess", "rowing", "old maps"]),
        ("Guests:\n- Ada Moss\n- Tom Reed\n\nRegards, Lu", "guests", ["Ada Moss", "Tom Reed"]),
        ("Steps:\n1. open the lid\n2. pull the lever", "steps", ["open the lid", "pull the lever"]),
        ("Ada Bell and Tom Reed were there.", "attendees", ["Ada Bell", "Tom Reed"]),
        ("He has no allergies, only a cold.", "allergies", []),
        ("Allergies: none", "allergies", []),
    ],
)  # fmt: skip
def test_a_list_is_what_stands_in_a_row_behind_its_word(
    text: str, name: str, things: list[str]
) -> None:
    schema = {"type": "object", "properties": {name: THINGS}, "required": [name]}
    assert (extract(schema, text, date(2026, 3, 2)).get(name) or []) == things


def test_days_are_those_of_a_week_but_some() -> None:
    found = filled("Any working day next week except Monday.", days=DAYS)
    assert found == {"days": [f"2026-03-{n:02}" for n in (10, 11, 12, 13)]}


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("The caretaker at Brunnenhof 8 called.", "address", "Brunnenhof 8"),
        ("Vehicle: a Golf, plate HB KR 902, silver", "plate", "HB KR 902"),
    ],
)
def test_what_a_field_is_called_tells_how_far_its_value_goes(
    text: str, name: str, value: str
) -> None:
    schema = {"type": "object", "properties": {name: TEXT}, "required": [name]}
    assert extract(schema, text, date(2026, 3, 2))[name] == value


def test_a_field_for_text_stays_empty_rather_than_take_a_heading_or_a_label() -> None:
    form = "ORDER FORM #88\nname: Ada Moss\nemail: ada@x.example\nMessage on the card: none"
    found = filled(form, name=TEXT, flower=TEXT)
    assert (found["name"], found.get("flower")) == ("Ada Moss", None)


def test_a_range_of_days_is_no_time_of_day() -> None:
    assert as_read("from 22 to 25 September") == "from 22 to 25 September"


def test_a_child_is_who_is_called_so() -> None:
    text = "Our son Milo Brandt starts on Monday.\n\nKind regards\nHeide Brandt"
    assert filled(text, child=TEXT, parent=TEXT) == {
        "child": "Milo Brandt", "parent": "Heide Brandt",
    }  # fmt: skip
