"""Requests in natural words: how many come out right, and what was learned from them."""

from __future__ import annotations

import json
from datetime import date

import pytest

from course.models.policy.lexicon import suggested
from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.matters import matters_of
from course.models.policy.reader.slots import offer_of
from tests.marking import LONG
from tests.policy import cases
from tests.policy.talks import tool
from tests.sets import digest

DAY = date(2026, 3, 2)
LEAST = {"natural": 170, "natural_validation": 48}
"""How many are right at least of those that the weights were trained on, and of the businesses
beside them; both are a little less than was measured."""


@pytest.mark.parametrize("name", ["natural_validation", pytest.param("natural", marks=LONG)])
def test_as_many_as_were_measured_come_out_right(name: str) -> None:
    found = list(cases.load(name))
    right = sum(not cases.play(case) for case in found)
    assert right >= LEAST[name], f"{right} of {len(found)}"


def test_what_is_kept_for_the_end_is_as_it_was_written() -> None:
    found = json.loads((cases.HERE / "natural_test.json").read_text(encoding="utf-8"))
    assert digest(found) == FROZEN


FROZEN = "18530b876da84b2d"
"""What it holds, whatever its layout."""


KEY = {"type": "string", "pattern": "^G-\\d{3}$"}
HIRE = tool("hire_gondola", "Hire out a gondola.", ["gondola"], gondola=KEY)
MEND = tool(
    "report_damage",
    "Note a damage of a gondola.",
    ["gondola", "kind"],
    gondola=KEY,
    kind={"type": "string", "enum": ["leak", "torn_cover", "light"]},
)


@pytest.mark.parametrize(
    ("said", "name", "kind"),
    [
        ("Water keeps trickling into G-104.", "report_damage", "leak"),
        ("The bulb of G-105 has gone out, somebody see to it", "report_damage", "light"),
        ("The seat's fabric on G-106 got ripped", "report_damage", "torn_cover"),
    ],
)
def test_what_people_say_for_a_deed_and_for_a_value_is_heard(
    said: str, name: str, kind: str
) -> None:
    [matter] = matters_of((HIRE, MEND), said, DAY)
    assert (matter.tool.name, matter.filling.values["kind"]) == (name, kind)


def test_a_value_that_nothing_speaks_for_is_asked_for_and_never_guessed() -> None:
    made = fill_tool(offer_of((MEND,)), 0, "Please make a report about G-104.", DAY)
    assert [slot.name for slot in made.missing] == ["kind"]


def test_a_message_is_cut_where_its_tools_are_spoken_for_most() -> None:
    text = "We'd take G-201 for the afternoon. G-202 is leaking badly and needs bailing out."
    found = matters_of((HIRE, MEND), text, DAY)
    assert [(m.tool.name, m.filling.values["gondola"]) for m in found] == [
        ("hire_gondola", "G-201"),
        ("report_damage", "G-202"),
    ]


def test_a_deed_whose_id_another_tool_looks_up_is_not_the_lookup() -> None:
    owner = {"type": "string", "description": "name of the owner"}
    find = tool("find_owner", "Find an owner by name; gives the owner id.", ["name"], name=owner)
    strike = tool("cancel_mooring", "Cancel a mooring.", ["owner_id"], owner_id={"type": "string"})
    [matter] = matters_of((find, strike), "Please cancel the mooring of Ada Berg.", DAY)
    assert matter.tool == strike


@pytest.mark.parametrize("word", ["dripping", "conked out", "postponed"])
def test_the_tables_are_read_by_stems(word: str) -> None:
    assert suggested(f"It {word} again")
