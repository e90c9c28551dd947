"""The drive-through's own rules: menu, refusals, orders and the till, without any model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course import clock
from course.errors import ScenarioError, ToolError
from course.scenarios import drive_through
from course.scenarios.drive_through import Order, Window, Wish
from course.scenarios.drive_through.generate import MENU, SOLD_OUT, make_day
from course.tools import by_name, call_tool


@pytest.fixture
def window() -> Iterator[Window]:
    with drive_through.Window(seed=7) as window:
        yield window


def ask(window: Window, query: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(window.path)) as connection:
        return connection.execute(query, values).fetchall()


def there(window: Window, course: str) -> str:
    """Something of a course that is not sold out."""
    query = "SELECT name FROM items WHERE course = ? AND NOT sold_out ORDER BY name"
    return str(ask(window, query, course)[0][0])


def cents(text: str) -> int:
    """'12.40 EUR' in cents, with its sign."""
    return int(text.removesuffix(" EUR").replace(".", ""))


def pay(window: Window, **arguments: Any) -> Any:
    tool = by_name(window.tools)["take_payment"]
    return json.loads(clock.simulate(call_tool(tool, json.dumps(arguments))))


# the day


def test_the_same_seed_gives_the_same_day_and_another_one_another() -> None:
    assert make_day(7) == make_day(7)
    assert make_day(7) != make_day(8)


@pytest.mark.parametrize("seed", range(20))
def test_a_day_has_the_whole_menu_and_keeps_its_own_rules(seed: int) -> None:
    with drive_through.Window(seed=seed) as window:
        assert len(ask(window, "SELECT * FROM items")) == len(MENU)
        gone = ask(window, "SELECT DISTINCT course FROM items WHERE sold_out")
        assert len(gone) == len(ask(window, "SELECT * FROM items WHERE sold_out")) == SOLD_OUT
        assert ask(window, "SELECT * FROM prices WHERE cents < 100 OR cents > 900") == []
        assert ask(window, "PRAGMA foreign_key_check") == []
        unpaid = "SELECT number FROM orders WHERE number NOT IN (SELECT order_number FROM payments)"
        assert len(ask(window, unpaid)) == 2  # the cars right ahead
        grows = "SELECT cents FROM prices WHERE item = 'cola' ORDER BY length(size) <> 6, size"
        assert len({row[0] for row in ask(window, grows)}) == 3
        for course in ("main", "side", "drink", "dessert"):
            assert there(window, course)


def test_a_larger_size_costs_more(window: Window) -> None:
    rows = ask(window, "SELECT item, size, cents FROM prices WHERE size <> ''")
    price = {(item, size): amount for item, size, amount in rows}
    for item in {item for item, _ in price}:
        assert price[item, "small"] < price[item, "medium"] < price[item, "large"]


def test_the_menu_says_prices_and_what_is_sold_out(window: Window) -> None:
    tool = by_name(window.tools)["read_menu"]
    menu = json.loads(clock.simulate(call_tool(tool, "{}")))
    assert len(menu) == len(ask(window, "SELECT * FROM prices"))
    gone = {row[0] for row in ask(window, "SELECT name FROM items WHERE sold_out")}
    assert {name for name in gone if any(name in row["item"] for row in menu if row["sold_out"])}
    large = next(row for row in menu if row["item"] == "large cola")
    [[amount]] = ask(window, "SELECT cents FROM prices WHERE item = 'cola' AND size = 'large'")
    assert cents(large["price"]) == amount


# what can be had


def test_what_is_there_goes_on_the_order(window: Window) -> None:
    main, drink = there(window, "main"), there(window, "drink")
    checked = window.check_order(
        (Wish(item=main, quantity=2), Wish(item=f"{drink}s", size="large"))
    )
    assert checked["refused"] == []
    assert checked["sorry"] == ""
    assert drive_through.orders(window)[checked["order_number"]] == frozenset(
        {(2, "", main, ()), (1, "large", drink, ())}
    )
    assert [line.partition(":")[0] for line in checked["lines"]] == [
        f"2 x {main}",
        f"1 x large {drink}",
    ]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (Wish(item="pizza"), "pizza is not on the menu"),
        (Wish(item="iced coffee"), "iced coffee is not on the menu"),
        (Wish(item="chicken"), "chicken could be chicken nuggets or chicken wrap: say which"),
        (Wish(item="the"), "the is not on the menu"),
        (Wish(item="???"), "??? is not on the menu"),
        (Wish(item="apple pie", quantity=21), "21 x apple pie: at most 20 of one thing"),
    ],
)
def test_what_cannot_be_had_is_refused_with_a_reason(wish: Wish, reason: str) -> None:
    with drive_through.Window(seed=7) as window:
        assert ("apple pie",) not in ask(window, "SELECT name FROM items WHERE sold_out")
        before = drive_through.orders(window)
        checked = window.check_order((wish,))
        assert checked["refused"] == [reason]
        assert reason in checked["sorry"]
        assert checked["order_number"] is None
        assert drive_through.orders(window) == before


def test_what_is_sold_out_is_refused(window: Window) -> None:
    [[gone], *_] = ask(window, "SELECT name FROM items WHERE sold_out")
    checked = window.check_order((Wish(item=gone), Wish(item=there(window, "main"))))
    assert checked["refused"] == [f"{gone} is sold out"]
    assert len(drive_through.orders(window)[checked["order_number"]]) == 1


def test_an_empty_order_is_no_order(window: Window) -> None:
    checked = window.check_order(())
    assert checked["order_number"] is None
    assert "what would you like" in checked["sorry"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Coke", "cola"),
        ("two portions of fries", "fries"),
        ("french fries", "fries"),
        ("a glass of orange juice", "orange juice"),
        ("nuggets", "chicken nuggets"),
        ("VEGGIE BURGERS", "veggie burger"),
        ("shake", "milkshake"),
    ],
)
def test_guests_may_say_it_in_their_words(said: str, meant: str) -> None:
    seed = next(
        seed for seed in range(50) if (meant, MENU[meant][0], 0) in make_day(seed).rows["items"]
    )
    with drive_through.Window(seed=seed) as window:
        said = said.removeprefix("two ")
        number = window.check_order((Wish(item=said),))["order_number"]
        [(_, _, item, _)] = drive_through.orders(window)[number]
        assert item == meant


def test_extras_cost_and_unknown_ones_are_named(window: Window) -> None:
    main = there(window, "main")
    [[extra, added], *_] = ask(window, "SELECT extra, cents FROM extras WHERE item = ?", main)
    [[plain]] = ask(window, "SELECT cents FROM prices WHERE item = ?", main)
    checked = window.check_order((Wish(item=main, quantity=3, extras=(extra, "glue", extra)),))
    assert checked["refused"] == [f"no glue on {main}"]
    assert checked["lines"] == [f"3 x {main} with {extra}: {(plain + added) * 3 / 100:.2f} EUR"]
    assert drive_through.orders(window)[checked["order_number"]] == {(3, "", main, (extra,))}


def test_a_size_that_does_not_exist_is_told_and_the_thing_still_comes(window: Window) -> None:
    main = there(window, "main")
    checked = window.check_order((Wish(item=main, size="large"),))
    assert checked["refused"] == [f"no large {main}: it comes in one size"]
    assert drive_through.orders(window)[checked["order_number"]] == {(1, "", main, ())}


def test_a_main_a_side_and_a_drink_are_a_meal(window: Window) -> None:
    wishes = tuple(Wish(item=there(window, c), quantity=2) for c in ("main", "side", "drink"))
    checked = window.check_order(wishes)
    [[discount]] = ask(window, "SELECT discount_cents FROM meal")
    assert checked["lines"][-1] == f"2 x meal discount: -{2 * discount / 100:.2f} EUR"
    assert "discount" not in str(window.check_order(wishes[:2])["lines"])


# the till


def test_the_till_adds_up_what_is_on_the_order(window: Window) -> None:
    wishes = tuple(Wish(item=there(window, c), quantity=2) for c in ("main", "side", "drink"))
    checked = window.check_order(wishes)
    number = checked["order_number"]
    paid = pay(window, order_number=number, paying="cash")
    assert paid == {
        "order_number": number,
        "total": paid["total"],
        "receipt": f"R-{number}",
        "paying": "cash",
    }
    assert cents(paid["total"]) == sum(cents(x.rpartition(": ")[2]) for x in checked["lines"])
    assert drive_through.paid(window)[number] == (cents(paid["total"]), "cash")


def test_asked_twice_the_till_charges_once(window: Window) -> None:
    number = window.check_order((Wish(item=there(window, "main")),))["order_number"]
    first = pay(window, order_number=number, paying="card")
    assert pay(window, order_number=number, paying="cash") == first
    assert len(ask(window, "SELECT * FROM payments WHERE order_number = ?", number)) == 1


def test_there_is_no_paying_for_an_order_that_does_not_exist(window: Window) -> None:
    with pytest.raises(ToolError, match="there is no order 999: give the number of this order"):
        pay(window, order_number=999)


def test_no_payment_can_differ_from_its_order(window: Window) -> None:
    number = window.check_order((Wish(item=there(window, "main")),))["order_number"]
    with (
        closing(sqlite3.connect(window.path)) as connection,
        pytest.raises(sqlite3.IntegrityError, match="not the total"),
    ):
        connection.execute("INSERT INTO payments VALUES ('R-1', ?, 'card', 1)", (number,))


def test_the_checks_compare_what_is_said_with_the_till(window: Window) -> None:
    number = window.check_order((Wish(item=there(window, "main")),))["order_number"]
    order = Order(request="x", order_number=number)
    assert window.check_payment(order) == "the order is not paid: take its payment at the till"
    paid = pay(window, order_number=number)
    right = order.model_copy(update={"total": paid["total"], "receipt": paid["receipt"]})
    assert window.check_payment(right) is None
    wrong = right.model_copy(update={"total": "0.10 EUR"})
    assert window.check_payment(wrong) == (
        f"the till says total {paid['total']} and receipt R-{number}"
    )
    told = right.model_copy(
        update={"answer": f"Order {number}: {paid['total']}.", "refused": ("no ice",)}
    )
    assert window.check_answer(told) == "it does not say: no ice"
    whole = told.model_copy(update={"answer": f"Order {number}: {paid['total']}. No ice."})
    assert window.check_answer(whole) is None


def test_a_closed_window_says_how_to_get_a_new_one(window: Window) -> None:
    window.close()
    window.close()
    with pytest.raises(ScenarioError, match=r"this Window is closed: Window\(\) makes a new one"):
        window.check_order(())


WISHES = st.builds(
    Wish,
    item=st.sampled_from([*MENU, "pizza", "chicken", "coke"]),
    quantity=st.integers(1, 25),
    size=st.sampled_from([None, "small", "medium", "large"]),
    extras=st.lists(st.sampled_from(["bacon", "ice", "glue"]), max_size=2).map(tuple),
)


@given(st.lists(WISHES, max_size=6).map(tuple), st.integers(0, 9))
def test_whatever_is_wished_the_lines_add_up_to_what_is_paid(
    wishes: tuple[Wish, ...], seed: int
) -> None:
    with drive_through.Window(seed=seed) as window:
        others = drive_through.paid(window)
        checked = window.check_order(wishes)
        number = checked["order_number"]
        if number is None:
            assert checked["sorry"]
            assert len(checked["refused"]) >= len(wishes)
            return
        bought = [line for line in checked["lines"] if "discount" not in line]
        assert len(bought) + len(checked["refused"]) >= len(wishes)
        total = pay(window, order_number=number)["total"]
        assert cents(total) == sum(cents(line.rpartition(": ")[2]) for line in checked["lines"])
        assert drive_through.paid(window) == {**others, number: (cents(total), "card")}
