"""What LiveKit sends beyond the course's own requests, read by general rules."""

import asyncio
import json
from typing import Any

import pytest
from livekit.agents import llm
from livekit.plugins import openai as livekit_openai

from course import clock, connect
from course.models.policy.conversation import python_value

DESK = "You answer the phone of a bicycle shop. Start what the person needs."
FORM = {
    "type": "object",
    "properties": {
        "trouble": {"type": "string", "description": "what is wrong with the bicycle"},
        "since": {"type": "string", "description": "since when"},
        "urgency": {"type": "string", "enum": ["low", "high"], "description": "how urgent it is"},
    },
    "required": ["trouble", "since", "urgency"],
}
COLLECT = "Find out what is wrong with the bicycle, since when, and how urgent it is."
RUNNING = "The tool call is still in progress."


def tool(name: str, description: str, parameters: Any = None) -> dict[str, Any]:
    empty = {"type": "object", "properties": {}}
    function = {"name": name, "description": description, "parameters": parameters or empty}
    return {"type": "function", "function": function}


RECORD = tool("record_repair", "Record the repair.", FORM)
CANCEL = tool(
    "cancel_task",
    "Give up the task because the person does not want it any more.",
    {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]},
)


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def called(name: str, result: str, **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": "c1", "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": result},
    ]


def answer(instructions: str, *messages: Any, tools: Any = (), **more: Any) -> Any:
    """The calls that the simulated model makes, as (name, arguments), or else its words."""

    async def main() -> Any:
        body = {"model": "switchboard-small", "messages": [said("system", instructions), *messages]}
        if tools:
            body["tools"] = list(tools)
        made = await connect(profile="instant").chat.completions.create(**body, **more)
        message = made.choices[0].message
        calls = message.tool_calls or ()
        told = [(each.function.name, json.loads(each.function.arguments)) for each in calls]
        return told or message.content

    return clock.simulate(main())


def test_a_call_that_still_runs_is_no_work_done() -> None:
    asked = [said("user", "My chain is broken."), *called("start_repair", RUNNING)]
    words = answer(COLLECT, *asked, tools=[RECORD, CANCEL])
    assert "progress" not in words and "since when" in words
    left = (said("assistant", "Could you tell me since when?"), said("user", "Never mind."))
    assert answer(COLLECT, *asked, *left, tools=[RECORD, CANCEL])[0][0] == "cancel_task"


@pytest.mark.parametrize("name", ["record_repair", "save_repair", "submit_form", "complete"])
def test_a_finishing_tool_is_known_whatever_its_name(name: str) -> None:
    tools = [tool(name, "Hand over the repair.", FORM)]
    talk = [said("user", "Hello."), said("assistant", "Could you tell me since when?")]
    words = answer(COLLECT, *talk, said("user", "Two days."), tools=tools)
    assert words.endswith("?") and "wrong" in words
    talk += [
        said("user", "Two days."),
        said("assistant", "Could you tell me what is wrong with the bicycle?"),
        said("user", "A flat tyre."),
        said("assistant", "Could you tell me how urgent it is (low or high)?"),
        said("user", "high"),
    ]
    known = {"trouble": "flat tyre", "since": "Two days", "urgency": "high"}
    assert answer(COLLECT, *talk, tools=tools) == [(name, known)]


def test_one_of_several_deeds_finishes_nothing() -> None:
    order = tool("order_part", "Order a part.", FORM)
    words = answer("You run a shop.", said("user", "Hello."), tools=[RECORD, order])
    assert words.startswith("Hello")


@pytest.mark.parametrize("result", ["Transferred to sales.", "Connecting you to the sales desk"])
def test_who_has_handed_over_says_that_it_passes_the_person_on(result: str) -> None:
    move = tool("transfer_to_sales", "Hand the conversation over to sales.")
    asked = [said("user", "I want a bicycle."), *called("transfer_to_sales", result)]
    words = answer(DESK, *asked, tools=[move], tool_choice="none")
    assert words.startswith("I am passing you on to sales")


@pytest.mark.parametrize(
    "shown",
    [
        "{'customer': 'Ada', 'total': '7 EUR', 'paid': False, 'due': datetime.date(2026, 3, 9)}",
        "Bill(customer='Ada', total='7 EUR', paid=False, due='2026-03-09')",
        "customer='Ada' total='7 EUR' paid=False due='2026-03-09'",
    ],
)
def test_a_result_in_python_s_own_way_is_read_as_data(shown: str) -> None:
    data = {"customer": "Ada", "total": "7 EUR", "paid": False, "due": "2026-03-09"}
    assert python_value(shown) == data
    find = tool("find_bill", "Find a bill.", {"type": "object", "properties": {}})
    words = answer(DESK, said("user", "Find my bill."), *called("find_bill", shown), tools=[find])
    assert "7 EUR" in words and not set("{}=()'") & set(words)


