"""Sample requests, each with what a right answer says and what it leaves behind in the database.

What they ask for is read from the window's own menu, so the requests fit every seed. The expected
totals are added up here from the prices, independently of the till.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from course.scenarios.drive_through.window import Window
from course.scenarios.shared import money

Level = Literal["plain", "several", "extras", "refusal", "change", "nothing"]
Ordered = tuple[int, str, str, tuple[str, ...]]  # quantity, size, item, extras in alphabetic order


@dataclass(frozen=True, slots=True)
class Sample:
    """A request put to one window, and what is right.

    Attributes:
        text: what the guest says.
        facts: what a right answer states, each word for word.
        refused: what cannot be had, each with its reason.
        lines: what stands on the order afterwards; empty when there is none.
        cents: what was paid for it; 0 when there is no order.
        paying: how it was paid.
    """

    text: str
    facts: tuple[str, ...]
    refused: tuple[str, ...] = ()
    lines: frozenset[Ordered] = frozenset()
    cents: int = 0
    paying: str = "card"

    def missing(self, answer: str) -> list[str]:
        """The facts that `answer` does not state."""
        said = " ".join(answer.lower().split())
        return [fact for fact in self.facts if fact.lower() not in said]


@dataclass(frozen=True, slots=True)
class Request:
    """A kind of request. `on(window)` words it for an untouched window."""

    name: str
    level: Level
    on: Callable[[Window], Sample]


def orders(window: Window) -> dict[int, frozenset[Ordered]]:
    """What stands in the window's database now: the lines of every order, by its number."""
    found: dict[int, set[Ordered]] = {
        row["number"]: set() for row in window.rows("SELECT number FROM orders")
    }
    for row in window.rows("SELECT * FROM order_lines"):
        key = (row["order_number"], row["position"])
        query = "SELECT extra FROM line_extras WHERE order_number = ? AND position = ?"
        extras = sorted(each["extra"] for each in window.rows(query, *key))
        line = (row["quantity"], row["size"], row["item"], tuple(extras))
        found[row["order_number"]].add(line)
    return {number: frozenset(lines) for number, lines in found.items()}


def paid(window: Window) -> dict[int, tuple[int, str]]:
    """What is in the till: cents and way of paying, by order number."""
    rows = window.rows("SELECT order_number, cents, paying FROM payments")
    return {row["order_number"]: (row["cents"], row["paying"]) for row in rows}


def _there(window: Window, course: str, *, sized: bool | None = None, extras: int = 0) -> list[str]:
    """What is not sold out of a course, with so many extras at least, alphabetically."""
    query = """
        SELECT name FROM items WHERE course = ? AND NOT sold_out
          AND (SELECT count(*) FROM extras WHERE item = name) >= ?
          AND (? IS NULL OR ? = ((SELECT count(*) FROM prices WHERE item = name) > 1))
        ORDER BY name
    """
    return [row["name"] for row in window.rows(query, course, extras, sized, sized)]


def _extras(window: Window, item: str) -> list[str]:
    rows = window.rows("SELECT extra FROM extras WHERE item = ? ORDER BY extra", item)
    return [row["extra"] for row in rows]


def _price(window: Window, line: Ordered) -> int:
    """What a line costs, in cents."""
    quantity, size, item, extras = line
    query = "SELECT cents FROM prices WHERE item = ? AND size = ?"
    cents = window.rows(query, item, size)[0]["cents"]
    query = "SELECT cents FROM extras WHERE item = ? AND extra = ?"
    added: int = sum(window.rows(query, item, extra)[0]["cents"] for extra in extras)
    return quantity * int(cents + added)


def _sample(
    window: Window,
    text: str,
    *lines: Ordered,
    meals: int = 0,
    refused: tuple[str, ...] = (),
    paying: str = "card",
) -> Sample:
    """A request that leads to an order of these lines, the next one in the window's count."""
    discount = window.rows("SELECT discount_cents FROM meal")[0]["discount_cents"]
    cents = sum(_price(window, line) for line in lines) - meals * discount
    number = window.rows("SELECT max(number) + 1 AS number FROM orders")[0]["number"]
    names = tuple(item for _, _, item, _ in lines)
    facts = (str(number), *names, money(cents), *refused)
    return Sample(text, facts, refused, frozenset(lines), cents, paying)


def _one(window: Window) -> Sample:
    main = _there(window, "main")[0]
    return _sample(window, f"A {main}, please.", (1, "", main, ()))


def _sizes(window: Window) -> Sample:
    drink, other = _there(window, "drink")[:2]
    text = f"Good evening. I'd like a large {drink} and a small {other}, please."
    return _sample(window, text, (1, "large", drink, ()), (1, "small", other, ()))


