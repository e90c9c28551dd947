"""The duties beside calling tools: fields out of a text, plans in any schema's own words."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from course.models.policy.extraction import extract
from course.models.policy.figures import in_figures
from tests.policy.talks import say

TODAY = date(2026, 6, 2)  # a Tuesday
CLOCK = {"type": "string", "description": "HH:MM"}
DATE = {"type": "string", "format": "date"}


def _schema(**fields: Any) -> dict[str, Any]:
    told = {k: {"type": v} if isinstance(v, str | list) else v for k, v in fields.items()}
    return {"type": "object", "properties": told, "required": [*told]}


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("a hundred and fifty tulips, two dozen roses", "150 tulips, 24 roses"),
        ("one hundred and ninety-seven of ten thousand", "197 of 10000"),
        ("ten point five six kilowatts", "10.56 kilowatts"),
        ("at ten past four, until a quarter to six", "at 4:10, until 5:45"),
        ("two and a half hours, half an hour", "2.5 hours, 30 minutes"),
        ("18.204,6 kWh and 23,80", "18204.6 kWh and 23.80"),
        ("one of us at the Three Oaks", "one of us at the Three Oaks"),
    ],
)
def test_spelled_figures_become_digits(said: str, written: str) -> None:
    assert in_figures(said) == written


@pytest.mark.parametrize(
    ("text", "field", "schema", "value"),
    [
        ("Ada Lang here, I have a question.", "contact", "string", "Ada Lang"),
        ("Yours, Tomasz Reiter", "name", "string", "Tomasz Reiter"),
        ("We come on Friday the 12th.", "day", DATE, "2026-06-12"),
        ("It broke on 30 May.", "date_of_loss", DATE, "2026-05-30"),
        ("We bring our own chairs, so no need for chairs.", "chairs_needed", "boolean", False),
        ("A room of my own I don't need.", "separate_room", "boolean", False),
        ("It is our only car.", "second_car", "boolean", False),
        ("Nobody was hurt.", "hurt", "boolean", False),
        ("My plate is EV 22 NAA, thanks.", "plate", "string", "EV 22 NAA"),
        ("Ring me on 020 7946 0811.", "phone", ["string", "null"], "020 7946 0811"),
        ("Ring me on 020 7946 0811.", "email", ["string", "null"], None),
        ("Nothing else to say.", "price", ["number", "null"], None),
        ("Name: Rosa\nRemarks: -\nSmoker: no", "remarks", ["string", "null"], None),
        ("Weight: 62,5 kg", "weight_kg", "number", 62.5),
        ("Only German is spoken.", "languages", {"type": "array", "items": {"type": "string"}},
         ["German"]),
    ],
)  # fmt: skip
def test_a_field_holds_the_right_span_or_nothing(
    text: str, field: str, schema: Any, value: Any
) -> None:
    assert extract(_schema(**{field: schema}), text, TODAY).get(field) == value


def test_an_end_after_noon_follows_its_beginning() -> None:
    found = extract(
        _schema(start=CLOCK, end=CLOCK),
        "from ten in the morning until 1:00",
        TODAY,
    )  # fmt: skip
    assert found == {"start": "10:00", "end": "13:00"}


def test_rows_of_a_list_have_a_figure_and_what_is_counted() -> None:
    row = _schema(item="string", count="integer")
    shape = _schema(day=DATE, to="string", account="string", lines={"type": "array", "items": row})
    text = "12 white loaves, 30 rolls and four cheesecakes for Saturday, account number 5512."
    found = extract(shape, text, TODAY)
    assert [(r["item"], r["count"]) for r in found["lines"]] == [
        ("white loaves", 12), ("rolls", 30), ("cheesecakes", 4),
    ]  # fmt: skip


def test_no_sentence_about_the_model_stands_in_json() -> None:
    shape = _schema(delivery_note="string", remark="string", total="number")
    answer = json.loads(say("Hm.", response_format="json_schema", schema=shape))
    assert answer == {"delivery_note": "", "remark": "", "total": 0}


CLINIC = (
    "Agents: lab (examines samples), pharmacy (prepares medicine), billing (writes invoices), "
    "kitchen (meals and diets)."
)


def _plan(text: str, system: str, workers: list[str]) -> list[dict[str, Any]]:
    row = _schema(key="string", what="string", who={"type": "string", "enum": workers},
                  after={"type": "array", "items": {"type": "string"}})  # fmt: skip
    shape = _schema(steps={"type": "array", "items": row})
    steps: list[dict[str, Any]] = json.loads(
        say(text, system=system, response_format="json_schema", schema=shape)
    )["steps"]
    return steps


def test_orders_go_to_whom_they_suit_and_wait_for_what_they_name() -> None:
    steps = _plan(
        "Mrs Abara needs her blood examined and a low-salt diet from tonight. Depending on the "
        "blood values the pharmacy prepares her medicine. Nothing has to be billed.",
        CLINIC,
        ["lab", "pharmacy", "billing", "kitchen"],
    )
    names = {s["key"]: s["who"] for s in steps}
    assert {s["who"]: [names[a] for a in s["after"]] for s in steps} == {
        "lab": [], "kitchen": [], "pharmacy": ["lab"],
    }  # fmt: skip
    assert "low-salt" in json.dumps(steps) and "billed" in json.dumps(steps)  # nothing is lost


def test_what_may_go_side_by_side_does() -> None:
    steps = _plan(
        "Examine the sample and plan the meals; those two can go side by side. After that write "
        "one invoice for both.",
        CLINIC,
        ["lab", "pharmacy", "billing", "kitchen"],
    )
    assert [(s["who"], len(s["after"])) for s in steps] == [
        ("lab", 0), ("kitchen", 0), ("billing", 2),
    ]  # fmt: skip