@pytest.mark.parametrize(
    "text",
    ["Hello (there)", "{not data}", "a=b and so on", "print('x')", "[1, 2", "", "{" * 30_000],
)
def test_what_is_no_data_stays_text(text: str) -> None:
    assert python_value(text) is None


@pytest.mark.parametrize("text", ["Yes please.", "What time do you open?", "OK, thank you."])
def test_agreeing_and_asking_about_the_house_start_nothing(text: str) -> None:
    tools = [
        tool("start_repair", "Find out what is wrong: start this when a bicycle is broken."),
        tool("start_visit", "Find a time and book it: start this for a visit."),
    ]
    assert isinstance(answer(DESK, said("user", text), tools=tools), str)


@pytest.mark.parametrize("text", ["My dog is called Rex.", "Yes please.", "What time do you open?"])
def test_an_answer_to_another_question_fills_no_field(text: str) -> None:
    talk = [said("user", "My chain is broken."), said("assistant", "Could you tell me since when?")]
    words = answer(COLLECT, *talk, said("user", text), tools=[RECORD])
    assert words == "Could you tell me since when?"


@pytest.mark.parametrize(
    ("heard", "taken"),
    [
        ("My name is Ines Moreau, please.", "Ines Moreau"),
        ("Goran, Nakamura.", "Goran Nakamura"),
        ("Fear only given over.", "Fear Only Given Over"),  # as a recogniser writes a name
        ("Alice Let's see her.", "Alice Let's See Her"),
        ("Fie on a given over.", "Fie On A Given Over"),
        ("Anouk Maguire, for my mother.", "Anouk Maguire"),
        ("My name is Ina Vogel, please repair it.", "Ina Vogel"),
        ("What do you need it for?", None),
        ("Sorry, what time do you open?", None),
    ],
)
def test_a_reply_is_taken_whole_for_a_name_that_was_asked_for(
    heard: str, taken: str | None
) -> None:
    owner = {"type": "string", "description": "the owner's full name"}
    form = {"type": "object", "properties": {"owner": owner, **FORM["properties"]}}
    tools = [
        tool("save_repair", "Hand over the repair.", {**form, "required": [*form["properties"]]})
    ]
    asked = said("assistant", "Could you tell me the owner's full name?")
    known = said("user", "The chain has been broken for two days, the urgency is high.")
    talk = [known, asked, said("user", heard)]
    found = answer(COLLECT, *talk, tools=tools)
    while isinstance(found, str) and "owner" not in found:
        talk += [
            said("assistant", found),
            said("user", "It is broken." if "wrong" in found else "Monday."),
        ]
        found = answer(COLLECT, *talk, tools=tools)
    if taken is None:
        assert isinstance(found, str)
    else:
        assert found[0][1]["owner"] == taken


def test_a_single_word_with_a_capital_is_nobodys_name() -> None:
    owner = {"type": "string", "description": "the owner's full name"}
    form = {"type": "object", "properties": {"owner": owner}, "required": ["owner"]}
    tools = [tool("save_repair", "Hand over the repair.", form)]
    for opening in (
        "Hello. I have a complaint. Red brake. Help.",
        "Hello. Flat tyre.",
        "My bike, BMX, broke.",
    ):
        assert "owner's full name" in answer(COLLECT, said("user", opening), tools=tools)
    found = answer(COLLECT, said("user", "Hello. Ines Moreau here, flat tyre."), tools=tools)
    assert found[0][1]["owner"] == "Ines Moreau"


def test_livekits_own_request_for_a_summary_is_answered_with_what_was_said() -> None:
    history = llm.ChatContext()
    said_so_far = ("My knee hurts. I am Ines Moreau.", "A nurse will call.", "And my invoice?")
    for role, text in zip(("user", "assistant", "user"), said_so_far, strict=True):
        history.add_message(role=role, content=text)
    model = livekit_openai.LLM(client=connect(profile="instant"), model="switchboard-small")
    summed = asyncio.run(history._summarize(model, keep_last_turns=0))
    [only] = summed.items
    assert "Ines Moreau" in only.text_content and "invoice" in only.text_content