def _usual_size(window: Window) -> Sample:
    drink = _there(window, "drink")[0]
    return _sample(window, f"Two {_plural(drink)}, please.", (2, "medium", drink, ()))


def _cash(window: Window) -> Sample:
    dessert = _there(window, "dessert", sized=False) or _there(window, "side", sized=False)
    text = f"One {dessert[0]}, please. I pay in cash."
    return _sample(window, text, (1, "", dessert[0], ()), paying="cash")


def _meals(window: Window) -> Sample:
    main, drink = (_there(window, course)[-1] for course in ("main", "drink"))
    side = _there(window, "side", sized=True)[0]
    text = f"Hi! Two {_plural(main)}, a large {drink} and three small {_plural(side)}, please."
    lines = ((2, "", main, ()), (1, "large", drink, ()), (3, "small", side, ()))
    return _sample(window, text, *lines, meals=1)


def _extra(window: Window) -> Sample:
    main = _there(window, "main", extras=2)[0]
    extra = _extras(window, main)[0]
    return _sample(window, f"A {main} with extra {extra}, please.", (1, "", main, (extra,)))


def _two_extras(window: Window) -> Sample:
    main, drink = _there(window, "main", extras=2)[1], _there(window, "drink")[0]
    one, other = _extras(window, main)[:2]
    text = f"I would like two {_plural(main)} with {one} and {other}, and a small {drink}."
    return _sample(window, text, (2, "", main, (one, other)), (1, "small", drink, ()))


def _no_such_extra(window: Window) -> Sample:
    main = _there(window, "main")[0]
    text = f"A {main} with pineapple, please."
    return _sample(window, text, (1, "", main, ()), refused=(f"no pineapple on {main}",))


def _not_on_the_menu(window: Window) -> Sample:
    main = _there(window, "main")[1]
    text = f"Two {_plural(main)} and a pizza, please."
    return _sample(window, text, (2, "", main, ()), refused=("pizza is not on the menu",))


def _sold_out(window: Window) -> Sample:
    gone = window.rows("SELECT name FROM items WHERE sold_out ORDER BY name")[0]["name"]
    main = _there(window, "main")[0]
    text = f"Could I get a {gone} and a {main}, please?"
    return _sample(window, text, (1, "", main, ()), refused=(f"{gone} is sold out",))


def _which(window: Window) -> Sample:
    drink = _there(window, "drink")[0]
    text = f"A small {drink} and some chicken, please."
    refused = ("chicken could be chicken nuggets or chicken wrap: say which",)
    return _sample(window, text, (1, "small", drink, ()), refused=refused)


def _more(window: Window) -> Sample:
    main, drink = _there(window, "main")[0], _there(window, "drink")[0]
    text = f"A {main} and a large {drink}, please. No, make that two {_plural(main)}."
    return _sample(window, text, (2, "", main, ()), (1, "large", drink, ()))


def _other_size(window: Window) -> Sample:
    drink = _there(window, "drink")[1]
    text = f"One large {drink}, please. Actually, make it a small one."
    return _sample(window, text, (1, "small", drink, ()))


def _taken_back(window: Window) -> Sample:
    main, drink = _there(window, "main")[1], _there(window, "drink")[0]
    text = f"A {main} and a {drink}, please. Forget the {drink}."
    return _sample(window, text, (1, "", main, ()))


def _hello(window: Window) -> Sample:
    return Sample("Good evening!", ("what would you like",))


def _nothing_there(window: Window) -> Sample:
    refused = ("pizza is not on the menu", "sushi is not on the menu")
    return Sample("A pizza and two portions of sushi, please.", refused, refused)


def _plural(name: str) -> str:
    return name if name.endswith("s") else f"{name}s"


REQUESTS = (
    Request("one thing", "plain", _one),
    Request("sizes", "plain", _sizes),
    Request("usual size", "plain", _usual_size),
    Request("cash", "plain", _cash),
    Request("meals", "several", _meals),
    Request("an extra", "extras", _extra),
    Request("two extras", "extras", _two_extras),
    Request("no such extra", "extras", _no_such_extra),
    Request("not on the menu", "refusal", _not_on_the_menu),
    Request("sold out", "refusal", _sold_out),
    Request("which one", "refusal", _which),
    Request("more of it", "change", _more),
    Request("other size", "change", _other_size),
    Request("taken back", "change", _taken_back),
    Request("hello", "nothing", _hello),
    Request("nothing to be had", "nothing", _nothing_there),
)
