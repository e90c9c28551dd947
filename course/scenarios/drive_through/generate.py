"""Makes a day at a drive-through from a seed: prices, what is sold out, and the cars ahead.

The menu has the same fifteen things every day; prices, extras' prices, what is sold out and the
orders before ours follow from the seed.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from importlib.resources import files

from course.scenarios.dice import Dice

SIZES = ("small", "medium", "large")
MENU: dict[str, tuple[str, int, bool, tuple[str, ...]]] = {
    # name: course, price in cents about which the day's price is drawn, sizes, extras
    "hamburger": ("main", 390, False, ("bacon", "cheese", "onions")),
    "cheeseburger": ("main", 440, False, ("bacon", "onions", "pickles")),
    "veggie burger": ("main", 490, False, ("cheese", "onions", "avocado")),
    "chicken wrap": ("main", 520, False, ("bacon", "avocado")),
    "chicken nuggets": ("main", 460, False, ("ketchup", "mayo")),
    "fries": ("side", 240, True, ("ketchup", "mayo")),
    "onion rings": ("side", 280, True, ("ketchup", "mayo")),
    "side salad": ("side", 330, False, ("avocado",)),
    "cola": ("drink", 210, True, ("ice",)),
    "lemonade": ("drink", 230, True, ("ice",)),
    "orange juice": ("drink", 260, True, ("ice",)),
    "coffee": ("drink", 220, True, ("milk",)),
    "milkshake": ("dessert", 340, True, ("cream",)),
    "apple pie": ("dessert", 250, False, ("cream",)),
    "ice cream": ("dessert", 190, False, ("sprinkles",)),
}
SOLD_OUT = 2  # things a day that are sold out by now, never two of one course
AHEAD = 6  # orders before ours today; the last two are not paid yet

_INSERTS = {
    "items": "INSERT INTO items VALUES (?, ?, ?)",
    "prices": "INSERT INTO prices VALUES (?, ?, ?)",
    "extras": "INSERT INTO extras VALUES (?, ?, ?)",
    "meal": "INSERT INTO meal VALUES (?)",
    "orders": "INSERT INTO orders VALUES (?, ?)",
    "order_lines": "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?, ?)",
    "payments": "INSERT INTO payments VALUES (?, ?, ?, ?)",
}
Rows = list[tuple[object, ...]]


@lru_cache(maxsize=64)
def database_bytes(seed: int) -> bytes:
    """The SQLite file of the day that belongs to `seed`, made once per process."""
    day = make_day(seed)
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(files(__package__).joinpath("schema.sql").read_text("utf-8"))
        for table, insert in _INSERTS.items():
            connection.executemany(insert, day[table])
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def make_day(seed: int) -> dict[str, Rows]:
    """The rows of the day that belongs to `seed`, by table."""
    dice = Dice(seed)
    gone = _sold_out(dice)
    prices = [row for name in MENU for row in _prices(dice, name)]
    return {
        "items": [(name, course, int(name in gone)) for name, (course, *_) in MENU.items()],
        "prices": prices,
        "extras": _extras(dice),
        "meal": [(10 * dice.number(5, 15),)],
        **_cars_ahead(dice, prices),
    }


def _sold_out(dice: Dice) -> set[str]:
    gone: dict[str, str] = {}
    for name in dice.some(list(MENU), len(MENU)):
        if len(gone) < SOLD_OUT:
            gone.setdefault(MENU[name][0], name)
    return set(gone.values())


def _prices(dice: Dice, name: str) -> Rows:
    _, about, sizes, _ = MENU[name]
    cents = about + 10 * dice.number(-4, 4)
    if not sizes:
        return [(name, "", cents)]
    step = 10 * dice.number(4, 8)
    return [(name, size, cents + step * place) for place, size in enumerate(SIZES)]


def _extras(dice: Dice) -> Rows:
    names = sorted({extra for *_, extras in MENU.values() for extra in extras})
    cents = {name: 10 * dice.number(2, 9) for name in names}
    return [(name, extra, cents[extra]) for name, (*_, extras) in MENU.items() for extra in extras]


def _cars_ahead(dice: Dice, prices: Rows) -> dict[str, Rows]:
    """The orders of the guests before ours, one line each; two of them have not paid yet."""
    first = dice.number(11, 60)
    orders: Rows = []
    lines: Rows = []
    payments: Rows = []
    for number in range(first, first + AHEAD):
        item, size, cents = dice.pick(prices)
        quantity = dice.number(1, 3)
        orders.append((number, 0))
        lines.append((number, 1, item, size, quantity, cents))
        if number < first + AHEAD - 2:
            paying = dice.pick(("card", "cash"))
            payments.append((f"R-{number}", number, paying, quantity * int(str(cents))))
    return {"orders": orders, "order_lines": lines, "payments": payments}
