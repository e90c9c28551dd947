"""Conversations in a fixed order, and the drive-through that a supervisor leads."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest

from course import clock, connect
from course.delegation import TaskFailed
from course.models import Scripted
from course.models.wire import Call, ChatRequest, Reply
from course.runner import run
from course.scenarios import drive_through
from course.scenarios.counter import booking, checkout, form, restaurant
from course.scenarios.counter.steps import TRIES, Linear
from course.scenarios.drive_through import Window, led
from course.scenarios.front_desk import Desk


def talk(linear: Linear, *replies: str) -> list[str]:
    """All that is said to a person who answers this; the last is how it ended."""
    said: list[str] = []

    async def person(words: str) -> str:
        said.append(words)
        return replies[min(len(said), len(replies)) - 1]

    async def hold() -> Any:
        async with connect("simulated", profile="instant") as client:
            return await run(linear, client=client, person=person)

    result = clock.simulate(hold())
    assert [m["content"] for m in result.context.messages if m["role"] == "assistant"][:-1] == said
    return [*said, result.answer]


def test_a_guest_orders_hears_it_read_back_changes_it_and_pays() -> None:
    with Window(seed=7) as window:
        before = drive_through.orders(window)
        said = talk(restaurant(window), "Two cheeseburgers, please.", "No, and a large lemonade.",
                    "Yes.", "In cash.")  # fmt: skip
        assert said[0] == "Welcome! What would you like?"
        assert said[2] == "2 x cheeseburger, 1 x large lemonade. Is that right?"
        [number] = set(drive_through.orders(window)) - set(before)
        assert drive_through.orders(window)[number] == frozenset(
            {(2, "", "cheeseburger", ()), (1, "large", "lemonade", ())}
        )
        cents, paying = drive_through.paid(window)[number]
        assert paying == "cash"
        assert said[-1] == (
            f"Thank you, {cents / 100:.2f} EUR paid. Order {number} is ready in 9 minutes."
        )


def test_what_is_not_there_is_said_and_asked_again_and_an_end_is_made_of_it() -> None:
    with Window(seed=7) as window:
        before = drive_through.orders(window)
        said = talk(restaurant(window), "A pizza.", "Small fries.", "Hm.", "Yes.", "Hm.", "Card.")
        assert said[1] == "Sorry: pizza is not on the menu. What would you like?"
        assert said[2] == said[3] == "1 x small fries. Is that right?"
        assert said[4] == said[5] == "Do you pay by card or cash?"
        after = drive_through.orders(window)
        assert len(after) == len(before) + 1
        with pytest.raises(TaskFailed, match=f"asked {TRIES} times: What would you like"):
            talk(restaurant(window), "A pizza.")
        assert drive_through.orders(window) == after


def test_a_checkout_a_booking_and_a_form_do_what_was_read_back() -> None:
    sent: list[Any] = []
    said = talk(checkout({"lamp": 40, "rug": 85}, sent), "12 Mill Road, Galway", "express",
                "no, standard", "yes", "by card")  # fmt: skip
    assert said[2].startswith("lamp, rug, express, to 12 Mill Road, Galway: 134 EUR.")
    assert said[3].startswith("lamp, rug, standard, to 12 Mill Road, Galway: 129 EUR.")
    assert [(p.street, p.city, p.delivery, p.paying) for p in sent] == [
        ("12 Mill Road", "Galway", "standard", "card")
    ]

    with Desk(seed=7) as desk:
        held = desk.rows("SELECT * FROM appointments")
        said = talk(booking(desk), "Nobody Here", "Carmen Alvarez", "Sunday morning",
                    "on 2026-03-05, in the afternoon", "yes")  # fmt: skip
        assert "no patient is called" in said[1].lower()
        assert "closed on Sunday" in said[3]
        [new] = [row for row in desk.rows("SELECT * FROM appointments") if row not in held]
        assert new["status"] == "booked"
        assert said[-1].startswith("Booked for Carmen Alvarez: 2026-03-05 1")

    filed: list[Any] = []
    said = talk(form(filed), "My name is Ada Okafor", "on 1 February 1980", "ada at example",
                "ada@example.org", "yes")  # fmt: skip
    assert [(f.name, f.born, f.email) for f in filed] == [
        ("Ada Okafor", date(1980, 2, 1), "ada@example.org")
    ]
    assert said[-1] == "Thank you, Ada Okafor: your form has number 1."


def served(boss: Any, words: str) -> Any:
    async def turn() -> Any:
        async with connect("simulated", profile="calm") as client:
            return await run(boss, words, client=client)

    return clock.simulate(turn())


def test_three_agents_change_one_order_and_the_payment_waits_for_them() -> None:
    with Window(seed=7) as window:
        counter = led.Counter(window)
        boss = led.crew(counter)
        before = drive_through.paid(window)
        assert "Nothing has been ordered yet" in served(boss, "I pay by card.").answer
        assert "3.60 EUR" in served(boss, "How much are large fries?").answer
        served(boss, "I'd like two cheeseburgers and a large lemonade.")
        served(boss, "Take the lemonade off the order.")
        assert [(each.quantity, each.item) for each in counter.wishes] == [(2, "cheeseburgers")]
        last = served(boss, "Add a coffee, and I pay by card.")
        assert [each.worker for each in last.delegations.values()] == ["order", "payment"]
        lines = drive_through.orders(window)[counter.number]
        assert lines == {(2, "", "cheeseburger", ()), (1, "medium", "coffee", ())}
        [paid] = [entry for n, entry in drive_through.paid(window).items() if n not in before]
        assert f"{paid[0] / 100:.2f} EUR" in last.answer
        assert "is paid: nothing can be changed" in served(boss, "Add a hamburger.").answer
        assert drive_through.orders(window)[counter.number] == lines


@pytest.mark.parametrize(
    ("words", "now"),
    [
        ("Make that three.", [(3, "cheeseburgers"), (1, "coffee")]),
        ("No, four cheeseburgers.", [(4, "cheeseburgers"), (1, "coffee")]),
        ("Add three hamburgers.", [(2, "cheeseburgers"), (1, "coffee"), (3, "hamburgers")]),
    ],
)
def test_a_correction_changes_the_order_and_adds_nothing_whatever_the_model_would(
    words: str, now: list[tuple[int, str]]
) -> None:
    """A model that takes everything for one thing more; it is read back before it is paid."""

    def says(request: ChatRequest) -> Reply | str:
        last = request.messages[-1]
        if last["role"] == "tool":
            return str(json.loads(last["content"]).get("result", last["content"]))
        if request.key.agent == "window":
            given = {"worker_agent": "order", "task": last["content"]}
            return Reply(calls=(Call("delegate_to_agent", json.dumps(given)),))
        many = re.findall(r"(two|three|four|a) (\w+)", last["content"].lower())
        numbers = {"a": 1, "two": 2, "three": 3, "four": 4}
        things = [{"item": item, "quantity": numbers[n]} for n, item in many]
        things = things or [{"item": "cheeseburgers", "quantity": 3}]
        return Reply(calls=(Call("add_items", json.dumps({"things": things})),))

    with Window(seed=7) as window:
        counter, client = led.Counter(window), connect(Scripted(says))
        boss = led.crew(counter)
        clock.simulate(run(boss, "Two cheeseburgers and a coffee.", client=client))
        last = clock.simulate(run(boss, words, client=client))
        assert [(each.quantity, each.item) for each in counter.wishes] == now
        assert counter.number is None
        shown = f"{now[0][0]} x cheeseburger" if len(now) == 2 else "3 x hamburger"
        assert shown in last.answer


def test_without_the_waiting_the_guest_pays_before_the_coffee_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(led.Counter, "changing", property(lambda _: 0, lambda *_: None))
    with Window(seed=7) as window:
        counter = led.Counter(window)
        boss = led.crew(counter)
        served(boss, "I'd like two cheeseburgers.")
        assert "is paid" in served(boss, "Add a coffee, and I pay by card.").answer
