"""Schemas filled from what people write: what forms, transcripts and mails do with their values."""

from datetime import date
from typing import Any

import pytest

from course.models.policy.conversation import stated_today, written_on
from course.models.policy.extraction import as_read, extract

MONDAY = date(2026, 3, 2)
TEXT, WHOLE, DAY = {"type": "string"}, {"type": "integer"}, {"type": "string", "format": "date"}
YES = {"type": "boolean"}


def filled(text: str, today: date = MONDAY, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    return extract(schema, text, today)


@pytest.mark.parametrize(
    ("told", "day"),
    [
        ("Notes of the ward round. Date of the round: Tuesday, 7 July 2026.", date(2026, 7, 7)),
        ("Received on 5 May 2026. Null if not said.", date(2026, 5, 5)),
        ("All dates are in 2027.", date(2027, 1, 1)),
        ("The letters are from August 2026.", date(2026, 8, 1)),
    ],
)
def test_instructions_say_when_a_text_was_written(told: str, day: date) -> None:
    assert (stated_today(told) or written_on(told)) == day


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("It fell to minus twelve, six degrees below zero before.",
         "It fell to -12, -6 degrees below 0 before."),
        ("at twenty to midnight", "at 23:40"),
    ],
)  # fmt: skip
def test_a_document_is_read_with_its_figures_in_digits(said: str, read: str) -> None:
    assert as_read(said) == read


def test_a_form_asks_in_its_labels() -> None:
    text = (
        "Insp. by....: Ruta Kalnina, badge 77\nWith a dog?: yes, a small one\nSwims? not yet\n"
        "Would you also help with the cleaning: gladly\nTyre.....: winter (studded)\n"
    )
    wanted: dict[str, Any] = {
        "inspector": TEXT,
        "dog": YES,
        "swims": YES,
        "cleaning_help": YES,
        "tyre": TEXT,
    }
    assert filled(text, **wanted) == {
        "inspector": "Ruta Kalnina", "dog": True, "swims": False, "cleaning_help": True,
        "tyre": "winter",
    }  # fmt: skip


def test_a_figure_belongs_to_the_field_of_its_dimension() -> None:
    text = "The crate comes as 14 pieces of 32 kg, 2 m long, and takes 40 minutes to unload."
    wanted: dict[str, Any] = {"weight": WHOLE, "length": WHOLE, "duration": WHOLE, "count": WHOLE}
    assert filled(text, **wanted) == {"weight": 32, "length": 2, "duration": 40, "count": 14}


def test_a_sender_is_who_signs() -> None:
    mail = "Dear Vera Blom,\n\nRook Bakery needs flour.\n\nBest wishes,\nPavel Dudek xx"
    assert filled(mail, customer=TEXT)["customer"] == "Pavel Dudek"


def test_codes_stand_for_what_they_abbreviate() -> None:
    side = {"type": "string", "enum": ["NE", "SE", "SW", "NW"]}
    claim = {"type": "string", "enum": ["EXCH", "REPR"], "description": "EXCH swap, REPR mend"}
    assert filled("The porch looks south-west.", side=side)["side"] == "SW"
    assert filled("Please mend it.", claim=claim)["claim"] == "REPR"


def test_a_list_holds_all_days_that_stand_in_a_row() -> None:
    days = {"type": "array", "items": DAY}
    found = filled("Days I am away: 3 and 17 April", away_days=days)
    assert found == {"away_days": ["2026-04-03", "2026-04-17"]}
