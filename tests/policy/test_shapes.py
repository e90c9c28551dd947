"""Ids and other formed values: found however people write them, written as schemas have them."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.models.policy.reader.filling import fill_tool
from course.models.policy.reader.matters import matters_of
from course.models.policy.reader.slots import as_told, offer_of
from course.models.wire import ToolSpec
from tests.policy.talks import TEXT, calls, reply, tool

DAY = date(2026, 6, 9)  # a Tuesday


def _filled(schema: dict[str, Any], said: str, name: str = "crate") -> Any:
    told = tool("check_crate", "Tell where a crate stands.", [name], **{name: schema})
    return fill_tool(offer_of((told,)), 0, said, DAY).values.get(name)


@pytest.mark.parametrize(
    ("pattern", "said", "value"),
    [
        (r"^K\d{4}$", "where is K 0512 now", "K0512"),
        (r"^K\d{4}$", "k0512, any news?", "K0512"),
        (r"^CR-\d{3}$", "Is CR 204 back?", "CR-204"),
        (r"^CR/\d{4}$", "cr-2041 please", "CR/2041"),
        (r"^\d{6}$", "It's 448 120, please.", "448120"),
        (r"^\d-[A-Z]\d{2}$", "the one at 3 b12", "3-B12"),
        (r"^(?:IMP|EXP)-[0-9]{3}$", "exp 331 has come", "EXP-331"),
        (r"^[0-9]{4}-[A-Z]{3}$", "my 7802-pqr is late", "7802-PQR"),
        (r"^[A-Z]{4}\d{7}$", "MSKU 718 442 0 is empty", "MSKU7184420"),
        (r"^FL-\d{3}$", "has 022 come in?", "FL-022"),
        (r"^FL-\d{3}$", "Number fourteen is dripping.", "FL-014"),
    ],
)
def test_an_id_is_found_as_people_write_it(pattern: str, said: str, value: str) -> None:
    assert _filled({"type": "string", "pattern": pattern}, said) == value


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"^A\d{2}$", "We waited for a 12 minute call."),
        (r"^C-\d{4}$", "It came on 4 March 2026."),
        (r"^C-\d{3}$", "I paid 250 euros for it."),
        (r"^[A-Z]{2}\d{2}$", "the 12 of them at 30 degrees"),
        (r"^\d{5}$", "on 3 June 2026 at 10:15"),
    ],
)
def test_what_is_something_else_is_no_id(pattern: str, said: str) -> None:
    assert _filled({"type": "string", "pattern": pattern}, said) is None


PART = st.one_of(
    st.tuples(st.just("letters"), st.integers(2, 3)),
    st.tuples(st.just("digits"), st.integers(2, 5)),
)


@given(
    parts=st.lists(PART, min_size=2, max_size=3),
    joint=st.sampled_from(["", "-", "/"]),
    gap=st.sampled_from(["", "-", " ", "/"]),
    small=st.booleans(),
    draw=st.randoms(use_true_random=False),
)
def test_whatever_joins_its_parts_an_id_is_the_same(
    parts: list[tuple[str, int]], joint: str, gap: str, small: bool, draw: Any
) -> None:
    parts = [p for n, p in enumerate(parts) if n == 0 or parts[n - 1][0] != p[0]]
    if {kind for kind, _ in parts} != {"letters", "digits"}:
        return
    said = [
        "".join(draw.choice("BCDFGHJKLQVXZ" if kind == "letters" else "123456789")
                for _ in range(size))
        for kind, size in parts
    ]  # fmt: skip
    pattern = joint.join(
        f"[A-Z]{{{n}}}" if kind == "letters" else rf"\d{{{n}}}" for kind, n in parts
    )
    written = gap.join(said)
    found = _filled(
        {"type": "string", "pattern": f"^{pattern}$"},
        f"Where is crate {written.lower() if small else written} now?",
    )
    assert found == joint.join(said)
    assert re.fullmatch(pattern, found)


@pytest.mark.parametrize(
    ("description", "said", "value"),
    [
        ("8 digits, without dots", "code 8471.30.00 it is", "84713000"),
        ("digits only", "ring 07700 900 417", "07700900417"),
        ("for instance HC20417", "we are HC 11902", "HC11902"),
    ],
)
def test_signs_that_a_description_leaves_out_are_left_out(
    description: str, said: str, value: str
) -> None:
    name = "contact_phone" if "only" in description else "code"
    assert _filled({"type": "string", "description": description}, said, name) == value


@pytest.mark.parametrize(
    ("schema", "said", "value"),
    [
        ({"pattern": r"^\d{2}:\d{2}$"}, "from seven in the morning", "07:00"),
        ({"pattern": r"^\d{2}:\d{2}:\d{2}$"}, "at 14:30 sharp", "14:30:00"),
        ({"pattern": r"^\d{4}-\d{2}-\d{2}$"}, "on 3 July", "2026-07-03"),
        ({"pattern": r"^\d{2}\.\d{2}\.\d{4}$"}, "on 3 July", "03.07.2026"),
        ({"format": "date", "description": "DD/MM/YYYY"}, "on 3 July", "03/07/2026"),
        ({"description": "YYYY-MM-DD HH:MM"}, "on 3 July at 11:30", "2026-07-03 11:30"),
    ],
)
def test_days_and_times_are_written_as_the_schema_shows(
    schema: dict[str, Any], said: str, value: str
) -> None:
    assert _filled({"type": "string", **schema}, f"Let it begin {said}.", "start") == value


TELLS = """You mind the store of Tern & Sons. It is Tuesday, 9 June 2026.
Crates: TS and four digits. Zones: N1 frozen goods, N2 fruit, N3 tools."""
STORE = (
    tool("find_crate", "Tell where a crate stands.", ["crate"], crate=TEXT),
    tool(
        "count_zone",
        "Count the free places of a zone.",
        ["zone"],
        zone={"type": "string", "enum": ["N1", "N2", "N3"]},
    ),
)


@pytest.mark.parametrize(
    ("said", "name", "values"),
    [
        ("Where is ts 2041?", "find_crate", {"crate": "TS2041"}),
        ("How many places are free for fruit?", "count_zone", {"zone": "N2"}),
    ],
)
def test_what_instructions_tell_of_ids_and_values_counts_as_their_description(
    said: str, name: str, values: dict[str, Any]
) -> None:
    [matter] = matters_of(as_told(STORE, TELLS), said, DAY)
    assert (matter.tool.name, matter.filling.values) == (name, values)


def test_tools_that_instructions_say_nothing_of_stay_as_they_are() -> None:
    assert as_told(STORE, "You mind the store.") == STORE


@pytest.mark.parametrize(
    ("said", "value"),
    [("the blue ones", "675"), ("yellow, please", "10"), ("the ones with the orange tab", "13")],
)
def test_a_list_in_a_description_names_its_values(said: str, value: str) -> None:
    schema = {
        "type": "string",
        "enum": ["10", "13", "675"],
        "description": "Colour of the tab: 10 yellow, 13 orange, 675 blue",
    }
    assert _filled(schema, f"I take {said}.", "size") == value


@pytest.mark.parametrize(
    ("name", "schema", "said", "value"),
    [
        ("language", {"enum": ["en", "fr", "de"]}, "They speak nothing but French.", "fr"),
        ("language", {"pattern": "^[a-z]{2}$"}, "A guide in Italian, please.", "it"),
        ("origin", {"pattern": "^[A-Z]{2}$"}, "It comes from New Zealand.", "NZ"),
        ("origin", {"description": "ISO country code"}, "It comes from Turkey.", "TR"),
    ],
)
def test_languages_and_countries_are_coded(
    name: str, schema: dict[str, Any], said: str, value: str
) -> None:
    assert _filled({"type": "string", **schema}, said, name) == value


DIGITS = r"\d+"
REPORT = tool(
    "report_fault",
    "Write down what is wrong with a crane.",
    ["crane", "description"],
    crane={"type": "string", "pattern": r"^CN-\d{2}$"},
    description=TEXT,
)


def _report(said: str) -> dict[str, Any]:
    return fill_tool(offer_of((REPORT,)), 0, said, DAY).values


def test_a_story_is_the_sentence_that_tells_it() -> None:
    said = "Good morning! The hook of CN-07 slips under load. Please send somebody."
    assert _report(said) == {"crane": "CN-07", "description": "The hook of CN-07 slips under load."}


def test_what_only_asks_for_the_tool_tells_no_story() -> None:
    assert "description" not in _report("Please report a fault of CN-07.")


def test_an_id_that_is_told_once_is_meant_in_every_part() -> None:
    key = {"type": "string", "pattern": r"^LA\d{3}$"}
    wash = tool("book_wash", "Book a wash for a guest.", ["guest"], guest=key)
    meal = tool("order_meal", "Order a meal for a guest.", ["guest"], guest=key)
    found = _called((wash, meal), "Please book a wash. Then order a meal as well. LA270 for both.")
    assert found == {"book_wash": {"guest": "LA270"}, "order_meal": {"guest": "LA270"}}


def _called(tools: tuple[ToolSpec, ...], said: str) -> dict[str, Any]:
    return dict(calls(reply(said, tools=tools)))


def test_a_slot_is_the_same_as_the_one_that_its_description_names() -> None:
    day = {"type": "string", "format": "date"}
    absent = tool(
        "note_absence",
        "Note that a pupil stays away.",
        ["first_day", "last_day"],
        first_day=day,
        last_day={**day, "description": "Same as first_day for a single day"},
    )
    made = fill_tool(offer_of((absent,)), 0, "She stays away on Friday.", DAY)
    assert made.values == {"first_day": "2026-06-12", "last_day": "2026-06-12"}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": ["a", {"x": 1}, ["y"]], "description": "a small, b big"}, "the small one"),
        (True, "account HC 12345"),
        ({"type": "string", "description": "YYYY-MM"}, "next month, in May, in March 0000"),
        ({"type": "string", "format": "date"}, "last month, last year, in November last year"),
        ({"type": "string", "pattern": rf"^{DIGITS * 6}$"}, f"{'1' * 60}x {'1 ' * 80}"),
    ],
)
@pytest.mark.parametrize("today", ["0001-01-01", "2026-06-09", "9999-12-31"])
def test_no_schema_and_no_day_breaks_an_answer(schema: Any, said: str, today: str) -> None:
    told = ToolSpec(
        "check_account",
        "Check an account.",
        {"type": "object", "properties": {"account": schema}, "required": ["account"]},
    )
    system = f"Today is {today}. Accounts: HC and five digits."
    answer = reply(f"Check {said}", tools=(told,), system=system)
    assert answer.text or answer.calls
