"""What goes on after something was said or done: refused calls, replies to what was offered,
instructions for refusals, handovers by any way of writing their names. A ski hire shop, by kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from course.models.draws import Draws
from course.models.policy.respond import respond
from course.models.wire import ChatRequest, Reply
from tests.policy.talks import DAY, TEXT, calls, tool

BOOT = {"type": "string", "enum": ["soft_flex", "stiff_flex", "telemark"]}
PAIRS = tool(
    "hire_pairs", "Put skis aside for a guest.", ["guest", "day", "boot"],
    guest={"type": "string", "description": "Name of the guest"}, day=DAY, boot=BOOT,
    lengths={"type": "array", "items": {"type": "integer"}},
)  # fmt: skip
LESSONS = tool("find_lessons", "Ski lessons on a day with their free places.", ["day"], day=DAY)
LESSON = tool(
    "book_lesson", "Book a ski lesson for a guest.", ["guest", "day", "time"],
    guest={"type": "string", "description": "Name of the guest"}, day=DAY,
    time={"type": "string", "description": "HH:MM", "pattern": "^\\d\\d:\\d\\d$"},
)  # fmt: skip
CANCEL = tool(
    "cancel_hire", "Cancel a hire.", ["hire"], hire={"type": "string", "pattern": "^SK-\\d{4}$"}
)
MOVE = tool(
    "move_hire", "Move a hire to another day.", ["hire", "day"],
    hire={"type": "string", "pattern": "^SK-\\d{4}$"}, day=DAY,
)  # fmt: skip
GUEST = tool(
    "get_guest",
    "Record of a guest.",
    ["guest"],
    guest={"type": "string", "description": "Name of the guest"},
)
SHOP = (PAIRS, LESSONS, LESSON, CANCEL, MOVE)
TODAY = "Ski hire at Kaltbach. Today is 2026-02-02."


def _made(name: str, arguments: dict[str, Any], result: Any) -> list[dict[str, Any]]:
    text = result if isinstance(result, str) else json.dumps(result)
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "c1", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]


def _after(*turns: Any, system: str = TODAY, tools: Any = SHOP) -> Reply:
    """The reply to turns: what the user and the assistant say in turn, calls as lists between."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
    for turn in turns:
        last = messages[-1]["role"]
        role = "assistant" if last in ("user", "tool") else "user"
        messages += turn if isinstance(turn, list) else [{"role": role, "content": turn}]
    return respond(ChatRequest("test", tuple(messages), tools=tools), Draws())


ASKED = (
    "Skis for Ruth Amsler on 14 February 2026, soft boots please."
    " If that day is full, the day after."
)
HIRED = {"guest": "Ruth Amsler", "day": "2026-02-14", "boot": "soft"}


@pytest.mark.parametrize(
    ("error", "boot"),
    [
        ("boot 'soft' not known. Use stiff_flex (racing), soft_flex (beginners).", "soft_flex"),
        ({"error": {"field": "boot", "allowed": ["stiff_flex", "soft_flex"]}}, "soft_flex"),
    ],
)  # fmt: skip
def test_what_an_error_allows_takes_the_place_of_what_it_refuses(error: Any, boot: str) -> None:
    said = ASKED.partition(" If")[0]
    assert calls(_after(said, _made("hire_pairs", HIRED, error))) == [
        ("hire_pairs", HIRED | {"boot": boot})
    ]


def test_a_refused_form_and_a_refused_day_are_mended_by_what_was_said() -> None:
    wrong = _made(
        "cancel_hire", {"hire": "4471"}, {"status": 422, "message": "hire must match SK-NNNN"}
    )
    assert calls(_after("Cancel hire 4471", wrong)) == [("cancel_hire", {"hire": "SK-4471"})]
    full = _made("hire_pairs", HIRED, {"error": "FULL", "detail": "2026-02-14 is full"})
    assert calls(_after(ASKED, full)) == [("hire_pairs", HIRED | {"day": "2026-02-15"})]


def test_what_stands_beside_an_error_is_told_and_nothing_is_called_instead() -> None:
    few = {"error": "NOT_ENOUGH", "available": 3, "nextDelivery": "2026-02-20"}
    said = _after(ASKED.partition(" If")[0], _made("hire_pairs", HIRED, few))
    assert not said.calls and said.text is not None
    assert all(w in said.text.lower() for w in ("not enough", "3", "2026-02-20"))
    assert said.text.endswith("?")


