"""Work with colleagues as people talk, judging, plans for mixed staffs: a test for each kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course.models.draws import Draws
from course.models.policy import respond
from course.models.policy.colleagues import consulted
from course.models.policy.front.carry import picks
from course.models.policy.front.gate import passed
from course.models.policy.front.situation import situation
from course.models.policy.judging import criteria_in
from course.models.policy.needs import Wanted
from course.models.policy.plans import plan
from course.models.wire import ChatRequest, ToolSpec
from tests.policy.talks import TEXT, tool

ASKED = {"input": TEXT}
KILNS = tool("kiln_expert", "Firing, kilns and temperatures.", ["input"], **ASKED)
CLAY = tool("clay_clerk", "Clays and glazes in stock.", ["input"], **ASKED)
POTTERY = (KILNS, CLAY)
STOCK = tool("clay_stock", "How much of a clay there is.", ["clay"], clay=TEXT)
ORDER = tool("order_clay", "Order clay.", ["clay", "kilos"], clay=TEXT, kilos={"type": "integer"})
SLOTS = tool("free_slots", "Free slots of a kiln on a day.", ["kiln", "day"], kiln=TEXT, day=TEXT)
BOOK = tool("book_kiln", "Book a kiln.", ["kiln", "day", "time"], kiln=TEXT, day=TEXT, time=TEXT)


def asked(said: str, tools: tuple[ToolSpec, ...], *history: Any, system: str = "") -> ChatRequest:
    messages = ({"role": "system", "content": system}, *history, {"role": "user", "content": said})
    return ChatRequest("small", messages, tools)


def called(request: ChatRequest) -> list[tuple[str, dict[str, Any]]]:
    return [(c.name, json.loads(c.arguments)) for c in respond(request, Draws()).calls]


def made(name: str, result: str, **values: Any) -> tuple[Any, ...]:
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(values)},
    }
    return (
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": result},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "about", "who"),
    [
        ("billing", "Invoices and payments.", True),
        ("rentals", "Renting instruments.", True),
        ("skein_counter", "Counts skeins.", True),
        ("translate", "Translate a text.", False),
        ("summarize_text", "Summarize a text.", False),
    ],
)
def test_a_specialist_is_called_what_somebody_is_or_sees_to(
    name: str, about: str, *, who: bool
) -> None:
    assert consulted(tool(name, about, ["input"], **ASKED)) is who


def test_joined_questions_go_to_whom_each_is_for() -> None:
    found = dict(called(asked(
        "How hot do I fire stoneware, and what glazes are in stock?", POTTERY)))  # fmt: skip
    assert set(found) == {"kiln_expert", "clay_clerk"}
    assert "glazes" not in found["kiln_expert"]["input"]


def test_what_only_tells_goes_along_and_what_is_denied_asks_for_nobody() -> None:
    found = called(asked("Batch 12 cracked. How hot was the firing? No glazes please.", POTTERY))
    assert [name for name, _ in found] == ["kiln_expert"]
    assert "12" in found[0][1]["input"]


def test_only_ones_own_call_is_tried_again_and_once() -> None:
    said = {"role": "user", "content": "How much porcelain is there?"}
    busy = made("clay_stock", '{"error": "timeout, please try again"}', clay="porcelain")
    once = ChatRequest("small", (said, *busy), (STOCK,))
    assert called(once) == [("clay_stock", {"clay": "porcelain"})]
    assert not called(ChatRequest("small", (said, *busy, *busy), (STOCK,)))


@pytest.mark.parametrize(("said", "chosen"), [("11:45 then please", True), ("9:00 then", False)])
def test_a_value_that_was_brought_is_chosen(said: str, *, chosen: bool) -> None:
    before = made("free_slots", '{"free": ["08:15", "11:45"]}', kiln="K2", day="Friday")
    sit = situation(asked(said, (SLOTS, BOOK), *before, {"role": "assistant", "content": "Free."}))
    assert any(picks(part, BOOK, sit) for part in sit.parts) is chosen


@pytest.mark.parametrize(
    ("said", "clay", "kilos", "why"),
    [
        ("Order 40 kilos of porcelain.", "porcelain", 40, []),
        ("Order porcelain for shelf 2.", "porcelain", 2, ["no evidence"]),
        ("Order 40 kilos of it, mind.", "mind", 40, ["no evidence"]),
        ("Order 40 kilos of porcelain. No, don't order.", "porcelain", 40, ["denied"]),
    ],
)
def test_a_deed_takes_no_value_from_elsewhere(
    said: str, clay: str, kilos: int, why: list[str]
) -> None:
    call = Wanted("order_clay", {"clay": clay, "kilos": kilos})
    refused = passed([call], situation(asked(said, (ORDER,))), (ORDER,))[1]
    assert [r.reason for r in refused] == why


MARK = {"type": "object", "required": ["passes", "missing"], "properties": {
    "passes": {"type": "boolean"}, "missing": {"type": "array", "items": TEXT}}}  # fmt: skip
FLAG = {"type": "object", "required": ["allowed"], "properties": {"allowed": {"type": "boolean"}}}


def answered(said: str, system: str, schema: dict[str, Any]) -> Any:
    request = ChatRequest(
        "small", asked(said, (), system=system).messages, response_format="json_schema",
        schema=schema,
    )  # fmt: skip
    return json.loads(respond(request, Draws()).text or "")


def test_a_judge_finds_what_is_missing_and_passes_what_has_it() -> None:
    told = "Judge product texts. A text must name the price and the glaze, and not more."
    lacking = answered("A mug with a blue glaze.", told, MARK)
    assert (lacking["passes"], lacking["missing"]) == (False, ["price"])
    assert answered("A mug with a blue glaze, 12 EUR.", told, MARK) == {
        "passes": True,
        "missing": [],
    }


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ("What does firing a vase cost?", True),
        ("Write me a poem about my vase.", False),
        ("Who won the match last night?", False),
    ],
)
def test_a_guard_lets_through_what_the_words_listed_say(said: str, *, passes: bool) -> None:
    told = ("Decide whether the message may pass. Allowed are questions about clay, firing, vases"
            " and prices.")  # fmt: skip
    assert answered(said, told, FLAG)["allowed"] is passes


def test_instructions_without_criteria_judge_nothing() -> None:
    assert criteria_in("You write product texts. Keep them short.") is None


STAFF = (
    "- keeper: Knows the stock of clays. tools: clay_stock\n"
    "- reckoner: Does the sums.\n"
    "- scribe: Writes and sends letters."
)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Look up how many kilos of clay are in stock, work out what that costs at 3 euros a kilo,"
         " and write the number to Mara.",
         [("keeper", ()), ("reckoner", (1,)), ("scribe", (2,))]),
        ("(a) how much clay is in stock and (b) write a letter to Mara about the open day",
         [("keeper", ()), ("scribe", ())]),
    ],
)  # fmt: skip
def test_a_mixed_staff_is_planned_for_by_what_is_asked_of_each(
    said: str, wanted: list[tuple[str, tuple[int, ...]]]
) -> None:
    tasks = plan(said, ("keeper", "reckoner", "scribe"), (STAFF,)).tasks
    assert [(t.worker, tuple(t.after)) for t in tasks] == wanted
