"""What instructions tell of who is asking need not be asked for."""

import json

import pytest

from course.models.draws import Draws
from course.models.policy import respond
from course.models.wire import ChatRequest, ToolSpec

ID = {"type": "string", "pattern": r"^[A-F]-\d{1,2}$"}
ADDRESS, LITRES = {"type": "string"}, {"type": "number"}
FUEL = ToolSpec(
    "order_fuel",
    "Order fuel to a berth.",
    {
        "type": "object",
        "properties": {"berth": ID, "litres": LITRES},
        "required": ["berth", "litres"],
    },
)
SWEEP = ToolSpec(
    "book_sweep",
    "Have a chimney swept at an address.",
    {"type": "object", "properties": {"address": ADDRESS}, "required": ["address"]},
)


def _reply(instructions: str, said: str) -> tuple[str, dict[str, object]]:
    messages = ({"role": "system", "content": instructions}, {"role": "user", "content": said})
    reply = respond(ChatRequest("m", messages, tools=(FUEL, SWEEP)), Draws())
    [call] = reply.calls or [None]
    return (call.name, json.loads(call.arguments)) if call else ("", {})


@pytest.mark.parametrize(
    "told",
    [
        "The caller holds berth D-9.",
        "Harbour office. Caller: D-9",
        "| key | value |\n|---|---|\n| signed in as | D-9 |",
        "You are speaking with the owner of D-9.",
    ],
)
def test_an_id_of_the_caller_is_taken(told: str) -> None:
    got = _reply(told, "Please order 80 litres of fuel for me.")
    assert got == ("order_fuel", {"berth": "D-9", "litres": 80})


def test_an_address_of_the_caller_is_taken() -> None:
    told = "The caller lives at 5 Fennel Close."
    assert _reply(told, "I want the chimney swept.") == (
        "book_sweep",
        {"address": "5 Fennel Close"},
    )


def test_what_the_message_says_comes_first() -> None:
    got = _reply("The caller holds berth D-9.", "Please order 80 litres of fuel to A-12.")
    assert got == ("order_fuel", {"berth": "A-12", "litres": 80})


@pytest.mark.parametrize(
    "told", ["Callers' berths look like D-9.", "Ask the caller for the berth, e.g. D-9.", ""]
)
def test_what_is_said_in_general_is_nobody_in_particular(told: str) -> None:
    assert _reply(told, "Please order 80 litres of fuel for me.") == ("", {})