FREE = _made("find_lessons", {"day": "2026-02-07"}, {"times": ["09:30", "14:00"]})
OFFER = "On 7 February there is a lesson at 09:30 or at 14:00. Which one, and for whom?"


@pytest.mark.parametrize(
    ("turns", "wanted"),
    [
        (("Any lessons on 7 February?", FREE, OFFER, "After lunch. Ruth Amsler is the name."),
         [("book_lesson", {"guest": "Ruth Amsler", "day": "2026-02-07", "time": "14:00"})]),
        (("Please cancel SK-2207.", "You lose the deposit. Shall I, or move it to another day?",
          "Then don't cancel it. Move it to 21 February 2026."),
         [("move_hire", {"hire": "SK-2207", "day": "2026-02-21"})]),
        (("Please cancel SK-2207.", "Shall I really cancel it?",
          "Hm, no, leave it for now. I'll call again."), []),
        (("Which day is SK-2207 for?", "It is for 14 February. Anything else?",
          "No, nothing else, thank you!"), []),
    ],
)  # fmt: skip
def test_a_reply_takes_what_was_offered_or_leaves_it(turns: Any, wanted: Any) -> None:
    said = _after(*turns)
    assert calls(said) == wanted
    assert wanted or said.text


@pytest.mark.parametrize(
    ("rule", "said", "told"),
    [
        ("Anything that alters a hire is read back first; act only once the guest has agreed.",
         "Cancel SK-2207", ("SK-2207", "?")),
        ("The till is down, so no tool may be used today. Tell guests that they can ring 0555 17.",
         "Cancel SK-2207", ("not", "0555 17")),
        ("Never cancel a hire. Refer people to Mr Zaugg at the counter.", "Cancel SK-2207",
         ("not", "Mr Zaugg")),
        ("Hires are moved for members only. Anybody else: say that they can join at the counter.",
         "Move SK-2207 to 21 February 2026, I'm no member", ("not", "join at the counter")),
        ("Don't move hires to Saturdays.", "Move SK-2207 to 21 February 2026", ("not",)),
    ],
)  # fmt: skip
def test_a_refusal_says_what_the_instructions_want_it_to(rule: str, said: str, told: Any) -> None:
    answer = _after(said, system=f"{TODAY} {rule}")
    assert not answer.calls
    assert all(t in (answer.text or "") for t in told), answer.text
    allowed = _after(
        "Move SK-2207 to 20 February 2026", system=f"{TODAY} Don't move hires to Saturdays."
    )
    assert calls(allowed) == [("move_hire", {"hire": "SK-2207", "day": "2026-02-20"})]


def test_an_answer_keeps_back_ends_and_is_as_short_as_it_is_told() -> None:
    shop = (*SHOP, GUEST)
    record = _made(
        "get_guest",
        {"guest": "Amsler"},
        {"name": "Ruth Amsler", "mobile": "079 555 01 88", "boots": 41},
    )
    kept = "Mobile numbers must not leave this office. Every answer ends with the words: Snow well"
    text = (
        _after(
            "What boots does Amsler wear, and her mobile?",
            record,
            system=f"{TODAY} {kept}",
            tools=shop,
        ).text
        or ""
    )
    assert "41" in text and "079" not in text and "sorry" in text and text.endswith("Snow well")
    short = (
        _after(
            "Who is Amsler?", record, system=f"{TODAY} Reply in five words or fewer.", tools=shop
        ).text
        or ""
    )
    assert 0 < len(short.split()) <= 5


@pytest.mark.parametrize(
    "names",
    [("transferToWorkshop", "transferToSkiSchool"), ("to-workshop", "to-ski-school"),
     ("pass_caller_to_workshop", "pass_caller_to_ski_school")],
)  # fmt: skip
def test_a_handover_is_known_however_its_name_is_written(names: tuple[str, str]) -> None:
    about = ("Edges, wax, broken bindings.", "Teachers, groups, children's lessons.")
    doors = tuple(tool(n, a, ["note"], note=TEXT) for n, a in zip(names, about, strict=True))
    made = calls(_after("My binding is broken and the edges are rusty.", tools=(CANCEL, *doors)))
    assert [(n, bool(a["note"])) for n, a in made] == [(names[0], True)]


def test_a_question_that_was_looked_up_is_answered_and_not_acted_upon() -> None:
    found = _made("find_lessons", {"day": "2026-02-07"}, [{"time": "09:30", "free": 3}])
    answer = _after("SK-2207 here, when could we learn on the 7th?", found)
    assert not answer.calls and "09:30" in (answer.text or "")
