"""Calls that failed are made again in the form that their tool wants."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.conversation import Made
from course.models.policy.mending import repaired_call
from course.models.policy.remedy import rewritten
from course.models.policy.schemas import fits
from course.models.wire import ChatRequest, ToolSpec

INTEGER, DAY, TEXT = {"type": "integer"}, {"type": "string", "format": "date"}, {"type": "string"}
CLOCK = {"type": "string", "pattern": r"^\d{2}:\d{2}$"}
CODE = {"type": "string", "pattern": r"^[A-H]\d{3}$"}
DOTTED = {"type": "string", "pattern": r"^\d{4}\.\d{1,3}$"}
COLOUR = {"type": "string", "enum": ["red", "green", "blue"]}
COLOURS = {"type": "array", "items": COLOUR}


def _again(said: str, error: str, form: dict[str, Any], wrong: Any) -> Any:
    """What the second call gives for `x`; None if there is none."""
    given = {"name": "hut", "x": wrong} if wrong is not None else {"name": "hut"}
    schema = {"type": "object", "properties": {"name": TEXT, "x": form}, "required": ["name", "x"]}
    call = {"id": "1", "type": "function",
            "function": {"name": "paint_hut", "arguments": json.dumps(given)}}  # fmt: skip
    messages = (
        {"role": "user", "content": f"Please have the hut painted. {said}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": error},
    )
    tools = (ToolSpec("paint_hut", "Have a hut painted.", schema),)
    reply = respond(ChatRequest("m", messages, tools=tools), Draws())
    return json.loads(reply.calls[0].arguments).get("x") if reply.calls else None


@pytest.mark.parametrize(
    ("said", "error", "form", "wrong", "right"),
    [
        ("At 4 in the afternoon.", '{"error": "x must be HH:MM"}', CLOCK, "4pm", "16:00"),
        ("At six in the evening.", "Error: x: expected an hour, got 18:00", INTEGER, "18:00", 18),
        ("On 2 May 2026.", "ValueError: x is no ISO date", DAY, "02.05.2026", "2026-05-02"),
        ("For 14 people.", "Error 422: 'x' must be an integer", INTEGER, "fourteen", 14),
        ("Code e 4.", "rejected: x must match ^[A-H]\\d{3}$", CODE, "e 4", "E004"),
        ("Number 1967-82.", "BAD_REQUEST x: write it with a dot", DOTTED, "1967-82", "1967.82"),
        ("In blue.", "TypeError: x: expected a list of strings", COLOURS, "blue", ["blue"]),
        ("In blue.", "Missing required property: x", COLOUR, None, "blue"),
        ("In blue.", "Invalid value for x: azure", COLOUR, "azure", "blue"),
        ("In Elm Lane.", "Ambiguous: 'Elm' matches Elm Road, Elm Lane", TEXT, "Elm", "Elm Lane"),
    ],
)
def test_a_value_of_the_wrong_form_is_written_in_the_right_one(
    said: str, error: str, form: dict[str, Any], wrong: Any, right: Any
) -> None:
    assert _again(said, error, form, wrong) == right


@pytest.mark.parametrize(
    ("said", "error", "form", "wrong"),
    [
        ("In blue.", '{"error": "the painter is ill"}', COLOUR, "blue"),
        ("On 2 May 2026.", '{"error": "FULL", "detail": "2026-05-02 is full"}', DAY, "2026-05-02"),
        ("In some colour.", "Missing required property: x", COLOUR, None),
        ("In red, as my car is blue.", '{"error": "x: red is sold out"}', COLOUR, "red"),
        ("On 2 May 2026, not on the 4th.", "x: 2026-05-02 is full", DAY, "2026-05-02"),
    ],
)
def test_what_no_other_form_mends_is_not_called_again(
    said: str, error: str, form: dict[str, Any], wrong: Any
) -> None:
    assert _again(said, error, form, wrong) is None


PAINT = ToolSpec(
    "paint_hut",
    "Have a hut painted.",
    {"type": "object", "properties": {"at": CLOCK, "hut": TEXT}, "required": ["at", "hut"]},
)
HAND_OVER = ToolSpec(
    "transfer_to_billing",
    "Hand over to billing: invoices and payments.",
    {"type": "object", "properties": {"reason": TEXT}, "required": ["reason"]},
)


def _made(*calls: tuple[dict[str, str], str], tools: tuple[ToolSpec, ...]) -> list[Any]:
    """The calls after some that failed, each with its error."""
    messages: list[Any] = [{"role": "user", "content": "Paint hut A at 4pm and hut B at 5pm."}]
    for n, (given_, error) in enumerate(calls):
        function = {"name": "paint_hut", "arguments": json.dumps(given_)}
        call = {"id": str(n), "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": str(n), "content": error})
    reply = respond(ChatRequest("m", tuple(messages), tools=tools), Draws())
    return [json.loads(c.arguments) for c in reply.calls if c.name == "paint_hut"]


ERROR = '{"error": "at must be HH:MM"}'


@pytest.mark.parametrize("tools", [(PAINT,), (PAINT, HAND_OVER)], ids=["alone", "in a team"])
def test_each_of_several_calls_that_failed_is_mended_and_none_a_third_time(
    tools: tuple[ToolSpec, ...],
) -> None:
    one, two = {"at": "4pm", "hut": "A"}, {"at": "5pm", "hut": "B"}
    again = [{"at": "16:00", "hut": "A"}, {"at": "17:00", "hut": "B"}]
    assert _made((one, ERROR), (two, ERROR), tools=tools) == again
    assert _made((one, ERROR), (again[0], ERROR), tools=tools[:1]) != again[:1]
    once_more = _made((one, ERROR), (again[0], ERROR), (two, "{}"), tools=tools)
    assert not any(c["hut"] == "A" for c in once_more)


FORMS = [INTEGER, DAY, TEXT, CLOCK, CODE, DOTTED, COLOUR, COLOURS]
VALUES = st.one_of(
    st.text(max_size=12), st.integers(), st.booleans(), st.lists(st.text(max_size=4), max_size=3)
)


@given(
    st.text(max_size=60) | st.sampled_from(["x must be HH:MM", "x: ", "Missing x", "x '' is bad"]),
    st.sampled_from(FORMS),
    VALUES,
    st.sampled_from(["In blue, at 4, on 2 May.", "x", ""]),
)
def test_whatever_an_error_says_a_new_value_fits_its_form(
    error: str, form: dict[str, Any], wrong: Any, said: str
) -> None:
    again = _again(said, json.dumps({"error": error or "no"}), form, wrong)
    assert again is None or again == wrong or fits(again, form)


@pytest.mark.parametrize("error", ["try again later", "site must be one of: roof, heath"])
def test_no_word_of_an_error_stands_for_an_id(error: str) -> None:
    paid = Made("pay_invoice", {"number": "INV-12", "amount": 40}, error, error, error)
    assert repaired_call(paid, "Pay invoice INV-12 of 40 euros.") is None


def test_a_word_of_an_error_stands_for_a_word() -> None:
    error = "must be one of: roof, heath"
    shown = Made("show", {"where": "hall", "amount": 40}, error, error, error)
    assert repaired_call(shown, "Show the roof.") == {"where": "roof", "amount": 40}


@pytest.mark.parametrize("error", ["bad", "That did not work.", "Use the second shelf."])
def test_a_task_that_is_rewritten_again_changes_and_says_an_error_once(error: str) -> None:
    task, words = "Find the price of oak", ["Find the price of oak"]
    for _ in range(3):
        words.append(rewritten(words[-1], error, date(2026, 3, 2)))
    assert len(set(words)) == len(words)
    said = error.rstrip(".").lower()
    assert [each.lower().count(said) for each in words] == [0, 1, 1, 1]
    assert all(task in each for each in words)
