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


def test_a_range_of_days_is_no_time_of_day() -> None:
    assert as_read("from 22 to 25 September") == "from 22 to 25 September"


def test_a_child_is_who_is_called_so() -> None:
    text = "Our son Milo Brandt starts on Monday.\n\nKind regards\nHeide Brandt"
    assert filled(text, child=TEXT, parent=TEXT) == {
        "child": "Milo Brandt", "parent": "Heide Brandt",
    }  # fmt: skip
