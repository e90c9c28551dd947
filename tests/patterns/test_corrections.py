"""A correction replaces what it corrects, whatever the model fills in, and is read back."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from course import Agent, clock, connect, run
from course.corrections import corrected, correction_in
from course.delegation import Task, TaskCompletedEvent, TaskGroup
from course.going_back import steps_meant
from course.models import Reply, Scripted
from course.models.wire import ChatRequest
from course.pipeline import Pipeline, Stage
from course.scenarios.counter.uses import Form, checkout, form
from course.voice.bridge import live_group
from course.voice.typed import typed_session
from tests.patterns.teaming import call, calls

WISHES = [{"item": "burger", "quantity": 2}, {"item": "cola", "quantity": 5}]
CHOICE = {"properties": {"pay": {"anyOf": [{"enum": ["card", "cash"]}, {"type": "null"}]}}}


@pytest.mark.parametrize(
    ("values", "said", "right"),
    [
        ({"born": "1980-05-03"}, ("On 3 May 1980.", "No, 1981."), {"born": "1981-05-03"}),
        ({"born": 1980}, ("In 1980.", "no, I was born in 1981"), {"born": 1981}),
        ({"many": 2}, ("Two burgers.", "Make that three."), {"many": 3}),
        ({"many": 2}, ("Two burgers. No, three.",), {"many": 3}),
        ({"day": "2026-03-02"}, ("On Monday.", "Wait, Wednesday."), {"day": "2026-03-04"}),
        ({"day": "Monday"}, ("Monday", "Wait, make that Wednesday at 10."), {"day": "Wednesday"}),
        ({"mail": "a@x.org"}, ("a@x.org", "Sorry, it is b@x.org."), {"mail": "b@x.org"}),
        ({"pay": "card"}, ("By card.", "Actually, cash."), {"pay": "cash"}),
        ({"day": "Monday"}, ("Monday", "No, not Monday, Friday."), {"day": "Friday"}),
        ({"many": 2}, ("Two people.", "Sorry, we are five people."), {"many": 5}),
        (
            {"wishes": WISHES},
            ("Two burgers and five colas.", "No, four burgers."),
            {"wishes": [{"item": "burger", "quantity": 4}, WISHES[1]]},
        ),
    ],
)
def test_a_correction_takes_the_place_of_what_it_corrects(
    values: dict[str, Any], said: tuple[str, ...], right: dict[str, Any]
) -> None:
    assert corrected(values, said, CHOICE) == right
    assert corrected(right, said, CHOICE) == right


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"many": 2}, ("Two burgers.", "No, that is all.")),
        ({"many": 2}, ("Two burgers.", "Three colas too.")),
        ({"one": 2, "other": 2}, ("Two and two.", "No, three.")),
        ({"many": 7}, ("Two burgers.", "No, three.")),
        ({"day": "2026-03-02"}, ("On Monday.", "No, thank you.")),
        ({"pay": "card"}, ("By card.", "No, not with cash in my pocket, card or cash.")),
        # an answer, or something else that is told
        ({"age": 4}, ("I am 4.", "No problem, I have 7 dogs.")),
        ({"guests": 4}, ("A table for 4.", "No, no allergies. It is 2 streets away.")),
        ({"guests": 4}, ("A table for 4.", "No, thanks, nothing else. I come by bus 7.")),
        ({"guests": 4}, ("A table for 4.", "No, that is all. See you at 8.")),
        ({"guests": 4}, ("A table for 4.", "Actually, my daughter is 12.")),
        ({"many": 2}, ("Two burgers.", "Actually, add three colas.")),
        ({"many": 2}, ("Two burgers.", "Make it quick, I have 5 minutes.")),
        ({"born": "1981-02-03"}, ("On 3 Feb 1981.", "No, I have had it since 2019.")),
        ({"day": "2026-03-02"}, ("On Monday.", "Wait until Wednesday.")),
        ({"pay": "card"}, ("By card.", "Sorry, which of you takes cash?")),
        # a denial
        ({"day": "2026-03-02"}, ("On Monday.", "No, not on Friday.")),
        ({"day": "2026-03-02"}, ("Monday.", "Sorry, I can't do Friday, so it has to be Monday.")),
        ({"pay": "card"}, ("By card.", "No, I have no cash.")),
        # a question, an hour
        ({"many": 1}, ("1 large pizza.", "Sorry, can you come at 8?")),
        ({"many": 1}, ("1 large pizza.", "Wait, at 8.")),
    ],
)
def test_what_is_no_correction_or_fits_several_changes_nothing(
    values: dict[str, Any], said: tuple[str, ...]
) -> None:
    assert corrected(values, said, CHOICE) == values


def test_the_last_correction_counts() -> None:
    assert correction_in(("Two.", "No, three.", "Wait, four.")) == ("Two.\nNo, three.", "four.")
    assert correction_in(("Two.", "Three.")) is None


def scripted(*steps: Reply | str) -> Any:
    left = list(steps)
    return connect(Scripted(lambda request: left.pop(0)))


class Visit(BaseModel):
    """When somebody comes, and how they pay."""

    day: date
    paying: Literal["card", "cash"]


def test_a_task_whose_model_keeps_the_old_value_results_in_the_new_one() -> None:
    said = iter(("On Monday, by card.", "Wait, Wednesday."))

    async def person(_: str) -> str:
        return next(said)

    old = call("complete", day="2026-03-02", paying="card")
    client = scripted("Which day?", "Monday the second, then?", calls(old))
    task = Task[Visit](instructions="Find out when.")
    result = clock.simulate(run(task, client=client, person=person))
    assert result.result == Visit(day=date(2026, 3, 4), paying="card")


class Order(BaseModel, frozen=True):
    """An order."""

    words: str
    burgers: int = 0


def test_a_pipeline_takes_the_last_word() -> None:
    stage = Stage(name="note", work=Agent(name="host"), reads=("words",), writes=("burgers",))
    chain = Pipeline(name="chain", stages=(stage,), state=Order)
    client = scripted(json.dumps({"burgers": 2}))
    result = clock.simulate(run(chain, "Two burgers, please. No, make that three.", client=client))
    assert result.state.burgers == 3


def test_a_form_files_what_was_said_last_and_reads_it_back_first() -> None:
    filed: list[Form] = []
    heard: list[str] = []
    said = iter(("Ada Holt", "3 May 1980", "ada@x.org", "No, I was born in 1981.", "Yes."))

    async def person(words: str) -> str:
        heard.append(words)
        return next(said)

    client = scripted('{"name": "Ada Holt"}', '{"born": "1980-05-03"}', '{"email": "ada@x.org"}')
    clock.simulate(run(form(filed), client=client, person=person))
    assert [each.born for each in filed] == [date(1981, 5, 3)]
    assert "1980-05-03" in heard[3] and "1981-05-03" in heard[4]


def test_a_correction_in_a_later_step_is_of_what_was_settled_before() -> None:
    filed: list[Form] = []
    said = iter(("Ada Holt", "3 May 1980", "Wait, 1981.", "ada@x.org", "Yes."))

    async def person(_: str) -> str:
        return next(said)

    client = scripted('{"name": "Ada Holt"}', '{"born": "1980-05-03"}', '{"email": "ada@x.org"}')
    clock.simulate(run(form(filed), client=client, person=person))
    assert filed == [Form(request="ada@x.org", name="Ada Holt", born=date(1981, 5, 3),
                          email="ada@x.org")]  # fmt: skip


def test_a_checkout_changes_a_choice_before_it_is_paid() -> None:
    orders: list[Any] = []
    said = iter(("Elm Road 3, Ghent", "Standard.", "No, express.", "Yes.", "Card."))
    heard: list[str] = []

    async def person(words: str) -> str:
        heard.append(words)
        return next(said)

    client = scripted(
        '{"street": "Elm Road 3", "city": "Ghent"}',
        '{"delivery": "standard"}',
        '{"paying": "card"}',
    )
    clock.simulate(run(checkout({"lamp": 30}, orders), client=client, person=person))
    assert [each.delivery for each in orders] == ["express"]
    assert "39 EUR" in heard[3]


STEPS = {"address": "street, number and city of the delivery", "when": "the day and the hour"}
PAYING = "how it is paid: by card or cash"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("Back to the address.", ["address"]),
        ("Wait, go back to the address, please.", ["address"]),
        ("Can we go back to the delivery address?", ["address"]),
        ("I'd like to change the day.", ["when"]),
        ("Sorry, can I change the city?", ["address"]),
        ("Let me correct the address.", ["address"]),
        ("Oh, the street is wrong.", ["address"]),
        ("That is the wrong street.", ["address"]),
        ("Can I pick another day?", ["when"]),
        ("I want a different hour.", ["when"]),
        ("Please change the day and the address.", ["when", "address"]),
        ("No, change the street. And then we go on.", ["address"]),
        # nothing of an earlier step, or of the present one
        ("By card.", []),
        ("I'll be back at noon.", []),
        ("Don't change the address.", []),
        ("There is no need to go back to the address.", []),
        ("Can I change to card?", []),
        ("I want to change how it is paid on the day.", []),
        ("Do you have change?", []),
        ("What was the address?", []),
        ("Give me a moment.", []),
        ("The address is right.", []),
    ],
)
def test_who_wishes_to_go_back_to_a_step_is_understood(words: str, meant: list[str]) -> None:
    assert steps_meant(words, STEPS, PAYING) == meant


def test_what_two_steps_are_about_names_neither() -> None:
    both = {"home": "the address at home", "work": "the address at work"}
    assert steps_meant("Back to the address.", both) == []
    assert steps_meant("Back to the address at work.", both) == ["work"]


class Where(BaseModel):
    """Where it goes."""

    street: str


class When(BaseModel):
    """When it comes."""

    day: date


class Agreed(BaseModel):
    """Whether it is right."""

    right: bool


def ordering(events: list[str]) -> TaskGroup:
    """Two steps and a read-back."""

    async def settled(event: TaskCompletedEvent) -> None:
        events.append(event.task_id)

    group = TaskGroup(name="order", on_task_completed=settled, summarize_chat_ctx=False)
    group.add(lambda: Task[Where](instructions="Ask where."), id="address", description="where to")
    group.add(lambda: Task[When](instructions="Ask when."), id="when", description="which day")
    group.add(lambda: Task[Agreed](instructions="Read it back."), id="sure", description="sure?")
    return group


DAY = "2026-03-04"
FIRST_STREET, NEW_STREET = "Elm Road 3", "Oak Lane 9"


def clerk(request: ChatRequest) -> Reply | str:
    """A model that fills in what was said last, and never goes back by itself."""
    done = next(each for each in request.tools if each.name == "complete")
    said = [str(m["content"]) for m in request.messages if m["role"] == "user"]
    field = next(iter(done.parameters["properties"]))
    street = next((each for each in reversed(said) if each[:3] in ("Elm", "Oak")), "")
    heard = {
        "street": street if said and said[-1] == street else "",
        "day": DAY if said and said[-1] == DAY else "",
        "right": bool(said and said[-1] == "Yes."),
    }[field]
    if heard:
        return calls(call("complete", f"c{len(request.messages)}", **{field: heard}))
    return f"{street}, {DAY}: right?" if field == "right" else f"Which {field}?"


def test_who_goes_back_in_a_group_is_asked_that_again_and_hears_all_of_it() -> None:
    said = [FIRST_STREET, DAY, "Wait, back to the address.", NEW_STREET, "Yes."]
    heard: list[str] = []

    async def person(words: str) -> str:
        heard.append(words)
        return said.pop(0)

    events: list[str] = []
    client = connect(Scripted(clerk))
    result = clock.simulate(run(ordering(events), client=client, person=person))
    found = result.result.task_results
    assert (found["address"].street, str(found["when"].day)) == (NEW_STREET, DAY)
    assert events == ["address", "when", "address", "sure"]
    assert heard == ["Which street?", "Which day?", f"{FIRST_STREET}, {DAY}: right?",
                     "Which street?", f"{NEW_STREET}, {DAY}: right?"]  # fmt: skip


def test_on_livekit_too() -> None:
    events: list[str] = []
    client = connect(Scripted(clerk))
    group = ordering(events)

    async def main() -> None:
        async with typed_session(live_group(group, client=client), client=client) as session:
            await asyncio.sleep(1)  # it has spoken first
            for words in (FIRST_STREET, DAY, "Wait, back to the address.", NEW_STREET, "Yes."):
                await session.run(user_input=words)
                await asyncio.sleep(1)

    clock.simulate(main())
    outcome = group.outcome()
    assert not isinstance(outcome, Exception)
    assert outcome.task_results["address"].street == NEW_STREET
    assert events == ["address", "when", "address", "sure"]


@pytest.mark.parametrize(
    ("replies", "asked"),
    [
        (("Back to the address, please.", "Oak Lane 9, Lier", "Yes.", "Card."), "Where shall it"),
        (("Yes.", "Can I change the city?", "Oak Lane 9, Lier", "Yes.", "Card."), "Where shall it"),
        (("I'd like to change the delivery.", "Express.", "Yes.", "Card."), "Standard or express"),
    ],
)
def test_who_goes_back_in_a_form_is_asked_that_alone_and_it_is_read_back(
    replies: tuple[str, ...], asked: str
) -> None:
    orders: list[Any] = []
    heard: list[str] = []
    said = iter(("Elm Road 3, Ghent", "Standard.", *replies))

    async def person(words: str) -> str:
        heard.append(words)
        return next(said)

    def says(request: ChatRequest) -> str:
        words = str(request.messages[-1]["content"])
        street, city = ("Oak Lane 9", "Lier") if "Lier" in words else ("Elm Road 3", "Ghent")
        fields = (request.schema or {})["properties"]
        told = {"street": street, "city": city, "paying": "card",
                "delivery": "express" if "xpress" in words else "standard"}  # fmt: skip
        return json.dumps({name: told[name] for name in fields})

    client = connect(Scripted(says))
    clock.simulate(run(checkout({"lamp": 30}, orders), client=client, person=person))
    changed = "Oak Lane 9" if "Where" in asked else "express"
    back = next(n for n, words in enumerate(heard) if asked in words and n > 1)
    assert changed in heard[back + 1] and "Is that right?" in heard[back + 1]
    [order] = orders
    assert changed in (order.street, order.delivery)
    assert len(heard) == 2 + len(replies)
