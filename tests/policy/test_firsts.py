"""What people try first with agents: a search, a file, a calculator's team, a die, small talk."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.conversation import Made
from course.models.policy.lookups import finds_anything
from course.models.policy.results import deed_words, reads, render
from course.models.wire import ChatRequest, Reply, ToolSpec
from tests.policy.teamwork import TEXT, schema_of

NUMBER = {"type": "number"}


def _tool(name: str, about: str, **fields: Any) -> ToolSpec:
    return ToolSpec(name, about, schema_of(fields))


WEB = _tool("web_search", "Search the web.", query=TEXT)
WEATHER = _tool("get_weather", "Look up the weather in a city.", city=TEXT)
SEAT = _tool("update_seat", "Change the seat of a booking.", confirmation_number=TEXT, seat=TEXT)
FAQ = _tool("faq_lookup_tool", "Look up frequently asked questions.", question=TEXT)
READ = _tool("read_file", "Read a file.", path=TEXT)
WRITE = _tool("write_file", "Write a text into a file.", path=TEXT, content=TEXT)
ROLL = _tool("roll_die", "Roll a die.", sides={"type": "integer"})
PRIMES = _tool("check_prime", "Check which numbers are prime.",
               numbers={"type": "array", "items": {"type": "integer"}})  # fmt: skip


def _said(text: str, *tools: ToolSpec, rules: str = "You help.", after: Any = ()) -> Reply:
    first = ({"role": "system", "content": rules}, {"role": "user", "content": text})
    return respond(ChatRequest("small", (*first, *after), tools), Draws())


def _calls(text: str, *tools: ToolSpec, after: Any = ()) -> list[tuple[str, dict[str, Any]]]:
    reply = _said(text, *tools, after=after)
    return [(c.name, json.loads(c.arguments)) for c in reply.calls]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Who painted the Night Watch?", "Who painted the Night Watch"),
        ("Please tell me about Ada Lovelace.", "Ada Lovelace"),
        ("Search the web for night trains to Vienna", "night trains to Vienna"),
        ("Could you find information on tidal power?", "tidal power"),
    ],
)
def test_a_question_that_no_other_tool_answers_is_searched_for(text: str, query: str) -> None:
    assert _calls(text, WEB, WEATHER) == [("web_search", {"query": query})]


@pytest.mark.parametrize(
    "text", ["Who are you?", "Thanks!", "What is my balance?", "Paint the fence.", "How are you?"]
)
def test_what_is_no_question_about_the_world_is_not(text: str) -> None:
    assert _calls(text, WEB, WEATHER) == []


def test_a_tool_of_its_own_comes_before_a_search() -> None:
    assert _calls("What is the weather in Oslo?", WEB, WEATHER) == [
        ("get_weather", {"city": "Oslo"})
    ]


def test_a_question_changes_nothing_where_something_can_look_it_up() -> None:
    asked = _calls("How many bags may I take to a seat?", FAQ, SEAT)
    assert [name for name, _ in asked] == ["faq_lookup_tool"]
    ordered = _calls("Change my seat to 12A, the confirmation number is ABC123.", FAQ, SEAT)
    assert [name for name, _ in ordered] == ["update_seat"]


def test_a_question_before_another_is_not_dropped() -> None:
    reply = _said("Who wrote Emma and what is the weather in Rome?", WEATHER)
    assert [c.name for c in reply.calls] == ["get_weather"]
    call = {"id": "c1", "type": "function",
            "function": {"name": "get_weather", "arguments": reply.calls[0].arguments}}  # fmt: skip
    after = ({"role": "assistant", "content": None, "tool_calls": [call]},
             {"role": "tool", "tool_call_id": "c1", "content": "It rains in Rome."})  # fmt: skip
    told = _said("Who wrote Emma and what is the weather in Rome?", WEATHER, after=after).text or ""
    assert "It rains in Rome." in told
    assert "Who wrote Emma" in told


@pytest.mark.parametrize(
    ("name", "about", "is_so"),
    [
        ("web_search", "Search the web for information.", True),
        ("wikipedia", "Look up a topic on Wikipedia.", True),
        ("researcher", "A research assistant with access to web search.", True),
        ("search_rooms", "Search free rooms by date.", False),
        ("find_patient", "Find a patient by name.", False),
        ("helper", "Answers questions.", False),
    ],
)
def test_who_finds_anything_is_told_by_words_of_no_particular_kind(
    name: str, about: str, is_so: bool
) -> None:
    assert finds_anything(name, about) is is_so


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Write 'see you at eight' into notes/plan.txt",
         ("write_file", {"path": "notes/plan.txt", "content": "see you at eight"})),
        ("Open data/2024/sales.csv, please", ("read_file", {"path": "data/2024/sales.csv"})),
        ("What's in README.md?", ("read_file", {"path": "README.md"})),
    ],
)  # fmt: skip
def test_a_file_is_found_by_its_name(text: str, call: tuple[str, dict[str, Any]]) -> None:
    assert _calls(text, READ, WRITE) == [call]


def test_what_comes_of_one_call_goes_into_the_next() -> None:
    text = "Roll a 20 sided die and tell me if the result is prime"
    assert _calls(text, ROLL, PRIMES) == [("roll_die", {"sides": 20})]
    call = {"id": "c1", "type": "function",
            "function": {"name": "roll_die", "arguments": '{"sides": 20}'}}  # fmt: skip
    after = ({"role": "assistant", "content": None, "tool_calls": [call]},
             {"role": "tool", "tool_call_id": "c1", "content": "13"})  # fmt: skip
    assert _calls(text, ROLL, PRIMES, after=after) == [("check_prime", {"numbers": [13]})]


def test_rules_about_people_are_not_their_answer() -> None:
    rules = "You run a game. Roll the die and see if the number matches the user's guess."
    assert "matches" not in (_said("My guess is 4", rules=rules).text or "")


def _handing(**agents: str) -> tuple[ToolSpec, ...]:
    return tuple(_tool(f"transfer_to_{n}", f"Hand over to {n}: {a}", reason=TEXT)
                 for n, a in agents.items())  # fmt: skip


@pytest.mark.parametrize("text", ["What is 12 times 7?", "Help me solve 3x + 5 = 20", "9 * 13 = ?"])
def test_sums_go_to_whoever_is_there_for_mathematics(text: str) -> None:
    doors = _handing(history_tutor="questions about history", math_tutor="questions about math")
    assert [name for name, _ in _calls(text, *doors)] == ["transfer_to_math_tutor"]


def test_a_question_of_no_trade_goes_to_whoever_researches() -> None:
    doors = _handing(cook="recipes and menus", research_expert="looks things up on the web")
    assert [n for n, _ in _calls("Who is the mayor of Bern?", *doors)] == [
        "transfer_to_research_expert"
    ]
    assert _calls("Paint my fence.", *doors) == []


def test_what_one_can_do_names_colleagues_and_not_the_tool_that_reaches_them() -> None:
    work = {"worker": {"type": "string", "enum": ["math_expert", "clerk"]}, "task": TEXT}
    tool = _tool("delegate_to_agent", "Give a task to a worker.", **work)
    told = _said("Paint my fence.", tool).text or ""
    assert "I can ask math expert or clerk." in told


@pytest.mark.parametrize(
    ("name", "about", "said"),
    [
        ("calculator", "", "use the calculator"),
        ("image_generator", "", "use the image generator"),
        ("wikipedia", "Look up a topic.", "use wikipedia"),
        ("multiply", "Multiply two numbers.", "multiply"),
        ("process_refund", "", "process the refund"),
        ("faq_lookup_tool", "", "look up the faq"),
        ("order_status", "", "get the order status"),
        ("update_status", "", "update the status"),
        ("validate_address", "", "validate the address"),
        ("look_up_item", "", "look up the item"),
        ("check_in", "", "check in"),
    ],
)
def test_a_tool_is_named_as_something_to_do(name: str, about: str, said: str) -> None:
    assert deed_words(name, about) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [("log_ticket", "Logged the ticket."), ("process_refund", "Processed the refund."),
     ("plan_trip", "Planned the trip."), ("enter_order", "Entered the order."),
     ("set_up_meeting", "Set up the meeting.")],
)  # fmt: skip
def test_what_was_done_is_said_in_english(name: str, said: str) -> None:
    assert not reads(name)
    assert render(Made(name, {}, "ok", "ok")) == said


def _after(name: str, arguments: dict[str, Any], text: str) -> tuple[dict[str, Any], ...]:
    call = {"id": "c1", "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)}}  # fmt: skip
    return ({"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": text})  # fmt: skip


FLIGHTS = _tool("search_flights", "Search flights.", origin=TEXT, destination=TEXT, date=TEXT)
HOTELS = _tool("search_hotels", "Search hotels in a city.", city=TEXT)
ORDER = _tool("look_up_item", "Find an item's id by its description.", search_query=TEXT)
REFUND = _tool("execute_refund", "Refund an item.", item_id={"type": "string", "description": "ID"})


def test_each_thing_of_a_list_goes_to_its_own_tool() -> None:
    text = ("Find me flights from London to Lisbon on 5 May 2026, a hotel in Lisbon, and tell me"
            " the weather there.")  # fmt: skip
    made = dict(_calls(text, FLIGHTS, HOTELS, WEATHER))
    assert made["search_flights"] == {
        "origin": "London",
        "destination": "Lisbon",
        "date": "2026-05-05",
    }
    assert made["search_hotels"] == made["get_weather"] == {"city": "Lisbon"}


def test_an_id_that_a_look_up_brings_by_itself_is_used() -> None:
    text = "I want a refund for my rocket"
    assert _calls(text, REFUND, ORDER) == [("look_up_item", {"search_query": "rocket"})]
    after = _after("look_up_item", {"search_query": "rocket"}, "item_13261")
    assert _calls(text, REFUND, ORDER, after=after) == [
        ("execute_refund", {"item_id": "item_13261"})
    ]


def test_what_is_told_beside_a_wish_does_not_hide_it() -> None:
    told = _said("My rocket is broken. I want a refund.", REFUND).text or ""
    assert "item ID" in told


def test_what_a_tool_for_people_says_is_told() -> None:
    human = _tool("escalate_to_human", "Only if explicitly asked to.", summary=TEXT)
    doors = (human, *_handing(sales="sells products", repairs="mends broken things"))
    text = "I want to talk to a human"
    assert [name for name, _ in _calls(text, *doors)] == ["escalate_to_human"]
    after = _after("escalate_to_human", {"summary": text}, "Somebody will call you back.")
    assert _said(text, *doors, after=after).text == "Somebody will call you back."


def test_a_worker_reads_both_ends_of_a_journey() -> None:
    rules = "You work on tasks of others. If you cannot, answer CANNOT: and the reason."
    task = "Task: Find flights from London to Lisbon on 5 May 2026."
    reply = _said(task, FLIGHTS, rules=rules)
    assert [json.loads(c.arguments)["destination"] for c in reply.calls] == ["Lisbon"]
    guess = _said("Task: Find the flights of next year.", FLIGHTS, rules=rules)
    assert (guess.text or "").startswith("CANNOT")
