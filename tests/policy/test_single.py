"""Single requests as people word them: what asks for a look-up, what belongs to one sentence, what
follows from an offer, a failure or a place that is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from course.models.policy.reader.cutting import wonders
from tests.policy.talks import calls, reply, tool

KEY = {"type": "string", "description": "Like KT-1000"}
DAY = {"type": "string", "format": "date"}
CLOCK = {"type": "string", "description": "HH:MM"}
TEXT = {"type": "string"}
FEES = tool("get_fees", "Fees that a kite school still has to pay.", ["kite_id"], kite_id=KEY)
TUNE = tool("tune_kite", "Have a kite tuned.", ["kite_id"], kite_id=KEY)
SEW = tool("sew_patch", "Sew a patch onto a kite.", ["kite_id", "motif"], kite_id=KEY, motif=TEXT)
MOVE = tool("move_lesson", "Move a lesson to another day and time.", ["kite_id", "day", "time"],
            kite_id=KEY, day=DAY, time=CLOCK)  # fmt: skip
WHERE = {"type": "string", "description": "Where on the beach"}
HURT = tool("report_damage", "Report damage on the beach.", ["location", "what"],
            location=WHERE, what=TEXT)  # fmt: skip
WIND = tool("beach_of", "Which beach a street leads to.", ["street"], street=TEXT)
BEACH = {"type": "string", "enum": ["N", "S", "W"]}
HIRE = tool("hire_kite", "Hire out a kite on a beach.", ["kite_id", "beach", "days"],
            kite_id=KEY, beach=BEACH, days={"type": "integer"})  # fmt: skip
CROWD = tool("change_group", "Set how many guests a reservation has.", ["reservation", "guests"],
             reservation=KEY, guests={"type": "integer", "minimum": 1})  # fmt: skip
LEVEL = {"type": "string", "enum": ["beginner", "advanced"]}
START = tool("start_signup", "Begin the sign-up for a course.")
SIGN_UP = tool("record_signup", "Finish the sign-up, once every field is known.",
               ["level", "first_day", "has_wetsuit"],
               first_day=DAY, has_wetsuit={"type": "boolean"}, level=LEVEL)  # fmt: skip
TODAY = "Today is Monday, 2 March 2026."


def named(*said: str, tools: Sequence[Any], **more: Any) -> list[str]:
    return [name for name, _ in calls(reply(*said, system=TODAY, tools=tools, **more))]


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("My aunt's regatta ran under KT-1209, how much is still open there?", True),
        ("and what did KT-1209 bring in?", True),
        ("Please book KT-1209. How long does it take?", False),
        ("Could you tune KT-1209?", False),
        ("I know how much it is.", False),
    ],
)
def test_who_only_wonders_orders_nothing(said: str, asks: bool) -> None:
    assert wonders(said) is asks


def test_a_question_is_for_what_can_be_looked_up() -> None:
    said = "My sister's birthday flight ran under KT-1209, how much is still open there?"
    assert named(said, tools=[SEW, FEES, TUNE]) == ["get_fees"]


def test_no_part_of_a_sentence_goes_with_another_sentence() -> None:
    said = "How much is open for KT-1300? Also please tune KT-1301, the red one, and be quick."
    found = calls(reply(said, system=TODAY, tools=[FEES, TUNE, SEW]))
    assert found == [("get_fees", {"kite_id": "KT-1300"}), ("tune_kite", {"kite_id": "KT-1301"})]


def asked_before(said: str, answer: str, *made: tuple[str, dict[str, Any], str]) -> list[Any]:
    """A talk up to our last answer, with the calls that were made and their results."""
    talk: list[Any] = [{"role": "user", "content": said}]
    for n, (name, arguments, result) in enumerate(made):
        call = {"name": name, "arguments": json.dumps(arguments)}
        made_so = [{"id": f"c{n}", "type": "function", "function": call}]
        talk.append({"role": "assistant", "content": None, "tool_calls": made_so})
        talk.append({"role": "tool", "tool_call_id": f"c{n}", "content": result})
    return [*talk, {"role": "assistant", "content": answer}] if answer else talk


def test_an_offer_is_taken_by_its_time() -> None:
    before = asked_before(
        "Can you move KT-1400 to Friday 6 March 2026 at 9:00?",
        "9:00 on the 6th is taken. I could offer 11:20 that same day, or 9:00 on Monday the 9th.",
    )
    found = calls(
        reply("twenty past eleven then", system=TODAY, tools=[MOVE, FEES], history=before)
    )
    assert found == [("move_lesson", {"kite_id": "KT-1400", "day": "2026-03-06", "time": "11:20"})]


def test_a_place_is_where_something_is_said_to_be() -> None:
    said = "A post broke behind the blue hut and is all splinters, please send someone over!"
    [(name, arguments)] = calls(reply(said, tools=[HURT, FEES]))
    assert name == "report_damage" and "behind the blue hut" in arguments["location"]


def test_what_is_told_of_trouble_without_a_call_for_help_is_asked_about() -> None:
    assert named("A post broke behind the blue hut yesterday.", tools=[HURT, FEES]) == []


def test_a_choice_is_taken_from_what_came_back_under_its_name() -> None:
    before = asked_before(
        "Find out which beach Dune Street leads to, then hire KT-1500 out there for three days.",
        "",
        ("beach_of", {"street": "Dune Street"}, '{"street": "Dune Street", "beach": "W"}'),
    )
    found = calls(reply(system=TODAY, tools=[WIND, HIRE], history=before))
    assert found == [("hire_kite", {"kite_id": "KT-1500", "beach": "W", "days": 3})]


def test_a_yes_is_to_the_figures_of_the_question() -> None:
    refused = ("change_group", {"reservation": "KT-1600", "guests": 9}, '{"error": "8 at most"}')
    before = asked_before(
        "KT-1600 here, can you make us 9?", "At most 8. Shall I make it 8?", refused
    )
    found = calls(reply("Go on then, Ada can watch", tools=[CROWD, FEES], history=before))
    assert found == [("change_group", {"reservation": "KT-1600", "guests": 8})]


FORM = "Find out level, first day and whether they have a wetsuit, then call record_signup."


@pytest.mark.parametrize(
    ("told", "called"),
    [
        ("Beginner, on 4 April 2026.", []),
        ("Beginner, on 4 April 2026, and no, no wetsuit.", ["record_signup"]),
    ],
)
def test_a_form_asks_for_what_nobody_has_said_and_is_begun_once(
    told: str, called: list[str]
) -> None:
    nothing: dict[str, Any] = {}
    running = ("start_signup", nothing, "The tool call is still in progress.")
    before = asked_before("I want to learn kiting.", "Lovely! Which level, and from when?", running)
    answer = reply(told, system=FORM, tools=[START, SIGN_UP, SEW], history=before)
    assert [name for name, _ in calls(answer)] == called
    assert called or "wetsuit" in (answer.text or "")


def test_an_order_that_hangs_on_failing_holds_once_it_failed() -> None:
    first = {"kite_id": "KT-1700", "day": "2026-03-06", "time": "09:00"}
    before = asked_before(
        "Move KT-1700 to 6 March 2026 at 9:00. If that day is impossible take 10 March.",
        "",
        ("move_lesson", first, '{"error": "CLOSED"}'),
    )
    found = calls(reply(system=TODAY, tools=[MOVE, FEES], history=before))
    assert found == [("move_lesson", {**first, "day": "2026-03-10"})]
